//! The inner loops of API Search: weights out of their coding, and linear layers on them.
//!
//! A crate of its own, because a profile says for whole crates how they are compiled: this one for
//! speed where everything else is for size, or for a short wait.

pub mod coder;
pub mod linear;
