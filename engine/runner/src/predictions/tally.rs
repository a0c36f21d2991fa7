//! Counts of scored predictions, by the original's levels.

use super::ScoredCall;
use dataset::Ability;
use dataset::import::Place;
use record::Rate;
use record::metrics::ByDialogue;
use scoring::ErrorClass;
use scoring::f1::CallOverlap;
use std::collections::BTreeMap;

/// Counts for one level, or the total.
#[derive(Debug, Default, Clone)]
pub struct Level {
    /// Calls by dialogue, without excluded ones.
    calls: ByDialogue,
    /// Counted calls whose gold the errata correct.
    pub corrected: usize,
    /// Calls that the errata exclude.
    pub excluded: usize,
    /// Calls on which the original crashes or hangs.
    pub crashed: usize,
    /// The number of replies.
    pub replies: usize,
    /// Matching names and arguments, under the profile `f1`.
    pub overlap: CallOverlap,
    rouge: f64,
}

impl Level {
    /// The rate of correct calls, without excluded ones.
    pub fn rate(&self) -> Rate {
        self.calls.rate()
    }

    /// Mean ROUGE-L of the replies; `None` without any.
    pub fn rouge_l(&self) -> Option<f64> {
        (self.replies > 0).then(|| self.rouge / self.replies as f64)
    }

    fn add(&mut self, other: &Level) {
        self.calls.extend(&other.calls);
        self.corrected += other.corrected;
        self.excluded += other.excluded;
        self.crashed += other.crashed;
        self.rouge += other.rouge;
        self.replies += other.replies;
        self.overlap.name.add(other.overlap.name);
        self.overlap.arguments.add(other.overlap.arguments);
    }
}

/// Counts over all rows.
#[derive(Debug, Default, Clone)]
pub struct Tally {
    levels: BTreeMap<u8, Level>,
    errors: BTreeMap<ErrorClass, usize>,
}

impl Tally {
    /// Counts a call of a sample. An excluded call counts only as excluded.
    pub fn call(&mut self, place: &Place, scored: &ScoredCall) {
        let level = self.levels.entry(place.level).or_default();
        if scored.excluded.is_some() {
            level.excluded += 1;
            return;
        }
        // Levels 1 and 2 have one file per dialogue; level 3 has one sample per dialogue.
        let (dialogue, step) = match place.level {
            3 => (place.sample.to_string(), place.step),
            _ => (place.file.clone(), place.sample),
        };
        level.calls.add(&format!("{}/{dialogue}", place.level), step, scored.correct);
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

    /// Counts a reply at a level, 1 to 3.
    pub fn reply(&mut self, level: u8, rouge_l: f64) {
        let level = self.levels.entry(level).or_default();
        level.rouge += rouge_l;
        level.replies += 1;
    }

    /// The levels that occur, each with its ability.
    pub fn levels(&self) -> impl Iterator<Item = (Option<Ability>, &Level)> {
        self.levels.iter().map(|(level, counts)| {
            (Ability::ALL.get(usize::from(*level).saturating_sub(1)).copied(), counts)
        })
    }

    /// The total over all levels.
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
