//! Uncertainty of a rate.

use serde::{Deserialize, Serialize};

/// A 95 % interval of a rate, both ends from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The standard normal quantile of a two-sided 95 % interval.
const Z: f64 = 1.959_963_984_540_054;

/// Wilson's score interval for `right` of `n`; `None` when nothing was counted.
///
/// Source: Wilson, 1927, "Probable inference, the law of succession, and statistical inference".
pub fn wilson(right: usize, n: usize) -> Option<Interval> {
    (n > 0).then(|| wilson_share(right as f64 / n as f64, n as f64))
}

/// The same for a rate of `n` > 0 observations. Where things were observed several times, `n` is
/// the number of different ones: repetitions make nothing surer about the others.
pub fn wilson_share(rate: f64, n: f64) -> Interval {
    let z2 = Z * Z;
    let centre = (rate + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z / (1.0 + z2 / n) * (rate * (1.0 - rate) / n + z2 / (4.0 * n * n)).sqrt();
    Interval { low: (centre - half).max(0.0), high: (centre + half).min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_published_values() {
        // 81 of 263, Newcombe 1998, table I, method 3.
        let interval = wilson(81, 263).unwrap();
        assert!((interval.low - 0.2553).abs() < 5e-5 && (interval.high - 0.3662).abs() < 5e-5);
        // 0 of 20 and 20 of 20 mirror each other.
        let (none, all) = (wilson(0, 20).unwrap(), wilson(20, 20).unwrap());
        assert!(none.low.abs() < 1e-15 && (none.high - 0.1611).abs() < 5e-5);
        assert!((all.low - (1.0 - none.high)).abs() < 1e-12);
        assert_eq!(wilson(0, 0), None);
    }
}
