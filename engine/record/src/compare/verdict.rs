//! Compares every pair of records: verdicts and noise floors.

use super::letter;
use super::noise::{self, Noise};
use super::paired::{Paired, Pairs};
use super::samples::{Samples, samples};
use crate::Record;
use scoring::Profile;
use scoring::statistics::holm;
use serde::{Deserialize, Serialize};

/// The significance level for adjusted p-values.
pub const LEVEL: f64 = 0.05;
/// The default margin: models that differ by less count as equal. About the smallest difference
/// that is detectable on the whole data set.
pub const MARGIN: f64 = 0.05;
/// The largest margin.
pub const MOST_MARGIN: f64 = 0.5;

/// The conclusion about two runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The first is better.
    FirstBetter,
    /// The second is better.
    SecondBetter,
    /// They differ by less than the margin.
    Equal,
    /// Neither a difference nor equality is shown.
    NotShown,
}

/// Two records of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// The index of the first.
    pub first: usize,
    /// The index of the second.
    pub second: usize,
    /// The samples that have a verdict in both.
    pub paired: Paired,
    /// The p-value, adjusted by Holm over all pairs.
    pub adjusted_p: f64,
    /// The conclusion.
    pub verdict: Verdict,
    /// Whether the difference is below the margin.
    pub within_margin: bool,
}

impl Pair {
    /// The conclusion as a sentence. `margin` must be the one passed to [`report`].
    pub fn sentence(&self, margin: f64) -> String {
        let (first, second, points) = (letter(self.first), letter(self.second), 100.0 * margin);
        let less = match self.within_margin {
            true => format!(", by less than {points} points"),
            false => String::new(),
        };
        match self.verdict {
            Verdict::FirstBetter => format!("{first} is better than {second}{less}."),
            Verdict::SecondBetter => format!("{second} is better than {first}{less}."),
            Verdict::Equal => format!("{first} and {second} are equal within ± {points} points."),
            Verdict::NotShown => format!("{first} and {second}: no difference shown."),
        }
    }
}

/// All pairs of records.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Each pair with shared samples, in the records' order.
    pub pairs: Vec<Pair>,
    /// The noise floors that can be estimated from these records.
    pub noise: Vec<Noise>,
}

/// Compares every pair of records. Differences below `margin`, 0 to 1, count as equal.
pub fn report(records: &[&Record], profile: Profile, margin: f64) -> Report {
    let runs: Vec<Samples<'_>> = records.iter().map(|record| samples(record, profile)).collect();
    let trials = runs.iter().enumerate().filter_map(|(run, it)| noise::of_trials(run, it));
    let mut report = Report { pairs: Vec::new(), noise: trials.collect() };
    for (second, (record, own)) in records.iter().zip(&runs).enumerate() {
        for (first, (base, theirs)) in records.iter().zip(&runs).enumerate().take(second) {
            let pairs = shared(theirs, own);
            if noise::same_model(base, record) {
                report.noise.extend(noise::of_runs([first, second], &pairs));
            }
            let Some(paired) = pairs.compare() else { continue };
            let (adjusted_p, verdict, within_margin) = (1.0, Verdict::NotShown, false);
            report.pairs.push(Pair { first, second, paired, adjusted_p, verdict, within_margin });
        }
    }
    report.pairs.sort_by_key(|pair| (pair.first, pair.second));
    let adjusted = holm(&report.pairs.iter().map(|pair| pair.paired.p).collect::<Vec<_>>());
    for (pair, adjusted_p) in report.pairs.iter_mut().zip(adjusted) {
        let interval = pair.paired.interval_90;
        pair.adjusted_p = adjusted_p;
        pair.within_margin = interval.low > -margin && interval.high < margin;
        pair.verdict = match adjusted_p <= LEVEL {
            true if pair.paired.difference > 0.0 => Verdict::SecondBetter,
            true => Verdict::FirstBetter,
            false if pair.within_margin => Verdict::Equal,
            false => Verdict::NotShown,
        };
    }
    report
}

/// Pairs the samples of two runs.
pub(crate) fn shared<'a>(first: &Samples<'a>, second: &Samples<'_>) -> Pairs<'a> {
    let mut pairs = Pairs::default();
    for (id, one) in first {
        if let Some(other) = second.get(id) {
            pairs.add(one.dialogue, one.trials, other.trials);
        }
    }
    pairs
}
