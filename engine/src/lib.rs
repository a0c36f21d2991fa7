//! engine
pub mod retrieval;
pub mod scoring;
