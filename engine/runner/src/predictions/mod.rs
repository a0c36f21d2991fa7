//! Others' predictions on imported data: judged row by row, counted by level.

mod judge;
mod tally;

pub use judge::{judge_call, judge_reply};
pub use tally::{Level, Tally};

use original::evaluator::JudgeError;
use scoring::ErrorClass;
use scoring::f1::CallOverlap;
use thiserror::Error;

/// Why a prediction gets no verdict.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PredictionError {
    /// The pack is not imported.
    #[error("the profile original needs imported data")]
    NoOriginal,
    /// The original's evaluator says nothing.
    #[error(transparent)]
    Judge(#[from] JudgeError),
}

/// What a profile says of one call.
#[derive(Debug, Clone, Default)]
pub struct ScoredCall {
    /// Whether it is right.
    pub correct: bool,
    /// The verdict in the original's way of writing labels: `NO_API_CALL`.
    pub category: String,
    /// Why it is wrong.
    pub error_class: Option<ErrorClass>,
    /// Why, in a sentence.
    pub explanation: String,
    /// Whether the original stops or hangs at it.
    pub crash: bool,
    /// Why the gold call was corrected, where it was.
    pub corrected: Option<&'static str>,
    /// Why the sample does not count, where it does not.
    pub excluded: Option<String>,
    /// What agrees, under the profile `f1`.
    pub overlap: Option<CallOverlap>,
}

/// The score of one reply.
#[derive(Debug, Clone)]
pub struct ScoredReply {
    /// ROUGE-L from 0 to 1.
    pub rouge_l: f64,
    /// How it was scored, in a sentence.
    pub explanation: String,
}
