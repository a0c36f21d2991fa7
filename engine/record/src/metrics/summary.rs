//! The summary of a run, as a fold over its samples.

use super::PaperTotal;
use super::by_dialogue::{Cell, rate};
use super::pass::pass_hat;
use crate::sample_record::finite;
use crate::table::SecondaryMetric;
use crate::{Outcome, SampleRecord, Verdicts};
use dataset::{Ability, HardKind};
use exchange::call::Form;
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
    /// Right calls, searches apart. The profile `original` counts searches among them.
    pub calls: Rate,
    /// Steps where no call is right, answered in words.
    #[serde(default, skip_serializing_if = "Rate::is_empty")]
    pub restraint: Rate,
    /// Dialogues whose calls and steps without a call are all right; dialogues with a failed request are not counted.
    pub dialogues: Rate,
    /// Searches that return the needed API, those apart whose API an earlier search has returned; in an
    /// episode, the first search.
    #[serde(default, skip_serializing_if = "Rate::is_empty")]
    pub searches: Rate,
    /// Replies, or episodes, that tell every declared fact.
    #[serde(default, skip_serializing_if = "Rate::is_empty")]
    pub told: Rate,
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
    /// The calls in another form than the protocol's; absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forms: Option<Box<Forms>>,
    /// Calls and searches together, as the paper counts them; absent without searches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paper: Option<Rate>,
}

/// Calls in another form than the protocol's, and what they would score.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Forms {
    /// Answers by form.
    pub answers: BTreeMap<Form, usize>,
    /// The total if forms were forgiven: each call that can be read, judged by what it does.
    pub forgiven: AbilityRow,
}

impl Summary {
    /// The total if forms were forgiven, where it differs from the total.
    pub fn forgiven(&self) -> Option<&AbilityRow> {
        let forgiven = &self.forms.as_ref()?.forgiven;
        let total = self.rows.last()?;
        let right = |row: &AbilityRow| (row.calls.right, row.dialogues.right);
        (right(forgiven) != right(total)).then_some(forgiven)
    }
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
    /// All with their forms forgiven, from the first sample on where that differs.
    forgiven: Option<Box<Counts>>,
    forms: BTreeMap<Form, usize>,
}

impl Summarizer {
    /// An empty count.
    pub fn new(profile: Profile) -> Self {
        Self::with(profile, IntervalMethod::ClusterWilson)
    }

    /// An empty count with the interval method of an existing summary.
    pub fn with(profile: Profile, method: IntervalMethod) -> Self {
        let (abilities, kinds) = (BTreeMap::new(), BTreeMap::new());
        let forms = BTreeMap::new();
        Summarizer {
            profile,
            method,
            abilities,
            kinds,
            all: Counts::default(),
            forgiven: None,
            forms,
        }
    }

    /// Counts a sample.
    pub fn add(&mut self, sample: &SampleRecord) {
        let own = match &sample.hard {
            Some(hard) => self.kinds.entry(hard.kind).or_default(),
            None => self.abilities.entry(sample.ability).or_default(),
        };
        own.add(sample, self.profile, None);
        if let Some(other) = &sample.other_form {
            *self.forms.entry(other.form).or_default() += 1;
            self.forgiven.get_or_insert_with(|| Box::new(self.all.clone()));
        }
        if let Some(forgiven) = &mut self.forgiven {
            let verdicts = sample.other_form.as_ref().and_then(|other| other.forgiven.as_ref());
            forgiven.add(sample, self.profile, verdicts);
        }
        self.all.add(sample, self.profile, None);
    }

    /// The totals as in the paper's tables. `whole` decides which abilities count by dialogue.
    pub(super) fn paper_total(&self, whole: impl Fn(Ability) -> bool) -> PaperTotal {
        let (mut mixed, mut dialogues) = (Vec::new(), Vec::new());
        for (ability, counts) in &self.abilities {
            for dialogue in counts.dialogues.values() {
                dialogues.push(dialogue.whole());
                mixed.push(if whole(*ability) { dialogue.whole() } else { dialogue.paper.clone() });
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
        let trials = self.all.trials;
        let paper = rate(self.all.dialogues.values().map(|it| &it.paper), interval_method, trials);
        rows.push(self.all.row(interval_method));
        let searches = rows.last().is_some_and(|total| total.searches.n > 0 && total.calls.n > 0);
        let paper = Some(paper).filter(|_| searches && profile != Profile::Original);
        let answers = self.forms;
        let forms = self
            .forgiven
            .map(|counts| Box::new(Forms { answers, forgiven: counts.row(interval_method) }));
        Summary { profile, interval_method, rows, forms, paper }
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
    told: Cell,
    /// Calls and searches.
    paper: Cell,
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
    /// Counts a sample by its verdicts, or by those that it gets if its form is `forgiven`.
    fn add(&mut self, sample: &SampleRecord, profile: Profile, forgiven: Option<&Verdicts>) {
        let verdicts = forgiven.or(sample.verdicts.as_ref());
        self.failed += usize::from(matches!(sample.outcome, Outcome::Failed { .. }));
        if let Some(score) = sample.rouge_l {
            self.rouge += score;
            self.replies += 1;
        }
        self.trials = self.trials.max(sample.trial);
        if let Some(found) = SecondaryMetric::Searches.verdict(sample) {
            let found = found || forgiven.is_some_and(|it| it.execution.correct);
            self.dialogue(sample).searches.add(sample.turn, found);
        }
        if let Some(told) = SecondaryMetric::Told.verdict(sample) {
            self.dialogue(sample).told.add(sample.turn, told);
        }
        let episode = sample.kind == SampleKind::Episode;
        if !(episode || sample.kind.is_decision()) {
            return;
        }
        let verdict = verdicts.and_then(|verdicts| verdicts.of(profile));
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
        let is_call = !episode && sample.counts_for(profile);
        if is_call {
            dialogue.calls.add(sample.turn, verdict.correct);
        }
        if sample.kind == SampleKind::Call {
            dialogue.paper.add(sample.turn, verdict.correct);
        }
        if sample.kind == SampleKind::Restraint {
            dialogue.restraint.add(sample.turn, verdict.correct);
        }
        if let Some(class) = verdict.error_class {
            *self.errors.entry(class).or_default() += 1;
        }
        if let Some(verdicts) = verdicts.filter(|_| is_call) {
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
        let most = counts.iter().map(|count| count.n).max().unwrap_or(0);
        let mean = |k| {
            let values = counts.iter().filter_map(|count| pass_hat(count.right, count.n, k));
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
            calls: of(|counts| &counts.calls),
            restraint: of(|counts| &counts.restraint),
            dialogues: rate(whole.iter(), method, self.trials),
            searches: of(|counts| &counts.searches),
            told: of(|counts| &counts.told),
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
        self.verdicts.as_ref()?.of(profile)
    }
}

impl Verdicts {
    /// A profile's verdict.
    pub fn of(&self, profile: Profile) -> Option<&Verdict> {
        Some(match profile {
            Profile::Execution => &self.execution,
            Profile::Exact => &self.exact,
            Profile::F1 => &self.f1,
            Profile::Original => self.original.as_ref()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::tests::call;
    use crate::share_effect;
    use crate::{OtherForm, Told};
    use apis::ApiResult;
    use apis::effect::Effect;
    use apis::search::TOOL_SEARCHER;
    use dataset::Ability;
    use serde_json::{Value, json};

    #[test]
    fn forms_are_forgiven_in_a_row_of_their_own() {
        let sample = |turn, right, form: Option<(Form, bool)>| {
            let sample = call(Ability::Call, "call/a", turn, "Wiki", Some(right));
            let forgiven = |right| call(Ability::Call, "", 0, "", Some(right)).verdicts;
            let other = form.map(|(form, right)| OtherForm { form, forgiven: forgiven(right) });
            SampleRecord { other_form: other.map(Box::new), ..sample }
        };
        let plain = [sample(1, true, None), sample(2, false, None)];
        assert_eq!(summarize(&plain, Profile::Execution).forms, None);
        let samples = [
            sample(1, true, None),
            sample(2, false, Some((Form::ToolCallTag, true))),
            sample(3, false, Some((Form::ToolCallTag, false))),
            sample(4, false, Some((Form::Json, true))),
            sample(5, true, None),
        ];
        let summary = summarize(&samples, Profile::Execution);
        let total = summary.rows.last().unwrap();
        let forms = summary.forms.as_ref().unwrap();
        assert_eq!((total.calls.right, total.calls.n), (2, 5));
        assert_eq!((forms.forgiven.calls.right, forms.forgiven.calls.n), (4, 5));
        assert_eq!(forms.answers, BTreeMap::from([(Form::ToolCallTag, 2), (Form::Json, 1)]));
        assert_eq!(summary.forgiven().unwrap().calls.right, 4);
        let same = summarize(&samples[2..3], Profile::Execution);
        assert!(same.forms.is_some() && same.forgiven().is_none(), "forgiving changes nothing");
    }

    #[test]
    fn searches_told_facts_and_the_papers_count_stand_apart() {
        let found = Effect {
            result: ApiResult {
                api_name: TOOL_SEARCHER.to_owned(),
                input: Value::Null,
                output: Some(json!({"name": "Wiki"})),
                exception: None,
            },
            changes: Vec::new(),
        };
        let one = |turn, api, right| call(Ability::Plan, "plan/a", turn, api, Some(right));
        let search = |turn, right: bool| SampleRecord {
            gold_effect: Some(share_effect(found.clone())),
            effect: right.then(|| share_effect(found.clone())),
            ..one(turn, TOOL_SEARCHER, right)
        };
        let told = |told| vec![Told { fact: "7".to_owned(), told }];
        let as_json = OtherForm { form: Form::Json, forgiven: search(6, true).verdicts };
        let samples = [
            search(1, true),
            SampleRecord { moot: true, ..search(2, false) },
            one(3, "Wiki", true),
            SampleRecord { told: told(true), ..one(4, "Wiki", false) },
            SampleRecord { told: [told(true), told(false)].concat(), ..one(5, "Wiki", true) },
            SampleRecord { other_form: Some(Box::new(as_json)), ..search(6, false) },
        ];
        let summary = summarize(&samples, Profile::Execution);
        let total = summary.rows.last().unwrap();
        let counts = |rate: &Rate| (rate.right, rate.n);
        assert_eq!(counts(&total.calls), (2, 3));
        assert_eq!(counts(&total.searches), (1, 2), "a moot search does not count");
        assert_eq!(counts(&summary.forms.unwrap().forgiven.searches), (2, 2));
        assert_eq!(counts(&total.told), (1, 2));
        assert_eq!(counts(&summary.paper.unwrap()), (3, 6));
    }
}
