//! Checks that prove the pack: each measures figures and says which bound they keep.

pub mod chains;
pub mod coverage;
pub mod figure;
pub mod grounding;
pub mod replies;
pub mod report;
pub mod wording;

pub use figure::{Bound, Figure};
