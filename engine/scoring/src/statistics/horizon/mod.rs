//! The 50 % horizon: the number of calls in the shortest solution at which a model completes half of
//! the tasks.
//!
//! P(complete) = 1 / (1 + exp(slope × (log2 calls - log2 horizon))), fitted by Bayes' rule on a grid.
//! Exponentials and logarithms come from `libm`, and all sums run in one order: the same tasks give
//! the same bits on every platform, in whatever order they are given.

mod posterior;
mod ratio;
mod staircase;

pub use posterior::Posterior;
pub use ratio::{Ratio, ratio};
pub use staircase::{PRECISION, Staircase, next_level};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One task and its trials.
///
/// A task counts once: of several trials, only the share completed enters the fit. So trials never
/// narrow the interval as if they were more tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Attempt {
    /// Calls in the shortest solution; 0 counts as 1.
    pub calls: u16,
    /// Trials completed, at most `trials`.
    pub completed: u16,
    /// Trials; a task with none is ignored.
    pub trials: u16,
}

impl Attempt {
    /// A task tried once.
    pub fn once(calls: u16, completed: bool) -> Attempt {
        Attempt { calls, completed: completed.into(), trials: 1 }
    }

    /// Groups trials (task, calls, completed) by task.
    pub fn group<K: Ord>(trials: impl IntoIterator<Item = (K, u16, bool)>) -> Vec<Attempt> {
        let mut tasks = BTreeMap::new();
        for (key, calls, completed) in trials {
            let task =
                tasks.entry((key, calls)).or_insert(Attempt { calls, completed: 0, trials: 0 });
            task.completed += u16::from(completed);
            task.trials += 1;
        }
        tasks.into_values().collect()
    }

    /// The share of trials completed.
    fn share(&self) -> f64 {
        (f64::from(self.completed) / f64::from(self.trials)).min(1.0)
    }
}

/// The tasks of one length.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Calls in the shortest solution.
    pub calls: u16,
    /// Tasks completed; fractional if tasks have several trials.
    pub completed: f64,
    /// Tasks.
    pub n: usize,
}

/// Why a horizon is not an estimate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// At least so many calls: the tasks were too short to measure it.
    AtLeast(f64),
    /// Below so many calls: the tasks were too long to measure it.
    Below(f64),
}

/// A fitted horizon. Lengths are in calls of the shortest solution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Horizon {
    /// The length at which half of the tasks are completed: the posterior median.
    pub horizon: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
    /// The length at which 80 % of the tasks are completed: the posterior median.
    pub eighty: f64,
    /// Fall of the log odds per doubling of the length, between `eighty` and `horizon`.
    pub slope: f64,
    /// The tasks by length, ascending.
    pub points: Vec<Point>,
    /// Set if `horizon` lies outside the lengths tried. The bound is then the near end of the
    /// interval or the nearest length tried, whichever claims less; `horizon` and the far end
    /// depend on the prior.
    pub bound: Option<Bound>,
}

/// Fits the horizon; `None` without tasks. See [`Posterior`] for the prior.
pub fn fit(tasks: &[Attempt]) -> Option<Horizon> {
    Posterior::new(tasks)?.horizon()
}

/// The share of tasks of a length that the model completes: 50 % at `horizon`, 80 % at `eighty`.
pub fn curve(horizon: &Horizon, calls: f64) -> f64 {
    let doublings = libm::log2(calls) - libm::log2(horizon.horizon);
    1.0 / (1.0 + libm::exp(horizon.slope * doublings))
}

/// The tasks by length, ascending. Shares are added in sorted order, so that the order of `tasks`
/// has no influence on rounding.
fn tally(tasks: &[Attempt]) -> Vec<Point> {
    let mut sorted: Vec<Attempt> = tasks.iter().copied().filter(|task| task.trials > 0).collect();
    sorted.sort_unstable();
    let mut points: Vec<Point> = Vec::new();
    for task in sorted {
        let calls = task.calls.max(1);
        match points.last_mut().filter(|point| point.calls == calls) {
            Some(point) => {
                point.completed += task.share();
                point.n += 1;
            }
            None => points.push(Point { calls, completed: task.share(), n: 1 }),
        }
    }
    points
}

/// The bound if `horizon` lies outside the lengths tried.
fn bound(points: &[Point], low: f64, horizon: f64, high: f64) -> Option<Bound> {
    let shortest = f64::from(points.first()?.calls);
    let longest = f64::from(points.last()?.calls);
    if horizon > longest {
        Some(Bound::AtLeast(low.min(longest)))
    } else if horizon < shortest {
        Some(Bound::Below(high.max(shortest)))
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
