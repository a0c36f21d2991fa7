//! Thresholds for a run's results.

use crate::{Record, summarize};
use scoring::Profile;

/// The thresholds; `None` means no threshold.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Bounds {
    /// The minimum share of correct calls, in percent of the scored ones.
    pub accuracy: Option<f64>,
    /// The minimum share of dialogues with every call correct, in percent of the scored ones.
    pub dialogues: Option<f64>,
    /// The minimum mean ROUGE-L of replies, 0 to 1.
    pub rouge_l: Option<f64>,
    /// The maximum number of samples without an answer.
    pub failed: Option<usize>,
}

impl Bounds {
    /// The thresholds that a record misses, one sentence each. A threshold on a missing number
    /// counts as missed.
    pub fn missed(&self, record: &Record, profile: Profile) -> Vec<String> {
        let summary = summarize(&record.samples, profile);
        let Some(all) = summary.rows.last() else { return Vec::new() };
        let mut missed = Vec::new();
        let mut least = |what: &str, bound: Option<f64>, value: Option<f64>, unit: &str| {
            let Some(bound) = bound.filter(|bound| value.is_none_or(|value| value < *bound)) else {
                return;
            };
            let got = value.map_or_else(|| "none".to_owned(), |value| format!("{value:.3}{unit}"));
            missed.push(format!("{what}: expected at least {bound}{unit}, got {got}."));
        };
        let rate = |rate: Option<f64>| rate.map(|rate| 100.0 * rate);
        let name = profile.as_str();
        let calls = format!("Calls right ({name})");
        least(&calls, self.accuracy, rate(all.calls.value()), " %");
        let dialogues = format!("Dialogues right ({name})");
        least(&dialogues, self.dialogues, rate(all.dialogues.value()), " %");
        least("ROUGE-L", self.rouge_l, all.rouge_l.mean, "");
        if let Some(most) = self.failed.filter(|most| all.failed > *most) {
            missed.push(format!("Not scored: expected at most {most}, got {}.", all.failed));
        }
        missed
    }
}
