//! Metrics beyond accuracy: groups, retrieval, repeated trials, tokens, times, cost. Pure folds
//! over the samples, computed on demand; a record stores none of them.

mod by_dialogue;
mod estimate;
mod groups;
pub mod horizon;
mod length;
mod outcomes;
mod own_tools;
mod paper;
mod pass;
mod retrieval;
mod summary;
mod times;
mod tokens;

pub use by_dialogue::ByDialogue;
pub use estimate::{Estimate, estimate};
pub use groups::{Group, Grouping, groups};
pub use length::{cut_off, empty_answers, reasoning_in_text};
pub use outcomes::{Outcomes, outcomes};
pub use own_tools::{NO_CALL, OTHER_REASON, ToolReport, ToolRow, UNKNOWN, own_tools};
pub use paper::{PaperTotal, paper_total};
pub use pass::{PassK, pass_hat, pass_k};
pub use retrieval::found_first;
pub use summary::{AbilityRow, Forms, Mean, Rate, Summarizer, Summary, summarize};
pub use times::{Spread, Times, spread, times, tokens_per_second};
pub use tokens::{Prices, Tokens, tokens};

use crate::SampleRecord;
use scoring::Profile;
use serde::{Deserialize, Serialize};

/// The metrics of a set of samples under a profile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// The profile.
    pub profile: Profile,
    /// Mean ROUGE-L of the replies.
    pub rouge_l: Estimate,
    /// pass^k by dialogue, for every k up to the number of trials.
    pub pass: Vec<PassK>,
    /// One number, as in the paper's table: calls, but whole dialogues for Plan.
    pub paper: PaperTotal,
    /// Token counts.
    pub tokens: Tokens,
    /// Response times.
    pub times: Times,
    /// See [`tokens_per_second`].
    pub tokens_per_second: Option<f64>,
}

/// Computes the metrics.
pub fn measure(samples: &[SampleRecord], profile: Profile) -> Metrics {
    let rouge = samples.iter().filter_map(|it| Some((it.dialogue.as_str(), it.turn, it.rouge_l?)));
    Metrics {
        profile,
        rouge_l: estimate(rouge),
        pass: pass_k(samples, profile),
        paper: paper_total(samples, profile),
        tokens: tokens(samples),
        times: times(samples),
        tokens_per_second: tokens_per_second(samples),
    }
}

#[cfg(test)]
pub(crate) mod tests;
