//! Two models on the same samples: the difference of their rates and its significance.

use scoring::{Interval, wilson};
use serde::{Deserialize, Serialize};

/// The contingency table of two sets of verdicts on the same samples.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paired {
    /// Correct in both.
    pub both: usize,
    /// Correct in the first only.
    pub first: usize,
    /// Correct in the second only.
    pub second: usize,
    /// Correct in neither.
    pub neither: usize,
}

impl Paired {
    /// Counts one sample.
    pub fn count(&mut self, first: bool, second: bool) {
        *match (first, second) {
            (true, true) => &mut self.both,
            (true, false) => &mut self.first,
            (false, true) => &mut self.second,
            (false, false) => &mut self.neither,
        } += 1;
    }

    /// The number of samples with a verdict in both.
    pub fn n(&self) -> usize {
        self.both + self.first + self.second + self.neither
    }

    /// The second rate minus the first, -1 to 1; `None` without samples.
    pub fn difference(&self) -> Option<f64> {
        let n = self.n();
        (n > 0).then(|| (self.second as f64 - self.first as f64) / n as f64)
    }

    /// The 95 % confidence interval of the difference, for paired data.
    ///
    /// Source: Newcombe, 1998, "Improved confidence intervals for the difference between binomial
    /// proportions based on paired data", method 10.
    pub fn interval(&self) -> Option<Interval> {
        let n = self.n();
        let right = [self.both + self.second, self.both + self.first];
        let (of_second, of_first) = (wilson(right[0], n)?, wilson(right[1], n)?);
        let [second, first] = right.map(|count| count as f64 / n as f64);
        let shared = self.correlation();
        let reach = |a: f64, b: f64| (a * a - 2.0 * shared * a * b + b * b).max(0.0).sqrt();
        let difference = second - first;
        Some(Interval {
            low: difference - reach(second - of_second.low, of_first.high - first),
            high: difference + reach(of_second.high - second, first - of_first.low),
        })
    }

    /// The correlation with continuity correction; 0 if either side does not vary.
    fn correlation(&self) -> f64 {
        let [both, first, second, neither] =
            [self.both, self.first, self.second, self.neither].map(|count| count as f64);
        let margins = (both + first) * (second + neither) * (both + second) * (first + neither);
        if margins <= 0.0 {
            return 0.0;
        }
        let product = both * neither - first * second;
        let half = self.n() as f64 / 2.0;
        let product = if product > 0.0 { (product - half).max(0.0) } else { product };
        product / margins.sqrt()
    }

    /// The p-value of McNemar's exact two-sided test: the probability that the discordant samples
    /// split at least this unevenly if neither model is better. 1 if there are none.
    ///
    /// Source: McNemar, 1947, "Note on the sampling error of the difference between correlated
    /// proportions or percentages"; exact by the binomial distribution with p = 1/2.
    pub fn mcnemar(&self) -> f64 {
        let differ = self.first + self.second;
        let fewer = self.first.min(self.second);
        if differ == 0 {
            return 1.0;
        }
        // Each term follows from the previous one; in logarithms, because 2^-n underflows.
        let mut term = -(differ as f64) * std::f64::consts::LN_2;
        let mut tail = term.exp();
        for k in 1..=fewer {
            term += ((differ - k + 1) as f64 / k as f64).ln();
            tail += term.exp();
        }
        (2.0 * tail).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paired(both: usize, first: usize, second: usize, neither: usize) -> Paired {
        Paired { both, first, second, neither }
    }

    #[test]
    fn the_test_is_the_sign_test_of_the_differing_samples() {
        // 1 against 9 of 10: 2 (1 + 10) / 1024.
        let p = paired(50, 1, 9, 3).mcnemar();
        assert!((p - 22.0 / 1024.0).abs() < 1e-12, "{p}");
        assert!((paired(7, 5, 5, 7).mcnemar() - 1.0).abs() < 1e-12);
        assert!((paired(9, 0, 0, 1).mcnemar() - 1.0).abs() < 1e-12);
        // The test is symmetric.
        let (one, other) = (paired(0, 30, 12, 0), paired(0, 12, 30, 0));
        assert!((one.mcnemar() - other.mcnemar()).abs() < 1e-15);
        // Large enough for 2^-n to underflow.
        let p = paired(0, 4800, 5200, 0).mcnemar();
        assert!(p > 6e-5 && p < 7e-5, "{p}");
    }

    #[test]
    fn the_interval_matches_published_values() {
        // Newcombe 1998, table II, method 10, n = 50.
        for (counts, low, high) in
            [((36, 12, 2, 0), 0.0569, 0.3404), ((36, 14, 0, 0), 0.1528, 0.4167)]
        {
            let (both, first, second, neither) = counts;
            // The paper subtracts the second rate from the first.
            let interval = paired(both, second, first, neither).interval().unwrap();
            assert!((interval.low - low).abs() < 5e-5, "{counts:?} {interval:?}");
            assert!((interval.high - high).abs() < 5e-5, "{counts:?} {interval:?}");
        }
        assert_eq!(Paired::default().interval(), None);
    }

    #[test]
    fn a_difference_is_mirrored_when_the_two_change_places() {
        let (one, other) = (paired(20, 9, 4, 11), paired(20, 4, 9, 11));
        assert_eq!(one.difference(), other.difference().map(|difference| -difference));
        let (one, other) = (one.interval().unwrap(), other.interval().unwrap());
        assert!((one.low + other.high).abs() < 1e-12 && (one.high + other.low).abs() < 1e-12);
    }
}
