//! Chooses the tasks of an adaptive horizon run.

use dataset::{TaskId, Tier};
use exchange::protocol::Sample;
use record::metrics::horizon;
use record::{RunSettings, SampleRecord};
use scoring::statistics::horizon::Attempt;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The maximum number of tasks per tier in an adaptive run; `None` for a fixed set of tasks.
pub(crate) fn adaptive(settings: &RunSettings) -> Option<usize> {
    horizon::adaptive(settings.edition, &settings.subset)
}

/// How many of the samples a run asks at most.
pub(crate) fn planned(samples: &[Sample<'_>], settings: &RunSettings) -> usize {
    let Some(most) = adaptive(settings) else { return samples.len() };
    let mut tiers: BTreeMap<Tier, usize> = BTreeMap::new();
    for task in samples.iter().filter_map(Sample::task) {
        *tiers.entry(task.tier).or_default() += 1;
    }
    tiers.values().map(|&tasks| tasks.min(most)).sum()
}

/// The tasks that a run has played, by tier.
#[derive(Debug, Default)]
pub(crate) struct Played(Mutex<BTreeMap<Tier, Vec<Attempt>>>);

impl Played {
    /// Takes note of a played task.
    pub(crate) fn note(&self, sample: &SampleRecord) {
        let task = TaskId::parse(&sample.dialogue);
        if let Some((task, attempt)) = task.zip(horizon::attempt(sample)) {
            let mut played = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            played.entry(task.tier).or_default().push(attempt);
        }
    }

    /// Whether nothing more is to be asked.
    pub(crate) fn is_complete(&self, most: usize) -> bool {
        Tier::ALL.into_iter().all(|tier| horizon::next_level(&self.of(tier), most).is_none())
    }

    fn of(&self, tier: Tier) -> Vec<Attempt> {
        let played = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        played.get(&tier).cloned().unwrap_or_default()
    }
}

/// Iterates over the tasks to ask: from the tier with the fewest so far, at the level that narrows its
/// horizon most. Not fused: an answer can add a next task.
pub(crate) struct Staircase<'a, 'b> {
    open: Vec<Sample<'a>>,
    most: usize,
    /// How many tasks of each tier may still be asked.
    left: BTreeMap<Tier, usize>,
    played: &'b Played,
}

impl<'a, 'b> Staircase<'a, 'b> {
    pub(crate) fn new(open: Vec<Sample<'a>>, most: usize, played: &'b Played) -> Self {
        let left = Tier::ALL.map(|tier| (tier, most.saturating_sub(played.of(tier).len())));
        Staircase { open, most, left: left.into(), played }
    }

    /// The place of the next task of a tier.
    fn next_of(&self, tier: Tier) -> Option<usize> {
        let level = horizon::next_level(&self.played.of(tier), self.most)?;
        let fits = |task: TaskId| (task.tier, task.level) == (tier, level);
        self.open.iter().position(|sample| sample.task().is_some_and(fits))
    }
}

impl<'a> Iterator for Staircase<'a, '_> {
    type Item = Sample<'a>;

    fn next(&mut self) -> Option<Sample<'a>> {
        let mut tiers: Vec<(Reverse<usize>, Tier)> =
            self.left.iter().map(|(tier, left)| (Reverse(*left), *tier)).collect();
        tiers.sort_unstable();
        let open = tiers.into_iter().filter(|(Reverse(left), _)| *left > 0);
        let (place, tier) =
            open.filter_map(|(_, tier)| Some((self.next_of(tier)?, tier))).next()?;
        if let Some(left) = self.left.get_mut(&tier) {
            *left -= 1;
        }
        Some(self.open.remove(place))
    }
}
