//! The noise floor: how much two runs of one model differ.

use super::paired::Pairs;
use super::samples::Samples;
use crate::{Model, Record};
use serde::{Deserialize, Serialize};

/// The data of a noise floor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "lowercase")]
pub enum Source {
    /// The trials of a run.
    Trials {
        /// The run's index.
        run: usize,
    },
    /// Two runs of one model with the same settings.
    Runs {
        /// Their indices.
        runs: [usize; 2],
    },
}

/// How much two runs of one model differ.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Noise {
    /// The data.
    #[serde(flatten)]
    pub source: Source,
    /// Samples.
    pub samples: usize,
    /// The share of samples that one run gets right and the other wrong, 0 to 1.
    pub flips: f64,
    /// The difference that two single-trial runs of the model stay within in 95 % of cases, 0 to 1.
    pub difference: f64,
}

/// The standard normal quantile of a two-sided 95 % interval.
const Z: f64 = 1.959_963_984_540_054;

/// Estimates the noise floor from a run's trials. Two random trials of a sample with c of n right
/// disagree with probability 2 c (n - c) / (n (n - 1)). The variance of the difference between two
/// runs, in samples, is the sum of these.
pub(super) fn of_trials(run: usize, samples: &Samples<'_>) -> Option<Noise> {
    let repeated = || samples.values().map(|sample| sample.trials).filter(|sample| sample.n > 1);
    let count = repeated().count();
    let flips: f64 = repeated()
        .map(|it| 2.0 * (it.right * (it.n - it.right)) as f64 / (it.n * (it.n - 1)) as f64)
        .sum();
    (count > 0).then(|| Noise {
        source: Source::Trials { run },
        samples: count,
        flips: flips / count as f64,
        difference: Z * flips.sqrt() / count as f64,
    })
}

/// Estimates the noise floor from two runs of one model.
pub(super) fn of_runs(runs: [usize; 2], pairs: &Pairs<'_>) -> Option<Noise> {
    let found = pairs.compare()?;
    let samples = found.samples as f64;
    Some(Noise {
        source: Source::Runs { runs },
        samples: found.samples,
        flips: (found.only_first + found.only_second) / samples,
        difference: Z * pairs.squares().sqrt() / samples,
    })
}

/// Whether two records are runs of one model with the same settings. Ignores seeds.
pub(super) fn same_model(first: &Record, second: &Record) -> bool {
    let model = |record: &Record| match record.model.clone() {
        Model::Endpoint(mut endpoint) => {
            endpoint.seed = None;
            Model::Endpoint(endpoint)
        }
        other @ (Model::Builtin { .. } | Model::Agent(_)) => other,
    };
    let setup = |record: &Record| {
        let data = (record.pack.digest.clone(), record.split, record.steps, record.described_apis);
        let asked = (record.protocol, record.prompts_digest.clone(), record.turn_limit);
        (data, asked, record.search.clone(), record.dropped_parameters.clone())
    };
    model(first) == model(second) && setup(first) == setup(second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::samples::{Sample, Trials};
    use dataset::Ability;

    #[test]
    fn trials_disagree_as_often_as_pairs_of_them_do() {
        let sample = |right, n| Sample {
            ability: Ability::Call,
            dialogue: "a",
            trials: Trials { right, n },
        };
        // 2 of 3: two of three pairs of trials disagree. A single trial has no pairs.
        let samples = Samples::from([
            ("a#1", sample(2, 3)),
            ("a#3", sample(3, 3)),
            ("b#1", sample(0, 3)),
            ("c#1", sample(1, 2)),
            ("d#1", sample(1, 1)),
        ]);
        let noise = of_trials(4, &samples).unwrap();
        assert_eq!((noise.source, noise.samples), (Source::Trials { run: 4 }, 4));
        let flips = 2.0 / 3.0 + 1.0;
        assert!((noise.flips - flips / 4.0).abs() < 1e-12);
        assert!((noise.difference - 1.96 * f64::sqrt(flips) / 4.0).abs() < 1e-4);
        assert_eq!(of_trials(0, &Samples::from([("d#1", sample(1, 1))])), None);
    }

    #[test]
    fn two_runs_differ_by_their_dialogues() {
        let (right, wrong) = (Trials { right: 1, n: 1 }, Trials { right: 0, n: 1 });
        let mut pairs = Pairs::default();
        pairs.add("a", right, wrong);
        pairs.add("a", right, wrong);
        pairs.add("b", wrong, right);
        pairs.add("b", right, right);
        let noise = of_runs([0, 2], &pairs).unwrap();
        assert_eq!((noise.source, noise.samples), (Source::Runs { runs: [0, 2] }, 4));
        assert!((noise.flips - 0.75).abs() < 1e-12);
        assert!((noise.difference - 1.96 * f64::sqrt(5.0) / 4.0).abs() < 1e-4);
        assert_eq!(of_runs([0, 1], &Pairs::default()), None);
    }
}
