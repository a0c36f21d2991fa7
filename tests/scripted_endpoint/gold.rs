//! The built-in pack's prompts and gold answers.

use std::collections::BTreeMap;

use crate::wire::joined;
use apis::{Suite, World};
use dataset::{Ability, Dialogue, Pack, PackError, RecordedCall, Split, Turn};
use exchange::call;
use exchange::protocol::{
    Ask, DescribedApis, Prompts, Protocol, Sample, SampleKind, agent, all_tools, ask, samples_of,
};

/// A sample with its gold.
#[derive(Debug, Clone)]
pub struct GoldSample {
    /// `<dialogue>#<turn>`.
    pub id: String,
    /// The ability that its dialogue measures.
    pub ability: Ability,
    /// Whether the sample asks for a call or a reply.
    pub kind: SampleKind,
    /// The gold call, if the sample asks for a call.
    pub call: Option<RecordedCall>,
    /// The gold answer as text.
    pub answer: String,
    /// Whether the prompt is unique: only then can the sample have a separate rule.
    pub unique: bool,
}

impl GoldSample {
    /// The id of the sample's dialogue.
    #[must_use]
    pub fn dialogue(&self) -> &str {
        self.id.rsplit_once('#').map_or(self.id.as_str(), |(dialogue, _)| dialogue)
    }

    /// The suite that its calls belong to.
    #[must_use]
    pub fn suite(&self) -> Suite {
        self.ability.suite()
    }
}

/// Every sample of the pack, indexed by prompt under every protocol.
#[derive(Debug, Clone)]
pub struct Gold {
    samples: Vec<GoldSample>,
    /// The steps of the gold episodes.
    episodes: Vec<GoldSample>,
    /// The first sample with a prompt.
    by_prompt: BTreeMap<String, Found>,
}

/// The location of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    Sample(usize),
    Episode(usize),
}

impl Gold {
    /// The samples of the built-in pack's standard split.
    ///
    /// # Errors
    /// When the pack is corrupt.
    pub fn builtin() -> Result<Self, PackError> {
        Gold::of(Split::Standard)
    }

    /// The samples of one split of the built-in pack.
    ///
    /// # Errors
    /// When the pack is corrupt.
    pub fn of(split: Split) -> Result<Self, PackError> {
        let pack = dataset::builtin()?;
        let mut gold = Gold::steps(&pack, split);
        for dialogue in pack.split(split) {
            gold.add_episode(dialogue, &pack.world);
        }
        Ok(gold)
    }

    /// The samples of a pack, without episodes.
    #[must_use]
    pub fn steps(pack: &Pack, split: Split) -> Self {
        let mut gold =
            Gold { samples: Vec::new(), episodes: Vec::new(), by_prompt: BTreeMap::new() };
        for sample in samples_of(pack, split) {
            gold.add(&Sample { apis: DescribedApis::default(), ..sample }, &pack.world);
        }
        gold
    }

    /// Adds a sample under the single-step protocols.
    fn add(&mut self, sample: &Sample<'_>, world: &World) {
        let index = self.samples.len();
        let mut unique = true;
        for protocol in [Protocol::Bracket, Protocol::Tools, Protocol::AllTools] {
            // A search would have the same prompt as the step after it.
            if protocol == Protocol::AllTools && all_tools::leaves_out(sample) {
                continue;
            }
            let key = key(&ask(protocol, Prompts::builtin(protocol), sample, world));
            let first = *self.by_prompt.entry(key).or_insert(Found::Sample(index));
            if protocol == Protocol::Bracket
                && let Found::Sample(first) = first
                && first != index
            {
                unique = false;
                if let Some(other) = self.samples.get_mut(first) {
                    other.unique = false;
                }
            }
        }
        let call = sample.gold_call().cloned();
        let due = sample.due_calls();
        let due: Vec<String> =
            due.iter().map(|call| call::format(&call.api_name, &call.param_dict)).collect();
        let answer = match call {
            Some(_) => due.join("\n"),
            None => sample.gold_reply().unwrap_or_default().to_owned(),
        };
        let (id, ability, kind) = (sample.id(), sample.ability(), sample.kind);
        self.samples.push(GoldSample { id, ability, kind, call, answer, unique });
    }

    /// Adds the steps of a gold episode. Text right before a call is left out, because a reply
    /// would end the model's turn.
    fn add_episode(&mut self, dialogue: &Dialogue, world: &World) {
        let protocol = Protocol::Agent;
        let mut played = dialogue.clone();
        let calls_next = |turns: &[Turn], at: usize| turns.get(at + 1).is_some_and(is_call);
        let turns = &dialogue.turns;
        played.turns = turns
            .iter()
            .enumerate()
            .filter(|(at, turn)| !(is_reply(turn) && calls_next(turns, *at)))
            .map(|(_, turn)| turn.clone())
            .collect();
        for at in 1..=played.turns.len() {
            if played.turns.get(at - 1).is_some_and(is_reply) {
                continue;
            }
            let apis = DescribedApis::default();
            let sample = Sample { apis, ..Sample::new(&played, at, SampleKind::Episode) };
            let key = key(&agent::ask_at(protocol, Prompts::builtin(protocol), &sample, world));
            let (call, answer) = match played.turns.get(at) {
                Some(Turn::Api(call)) => {
                    (Some(call.clone()), call::format(&call.api_name, &call.param_dict))
                }
                Some(Turn::Assistant { text, .. }) => (None, text.clone()),
                _ => (None, String::new()),
            };
            self.by_prompt.entry(key).or_insert(Found::Episode(self.episodes.len()));
            let (id, ability) = (format!("{}@1", dialogue.id), dialogue.ability);
            let kind = SampleKind::Episode;
            self.episodes.push(GoldSample { id, ability, kind, call, answer, unique: false });
        }
    }

    /// Every sample, in the pack's order.
    #[must_use]
    pub fn samples(&self) -> &[GoldSample] {
        &self.samples
    }

    /// The sample with an id.
    #[must_use]
    pub fn sample(&self, id: &str) -> Option<&GoldSample> {
        self.samples.iter().find(|sample| sample.id == id)
    }

    /// The sample with a prompt, given as its joined texts and tool names; the first of several
    /// with the same prompt.
    #[must_use]
    pub fn of_prompt(&self, text: &str, tools: &[String]) -> Option<&GoldSample> {
        match *self.by_prompt.get(&keyed(text, tools))? {
            Found::Sample(index) => self.samples.get(index),
            Found::Episode(index) => self.episodes.get(index),
        }
    }
}

fn is_call(turn: &Turn) -> bool {
    matches!(turn, Turn::Api(_))
}

fn is_reply(turn: &Turn) -> bool {
    matches!(turn, Turn::Assistant { .. })
}

/// The user's message alone does not distinguish a call from a reply at the same turn, and
/// dialogues with the same beginning differ in their tools.
fn key(ask: &Ask) -> String {
    let tools: Vec<String> = ask.tools.iter().map(|tool| tool.name.clone()).collect();
    keyed(&joined(ask.messages.iter().map(|message| &*message.content)), &tools)
}

fn keyed(text: &str, tools: &[String]) -> String {
    format!("{text}\u{0}{}", tools.join(","))
}
