//! Two models on the same samples: the difference of their rates, and whether it may be chance.

use scoring::{Interval, wilson};
use serde::{Deserialize, Serialize};

/// How two sets of verdicts on the same samples fall together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paired {
    /// Right in both.
    pub both: usize,
    /// Right in the first alone.
    pub first: usize,
    /// Right in the second alone.
    pub second: usize,
    /// Right in neither.
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

    /// Samples that both have a verdict for.
    pub fn n(&self) -> usize {
        self.both + self.first + self.second + self.neither
    }

    /// Rate of the second less rate of the first, from -1 to 1; `None` without a sample.
    pub fn difference(&self) -> Option<f64> {
        let n = self.n();
        (n > 0).then(|| (self.second as f64 - self.first as f64) / n as f64)
    }

    /// A 95 % interval of the difference that heeds the pairing.
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

    /// The correlation of the two, corrected for continuity; 0 where one of them does not vary.
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

    /// The p-value of McNemar's test in its exact, two-sided form: how likely a split of the
    /// samples where the two differ is at least this uneven when neither is better. 1 where they
    /// never differ.
    ///
    /// Source: McNemar, 1947, "Note on the sampling error of the difference between correlated
    /// proportions or percentages"; exact by the binomial distribution with one half.
    pub fn mcnemar(&self) -> f64 {
        let differ = self.first + self.second;
        let fewer = self.first.min(self.second);
        if differ == 0 {
            return 1.0;
        }
        // Each term follows from the one before; in logarithms, since 2^-n leaves the range.
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
        // Both directions weigh the same.
        let (one, other) = (paired(0, 30, 12, 0), paired(0, 12, 30, 0));
        assert!((one.mcnemar() - other.mcnemar()).abs() < 1e-15);
        // Far beyond the range of 2^-n.
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
            // The paper's difference is first less second.
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
