//! Checks that prove the pack: each measures figures and says which bound they keep.

pub mod figure;
pub mod grounding;
pub mod wording;
mod words;

pub use figure::{Bound, Figure};
