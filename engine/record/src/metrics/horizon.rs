//! The horizon of a run, and the price of the completed tasks.

use super::pass::pass_hat;
use crate::table::{NONE, count, grouped};
use crate::{Outcome, Record, SampleRecord, Setting, Subset, differing};
use dataset::horizon::{LEVELS, TASKS};
use dataset::{Edition, TaskId, Tier};
use scoring::Profile;
use scoring::statistics::horizon::{self, Attempt, Bound, Horizon, fit};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// The horizon over the tasks of a tier, or of all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HorizonRow {
    /// The tier; `None` for all tasks.
    pub tier: Option<Tier>,
    /// The estimate.
    pub estimate: Horizon,
    /// Played tasks, trials counted apart.
    pub tasks: usize,
    /// Completed ones.
    pub completed: usize,
    /// Tasks without an answer, which do not count.
    pub failed: usize,
    /// The price of a completed task.
    pub price: Price,
    /// pass^k over the seeds, for k from 1: the share of places (tier, length and number) whose tasks are
    /// completed with each of k seeds. Empty for one seed, and if not all seeds asked the same places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pass: Vec<f64>,
}

/// The price of a task, or the mean over the completed ones; `None` where nothing was measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Price {
    /// Calls made, divided by those of the shortest solution.
    pub calls: Option<f64>,
    /// Tokens of prompts and answers for each call of the shortest solution.
    pub tokens: Option<f64>,
    /// Seconds for each call of the shortest solution.
    pub seconds: Option<f64>,
}

/// The tasks per tier that an adaptive run of the page or the leaderboard asks at most.
pub const MOST_TASKS: u32 = 16;

/// The maximum number of tasks per tier in an adaptive run; `None` for a fixed set of tasks.
pub fn adaptive(edition: Edition, subset: &Subset) -> Option<usize> {
    match (edition, subset) {
        (Edition::Horizon(_), Subset::PerAbility(most)) => Some(*most as usize),
        _ => None,
    }
}

/// The level to ask next of a tier; `None` once `most` tasks are played, the interval is narrow enough,
/// or the horizon lies outside the levels. Levels whose tasks are all played are left out.
pub fn next_level(played: &[Attempt], most: usize) -> Option<u16> {
    let open = |level: &u16| played.iter().filter(|play| play.calls == *level).count() < TASKS;
    let levels: Vec<u16> = LEVELS.into_iter().filter(open).collect();
    let next = horizon::next_level(played, &levels, f64::from, most)?;
    levels.get(next).copied()
}

/// Whether an adaptive run is complete.
pub fn is_complete(samples: &[SampleRecord], most: usize) -> bool {
    Tier::ALL.into_iter().all(|tier| {
        let own = samples
            .iter()
            .filter(|sample| TaskId::parse(&sample.dialogue).is_some_and(|id| id.tier == tier));
        next_level(&attempts(own), most).is_none()
    })
}

/// A played horizon task; `None` for other samples, and for tasks without an answer.
pub fn attempt(sample: &SampleRecord) -> Option<Attempt> {
    let play = Play::of(0, sample)?;
    Some(Attempt::once(play.task.level, play.right?))
}

/// All tasks as attempts; several trials of a task are one.
pub fn attempts<'a>(samples: impl IntoIterator<Item = &'a SampleRecord>) -> Vec<Attempt> {
    grouped_by_task(samples.into_iter().filter_map(|sample| Play::of(0, sample)))
}

/// One attempt at a task, reduced to what horizons need.
#[derive(Debug, Clone, PartialEq)]
pub struct Play {
    seed: u32,
    task: TaskId,
    /// Whether it was completed; `None` without an answer.
    right: Option<bool>,
    price: Price,
}

impl Play {
    /// A sample of the tasks of a seed; `None` if it is no horizon task.
    pub(crate) fn of(seed: u32, sample: &SampleRecord) -> Option<Play> {
        let task = TaskId::parse(&sample.dialogue)?;
        let steps = sample.episode.as_ref().map(|episode| episode.steps.iter());
        let calls = steps.map(|steps| steps.map(|step| step.calls.len()).sum::<usize>() as f64);
        let tokens = match &sample.outcome {
            Outcome::Answered(answer) => answer.usage.map(|usage| usage.total() as f64),
            Outcome::Failed { .. } => None,
        };
        let seconds = (sample.attempts > 0).then(|| sample.times.latency_ms as f64 / 1000.0);
        let right = sample.verdict(Profile::Execution).map(|it| it.correct);
        let each = |of: Option<f64>| of.map(|it| it / f64::from(task.level));
        let price = Price { calls: each(calls), tokens: each(tokens), seconds: each(seconds) };
        Some(Play { seed, task, right, price })
    }
}

/// The tasks of a run; empty for other runs.
pub fn plays(record: &Record) -> Vec<Play> {
    match record.pack.edition() {
        Edition::Horizon(seed) => {
            record.samples.iter().filter_map(|sample| Play::of(seed, sample)).collect()
        }
        _ => Vec::new(),
    }
}

/// Settings other than the edition, which names the tasks.
pub(crate) fn settings(listed: &[Setting]) -> Vec<Setting> {
    listed.iter().filter(|setting| setting.name != "edition").cloned().collect()
}

/// Why records can't be pooled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NotPooled {
    /// It is not a horizon record.
    #[error("expected horizon records, and record {0} is of another run")]
    Other(usize),
    /// It has another model or other settings.
    #[error("expected records of one model and its settings, and record {0} has others")]
    Model(usize),
    /// It has the seed of an earlier record.
    #[error("expected a seed for each record, and record {0} has that of an earlier one")]
    Seed(usize),
}

/// The horizons over several seeds of one model. Records are counted from 1 in errors.
///
/// # Errors
/// If the records are not of one model, or two are of one seed.
pub fn pooled(records: &[Record]) -> Result<Vec<HorizonRow>, NotPooled> {
    let mut seeds = BTreeSet::new();
    for (number, record) in (1..).zip(records) {
        let Edition::Horizon(seed) = record.pack.edition() else {
            return Err(NotPooled::Other(number));
        };
        let same = |first: &Record| {
            first.model == record.model
                && first.protocol == record.protocol
                && settings(&differing(first)) == settings(&differing(record))
        };
        if !records.first().is_some_and(same) {
            return Err(NotPooled::Model(number));
        }
        if !seeds.insert(seed) {
            return Err(NotPooled::Seed(number));
        }
    }
    let plays: Vec<Play> = records.iter().flat_map(plays).collect();
    Ok(horizons_of(&plays))
}

/// Groups attempts by task; tasks of different seeds differ. Tasks without an answer are left out.
pub fn grouped_by_task(plays: impl IntoIterator<Item = Play>) -> Vec<Attempt> {
    let trial = |it: Play| Some(((it.seed, it.task), it.task.level, it.right?));
    Attempt::group(plays.into_iter().filter_map(trial))
}

/// The horizons of a run: over all tasks, then by tier. Empty for other runs.
pub fn horizons(samples: &[SampleRecord]) -> Vec<HorizonRow> {
    let plays: Vec<Play> = samples.iter().filter_map(|sample| Play::of(0, sample)).collect();
    horizons_of(&plays)
}

/// The horizons over the tasks of one or several runs of a model: over all, then by tier.
pub fn horizons_of(plays: &[Play]) -> Vec<HorizonRow> {
    let tiers = std::iter::once(None).chain(Tier::ALL.map(Some));
    tiers.filter_map(|tier| row(plays, tier)).collect()
}

fn row(plays: &[Play], tier: Option<Tier>) -> Option<HorizonRow> {
    let own = plays.iter().filter(|play| tier.is_none_or(|tier| tier == play.task.tier));
    let own: Vec<&Play> = own.collect();
    let completed: Vec<&Play> = own.iter().copied().filter(|it| it.right == Some(true)).collect();
    Some(HorizonRow {
        tier,
        estimate: fit(&grouped_by_task(own.iter().copied().cloned()))?,
        tasks: own.iter().filter(|play| play.right.is_some()).count(),
        completed: completed.len(),
        failed: own.iter().filter(|play| play.right.is_none()).count(),
        price: price(&completed),
        pass: pass(&own),
    })
}

/// See [`HorizonRow::pass`]. With several trials, a seed's task is completed if all of its trials are.
fn pass(own: &[&Play]) -> Vec<f64> {
    let seeds: BTreeSet<u32> = own.iter().map(|play| play.seed).collect();
    let mut places: BTreeMap<TaskId, BTreeMap<u32, Option<bool>>> = BTreeMap::new();
    for play in own {
        let right = places.entry(play.task).or_default().entry(play.seed).or_insert(Some(true));
        *right = right.zip(play.right).map(|(so_far, this)| so_far && this);
    }
    if seeds.len() < 2 || places.values().any(|place| place.len() < seeds.len()) {
        return Vec::new();
    }
    let of = |k: usize| {
        let each = places.values().filter_map(|place| {
            let scored = place.values().flatten();
            pass_hat(scored.clone().filter(|scored| **scored).count(), scored.count(), k)
        });
        let each: Vec<f64> = each.collect();
        (!each.is_empty()).then(|| each.iter().sum::<f64>() / each.len() as f64)
    };
    (1..=seeds.len()).map_while(of).collect()
}

/// The mean prices of completed tasks.
fn price(completed: &[&Play]) -> Price {
    let mean = |measure: fn(&Price) -> Option<f64>| {
        let each: Option<Vec<f64>> = completed.iter().map(|play| measure(&play.price)).collect();
        let each = each.filter(|prices| !prices.is_empty())?;
        Some(each.iter().sum::<f64>() / each.len() as f64)
    };
    Price {
        calls: mean(|price| price.calls),
        tokens: mean(|price| price.tokens),
        seconds: mean(|price| price.seconds),
    }
}

/// The title of the row over all tiers.
pub const ALL_TASKS: &str = "All tasks";

impl HorizonRow {
    /// The tier's name, or [`ALL_TASKS`].
    pub const fn title(&self) -> &'static str {
        match self.tier {
            None => ALL_TASKS,
            Some(tier) => tier.title(),
        }
    }

    /// pass^k of all seeds: `pass^3 41.2 %`. `None` where it says nothing, see [`Self::pass`].
    pub fn pass_of_all(&self) -> Option<String> {
        let value = self.pass.last()?;
        Some(format!("pass^{} {:.1} %", self.pass.len(), 100.0 * value))
    }
}

/// A column of the table of horizons: heading, in English, and cell.
pub type Column = (&'static str, fn(&HorizonRow) -> String);

/// The columns after the tier and its horizon.
pub const COLUMNS: [Column; 5] = [
    ("80 % horizon", |row| match row.estimate.bound {
        None => length(row.estimate.eighty),
        Some(_) => NONE.to_owned(),
    }),
    ("Completed", |row| format!("{} of {}", grouped(row.completed), grouped(row.tasks))),
    ("Calls ÷ shortest", |row| measure(row.price.calls, 2)),
    ("Tokens a call", |row| row.price.tokens.map_or_else(none, |it| grouped(it.round() as usize))),
    ("Seconds a call", |row| measure(row.price.seconds, 1)),
];

fn none() -> String {
    NONE.to_owned()
}

fn measure(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(none, |it| format!("{it:.decimals$}"))
}

/// The horizon in words: `11 calls (8.0 to 15)`, `at least 128 calls`, `below 1 call`.
pub fn words(estimate: &Horizon) -> String {
    match estimate.bound {
        Some(Bound::AtLeast(calls)) => format!("at least {} calls", length(calls)),
        Some(Bound::Below(calls)) if calls <= 1.0 => "below 1 call".to_owned(),
        Some(Bound::Below(calls)) => format!("below {} calls", length(calls)),
        None => format!(
            "{} calls ({} to {})",
            length(estimate.horizon),
            length(estimate.low),
            length(estimate.high)
        ),
    }
}

/// A length in calls: one decimal below 10, none above.
pub fn length(calls: f64) -> String {
    if calls < 9.95 { format!("{calls:.1}") } else { format!("{calls:.0}") }
}

/// Completed tasks by length: `1: 8 of 8, 2: 6 of 8`.
pub fn by_length(estimate: &Horizon) -> String {
    let point = |it: &horizon::Point| format!("{}: {} of {}", it.calls, count(it.completed), it.n);
    estimate.points.iter().map(point).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(seed: u32, id: &str, right: Option<bool>) -> Play {
        Play { seed, task: TaskId::parse(id).unwrap(), right, price: Price::default() }
    }

    /// One place completed with two of three seeds, one with all.
    fn three_seeds() -> Vec<Play> {
        let of = |id, rights: [bool; 3]| {
            (1..).zip(rights).map(move |(seed, right)| play(seed, id, Some(right)))
        };
        let one = of("horizon/errands-001-1", [true, false, true]);
        one.chain(of("horizon/planning-002-1", [true; 3])).collect()
    }

    fn passes(plays: &[Play]) -> Vec<f64> {
        horizons_of(plays)[0].pass.clone()
    }

    #[test]
    fn seeds_are_the_trials_of_a_place() {
        let mut plays = three_seeds();
        let row = &horizons_of(&plays)[0];
        let expected = [5.0 / 6.0, 2.0 / 3.0, 0.5];
        assert!(row.pass.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{row:?}");
        assert_eq!(row.pass_of_all().as_deref(), Some("pass^3 50.0 %"));
        // Another trial that fails the task fails its seed.
        plays.push(play(1, "horizon/errands-001-1", Some(false)));
        assert_eq!(passes(&plays)[2], 0.5);
        assert!((passes(&plays)[0] - 2.0 / 3.0).abs() < 1e-12);
        // Without an answer, the seed does not count.
        plays.push(play(3, "horizon/errands-001-1", None));
        assert_eq!(passes(&plays), [0.5, 0.5, 1.0]);
    }

    #[test]
    fn one_seed_and_chosen_tasks_have_no_pass() {
        let mut plays = three_seeds();
        plays.pop();
        assert!(passes(&plays).is_empty());
        plays.retain(|play| play.seed == 1);
        assert_eq!((passes(&plays), horizons_of(&plays)[0].pass_of_all()), (Vec::new(), None));
    }
}
