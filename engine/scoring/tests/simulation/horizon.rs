//! Models with a known horizon.

use crate::draw::{seed, uniform};
use dataset::random::SplitMix;
use scoring::statistics::horizon::{Attempt, Horizon, PRECISION, Staircase};
use std::fmt::Write as _;

/// Levels of the generated tasks, in calls.
const LEVELS: [u16; 16] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256];
const HORIZONS: [f64; 6] = [0.7, 2.0, 5.0, 11.0, 30.0, 90.0];
const SLOPES: [f64; 3] = [1.0, 2.0, 3.0];
/// Tasks a level in the grid.
const TASKS: usize = 8;
/// Tasks of an adaptive run.
const MOST: usize = 40;

/// A simulated model.
#[derive(Debug, Clone, Copy)]
pub struct Model {
    pub horizon: f64,
    pub slope: f64,
}

/// Results over all repetitions.
#[derive(Debug, Clone, Copy, Default)]
pub struct Found {
    /// Intervals that contain the true horizon, in percent.
    pub covered: f64,
    /// Intervals within the precision, in percent.
    pub precise: f64,
    /// The mean number of calls of all tasks' shortest solutions.
    pub calls: f64,
    /// The longest task asked.
    pub longest: u16,
}

impl Model {
    fn attempt(self, calls: u16, random: &mut SplitMix) -> Attempt {
        let odds = (self.slope * (f64::from(calls).log2() - self.horizon.log2())).exp();
        Attempt::once(calls, uniform(random) < 1.0 / (1.0 + odds))
    }

    fn grid(self, random: &mut SplitMix) -> Vec<Attempt> {
        let all = LEVELS.iter().flat_map(|calls| [*calls; TASKS]);
        all.map(|calls| self.attempt(calls, random)).collect()
    }

    fn adaptive(self, staircase: &Staircase, random: &mut SplitMix) -> Vec<Attempt> {
        let mut tasks = Vec::new();
        while let Some(level) = staircase.next(&tasks) {
            tasks.push(self.attempt(LEVELS[level], random));
        }
        tasks
    }

    /// Repeats the grid, or adaptive runs.
    fn simulate(self, staircase: &Staircase, adaptive: bool, repetitions: usize) -> Found {
        let mut random = seed(&[self.horizon, self.slope, f64::from(u8::from(adaptive))]);
        let mut found = Found::default();
        for _ in 0..repetitions {
            let tasks = match adaptive {
                true => self.adaptive(staircase, &mut random),
                false => self.grid(&mut random),
            };
            found.add(self, &tasks, &staircase.fit(&tasks).unwrap());
        }
        let n = repetitions as f64;
        let Found { covered, precise, calls, longest } = found;
        Found {
            covered: covered / n * 100.0,
            precise: precise / n * 100.0,
            calls: calls / n,
            longest,
        }
    }
}

fn staircase() -> Staircase {
    Staircase::new(&LEVELS, f64::from, MOST)
}

impl Found {
    fn add(&mut self, model: Model, tasks: &[Attempt], fit: &Horizon) {
        let covers = fit.low <= model.horizon && model.horizon <= fit.high;
        let precise = fit.high <= PRECISION * fit.horizon && fit.low >= fit.horizon / PRECISION;
        self.covered += f64::from(u8::from(covers));
        self.precise += f64::from(u8::from(precise));
        self.calls += tasks.iter().map(|task| f64::from(task.calls)).sum::<f64>();
        self.longest = tasks.iter().map(|task| task.calls).fold(self.longest, u16::max);
    }
}

/// Every model, with its grids and its adaptive runs.
pub fn all(repetitions: usize) -> Vec<(Model, Found, Found)> {
    let staircase = staircase();
    let models = HORIZONS
        .iter()
        .flat_map(|horizon| SLOPES.iter().map(|slope| Model { horizon: *horizon, slope: *slope }));
    let found = |model: Model| {
        let grid = model.simulate(&staircase, false, repetitions);
        (model, grid, model.simulate(&staircase, true, repetitions))
    };
    models.map(found).collect()
}

/// The mean over grids and adaptive runs.
pub fn mean(all: &[(Model, Found, Found)], of: fn(&Found) -> f64) -> f64 {
    let sum: f64 = all.iter().map(|(_, grid, adaptive)| of(grid) + of(adaptive)).sum();
    sum / (2 * all.len()) as f64
}

/// A row a model; `calls` are those of the adaptive run's shortest solutions.
pub fn table(all: &[(Model, Found, Found)]) -> String {
    let mut text = String::from(
        "| horizon | slope | grid | adaptive | within 1.5 (%) | calls |\n|---|---|---|---|---|---|\n",
    );
    for (Model { horizon, slope }, grid, found) in all {
        let Found { covered, precise, calls, .. } = found;
        let grid = grid.covered;
        writeln!(
            text,
            "| {horizon} | {slope} | {grid:.1} | {covered:.1} | {precise:.0} | {calls:.0} |"
        )
        .unwrap();
    }
    let mean =
        |of: fn(&(Model, Found, Found)) -> f64| all.iter().map(of).sum::<f64>() / all.len() as f64;
    let (grid, adaptive) = (mean(|trial| trial.1.covered), mean(|trial| trial.2.covered));
    writeln!(text, "| mean | | {grid:.1} | {adaptive:.1} | | |").unwrap();
    text
}
