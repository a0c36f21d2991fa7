//! The interval of a rate: Wilson's, with the number of samples divided by a design effect.

use super::Interval;
use super::quantile::TWO_SIDED_95;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// How the intervals of rates are computed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[derive(IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum IntervalMethod {
    /// Wilson's score interval for independent samples; records without a method use it.
    #[default]
    Wilson,
    /// Wilson's score interval with the design effect of dialogues.
    ClusterWilson,
}

impl IntervalMethod {
    /// The identifier.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether it is [`IntervalMethod::Wilson`].
    pub fn is_wilson(&self) -> bool {
        *self == IntervalMethod::Wilson
    }
}

/// One dialogue's observations, each from 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Dialogue {
    /// The sum of the observed values; for verdicts, the number of right ones.
    pub sum: f64,
    /// The number of observations: samples times trials.
    pub n: f64,
    /// The number of distinct samples.
    pub samples: f64,
}

/// The prior intraclass correlation.
const ASSUMED_CORRELATION: f64 = 0.5;
/// The weight of the prior, in dialogues at a rate of one half.
const ASSUMED_WEIGHT: f64 = 0.2;

/// Wilson's 95 % score interval for `right` of `n`; `None` if `n` is 0.
///
/// Source: Wilson, 1927, "Probable inference, the law of succession, and statistical inference".
pub fn wilson(right: usize, n: usize) -> Option<Interval> {
    (n > 0).then(|| wilson_share(right as f64 / n as f64, n as f64))
}

/// Wilson's 95 % score interval for a rate over `n` > 0 observations; `n` may be fractional.
pub fn wilson_share(rate: f64, n: f64) -> Interval {
    score(rate, n, TWO_SIDED_95.normal)
}

fn score(rate: f64, n: f64, z: f64) -> Interval {
    let z2 = z * z;
    let centre = (rate + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = z / (1.0 + z2 / n) * (rate * (1.0 - rate) / n + z2 / (4.0 * n * n)).sqrt();
    Interval { low: (centre - half).max(0.0), high: (centre + half).min(1.0) }
}

/// The 95 % interval of the mean over dialogues; `None` without observations.
///
/// The variance of the mean is the linearized variance of a ratio over dialogues (Cochran, 1977,
/// section 6.3). Its ratio to the variance of independent samples is the design effect (Kish,
/// 1965). The number of samples divided by the design effect is the effective sample size for
/// Wilson's interval (Rao and Scott, 1992; with t for few dialogues, Korn and Graubard, 1998).
///
/// Near a rate of 0 or 1 the data say little about the design effect, so it is shrunk towards that
/// of an intraclass correlation of 0.5.
pub fn clustered(dialogues: &[Dialogue]) -> Option<Interval> {
    let counted = || dialogues.iter().filter(|dialogue| dialogue.n > 0.0);
    let total = |of: fn(&Dialogue) -> f64| counted().map(of).sum::<f64>();
    let (n, count) = (total(|dialogue| dialogue.n), counted().count());
    if count == 0 {
        return None;
    }
    let rate = (total(|dialogue| dialogue.sum) / n).clamp(0.0, 1.0);
    if count == 1 {
        // However many calls it has, one dialogue is one independent observation.
        return Some(wilson_share(rate, 1.0));
    }
    let samples = total(|dialogue| dialogue.samples);
    let dialogues = count as f64;
    let residual = |it: &Dialogue| (it.sum - rate * it.n) * (it.sum - rate * it.n);
    let squares: f64 = counted().map(residual).sum();
    let variance = dialogues / (dialogues - 1.0) * squares / (n * n);
    let mean_size = total(|dialogue| dialogue.samples * dialogue.samples) / samples;
    let assumed = 1.0 + (mean_size - 1.0) * ASSUMED_CORRELATION;
    // The estimate, variance / (rate (1 - rate) / samples), is weighted by its information, in
    // dialogues at a rate of one half. The product cancels rate (1 - rate), so nothing divides by
    // 0.
    let known = 4.0 * dialogues * rate * (1.0 - rate);
    let weight = known + ASSUMED_WEIGHT;
    let effect = (4.0 * dialogues * samples * variance + assumed * ASSUMED_WEIGHT) / weight;
    let quantile =
        (TWO_SIDED_95.t(count - 1) * known + TWO_SIDED_95.normal * ASSUMED_WEIGHT) / weight;
    Some(score(rate, samples / effect, quantile))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_named_as_in_json() {
        for it in [IntervalMethod::Wilson, IntervalMethod::ClusterWilson] {
            assert_eq!(serde_json::json!(it), it.as_str());
        }
    }

    fn dialogues(of: &[(f64, f64)]) -> Vec<Dialogue> {
        of.iter().map(|(sum, n)| Dialogue { sum: *sum, n: *n, samples: *n }).collect()
    }

    #[test]
    fn wilson_matches_published_values() {
        // 81 of 263, Newcombe 1998, table I, method 3.
        let interval = wilson(81, 263).unwrap();
        assert!((interval.low - 0.2553).abs() < 5e-5 && (interval.high - 0.3662).abs() < 5e-5);
        // 0 of 20 and 20 of 20 are mirror images.
        let (none, all) = (wilson(0, 20).unwrap(), wilson(20, 20).unwrap());
        assert!(none.low.abs() < 1e-15 && (none.high - 0.1611).abs() < 5e-5);
        assert!((all.low - (1.0 - none.high)).abs() < 1e-12);
        assert_eq!(wilson(0, 0), None);
    }

    #[test]
    fn the_variance_is_statsmodels_cluster_robust_one() {
        let of = [
            (1.0, 2.0),
            (2.0, 2.0),
            (0.0, 1.0),
            (2.0, 3.0),
            (4.0, 4.0),
            (3.0, 3.0),
            (0.0, 2.0),
            (1.0, 1.0),
            (5.0, 6.0),
            (2.0, 2.0),
        ];
        // statsmodels 0.15.0, y the 26 verdicts, g the index of each one's dialogue:
        // OLS(y, ones(26)).fit(cov_type="cluster", cov_kwds={"groups": g, "use_correction": False})
        // .bse[0]**2 * 10 / 9
        let variance: f64 = 0.008_714_291_827_628;
        // The rate is 20/26. The interval below follows from the formulas in docs/statistics.md.
        let rate: f64 = 20.0 / 26.0;
        let sizes: f64 = of.iter().map(|(_, n)| n * n).sum::<f64>() / 26.0;
        let known = 40.0 * rate * (1.0 - rate);
        let estimated = variance * 26.0 / (rate * (1.0 - rate));
        let effect = (estimated * known + 0.2 * (1.0 + 0.5 * (sizes - 1.0))) / (known + 0.2);
        assert!((26.0 / effect - 19.977_780).abs() < 1e-5, "{effect}");
        let got = clustered(&dialogues(&of)).unwrap();
        assert!((got.low - 0.517_249).abs() < 1e-5, "{got:?}");
        assert!((got.high - 0.912_050).abs() < 1e-5, "{got:?}");
    }

    #[test]
    fn dialogues_of_one_call_are_nearly_wilson() {
        let of: Vec<_> = (0..263).map(|n| (f64::from(u8::from(n < 81)), 1.0)).collect();
        let (own, plain) = (clustered(&dialogues(&of)).unwrap(), wilson(81, 263).unwrap());
        assert!((own.low - plain.low).abs() < 1e-3, "{own:?} {plain:?}");
        assert!((own.high - plain.high).abs() < 1e-3, "{own:?} {plain:?}");
    }

    #[test]
    fn calls_that_hang_together_count_as_one() {
        // 200 dialogues with three calls, all right or all wrong, count like one call each.
        let of: Vec<_> = (0..200).map(|n| (f64::from(3 * (n % 2)), 3.0)).collect();
        let (own, as_one) = (clustered(&dialogues(&of)).unwrap(), wilson(100, 200).unwrap());
        assert!((own.low - as_one.low).abs() < 2e-3, "{own:?} {as_one:?}");
        assert!((own.high - as_one.high).abs() < 2e-3, "{own:?} {as_one:?}");
    }

    #[test]
    fn repeating_the_same_answers_changes_nothing() {
        let once = dialogues(&[(1.0, 2.0), (2.0, 2.0), (0.0, 1.0), (2.0, 3.0), (4.0, 4.0)]);
        let trials = once.iter().map(|it| Dialogue { sum: 10.0 * it.sum, n: 10.0 * it.n, ..*it });
        let (of_once, of_ten) = (clustered(&once), clustered(&trials.collect::<Vec<_>>()));
        let (one, ten) = (of_once.unwrap(), of_ten.unwrap());
        assert!((one.low - ten.low).abs() < 1e-12 && (one.high - ten.high).abs() < 1e-12);
    }

    #[test]
    fn rates_without_variance_keep_an_interval() {
        assert_eq!(clustered(&[]), None);
        assert_eq!(clustered(&dialogues(&[(5.0, 5.0)])), wilson(1, 1));
        let all = clustered(&dialogues(&[(2.0, 2.0); 20])).unwrap();
        // 40 calls in pairs at an intraclass correlation of 0.5: effective size 40 / 1.5.
        assert_eq!(all, wilson_share(1.0, 40.0 / 1.5));
        let none = clustered(&dialogues(&[(0.0, 2.0); 20])).unwrap();
        assert!((none.high + all.low - 1.0).abs() < 1e-12 && none.low.abs() < 1e-12);
        // Every dialogue gets exactly one of two right.
        let halves = clustered(&dialogues(&[(1.0, 2.0); 20])).unwrap();
        assert!(halves.low < 0.5 && halves.high > 0.5, "{halves:?}");
        let two = clustered(&dialogues(&[(2.0, 2.0), (1.0, 1.0)])).unwrap();
        assert!(two.low > 0.2 && two.low < 0.5 && two.high > 0.999, "{two:?}");
    }
}
