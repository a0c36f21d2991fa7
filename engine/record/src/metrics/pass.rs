//! pass^k: the probability that a model is right in all of k trials.
//!
//! The unbiased estimate for a dialogue with c of n trials correct is C(c, k) / C(n, k); pass^k is
//! its mean over dialogues. Source: tau-bench, arXiv 2406.12045, section 3.

use super::estimate::{Estimate, estimate};
use crate::SampleRecord;
use exchange::protocol::SampleKind;
use scoring::Profile;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// pass^k for one k.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PassK {
    /// How many trials must be correct. pass^1 is the accuracy, pass@1.
    pub k: usize,
    /// The mean over the dialogues with at least `k` scored trials.
    pub value: Estimate,
}

/// C(c, k) / C(n, k): the share of k-subsets of n trials that are all correct. `None` if n < k.
pub fn pass_hat(c: usize, n: usize, k: usize) -> Option<f64> {
    if k == 0 || k > n || c > n {
        return None;
    }
    Some((0..k).map(|i| c.saturating_sub(i) as f64 / (n - i) as f64).product())
}

/// The state of a dialogue's trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Trial {
    Right,
    Wrong,
    NotScored,
}

/// pass^k by dialogue, for every k up to the number of trials. A trial is correct if every decision
/// in it is; trials with a failed request are not counted.
pub fn pass_k(samples: &[SampleRecord], profile: Profile) -> Vec<PassK> {
    let mut trials: BTreeMap<(&str, u32), Trial> = BTreeMap::new();
    let decides = |it: &&SampleRecord| it.kind.is_decision() || it.kind == SampleKind::Episode;
    let judged = samples.iter().filter(decides).filter(|sample| !sample.is_excluded(profile));
    for sample in judged {
        let trial = match sample.verdict(profile) {
            Some(verdict) if verdict.correct => Trial::Right,
            Some(_) => Trial::Wrong,
            None => Trial::NotScored,
        };
        let known = trials.entry((&sample.dialogue, sample.trial)).or_insert(trial);
        *known = trial.max(*known);
    }
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for ((dialogue, _), trial) in trials.iter().filter(|(_, trial)| **trial != Trial::NotScored) {
        let (right, n) = counts.entry(dialogue).or_default();
        *n += 1;
        *right += usize::from(*trial == Trial::Right);
    }
    let most = counts.values().map(|(_, n)| *n).max().unwrap_or(0);
    (1..=most)
        .map(|k| {
            let values = counts.iter().filter_map(|(dialogue, (right, n))| {
                Some((*dialogue, 0, pass_hat(*right, *n, k)?))
            });
            PassK { k, value: estimate(values) }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::tests::call;
    use dataset::Ability;
    use dataset::import::{Correction, DefectClass};
    use exchange::protocol::SampleKind;

    /// Enumerates all k-subsets of n trials, of which the first c are correct.
    fn by_enumeration(c: usize, n: usize, k: usize) -> f64 {
        let subsets = (0_u32..1 << n).filter(|set| set.count_ones() as usize == k);
        let (mut all, mut right) = (0, 0);
        for set in subsets {
            all += 1;
            right += usize::from((0..n).all(|trial| set & (1 << trial) == 0 || trial < c));
        }
        right as f64 / f64::from(all)
    }

    #[test]
    fn it_is_the_share_of_subsets_that_are_right() {
        // C(3, 2) / C(5, 2) = 3 / 10.
        assert!((pass_hat(3, 5, 2).unwrap() - 0.3).abs() < 1e-15);
        assert_eq!(pass_hat(4, 4, 4), Some(1.0));
        assert_eq!(pass_hat(1, 4, 2), Some(0.0));
        assert_eq!((pass_hat(1, 1, 2), pass_hat(2, 1, 1), pass_hat(1, 1, 0)), (None, None, None));
        for n in 1..=7 {
            for c in 0..=n {
                for k in 1..=n {
                    let expected = by_enumeration(c, n, k);
                    let got = pass_hat(c, n, k).unwrap();
                    assert!((got - expected).abs() < 1e-12, "C({c},{k})/C({n},{k})");
                }
            }
        }
    }

    #[test]
    fn dialogues_are_averaged_and_failed_trials_left_out() {
        let trial = |dialogue: &str, trial, right| SampleKindOf { dialogue, trial, right }.sample();
        // a: 2 of 2, b: 1 of 2, c: one trial scored, which is wrong.
        let samples = [
            trial("a", 1, Some(true)),
            trial("a", 2, Some(true)),
            trial("b", 1, Some(true)),
            trial("b", 2, Some(false)),
            trial("c", 1, Some(false)),
            trial("c", 2, None),
        ];
        let pass = pass_k(&samples, Profile::Execution);
        assert_eq!(pass.len(), 2);
        assert_eq!((pass[0].value.mean, pass[0].value.n), (Some(0.5), 3));
        assert_eq!((pass[1].value.mean, pass[1].value.n), (Some(0.5), 2));
    }

    #[test]
    fn excluded_samples_do_not_count() {
        let of = |dialogue, right| SampleKindOf { dialogue, trial: 1, right: Some(right) }.sample();
        let correction = Correction {
            class: DefectClass::ALL[0],
            what: "The gold is wrong.".to_owned(),
            excluded: true,
        };
        let excluded = SampleRecord { correction: Some(correction), ..of("b", false) };
        let pass = pass_k(&[of("a", true), excluded], Profile::Execution);
        assert_eq!((pass[0].value.mean, pass[0].value.n), (Some(1.0), 1));
    }

    struct SampleKindOf<'a> {
        dialogue: &'a str,
        trial: u32,
        right: Option<bool>,
    }

    impl SampleKindOf<'_> {
        fn sample(&self) -> SampleRecord {
            let sample = call(Ability::Plan, self.dialogue, 1, "GetToday", self.right);
            SampleRecord { trial: self.trial, kind: SampleKind::Episode, ..sample }
        }
    }
}
