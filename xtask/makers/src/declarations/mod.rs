//! Declarations of what is right: first drafts of them, and their proof.

pub mod draft;
mod order;
pub mod proof;
