//! The numbers of a run, as a fold of its samples.

use super::{Outcome, SampleRecord};
use crate::protocol::SampleKind;
use crate::scoring::{ErrorClass, Interval, Profile, Verdict, wilson};
use dataset::Ability;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Right ones of a count, with Wilson's 95 % interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// How many are right.
    pub right: usize,
    /// Of how many.
    pub n: usize,
    /// The interval of the rate; `None` for `n` = 0.
    pub interval: Option<Interval>,
}

impl Rate {
    fn new(right: usize, n: usize) -> Self {
        Rate { right, n, interval: wilson(right, n) }
    }

    /// The rate from 0 to 1; `None` for `n` = 0.
    pub fn value(&self) -> Option<f64> {
        (self.n > 0).then(|| self.right as f64 / self.n as f64)
    }
}

/// A mean with its count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    /// The mean; `None` for `n` = 0.
    pub mean: Option<f64>,
    /// Of how many.
    pub n: usize,
}

/// The numbers of one ability, or of all together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AbilityRow {
    /// The ability; `None` for all together.
    pub ability: Option<Ability>,
    /// Calls that are right.
    pub calls: Rate,
    /// Dialogues of which every call is right; one with a failed request is not counted.
    pub dialogues: Rate,
    /// ROUGE-L of the replies.
    pub rouge_l: Mean,
    /// Samples without an answer, which count as neither right nor wrong.
    pub failed: usize,
    /// Wrong calls by class; classes that do not occur are left out.
    pub errors: BTreeMap<ErrorClass, usize>,
}

/// The numbers of a run under one profile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The profile.
    pub profile: Profile,
    /// A row for each ability that occurs, then one for all together.
    pub rows: Vec<AbilityRow>,
}

/// The numbers of some samples under a profile.
pub fn summarize(samples: &[SampleRecord], profile: Profile) -> Summary {
    let mut rows: Vec<AbilityRow> = Ability::ALL
        .into_iter()
        .filter(|ability| samples.iter().any(|sample| sample.ability == *ability))
        .map(|ability| row(Some(ability), profile, samples.iter().filter(|s| s.ability == ability)))
        .collect();
    rows.push(row(None, profile, samples.iter()));
    Summary { profile, rows }
}

/// A dialogue's calls so far: all right, some wrong, or some not scored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tally {
    AllRight,
    SomeWrong,
    NotScored,
}

fn row<'a>(
    ability: Option<Ability>,
    profile: Profile,
    samples: impl Iterator<Item = &'a SampleRecord>,
) -> AbilityRow {
    let (mut right, mut n, mut failed) = (0, 0, 0);
    let (mut rouge, mut replies) = (0.0, 0);
    let mut errors: BTreeMap<ErrorClass, usize> = BTreeMap::new();
    let mut dialogues: BTreeMap<&str, Tally> = BTreeMap::new();
    for sample in samples {
        failed += usize::from(matches!(sample.outcome, Outcome::Failed { .. }));
        if let Some(score) = sample.rouge_l {
            rouge += score;
            replies += 1;
        }
        if sample.kind != SampleKind::Call {
            continue;
        }
        let verdict = sample.verdict(profile);
        let tally = match verdict {
            Some(verdict) if verdict.correct => Tally::AllRight,
            Some(_) => Tally::SomeWrong,
            None => Tally::NotScored,
        };
        let known = dialogues.entry(&sample.dialogue).or_insert(tally);
        *known = tally.max(*known);
        if let Some(verdict) = verdict {
            n += 1;
            right += usize::from(verdict.correct);
            if let Some(class) = verdict.error_class {
                *errors.entry(class).or_default() += 1;
            }
        }
    }
    let whole = dialogues.values().filter(|tally| **tally == Tally::AllRight).count();
    let scored = dialogues.values().filter(|tally| **tally != Tally::NotScored).count();
    AbilityRow {
        ability,
        calls: Rate::new(right, n),
        dialogues: Rate::new(whole, scored),
        rouge_l: Mean { mean: (replies > 0).then(|| rouge / replies as f64), n: replies },
        failed,
        errors,
    }
}

impl SampleRecord {
    /// What a profile says of the call; `None` for replies and failed requests.
    pub fn verdict(&self, profile: Profile) -> Option<&Verdict> {
        let verdicts = self.verdicts.as_ref()?;
        Some(match profile {
            Profile::Execution => &verdicts.execution,
            Profile::Exact => &verdicts.exact,
        })
    }
}
