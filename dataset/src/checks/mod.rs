//! Quality checks of a pack: each measures figures and compares them with bounds.

pub mod chains;
pub mod conversation;
pub mod coverage;
pub mod figure;
pub mod grounding;
pub mod replies;
pub mod report;
mod section;
pub mod wording;

pub use figure::{Bound, Figure};
pub use section::Section;
