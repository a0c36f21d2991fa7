//! Quality checks of a pack: each measures figures and compares them with bounds.

pub mod chains;
pub mod conversation;
pub mod coverage;
pub mod figure;
pub mod grounding;
pub mod replies;
pub mod report;
pub mod wording;

pub use figure::{Bound, Figure};
