//! The numbers of a run, as a fold of its samples.

use super::{Outcome, SampleRecord};
use crate::protocol::SampleKind;
use crate::scoring::{ErrorClass, Interval, Profile, Verdict, wilson};
use dataset::{Ability, HardKind};
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

    /// Whether nothing was counted.
    pub const fn is_empty(&self) -> bool {
        self.n == 0
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

/// The numbers of one ability, of one kind of hard dialogue, or of all together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AbilityRow {
    /// The ability; `None` for all together and in the hard split.
    pub ability: Option<Ability>,
    /// The kind, in the hard split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<HardKind>,
    /// Decisions that are right: calls and, in the hard split, steps without a call.
    pub calls: Rate,
    /// Of these, the steps at which no call is right.
    #[serde(default, skip_serializing_if = "Rate::is_empty")]
    pub restraint: Rate,
    /// Dialogues of which every decision is right; one with a failed request is not counted.
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
    /// A row for each ability that occurs, or for each kind in the hard split, then one for all together.
    pub rows: Vec<AbilityRow>,
}

/// The numbers of some samples under a profile.
pub fn summarize(samples: &[SampleRecord], profile: Profile) -> Summary {
    let mut rows = Vec::new();
    for ability in Ability::ALL {
        let own = samples.iter().filter(|it| it.hard.is_none() && it.ability == ability);
        if own.clone().next().is_some() {
            rows.push(AbilityRow { ability: Some(ability), ..row(profile, own) });
        }
    }
    for kind in HardKind::ALL {
        let own = samples.iter().filter(|it| it.hard.as_ref().is_some_and(|it| it.kind == kind));
        if own.clone().next().is_some() {
            rows.push(AbilityRow { kind: Some(kind), ..row(profile, own) });
        }
    }
    rows.push(row(profile, samples.iter()));
    Summary { profile, rows }
}

/// A dialogue's calls so far: all right, some wrong, or some not scored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tally {
    AllRight,
    SomeWrong,
    NotScored,
}

/// The numbers of some samples, of whatever ability or kind.
fn row<'a>(profile: Profile, samples: impl Iterator<Item = &'a SampleRecord>) -> AbilityRow {
    let (mut right, mut n, mut failed) = (0, 0, 0);
    let (mut restrained, mut restraints) = (0, 0);
    let (mut rouge, mut replies) = (0.0, 0);
    let mut errors: BTreeMap<ErrorClass, usize> = BTreeMap::new();
    let mut dialogues: BTreeMap<&str, Tally> = BTreeMap::new();
    for sample in samples {
        failed += usize::from(matches!(sample.outcome, Outcome::Failed { .. }));
        if let Some(score) = sample.rouge_l {
            rouge += score;
            replies += 1;
        }
        if !sample.kind.is_decision() {
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
            if sample.kind == SampleKind::Restraint {
                restraints += 1;
                restrained += usize::from(verdict.correct);
            }
            if let Some(class) = verdict.error_class {
                *errors.entry(class).or_default() += 1;
            }
        }
    }
    let whole = dialogues.values().filter(|tally| **tally == Tally::AllRight).count();
    let scored = dialogues.values().filter(|tally| **tally != Tally::NotScored).count();
    AbilityRow {
        ability: None,
        kind: None,
        calls: Rate::new(right, n),
        restraint: Rate::new(restrained, restraints),
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
