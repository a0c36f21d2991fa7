//! The posterior of horizon and slope on a grid.

use super::{Attempt, Horizon, Point, bound, tally};

/// The grid of log2 horizon: -2 to 10, or 0.25 to 1,024 calls.
pub(super) const FIRST: f64 = -2.0;
/// Distance of its points.
pub(super) const STEP: f64 = 1.0 / 16.0;
/// Number of its points.
pub(super) const POINTS: usize = 193;
/// Number of slopes: 0.5 to 6 in equal ratios.
const SLOPES: usize = 17;
const SLOPE_LOW: f64 = 0.5;
const SLOPE_HIGH: f64 = 6.0;
/// Median of the slope's log-normal prior.
const SLOPE_MEDIAN: f64 = 1.8;
/// Standard deviation of the logarithm of the slope.
const SLOPE_SPREAD: f64 = 0.55;
/// Cells whose log posterior is so much lower than the highest count as impossible.
const NEGLIGIBLE: f64 = 40.0;
/// The log odds of 80 %: ln 4.
const EIGHTY: f64 = 1.386_294_361_119_890_6;

/// The posterior distribution of horizon and slope.
///
/// Prior: log2 horizon is uniform from -2 to 10 (0.25 to 1,024 calls). The slope is log-normal with
/// median 1.8 and 95 % between 0.61 and 5.3, cut off at 0.5 and 6: a doubling of the length
/// multiplies the odds of completing a task by 0.17 at the median, by 0.54 and 0.005 at the ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Posterior {
    /// Probabilities, by slope and then by horizon.
    weights: Vec<f64>,
    points: Vec<Point>,
}

/// The log-likelihoods of one task at one length, on the grid.
pub(super) struct Likelihood {
    completed: Vec<f64>,
    failed: Vec<f64>,
}

impl Likelihood {
    pub(super) fn new(calls: u16) -> Likelihood {
        let x = libm::log2(f64::from(calls.max(1)));
        let odds = || slopes().flat_map(|s| horizons().map(move |h| s * (x - h)));
        Likelihood {
            completed: odds().map(|z| -softplus(z)).collect(),
            failed: odds().map(|z| -softplus(-z)).collect(),
        }
    }

    /// The chances of completing the task.
    pub(super) fn chances(&self) -> Vec<f64> {
        self.completed.iter().map(|log| libm::exp(*log)).collect()
    }
}

/// The grid of log2 horizon.
pub(super) fn horizons() -> impl Iterator<Item = f64> {
    (0..POINTS).map(|index| FIRST + index as f64 * STEP)
}

fn slopes() -> impl Iterator<Item = f64> {
    let (low, high) = (libm::log(SLOPE_LOW), libm::log(SLOPE_HIGH));
    (0..SLOPES).map(move |index| libm::exp(low + (high - low) * index as f64 / (SLOPES - 1) as f64))
}

/// ln(1 + exp(z)) without overflow.
fn softplus(z: f64) -> f64 {
    z.max(0.0) + libm::log1p(libm::exp(-z.abs()))
}

impl Posterior {
    /// The posterior given the tasks; `None` without tasks.
    pub fn new(tasks: &[Attempt]) -> Option<Posterior> {
        let points = tally(tasks);
        let levels: Vec<Likelihood> =
            points.iter().map(|point| Likelihood::new(point.calls)).collect();
        (!points.is_empty()).then(|| Posterior::of(points, &levels.iter().collect::<Vec<_>>()))
    }

    /// The posterior given the tasks by length, and the likelihood at each of these lengths.
    pub(super) fn of(points: Vec<Point>, levels: &[&Likelihood]) -> Posterior {
        let mut logs: Vec<f64> = slopes()
            .flat_map(|slope| {
                let z = (libm::log(slope) - libm::log(SLOPE_MEDIAN)) / SLOPE_SPREAD;
                std::iter::repeat_n(-z * z / 2.0, POINTS)
            })
            .collect();
        for (point, level) in points.iter().zip(levels) {
            let failed = point.n as f64 - point.completed;
            for (log, (one, other)) in
                logs.iter_mut().zip(level.completed.iter().zip(&level.failed))
            {
                *log += point.completed * one + failed * other;
            }
        }
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weight = |log: f64| if log < most - NEGLIGIBLE { 0.0 } else { libm::exp(log - most) };
        let mut weights: Vec<f64> = logs.into_iter().map(weight).collect();
        let total: f64 = weights.iter().sum();
        for weight in &mut weights {
            *weight /= total;
        }
        Posterior { weights, points }
    }

    /// The probability of each log2 horizon of the grid.
    pub(super) fn marginal(&self) -> Vec<f64> {
        let mut sums = vec![0.0; POINTS];
        for row in self.weights.chunks_exact(POINTS) {
            for (sum, weight) in sums.iter_mut().zip(row) {
                *sum += weight;
            }
        }
        sums
    }

    /// The probability of each log2 horizon and of completing a task with these chances.
    pub(super) fn joint(&self, chances: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; POINTS];
        let rows = self.weights.chunks_exact(POINTS).zip(chances.chunks_exact(POINTS));
        for (weights, chances) in rows {
            for (sum, (weight, chance)) in sums.iter_mut().zip(weights.iter().zip(chances)) {
                *sum += weight * chance;
            }
        }
        sums
    }

    /// The estimate, its interval and its bound; `None` without tasks.
    pub fn horizon(&self) -> Option<Horizon> {
        if self.points.is_empty() {
            return None;
        }
        let marginal = self.marginal();
        let [low, middle, high] =
            [0.025, 0.5, 0.975].map(|share| quantile(&marginal, FIRST, share));
        let eighty = self.median_of(|slope, horizon| horizon - EIGHTY / slope);
        let [from, horizon, to] = [low, middle, high].map(libm::exp2);
        Some(Horizon {
            horizon,
            low: from,
            high: to,
            eighty: libm::exp2(eighty),
            slope: EIGHTY / (middle - eighty),
            bound: bound(&self.points, from, horizon, to),
            points: self.points.clone(),
        })
    }

    /// The median of a function of slope and log2 horizon.
    fn median_of(&self, of: impl Fn(f64, f64) -> f64) -> f64 {
        let values = slopes().flat_map(|slope| horizons().map(move |horizon| (slope, horizon)));
        let mut sorted: Vec<(f64, f64)> = values
            .zip(&self.weights)
            .map(|((slope, horizon), weight)| (of(slope, horizon), *weight))
            .collect();
        // Stable: equal values are added in the order of the grid.
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut sum = 0.0;
        let found = sorted.iter().find(|(_, weight)| {
            sum += weight;
            sum >= 0.5
        });
        found.or(sorted.last()).map_or(0.0, |(value, _)| *value)
    }
}

/// A quantile of the distribution with these probabilities at `first`, `first` + [`STEP`] and so on,
/// each spread evenly over the step around its point.
pub(super) fn quantile(masses: &[f64], first: f64, share: f64) -> f64 {
    let mut below = 0.0;
    for (index, mass) in masses.iter().enumerate() {
        if *mass > 0.0 && below + mass >= share {
            return first + (index as f64 - 0.5 + (share - below) / mass) * STEP;
        }
        below += mass;
    }
    first + (masses.len() as f64 - 0.5) * STEP
}
