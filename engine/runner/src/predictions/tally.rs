//! Counts of scored predictions, by the original's levels.

use super::ScoredCall;
use dataset::Ability;
use record::Rate;
use scoring::ErrorClass;
use scoring::f1::CallOverlap;
use std::collections::BTreeMap;

/// Counts of one level, or of all.
#[derive(Debug, Default, Clone)]
pub struct Level {
    /// Right calls.
    pub right: usize,
    /// Calls, without those that the errata exclude.
    pub calls: usize,
    /// Of these, calls whose gold the errata correct.
    pub corrected: usize,
    /// Calls that the errata exclude.
    pub excluded: usize,
    /// Calls at which the original stops or hangs.
    pub crashed: usize,
    /// Replies.
    pub replies: usize,
    /// Names and arguments that agree, under the profile `f1`.
    pub overlap: CallOverlap,
    rouge: f64,
}

impl Level {
    /// Calls that are right.
    pub fn rate(&self) -> Rate {
        Rate::new(self.right, self.calls)
    }

    /// Mean ROUGE-L of the replies; `None` without any.
    pub fn rouge_l(&self) -> Option<f64> {
        (self.replies > 0).then(|| self.rouge / self.replies as f64)
    }

    fn add(&mut self, other: &Level) {
        self.right += other.right;
        self.calls += other.calls;
        self.corrected += other.corrected;
        self.excluded += other.excluded;
        self.crashed += other.crashed;
        self.rouge += other.rouge;
        self.replies += other.replies;
        self.overlap.name.add(other.overlap.name);
        self.overlap.arguments.add(other.overlap.arguments);
    }
}

/// Counts of all rows.
#[derive(Debug, Default, Clone)]
pub struct Tally {
    levels: BTreeMap<u8, Level>,
    errors: BTreeMap<ErrorClass, usize>,
}

impl Tally {
    /// Counts a call of a level, 1 to 3. One that the errata exclude counts as nothing else.
    pub fn call(&mut self, level: u8, scored: &ScoredCall) {
        let level = self.levels.entry(level).or_default();
        if scored.excluded.is_some() {
            level.excluded += 1;
            return;
        }
        level.calls += 1;
        level.right += usize::from(scored.correct);
        level.corrected += usize::from(scored.corrected.is_some());
        level.crashed += usize::from(scored.crash);
        if let Some(overlap) = scored.overlap {
            level.overlap.name.add(overlap.name);
            level.overlap.arguments.add(overlap.arguments);
        }
        if let Some(class) = scored.error_class {
            *self.errors.entry(class).or_default() += 1;
        }
    }

    /// Counts a reply of a level, 1 to 3.
    pub fn reply(&mut self, level: u8, rouge_l: f64) {
        let level = self.levels.entry(level).or_default();
        level.rouge += rouge_l;
        level.replies += 1;
    }

    /// The levels that occur, each with the ability that it measures.
    pub fn levels(&self) -> impl Iterator<Item = (Option<Ability>, &Level)> {
        self.levels.iter().map(|(level, counts)| {
            (Ability::ALL.get(usize::from(*level).saturating_sub(1)).copied(), counts)
        })
    }

    /// All levels together.
    pub fn total(&self) -> Level {
        let mut all = Level::default();
        self.levels.values().for_each(|level| all.add(level));
        all
    }

    /// Wrong calls by class.
    pub const fn errors(&self) -> &BTreeMap<ErrorClass, usize> {
        &self.errors
    }
}
