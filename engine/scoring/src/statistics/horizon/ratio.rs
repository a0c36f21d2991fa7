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
    Some(Ratio { value, low, high })
}
