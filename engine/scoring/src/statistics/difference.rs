//! The difference of two runs on the same dialogues, with confidence intervals.

use super::Interval;
use super::quantile::{Quantile, TWO_SIDED_90, TWO_SIDED_95};

/// A dialogue in both runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedDialogue {
    /// The second run's right samples minus the first's. Trials are averaged, so it may be
    /// fractional.
    pub difference: f64,
    /// The number of samples.
    pub samples: f64,
}

/// The second run's rate minus the first's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// The difference, -1 to 1.
    pub value: f64,
    /// The 95 % interval.
    pub interval: Interval,
    /// The 90 % interval. If it lies within ±d, two one-sided tests at 5 % reject a difference of d
    /// or more (Schuirmann, 1987).
    pub interval_90: Interval,
}

/// Pseudo-count for dialogues that only one of the runs gets right, added for each run. Source:
/// Agresti and Min, 2005, "Simple improved confidence intervals for comparing matched proportions",
/// who add one half to each cell; here the cells count dialogues.
const ADDED: f64 = 0.5;

/// The difference over dialogues; `None` without samples.
///
/// The variance is the linearized variance of a ratio over dialogues, as in
/// [`clustered`](super::clustered). Half a pseudo-dialogue on either side keeps the interval of two
/// runs that never disagree from having zero width.
pub fn difference(dialogues: &[PairedDialogue]) -> Option<Difference> {
    let count = dialogues.len();
    let samples: f64 = dialogues.iter().map(|dialogue| dialogue.samples).sum();
    if count == 0 || samples <= 0.0 {
        return None;
    }
    let sum: f64 = dialogues.iter().map(|dialogue| dialogue.difference).sum();
    let size = samples / count as f64;
    // The pseudo-dialogues have the mean size and cancel out in the sum.
    let (samples_added, count_added) = (samples + 2.0 * ADDED * size, count as f64 + 2.0 * ADDED);
    let centre = sum / samples_added;
    let square = |difference: f64, n: f64| {
        let residual = difference - centre * n;
        residual * residual
    };
    let squares = dialogues.iter().map(|it| square(it.difference, it.samples)).sum::<f64>()
        + ADDED * (square(1.0, size) + square(-1.0, size));
    let variance = count_added / (count_added - 1.0) * squares / (samples_added * samples_added);
    let interval = |quantile: &Quantile| {
        let half = quantile.t(count) * variance.sqrt();
        Interval { low: (centre - half).max(-1.0), high: (centre + half).min(1.0) }
    };
    Some(Difference {
        value: sum / samples,
        interval: interval(&TWO_SIDED_95),
        interval_90: interval(&TWO_SIDED_90),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(dialogues: &[(f64, f64)]) -> Difference {
        let paired = |(difference, samples): &(f64, f64)| PairedDialogue {
            difference: *difference,
            samples: *samples,
        };
        difference(&dialogues.iter().map(paired).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn dialogues_of_one_call_are_nearly_agresti_and_min() {
        // Of 50 pairs, 12 are right in the first run only, 2 in the second only. With the
        // pseudo-counts: centre -10/51, squares 15, so the variance is (15 - 100/51) / (50 × 51).
        let mut pairs = vec![(0.0, 1.0); 36];
        pairs.extend([(-1.0, 1.0); 12]);
        pairs.extend([(1.0, 1.0); 2]);
        let got = of(&pairs);
        let half = 2.008_559 * ((15.0_f64 - 100.0 / 51.0) / (50.0 * 51.0)).sqrt();
        assert!((got.value + 0.2).abs() < 1e-12);
        assert!((got.interval.low - (-10.0 / 51.0 - half)).abs() < 1e-5, "{got:?}");
        assert!((got.interval.high - (-10.0 / 51.0 + half)).abs() < 1e-5, "{got:?}");
        // Newcombe's interval for the same counts (1998, table II, method 10) is -0.3404 to -0.0569.
        assert!(
            (got.interval.low + 0.3404).abs() < 0.01 && (got.interval.high + 0.0569).abs() < 0.01
        );
        assert!(got.interval_90.low > got.interval.low && got.interval_90.high < got.interval.high);
    }

    #[test]
    fn runs_that_never_disagree_keep_an_interval() {
        let got = of(&[(0.0, 2.0); 20]);
        assert!(got.value.abs() < 1e-15);
        // t with 20 degrees × sqrt(21 / 20 × 1) / 42.
        let half = 2.085_963 * (21.0_f64 / 20.0).sqrt() / 42.0;
        assert!((got.interval.high - half).abs() < 1e-5, "{got:?}");
        assert_eq!(difference(&[]), None);
    }

    #[test]
    fn a_difference_is_mirrored_when_the_runs_change_places() {
        let one = of(&[(1.0, 2.0), (0.0, 3.0), (-1.0, 1.0), (2.0, 4.0), (1.0, 1.0)]);
        let other = of(&[(-1.0, 2.0), (0.0, 3.0), (1.0, 1.0), (-2.0, 4.0), (-1.0, 1.0)]);
        assert!((one.value + other.value).abs() < 1e-15);
        assert!((one.interval.low + other.interval.high).abs() < 1e-12);
    }
}
