//! The staircase: which length to ask next.

use super::posterior::{FIRST, Likelihood, horizons, quantile};
use super::{Attempt, Horizon, Point, Posterior, tally};

/// An interval is narrow enough if both ends are within this factor of the horizon.
pub const PRECISION: f64 = 1.5;
/// The first task is the longest of up to so many calls.
const START: u16 = 3;
/// No task is longer than the longest one completed, times this.
const REACH: u32 = 2;

/// Chooses lengths, one task at a time.
pub struct Staircase {
    levels: Vec<Level>,
    most: usize,
}

struct Level {
    calls: u16,
    cost: f64,
    likelihood: Likelihood,
    chances: Vec<f64>,
}

/// The next level to ask, as an index of `levels`; see [`Staircase::next`].
pub fn next_level(
    tasks: &[Attempt],
    levels: &[u16],
    cost: impl Fn(u16) -> f64,
    most: usize,
) -> Option<usize> {
    Staircase::new(levels, cost, most).next(tasks)
}

impl Staircase {
    /// A staircase over `levels` (calls, ascending) that asks at most `most` tasks. `cost` is a
    /// task's price in any unit, such as tokens.
    pub fn new(levels: &[u16], cost: impl Fn(u16) -> f64, most: usize) -> Staircase {
        let level = |calls: &u16| {
            let likelihood = Likelihood::new(*calls);
            let chances = likelihood.chances();
            Level { calls: *calls, cost: cost(*calls), likelihood, chances }
        };
        Staircase { levels: levels.iter().map(level).collect(), most }
    }

    /// The level whose answer is expected to reduce the posterior variance of log2 horizon most per
    /// square root of its cost, as an index of the levels. Per cost itself, nearly all tasks would be
    /// so easy that the slope, and with it the horizon, stays uncertain.
    ///
    /// No level exceeds twice the longest task completed, or 3 calls before any is, unless it is the
    /// shortest level. `None` if the interval is within [`PRECISION`], if it lies outside the levels,
    /// or after the most tasks.
    pub fn next(&self, tasks: &[Attempt]) -> Option<usize> {
        let points = tally(tasks);
        if points.iter().map(|point| point.n).sum::<usize>() >= self.most {
            return None;
        }
        let within = self.within(&points);
        if points.is_empty() {
            return within.checked_sub(1);
        }
        let posterior = self.posterior(points);
        let marginal = posterior.marginal();
        if self.is_settled(&marginal) {
            return None;
        }
        let mean: f64 = marginal.iter().zip(horizons()).map(|(mass, it)| mass * it).sum();
        let mut best: Option<(usize, f64)> = None;
        for (index, level) in self.levels.iter().enumerate().take(within) {
            let gain = reduction(&posterior.joint(&level.chances), mean) / level.cost.sqrt();
            if best.is_none_or(|(_, most)| gain > most) {
                best = Some((index, gain));
            }
        }
        best.map(|(index, _)| index)
    }

    /// The same as [`fit`](super::fit), faster: likelihoods at the levels are cached.
    pub fn fit(&self, tasks: &[Attempt]) -> Option<Horizon> {
        self.posterior(tally(tasks)).horizon()
    }

    /// The number of levels that are not too long.
    fn within(&self, points: &[Point]) -> usize {
        let completed = points.iter().rev().find(|point| point.completed > 0.0);
        let most = completed.map_or(0, |point| REACH * u32::from(point.calls)).max(START.into());
        let within = self.levels.iter().filter(|level| u32::from(level.calls) <= most).count();
        within.max(1).min(self.levels.len())
    }

    fn posterior(&self, points: Vec<Point>) -> Posterior {
        let known = |point: &Point| self.levels.iter().find(|level| level.calls == point.calls);
        let others: Vec<Likelihood> = points
            .iter()
            .filter(|point| known(point).is_none())
            .map(|point| Likelihood::new(point.calls))
            .collect();
        let mut other = others.iter();
        let likelihoods: Vec<&Likelihood> = points
            .iter()
            .filter_map(|point| known(point).map(|it| &it.likelihood).or_else(|| other.next()))
            .collect();
        Posterior::of(points, &likelihoods)
    }

    /// Whether the interval is narrow enough or lies outside the levels.
    fn is_settled(&self, marginal: &[f64]) -> bool {
        let [low, middle, high] = [0.025, 0.5, 0.975].map(|share| quantile(marginal, FIRST, share));
        let most = libm::log2(PRECISION);
        let ends = self.levels.first().zip(self.levels.last());
        (high - middle <= most && middle - low <= most)
            || ends.is_none_or(|(first, last)| {
                high < libm::log2(first.calls.into()) || low > libm::log2(last.calls.into())
            })
    }
}

/// The expected reduction of the variance of log2 horizon by an answer: the variance between the
/// means given that the task is completed or failed.
///
/// `joint` has the probabilities of each log2 horizon and of completing the task.
fn reduction(joint: &[f64], mean: f64) -> f64 {
    let chance: f64 = joint.iter().sum();
    let shift: f64 = joint.iter().zip(horizons()).map(|(mass, it)| mass * (it - mean)).sum();
    let scale = chance * (1.0 - chance);
    if scale > 0.0 { shift * shift / scale } else { 0.0 }
}
