//! Third-party predictions on imported data: judged by row, counted by level.

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
    /// The original's evaluator has no verdict.
    #[error(transparent)]
    Judge(#[from] JudgeError),
}

/// A profile's verdict on one call.
#[derive(Debug, Clone, Default)]
pub struct ScoredCall {
    /// Whether the call is correct.
    pub correct: bool,
    /// The verdict as one of the original's labels, such as `NO_API_CALL`.
    pub category: String,
    /// The error class, if the call is wrong.
    pub error_class: Option<ErrorClass>,
    /// The reason, in one sentence.
    pub explanation: String,
    /// Whether the original crashes or hangs on this call.
    pub crash: bool,
    /// Why the gold call was corrected, if it was.
    pub corrected: Option<&'static str>,
    /// Why the sample is excluded, if it is.
    pub excluded: Option<String>,
    /// The overlap, under the profile `f1`.
    pub overlap: Option<CallOverlap>,
}

/// A reply's score.
#[derive(Debug, Clone)]
pub struct ScoredReply {
    /// ROUGE-L, 0 to 1.
    pub rouge_l: f64,
    /// How it was scored, in one sentence.
    pub explanation: String,
}
