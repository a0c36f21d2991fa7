//! What a run's samples say beyond right and wrong: groups, retrieval, repeated trials, tokens,
//! times, cost. Pure folds, computed when they are looked at; a record holds none of them.

mod bootstrap;
mod groups;
mod length;
mod outcomes;
mod paper;
mod pass;
mod retrieval;
mod summary;
mod times;
mod tokens;

pub use bootstrap::{Estimate, bootstrap};
pub use groups::{Group, Grouping, groups};
pub use length::cut_off;
pub use outcomes::{Outcomes, outcomes};
pub use paper::{PaperTotal, paper_total};
pub use pass::{PassK, pass_hat, pass_k};
pub use retrieval::found_first;
pub use summary::{AbilityRow, Mean, Rate, Summarizer, Summary, summarize};
pub use times::{Spread, Times, spread, times};
pub use tokens::{Prices, Tokens, tokens};

use crate::SampleRecord;
use scoring::Profile;
use serde::{Deserialize, Serialize};

/// The metrics of some samples under a profile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// The profile.
    pub profile: Profile,
    /// ROUGE-L of the replies with its bootstrap interval.
    pub rouge_l: Estimate,
    /// pass^k by dialogue for every k up to the trials.
    pub pass: Vec<PassK>,
    /// One number as in the paper's table: calls, and for Plan whole dialogues.
    pub paper: PaperTotal,
    /// Tokens.
    pub tokens: Tokens,
    /// Times.
    pub times: Times,
}

/// Measures samples.
pub fn measure(samples: &[SampleRecord], profile: Profile) -> Metrics {
    let rouge: Vec<f64> = samples.iter().filter_map(|sample| sample.rouge_l).collect();
    Metrics {
        profile,
        rouge_l: bootstrap(&rouge),
        pass: pass_k(samples, profile),
        paper: paper_total(samples, profile),
        tokens: tokens(samples),
        times: times(samples),
    }
}

#[cfg(test)]
pub(crate) mod tests;
