//! A run's verdicts, with trials folded into their sample.

use crate::{Outcome, Record, SampleRecord};
use dataset::Ability;
use scoring::Profile;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A sample's trials.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trials {
    /// Right trials.
    pub right: usize,
    /// Trials with a verdict.
    pub n: usize,
}

impl Trials {
    /// The share of right trials, 0 to 1.
    pub fn rate(self) -> f64 {
        if self.n == 0 { 0.0 } else { self.right as f64 / self.n as f64 }
    }
}

/// A sample of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample<'a> {
    pub(crate) ability: Ability,
    pub(crate) dialogue: &'a str,
    pub(crate) trials: Trials,
}

/// A run's samples by their id without the trial.
pub(crate) type Samples<'a> = BTreeMap<&'a str, Sample<'a>>;

/// The samples of a run that have a verdict.
pub(crate) fn samples(record: &Record, profile: Profile) -> Samples<'_> {
    let mut found = Samples::new();
    for sample in &record.samples {
        let Some(correct) = judged(sample, profile) else { continue };
        let known = found.entry(sample.untried()).or_insert(Sample {
            ability: sample.ability,
            dialogue: &sample.dialogue,
            trials: Trials::default(),
        });
        known.trials.n += 1;
        known.trials.right += usize::from(correct);
    }
    found
}

/// The verdict, if it counts in the run's rate.
fn judged(sample: &SampleRecord, profile: Profile) -> Option<bool> {
    if !matches!(sample.outcome, Outcome::Answered(_)) || !sample.counts_for(profile) {
        return None;
    }
    sample.verdict(profile).map(|verdict| verdict.correct)
}
