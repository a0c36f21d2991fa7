//! The five agents: a training set from any endpoint, after section 4 of the paper
//! (arXiv 2304.08244).
//!
//! Agents name domains, write APIs, a query, calls with simulated results and a reply; the last
//! one tests. What costs no request is checked first ([`checks`]).

pub mod checks;
mod item;
mod reason;
pub mod set;
pub mod statistics;
mod tool;

pub use item::{Call, Item, Turn};
pub use reason::{Agent, Code, Reason};
pub use tool::{LABELS, Parameter, Tool, published};
