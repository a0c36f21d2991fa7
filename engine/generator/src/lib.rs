//! The five agents: a training set from any endpoint, after section 4 of the paper
//! (arXiv 2304.08244).
//!
//! Must not know the evaluation's runs or records. The caller provides sentence embeddings
//! ([`checks::Embed`]).
//!
//! Agents name domains, write APIs, a query, calls with simulated results and a reply; the last
//! one tests. What costs no request is checked first ([`checks`]). [`State`] decides what is asked
//! next and what an answer changes; [`generate`] asks. Every answer leaves an [`JournalEntry`] in a
//! journal, and state, figures and set are folds of it.

pub mod answers;
mod asking;
pub mod checks;
mod drive;
pub mod export;
pub mod import;
mod item;
mod journal;
mod judge;
pub mod prompts;
mod reason;
pub mod set;
mod settings;
mod state;
pub mod statistics;
mod tool;

pub use asking::{Asking, Stop};
pub use drive::generate;
pub use item::{Call, Item, Turn};
pub use journal::{
    Collector, FORMAT, Figures, Finished, JournalEntry, Outcome, Refused, Spent, Yield,
    training_set,
};
pub use reason::{Agent, Code, Reason};
pub use set::slug;
pub use settings::{Budget, Limit, Settings, Targets, TargetsError};
pub use state::{End, Job, Next, State};
pub use tool::{LABELS, Parameter, Tool, published};
