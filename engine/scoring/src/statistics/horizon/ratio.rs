//! The ratio of two models' horizons.

use super::posterior::{POINTS, STEP, quantile};
use super::{Attempt, Posterior};

/// The second model's horizon divided by the first's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// The posterior median.
    pub value: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
    /// Twice the posterior probability of the less likely side of 1, at most 1.
    pub p: f64,
}

/// The ratio of the horizon on tasks `b` to that on tasks `a`; `None` if either is empty.
///
/// The two posteriors count as independent, which is conservative if both models did the same
/// tasks. If either horizon is a [`Bound`](super::Bound), the far end of the interval depends on the
/// prior.
pub fn ratio(a: &[Attempt], b: &[Attempt]) -> Option<Ratio> {
    let (first, second) = (Posterior::new(a)?.marginal(), Posterior::new(b)?.marginal());
    let mut masses = vec![0.0; 2 * POINTS - 1];
    for (i, one) in first.iter().enumerate() {
        for (j, other) in second.iter().enumerate() {
            if let Some(mass) = masses.get_mut(POINTS - 1 + j - i) {
                *mass += one * other;
            }
        }
    }
    // The first point of the grid minus its last.
    let lowest = -STEP * (POINTS - 1) as f64;
    let [low, value, high] =
        [0.025, 0.5, 0.975].map(|share| libm::exp2(quantile(&masses, lowest, share)));
    // The middle point is a ratio of 1, half of which counts for each side.
    let equal = masses.get(POINTS - 1).copied().unwrap_or_default() / 2.0;
    let below = masses.iter().take(POINTS - 1).sum::<f64>() + equal;
    let above = masses.iter().skip(POINTS).sum::<f64>() + equal;
    Some(Ratio { value, low, high, p: (2.0 * below.min(above)).min(1.0) })
}
