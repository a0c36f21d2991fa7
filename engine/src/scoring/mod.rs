//! How answers are judged: profiles, error classes, ROUGE-L, intervals.

pub mod episode;
pub mod execution;
pub mod f1;
pub mod gold;
pub mod interval;
pub mod original;
pub mod restraint;
pub mod rouge;
mod verdict;

pub use episode::{EpisodeJudgement, judge_episode};
pub use execution::{Judgement, judge};
pub use interval::{Interval, wilson, wilson_share};
pub use verdict::{ErrorClass, Profile, Verdict};
