//! The benchmark's engine: prompts, call parser, API Search, scoring, runs, records.
//!
//! No browser in it: it compiles natively and to wasm32. Clock, network and
//! waiting come in through [`runner::Ports`].

pub mod baseline;
#[cfg(feature = "search")]
pub mod bench;
pub mod call;
pub mod compare;
pub mod demo;
pub mod export;
pub mod generator;
pub mod imported;
pub mod metrics;
pub mod protocol;
pub mod provider;
mod random;
pub mod record;
pub mod reference;
#[cfg(feature = "search")]
pub mod retrieval;
pub mod runner;
pub mod scoring;
