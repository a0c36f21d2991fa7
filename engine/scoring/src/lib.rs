//! Verdicts on answers: profiles, error classes, ROUGE-L, intervals and tests.
//!
//! Must not know endpoints, records or runs: it judges one answer against one database state.

pub mod accepted_values;
mod amount;
pub mod audit;
mod confusion;
pub mod due_calls;
pub mod episode;
mod error_class;
pub mod execution;
pub mod f1;
pub mod gold;
pub mod labels;
pub mod no_call;
mod own_tools;
pub mod rouge;
pub mod statistics;
mod verdict;

pub use confusion::Confusion;
pub use episode::{EpisodeJudgement, judge_episode};
pub use error_class::ErrorClass;
pub use execution::{Judgement, judge, judge_step};
pub use statistics::{Interval, IntervalMethod, wilson, wilson_share};
pub use verdict::{Profile, Verdict};
