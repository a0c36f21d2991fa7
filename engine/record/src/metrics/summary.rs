//! The summary of a run, as a fold over its samples.

use super::PaperTotal;
use super::by_dialogue::{Cell, rate};
use super::pass::pass_hat;
use super::retrieval::found_first;
use crate::{Outcome, SampleRecord, finite};
use dataset::{Ability, HardKind};
use exchange::protocol::SampleKind;
use scoring::f1::CallOverlap;
use scoring::{ErrorClass, Interval, IntervalMethod, Profile, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A share with its 95 % interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rate {
    /// Number of right ones.
    pub right: usize,
    /// Number counted.
    pub n: usize,
    /// The interval of the rate; `None` for `n` = 0.
    pub interval: Option<Interval>,
}

impl Rate {
    /// Whether the count is zero.
    pub const fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// The rate, 0 to 1; `None` for `n` = 0.
    pub fn value(&self) -> Option<f64> {
        (self.n > 0).then(|| self.right as f64 / self.n as f64)
    }
}

/// A mean and the number of values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Mean {
    /// The mean; `None` for `n` = 0.
    #[serde(serialize_with = "finite")]
    pub mean: Option<f64>,
    /// Number counted.
    pub n: usize,
}

/// The results of one ability, one kind of hard dialogue, or the total.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AbilityRow {
    /// The ability; `None` in the total and in the hard split.
    pub ability: Option<Ability>,
    /// The kind, in the hard split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<HardKind>,
    /// Right calls and, in the hard split, right steps where no call is right.
    pub calls: Rate,
    /// Steps where no call is right, answered in words. Part of `calls` in the hard split only.
    #[serde(default, skip_serializing_if = "Rate::is_empty")]
    pub restraint: Rate,
    /// Dialogues whose calls and steps without a call are all right; dialogues with a failed request are not counted.
    pub dialogues: Rate,
    /// Searches that return the needed API; in an episode, the first search.
    #[serde(default, skip_serializing_if = "Rate::is_empty")]
    pub searches: Rate,
    /// pass^k by dialogue, from k = 1; only with more than one trial.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pass: Vec<Mean>,
    /// Mean ROUGE-L of the replies.
    pub rouge_l: Mean,
    /// Samples without an answer, neither right nor wrong.
    pub failed: usize,
    /// Scored calls whose gold call the errata correct (imported data).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub corrected: usize,
    /// Calls that the errata exclude. Only the profile `original` counts them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub excluded: usize,
    /// Matching names and arguments, summed over the scored calls: the terms of F1.
    #[serde(default)]
    pub overlap: CallOverlap,
    /// Wrong calls by class; classes that don't occur are omitted.
    pub errors: BTreeMap<ErrorClass, usize>,
}

/// A run's results under one profile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summary {
    /// The profile.
    pub profile: Profile,
    /// How intervals are computed; absent for `wilson`.
    #[serde(default, skip_serializing_if = "IntervalMethod::is_wilson")]
    pub interval_method: IntervalMethod,
    /// One row per ability, or per kind in the hard split, then the total. Abilities without
    /// samples have no row.
    pub rows: Vec<AbilityRow>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Summarizes samples under a profile.
pub fn summarize(samples: &[SampleRecord], profile: Profile) -> Summary {
    let mut summarizer = Summarizer::new(profile);
    samples.iter().for_each(|sample| summarizer.add(sample));
    summarizer.finish()
}

/// Counts samples in a stream, for records that are not held in memory. The order affects the last
/// digits of means: use the record's.
#[derive(Debug, Clone)]
pub struct Summarizer {
    profile: Profile,
    method: IntervalMethod,
    abilities: BTreeMap<Ability, Counts>,
    kinds: BTreeMap<HardKind, Counts>,
    all: Counts,
}

impl Summarizer {
    /// An empty count.
    pub fn new(profile: Profile) -> Self {
        Self::with(profile, IntervalMethod::ClusterWilson)
    }

    /// An empty count with the interval method of an existing summary.
    pub fn with(profile: Profile, method: IntervalMethod) -> Self {
        let (abilities, kinds) = (BTreeMap::new(), BTreeMap::new());
        Summarizer { profile, method, abilities, kinds, all: Counts::default() }
    }

    /// Counts a sample.
    pub fn add(&mut self, sample: &SampleRecord) {
        let own = match &sample.hard {
            Some(hard) => self.kinds.entry(hard.kind).or_default(),
            None => self.abilities.entry(sample.ability).or_default(),
        };
        own.add(sample, self.profile);
        self.all.add(sample, self.profile);
    }

    /// The totals as in the paper's tables. `whole` decides which abilities count by dialogue.
    pub(super) fn paper_total(&self, whole: impl Fn(Ability) -> bool) -> PaperTotal {
        let (mut mixed, mut dialogues) = (Vec::new(), Vec::new());
        for (ability, counts) in &self.abilities {
            for dialogue in counts.dialogues.values() {
                dialogues.push(dialogue.whole());
                mixed.push(if whole(*ability) { dialogue.whole() } else { dialogue.calls.clone() });
            }
        }
        let of = |cells: Vec<Cell>| rate(cells.iter(), self.method, self.all.trials);
        PaperTotal { mixed: of(mixed), dialogues: of(dialogues) }
    }

    /// The summary of the counted samples.
    pub fn finish(self) -> Summary {
        let (profile, interval_method) = (self.profile, self.method);
        let mut rows = Vec::new();
        for (ability, counts) in self.abilities {
            rows.push(AbilityRow { ability: Some(ability), ..counts.row(interval_method) });
        }
        for (kind, counts) in self.kinds {
            rows.push(AbilityRow { kind: Some(kind), ..counts.row(interval_method) });
        }
        rows.push(self.all.row(interval_method));
        Summary { profile, interval_method, rows }
    }
}

/// A dialogue's calls so far: all correct, some wrong, or some not scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tally {
    AllRight,
    SomeWrong,
    NotScored,
}

/// A dialogue's verdicts so far.
#[derive(Debug, Clone, Default)]
struct DialogueCounts {
    /// By trial.
    trials: BTreeMap<u32, Tally>,
    calls: Cell,
    restraint: Cell,
    searches: Cell,
}

impl DialogueCounts {
    /// Counts the trials with a verdict on every decision; one is right if all are correct.
    fn whole(&self) -> Cell {
        let mut whole = Cell::default();
        for tally in self.trials.values().filter(|tally| **tally != Tally::NotScored) {
            whole.add(0, *tally == Tally::AllRight);
        }
        whole
    }
}

/// Counts over samples of any ability or kind.
#[derive(Debug, Clone, Default)]
struct Counts {
    failed: usize,
    corrected: usize,
    excluded: usize,
    rouge: f64,
    replies: usize,
    overlap: CallOverlap,
    errors: BTreeMap<ErrorClass, usize>,
    /// The highest trial number.
    trials: u32,
    dialogues: BTreeMap<String, DialogueCounts>,
}

impl Counts {
    fn add(&mut self, sample: &SampleRecord, profile: Profile) {
        self.failed += usize::from(matches!(sample.outcome, Outcome::Failed { .. }));
        if let Some(score) = sample.rouge_l {
            self.rouge += score;
            self.replies += 1;
        }
        self.trials = self.trials.max(sample.trial);
        if let Some(found) = found_first(sample) {
            self.dialogue(sample).searches.add(sample.turn, found);
        }
        let episode = sample.kind == SampleKind::Episode;
        if !(episode || sample.kind.is_decision()) {
            return;
        }
        let verdict = sample.verdict(profile);
        if let Some(correction) = sample.correction.as_ref().filter(|_| verdict.is_some())
            && profile != Profile::Original
        {
            if correction.excluded {
                self.excluded += 1;
                return;
            }
            self.corrected += 1;
        }
        let tally = match verdict {
            Some(verdict) if verdict.correct => Tally::AllRight,
            Some(_) => Tally::SomeWrong,
            None => Tally::NotScored,
        };
        let dialogue = self.dialogue(sample);
        let known = dialogue.trials.entry(sample.trial).or_insert(tally);
        *known = tally.max(*known);
        let Some(verdict) = verdict else { return };
        // An episode is not a call: it counts among the dialogues.
        let is_call = !episode && sample.kind.is_rated(sample.hard.is_some());
        if is_call {
            dialogue.calls.add(sample.turn, verdict.correct);
        }
        if sample.kind == SampleKind::Restraint {
            dialogue.restraint.add(sample.turn, verdict.correct);
        }
        if let Some(class) = verdict.error_class {
            *self.errors.entry(class).or_default() += 1;
        }
        if let Some(verdicts) = sample.verdicts.as_ref().filter(|_| is_call) {
            self.overlap.name.add(verdicts.overlap.name);
            self.overlap.arguments.add(verdicts.overlap.arguments);
        }
    }

    /// The counts of a sample's dialogue.
    fn dialogue(&mut self, sample: &SampleRecord) -> &mut DialogueCounts {
        self.dialogues.entry(sample.dialogue.clone()).or_default()
    }

    /// pass^k for every k; empty for a single trial.
    fn pass(&self) -> Vec<Mean> {
        if self.trials < 2 {
            return Vec::new();
        }
        let counts: Vec<Cell> = self.dialogues.values().map(DialogueCounts::whole).collect();
        let most = counts.iter().map(|it| it.n).max().unwrap_or(0);
        let mean = |k| {
            let values = counts.iter().filter_map(|it| pass_hat(it.right, it.n, k));
            let values: Vec<f64> = values.collect();
            let sum: f64 = values.iter().sum();
            let mean = (!values.is_empty()).then(|| sum / values.len() as f64);
            Mean { mean, n: values.len() }
        };
        (1..=most).map(mean).collect()
    }

    fn row(self, method: IntervalMethod) -> AbilityRow {
        let mean = (self.replies > 0).then(|| self.rouge / self.replies as f64);
        let of = |cell: fn(&DialogueCounts) -> &Cell| {
            rate(self.dialogues.values().map(cell), method, self.trials)
        };
        let whole: Vec<Cell> = self.dialogues.values().map(DialogueCounts::whole).collect();
        AbilityRow {
            ability: None,
            kind: None,
            calls: of(|it| &it.calls),
            restraint: of(|it| &it.restraint),
            dialogues: rate(whole.iter(), method, self.trials),
            searches: of(|it| &it.searches),
            pass: self.pass(),
            rouge_l: Mean { mean, n: self.replies },
            failed: self.failed,
            corrected: self.corrected,
            excluded: self.excluded,
            overlap: self.overlap,
            errors: self.errors,
        }
    }
}

impl SampleRecord {
    /// A profile's verdict on the call; `None` for replies and failed requests.
    pub fn verdict(&self, profile: Profile) -> Option<&Verdict> {
        let verdicts = self.verdicts.as_ref()?;
        Some(match profile {
            Profile::Execution => &verdicts.execution,
            Profile::Exact => &verdicts.exact,
            Profile::F1 => &verdicts.f1,
            Profile::Original => verdicts.original.as_ref()?,
        })
    }
}
