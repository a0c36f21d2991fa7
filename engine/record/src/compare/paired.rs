//! Two runs on the same samples: the difference of their rates and its significance.

use super::samples::Trials;
use scoring::Interval;
use scoring::statistics::{PairedDialogue, difference, sign_flip_test};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Two runs compared on the samples that have a verdict in both.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Paired {
    /// Dialogues.
    pub dialogues: usize,
    /// Samples; trials of a sample count once.
    pub samples: usize,
    /// The second run's rate minus the first's, -1 to 1.
    pub difference: f64,
    /// Its 95 % interval.
    pub interval: Interval,
    /// Its 90 % interval.
    pub interval_90: Interval,
    /// The p-value of the sign-flip test over dialogues.
    pub p: f64,
    /// Samples that only the first run gets right; with trials, the expected number for a random
    /// trial of each run.
    pub only_first: f64,
    /// Samples that only the second run gets right.
    pub only_second: f64,
}

/// Samples of two runs, by dialogue.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pairs<'a>(BTreeMap<&'a str, Vec<[Trials; 2]>>);

/// The maximum common denominator of trial counts, the least common multiple of 1 to 16. Beyond it,
/// rates are rounded.
const FINEST: u64 = 720_720;

impl<'a> Pairs<'a> {
    /// Adds a sample with its trials in both runs.
    pub(super) fn add(&mut self, dialogue: &'a str, first: Trials, second: Trials) {
        self.0.entry(dialogue).or_default().push([first, second]);
    }

    fn samples(&self) -> impl Iterator<Item = &[Trials; 2]> {
        self.0.values().flatten()
    }

    /// The comparison; `None` without samples.
    pub(crate) fn compare(&self) -> Option<Paired> {
        let unit = self.unit();
        let sums: Vec<(i64, usize)> = self
            .0
            .values()
            .map(|samples| (samples.iter().map(|it| difference_of(it, unit)).sum(), samples.len()))
            .collect();
        let dialogues: Vec<PairedDialogue> = sums
            .iter()
            .map(|(sum, samples)| PairedDialogue {
                difference: *sum as f64 / unit as f64,
                samples: *samples as f64,
            })
            .collect();
        let found = difference(&dialogues)?;
        let only = |right: usize, wrong: usize| {
            self.samples().map(|sample| sample[right].rate() * (1.0 - sample[wrong].rate())).sum()
        };
        Some(Paired {
            dialogues: dialogues.len(),
            samples: self.samples().count(),
            difference: found.value,
            interval: found.interval,
            interval_90: found.interval_90,
            p: sign_flip_test(&sums.iter().map(|(sum, _)| *sum).collect::<Vec<_>>()),
            only_first: only(0, 1),
            only_second: only(1, 0),
        })
    }

    /// The sum of the squared differences of dialogues, in samples.
    pub(super) fn squares(&self) -> f64 {
        let unit = self.unit();
        let sum = |samples: &Vec<[Trials; 2]>| {
            samples.iter().map(|it| difference_of(it, unit)).sum::<i64>() as f64 / unit as f64
        };
        self.0.values().map(|samples| sum(samples) * sum(samples)).sum()
    }

    /// The common denominator of all rates, at most [`FINEST`].
    fn unit(&self) -> u64 {
        let numbers = self.samples().flatten().map(|trials| trials.n.max(1) as u64);
        numbers.fold(1, |known, n| match known / gcd(known, n) * n {
            larger if larger <= FINEST => larger,
            _ => FINEST,
        })
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The second rate minus the first, in multiples of 1 / `unit`.
fn difference_of([first, second]: &[Trials; 2], unit: u64) -> i64 {
    let parts = |trials: &Trials| (trials.rate() * unit as f64).round() as i64;
    parts(second) - parts(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RIGHT: Trials = Trials { right: 1, n: 1 };
    const WRONG: Trials = Trials { right: 0, n: 1 };

    /// Dialogues `a`, `b`, … with a letter per sample: `2` only the second run is right, `1` only
    /// the first, `+` both, `-` none.
    fn pairs(dialogues: &[&'static str]) -> Pairs<'static> {
        const NAMES: [&str; 10] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
        let mut pairs = Pairs::default();
        for (name, samples) in NAMES.into_iter().zip(dialogues) {
            for sample in samples.chars() {
                let (first, second) = match sample {
                    '1' => (RIGHT, WRONG),
                    '2' => (WRONG, RIGHT),
                    '+' => (RIGHT, RIGHT),
                    _ => (WRONG, WRONG),
                };
                pairs.add(name, first, second);
            }
        }
        pairs
    }

    #[test]
    fn the_dialogue_is_the_unit_of_the_test() {
        let found = pairs(&["22+", "2", "12", "2-", "++", "221", "1"]).compare().unwrap();
        assert_eq!((found.dialogues, found.samples), (7, 14));
        assert!((found.difference - 4.0 / 14.0).abs() < 1e-12);
        assert!((found.only_first - 3.0).abs() < 1e-12 && (found.only_second - 7.0).abs() < 1e-12);
        // Differences 2, 1, 0, 1, 0, 1, -1 sum to 4. Of 32 sign patterns, 2 give ±6 and 8 give ±4,
        // which count half (mid-p).
        assert!((found.p - (2.0 + 8.0 / 2.0) / 32.0).abs() < 1e-12, "{found:?}");
        assert!(found.interval.low < found.interval_90.low);
        assert_eq!(Pairs::default().compare(), None);
    }

    #[test]
    fn trials_fold_into_their_sample() {
        let three = |right| Trials { right, n: 3 };
        let mut pairs = Pairs::default();
        pairs.add("a", three(1), three(3));
        pairs.add("b", three(2), Trials { right: 1, n: 2 });
        pairs.add("b", RIGHT, RIGHT);
        let found = pairs.compare().unwrap();
        assert_eq!((found.dialogues, found.samples), (2, 3));
        // (2/3 - 1/6) / 3.
        assert!((found.difference - 0.5 / 3.0).abs() < 1e-12);
        assert!((found.only_first - (2.0 / 3.0) * 0.5).abs() < 1e-12);
        assert!((found.only_second - (2.0 / 3.0 + 1.0 / 6.0)).abs() < 1e-12);
        // Differences 4 and -1 in sixths sum to 3. Of four sign patterns, two give ±5 and two ±3,
        // which count half.
        assert!((found.p - 0.75).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn ten_trials_of_the_same_answers_prove_no_more_than_one() {
        let once = pairs(&["22", "2", "1+", "2-", "2", "21"]);
        let ten = |it: Trials| Trials { right: 10 * it.right, n: 10 };
        let mut repeated = Pairs::default();
        for (dialogue, samples) in &once.0 {
            samples.iter().for_each(|[a, b]| repeated.add(dialogue, ten(*a), ten(*b)));
        }
        let (once, ten) = (once.compare().unwrap(), repeated.compare().unwrap());
        assert!(
            (once.p - ten.p).abs() < 1e-12 && (once.interval.low - ten.interval.low).abs() < 1e-12
        );
    }

    #[test]
    fn odd_numbers_of_trials_are_rounded() {
        let mut pairs = Pairs::default();
        for (name, n) in [("a", 97), ("b", 89), ("c", 83), ("d", 79)] {
            pairs.add(name, Trials { right: n / 2, n }, Trials { right: n, n });
        }
        let found = pairs.compare().unwrap();
        assert!((found.difference - 0.506).abs() < 1e-3 && found.p < 0.2, "{found:?}");
    }
}
