//! Runs the benchmark: single samples (pure), many samples (limits, retries, pause, cancel,
//! resume), and the built-in models. Also everything that replays samples (verification, gold
//! audit, demo) and the scoring of third-party predictions.
//!
//! Must not know browsers, files or clocks: the platform provides them through [`provider::Ports`].

mod audit;
pub mod baseline;
mod batch;
pub mod benchmark;
pub mod demo;
mod episode;
mod estimate;
mod judge;
pub mod predictions;
pub mod results;
mod reuse;
mod searchers;
mod shared_search;
pub mod side_by_side;
mod staircase;
mod user_model;
pub mod variant;
mod verify;

pub use audit::audit;
pub use batch::{Asked, Progress, Response, Run, check, head, in_run, resume, run, run_one};
pub use estimate::estimate;
pub use judge::{answered, failed, played};
pub use reuse::reused;
pub use searchers::OwnRetriever;
pub use user_model::{ModelFiles, NamedFile, UserModel, UserModelError};
pub use verify::{Verifier, VerifyError, verify};
