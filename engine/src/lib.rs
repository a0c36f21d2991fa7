//! The benchmark's engine: prompts, call parser, API Search, scoring, runs, records.
//!
//! No browser in it: it compiles natively and to wasm32. Clock, network and
//! waiting come in through [`runner::Ports`].

pub mod baseline;
pub mod bench;
pub mod call;
pub mod protocol;
pub mod provider;
pub mod record;
pub mod retrieval;
pub mod runner;
pub mod scoring;
