//! A sample: one graded step of a dialogue.

use super::DescribedApis;
use super::scripted_user::lines_said;
use apis::search::{self, SearchResults, find};
use apis::{Api, World, effect, registry};
use dataset::import::{Correction, Imported, ImportedSample, PromptRow};
use dataset::own_tools::{self, Pool, Toolset};
use dataset::{
    Ability, Dialogue, Hard, HardKind, Language, Pack, RecordedCall, Split, TaskId, Turn,
};
use serde::{Deserialize, Serialize};

/// What a sample asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SampleKind {
    /// The next API call.
    Call,
    /// The reply after a call.
    Reply,
    /// The next step, where no call is right: something is missing, nothing is to be done, or a Plan is
    /// complete. The prompt is the same as for a call, so that it does not give the answer away.
    Restraint,
    /// The whole dialogue, with the model's own calls.
    Episode,
}

impl SampleKind {
    /// Whether the sample tests the decision to call, rather than a reply's wording or an episode.
    pub const fn is_decision(self) -> bool {
        matches!(self, SampleKind::Call | SampleKind::Restraint)
    }

    /// Whether the sample counts in the first rate of a run: calls that are no `search`, and episodes.
    /// The other kinds have rates of their own.
    pub const fn is_rated(self, search: bool) -> bool {
        match self {
            SampleKind::Call => !search,
            SampleKind::Episode => true,
            SampleKind::Restraint | SampleKind::Reply => false,
        }
    }
}

/// One graded step.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'a> {
    /// The dialogue.
    pub dialogue: &'a Dialogue,
    /// Index of the gold turn in the dialogue, from 0; 0 for an episode.
    pub turn: usize,
    /// The kind of step.
    pub kind: SampleKind,
    /// Trial number, from 1.
    pub trial: u32,
    /// Which APIs the prompt describes, for Call.
    pub apis: DescribedApis,
    /// The language of user and assistant; `None` for English.
    pub language: Option<Language>,
    /// Its origin, if the pack is imported.
    pub source: Option<SampleSource<'a>>,
    /// The pack's own tools; `None` if its dialogues call built-in APIs.
    pub tools: Option<&'a Toolset>,
}

/// The origin of a sample of an imported pack.
#[derive(Debug, Clone, Copy)]
pub struct SampleSource<'a> {
    /// The imported pack.
    pub imported: &'a Imported,
    /// The sample in that pack.
    pub sample: &'a ImportedSample,
}

impl<'a> Sample<'a> {
    /// A sample of the project's own dialogues, trial 1, that describes the dialogue's own APIs.
    pub fn new(dialogue: &'a Dialogue, turn: usize, kind: SampleKind) -> Self {
        Sample {
            dialogue,
            turn,
            kind,
            trial: 1,
            apis: DescribedApis::Own,
            language: None,
            source: None,
            tools: None,
        }
    }

    /// The tools that its calls name.
    pub fn pool(&self) -> Pool<'a> {
        self.tools.map_or(Pool::Suite(self.ability().suite()), Pool::Own)
    }

    /// The own tools that a prompt describes: the dialogue's and those near them, more by
    /// [`DescribedApis`], or `all`. `None` if the dialogue calls built-in APIs.
    pub fn own_tools(&self, all: bool) -> Option<Vec<&'a own_tools::Tool>> {
        let tools = self.tools?;
        let apis = if all { DescribedApis::All } else { self.apis };
        Some(apis.select_own(self.dialogue, tools))
    }

    /// `<dialogue>#<turn>`, followed by `r` if the original scores the call a second time, by `-stop` if
    /// the sample is the decision to stop, and by `@<trial>` from the second trial on. For an episode:
    /// `<dialogue>@<trial>`.
    pub fn id(&self) -> String {
        if self.kind == SampleKind::Episode {
            return format!("{}@{}", self.dialogue.id, self.trial);
        }
        let repeat = self.source.is_some_and(|source| source.sample.repeat);
        let suffix = match repeat {
            true => "r",
            false if self.is_stop() => "-stop",
            false => "",
        };
        let trial = if self.trial > 1 { format!("@{}", self.trial) } else { String::new() };
        format!("{}#{}{suffix}{trial}", self.dialogue.id, self.turn)
    }

    /// Whether it is the decision to stop after a Plan's last call. Its turn is also that of the reply.
    fn is_stop(&self) -> bool {
        self.kind == SampleKind::Restraint
            && self.dialogue.turns.get(self.turn).is_some_and(|turn| !turn.expects_no_call())
    }

    /// Number of the gold call in its dialogue, from 1, and the dialogue's number of calls. For a
    /// reply: the number of the call before it. For an episode: 0.
    pub fn position(&self) -> (usize, usize) {
        let upto = match self.kind {
            SampleKind::Call => self.turn + 1,
            _ => self.turn,
        };
        let turns = self.dialogue.turns.get(..upto).unwrap_or_default();
        (turns.iter().filter_map(Turn::as_call).count(), self.dialogue.calls().count())
    }

    /// The pack's own prompt, if it has one.
    pub fn prompt(&self) -> Option<&'a PromptRow> {
        self.source.and_then(|source| source.imported.prompt(source.sample))
    }

    /// The errata's correction of the sample.
    pub fn correction(&self) -> Option<&'a Correction> {
        self.source.and_then(|source| source.sample.correction.as_ref())
    }

    /// The ability that the dialogue measures.
    pub fn ability(&self) -> Ability {
        self.dialogue.ability
    }

    /// The horizon task, if the dialogue is one.
    pub fn task(&self) -> Option<TaskId> {
        TaskId::parse(&self.dialogue.id)
    }

    /// The hard split's entry for the dialogue; `None` in the standard split.
    pub fn hard(&self) -> Option<&'a Hard> {
        self.dialogue.hard.as_ref()
    }

    /// The turns before the gold turn.
    pub fn history(&self) -> &'a [Turn] {
        self.dialogue.turns.get(..self.turn).unwrap_or_default()
    }

    /// The gold call, for a sample that asks for one.
    pub fn gold_call(&self) -> Option<&'a RecordedCall> {
        if self.kind == SampleKind::Episode {
            return None;
        }
        self.dialogue.turns.get(self.turn).and_then(Turn::as_call)
    }

    /// The gold calls that must all be in the answer: the block of calls from the gold call on, for
    /// [`HardKind::ParallelCalls`]; the gold call alone elsewhere.
    pub fn due_calls(&self) -> Vec<&'a RecordedCall> {
        let parallel = self.hard().is_some_and(|hard| hard.kind == HardKind::ParallelCalls);
        let rest = self.dialogue.turns.get(self.turn..).unwrap_or_default();
        let block = rest.iter().map_while(Turn::as_call);
        match self.gold_call() {
            Some(_) if parallel => block.collect(),
            gold => gold.into_iter().collect(),
        }
    }

    /// Whether the step is a search for an API that an earlier search has returned: no later call of the
    /// stretch has to wait for it. With one result for each search there is none.
    pub fn is_moot(&self, results: SearchResults) -> bool {
        if results == SearchResults::One || !self.gold_call().is_some_and(RecordedCall::is_search) {
            return false;
        }
        let rest = self.dialogue.turns.get(self.turn + 1..).unwrap_or_default();
        let later: Vec<&RecordedCall> = rest.iter().map_while(Turn::as_call).collect();
        let waits = |call: &&RecordedCall| match &call.declared.after {
            Some(after) => after.iter().any(|turn| turn + self.dialogue.earlier == self.turn),
            None => true,
        };
        !later.is_empty() && !later.iter().any(waits)
    }

    /// The facts that the words at this step have to tell, or those of the whole episode. They are
    /// declared in English alone. The decision to stop has none, because the reply there has them.
    pub fn facts(&self) -> Vec<&'a str> {
        let turns = match self.kind {
            _ if self.language.is_some() || self.is_stop() => &[],
            SampleKind::Episode => self.dialogue.own_turns(),
            SampleKind::Call => &[],
            SampleKind::Reply | SampleKind::Restraint => {
                self.dialogue.turns.get(self.turn..=self.turn).unwrap_or_default()
            }
        };
        let facts = turns.iter().filter_map(|turn| match turn {
            Turn::Assistant { tell, .. } => Some(tell.iter().map(String::as_str)),
            _ => None,
        });
        facts.flatten().collect()
    }

    /// The gold reply, for a sample that asks for one.
    pub fn gold_reply(&self) -> Option<&'a str> {
        match self.dialogue.turns.get(self.turn) {
            Some(Turn::Assistant { text, .. }) => Some(text),
            _ => None,
        }
    }

    /// The APIs that the prompt describes: for Call those that [`DescribedApis`] selects, API Search
    /// alone for the other abilities, the whole suite for a horizon task. The hard split describes the dialogue's own APIs and its
    /// distractors, or the whole pool in a long context, sorted by name, so that the order reveals
    /// nothing.
    pub fn described(&self, results: SearchResults) -> Vec<&'static Api> {
        self.described_after(self.history(), results)
    }

    /// As [`Self::described`], after other turns than the gold ones.
    pub fn described_after(&self, history: &[Turn], results: SearchResults) -> Vec<&'static Api> {
        let suite = self.ability().suite();
        if self.task().is_some() {
            let mut apis: Vec<&'static Api> = registry::pool(suite).collect();
            apis.sort_by_key(|api| api.name);
            return apis;
        }
        if self.ability() != Ability::Call {
            return vec![search::described(suite, results)];
        }
        let mut apis: Vec<&'static Api> = Vec::new();
        for call in self.dialogue.calls() {
            if let Some(api) = find(suite, &call.api_name)
                && !apis.iter().any(|known| known.name == api.name)
            {
                apis.push(api);
            }
        }
        if let Some(hard) = self.hard() {
            match hard.kind {
                HardKind::LongContext => apis = registry::pool(suite).collect(),
                _ => apis.extend(hard.distractors.iter().filter_map(|name| find(suite, name))),
            }
            self.remove_later(&mut apis, history);
            apis.sort_by_key(|api| api.name);
            return apis;
        }
        self.apis.select(&self.dialogue.id, suite, apis)
    }

    /// Removes APIs that are described only from a later line of the user on.
    pub(super) fn remove_later(&self, apis: &mut Vec<&'static Api>, history: &[Turn]) {
        let Some(hard) = self.hard().filter(|hard| !hard.added.is_empty()) else { return };
        let said = lines_said(self.dialogue, history);
        apis.retain(|api| hard.describes(api.name, said));
    }
}

/// Every sample of a pack's standard split: each call, each reply that directly follows one, each line
/// that expects no call, and after the last call of a Plan the decision to stop. An imported pack has
/// the original's samples, in its numbering.
pub fn samples(pack: &Pack) -> Vec<Sample<'_>> {
    samples_of(pack, Split::Standard)
}

/// Every sample of one split, as [`samples`] lists them.
pub fn samples_of(pack: &Pack, split: Split) -> Vec<Sample<'_>> {
    if let (Some(imported), Split::Standard) = (&pack.imported, split) {
        return imported
            .samples
            .iter()
            .filter_map(|sample| imported_sample(pack, imported, sample))
            .collect();
    }
    let mut samples = Vec::new();
    let tools = pack.tools.as_deref();
    for dialogue in pack.split(split) {
        let parallel = dialogue.hard.as_ref().is_some_and(|it| it.kind == HardKind::ParallelCalls);
        for (turn, said) in dialogue.turns.iter().enumerate().skip(dialogue.earlier) {
            let after_call = turn > 0 && dialogue.turns[turn - 1].as_call().is_some();
            let kind = match said {
                // The first call of a block asks for all of it.
                Turn::Api(_) if parallel && after_call => continue,
                Turn::Api(_) => SampleKind::Call,
                said if said.expects_no_call() => SampleKind::Restraint,
                Turn::Assistant { .. } if after_call => SampleKind::Reply,
                _ => continue,
            };
            samples.push(Sample { tools, ..Sample::new(dialogue, turn, kind) });
            if kind == SampleKind::Reply && dialogue.ability == Ability::Plan {
                samples.push(Sample::new(dialogue, turn, SampleKind::Restraint));
            }
        }
    }
    samples
}

fn imported_sample<'a>(
    pack: &'a Pack,
    imported: &'a Imported,
    sample: &'a ImportedSample,
) -> Option<Sample<'a>> {
    let kind = if sample.reply { SampleKind::Reply } else { SampleKind::Call };
    let source = Some(SampleSource { imported, sample });
    let dialogue = pack.dialogues.get(sample.dialogue)?;
    Some(Sample { source, ..Sample::new(dialogue, sample.turn, kind) })
}

/// The databases in which a sample's call is executed: `fresh` after a replay of the gold calls
/// before it, except searches, which change nothing. A pack's own tools have no databases.
pub fn world_at(sample: &Sample<'_>, fresh: &World) -> World {
    let mut world = fresh.clone();
    let Pool::Suite(suite) = sample.pool() else { return world };
    for call in sample.history().iter().filter_map(Turn::as_call) {
        if call.is_search() {
            continue;
        }
        if let Some(api) = find(suite, &call.api_name) {
            api.call(&call.param_dict, &mut world);
        }
    }
    world
}

/// The dialogue with every result recomputed by a replay from `fresh`.
pub fn replayed(dialogue: &Dialogue, fresh: &World) -> Dialogue {
    let mut world = fresh.clone();
    let suite = dialogue.ability.suite();
    let mut replayed = dialogue.clone();
    for turn in &mut replayed.turns {
        if let Turn::Api(call) = turn
            && let Some(api) = find(suite, &call.api_name)
        {
            for other in &mut call.alternatives {
                if let Some(api) = find(suite, &other.api_name) {
                    other.result = effect::effect(api, &other.param_dict, &world).result;
                }
            }
            let effect = effect::effect(api, &call.param_dict, &world);
            api.call(&call.param_dict, &mut world);
            call.result = effect.result;
        }
    }
    replayed
}
