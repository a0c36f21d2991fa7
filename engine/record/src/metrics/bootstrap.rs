//! Uncertainty of a mean: the percentile bootstrap with a fixed seed.
//!
//! Source: Efron and Tibshirani, 1993, "An Introduction to the Bootstrap", chapter 13.

use dataset::random::SplitMix;
use scoring::Interval;
use serde::{Deserialize, Serialize};

/// Resamples per interval.
const RESAMPLES: usize = 1000;
/// Fixed, so that the same values always give the same interval.
const SEED: u64 = 0x5bd1_e995_9e37_79b9;

/// A mean with its 95 % confidence interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The mean; `None` for `n` = 0.
    pub mean: Option<f64>,
    /// The number of values.
    pub n: usize,
    /// The interval; `None` below two values.
    pub interval: Option<Interval>,
}

/// The mean of finite values with its confidence interval.
pub fn bootstrap(values: &[f64]) -> Estimate {
    let n = values.len();
    if n == 0 {
        return Estimate::default();
    }
    let mean = values.iter().sum::<f64>() / n as f64;
    Estimate { mean: Some(mean), n, interval: (n > 1).then(|| interval(values)) }
}

fn interval(values: &[f64]) -> Interval {
    let mut random = SplitMix(SEED);
    let n = values.len();
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let drawn = (0..n).filter_map(|_| values.get(random.below(n)));
            drawn.sum::<f64>() / n as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let at = |index: usize| means.get(index).copied().unwrap_or_default();
    // 2.5 % of the resamples are beyond either end.
    Interval { low: at(RESAMPLES / 40), high: at(RESAMPLES - 1 - RESAMPLES / 40) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_near_the_normal_one_for_many_values() {
        // 400 values, half 0 and half 1: standard error 0.025.
        let values: Vec<f64> = (0..400).map(|n| f64::from(n % 2)).collect();
        let estimate = bootstrap(&values);
        let interval = estimate.interval.unwrap();
        assert_eq!((estimate.mean, estimate.n), (Some(0.5), 400));
        assert!((interval.low - 0.451).abs() < 0.01, "{interval:?}");
        assert!((interval.high - 0.549).abs() < 0.01, "{interval:?}");
        assert_eq!(bootstrap(&values), estimate);
    }

    #[test]
    fn few_values_say_little() {
        assert_eq!(bootstrap(&[]), Estimate::default());
        assert_eq!(bootstrap(&[0.3]), Estimate { mean: Some(0.3), n: 1, interval: None });
        let same = bootstrap(&[0.25; 5]).interval.unwrap();
        assert_eq!((same.low, same.high), (0.25, 0.25));
    }
}
