//! What the built-in pack asks, and the gold answers.

use std::collections::BTreeMap;

use crate::wire::joined;
use apis::Suite;
use dataset::{Ability, Dialogue, PackError, RecordedCall, Split, Turn};
use exchange::call;
use exchange::protocol::{
    Ask, Prompts, Protocol, Sample, SampleKind, agent, all_tools, ask, samples_of,
};

/// One sample with its gold.
#[derive(Debug, Clone)]
pub struct GoldSample {
    /// `<dialogue>#<turn>`.
    pub id: String,
    /// What its dialogue measures.
    pub ability: Ability,
    /// Whether a call or a reply is asked for.
    pub kind: SampleKind,
    /// The gold call, for a sample that asks for one.
    pub call: Option<RecordedCall>,
    /// The gold answer as text.
    pub answer: String,
    /// Whether no other sample has the same prompt: only then can it have a rule of its own.
    pub unique: bool,
}

impl GoldSample {
    /// Id of its dialogue.
    #[must_use]
    pub fn dialogue(&self) -> &str {
        self.id.rsplit_once('#').map_or(self.id.as_str(), |(dialogue, _)| dialogue)
    }

    /// The pool that its calls come from.
    #[must_use]
    pub fn suite(&self) -> Suite {
        self.ability.suite()
    }
}

/// Every sample of the pack, found by its prompt under any protocol.
#[derive(Debug, Clone)]
pub struct Gold {
    samples: Vec<GoldSample>,
    /// The steps of episodes, as the gold plays them.
    episodes: Vec<GoldSample>,
    /// The first sample with a prompt.
    by_prompt: BTreeMap<String, Found>,
}

/// Where a sample stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    Sample(usize),
    Episode(usize),
}

impl Gold {
    /// The samples of the built-in pack's standard split.
    ///
    /// # Errors
    /// When the pack is damaged.
    pub fn builtin() -> Result<Self, PackError> {
        Gold::of(Split::Standard)
    }

    /// The samples of one split of the built-in pack.
    ///
    /// # Errors
    /// When the pack is damaged.
    pub fn of(split: Split) -> Result<Self, PackError> {
        let pack = dataset::builtin()?;
        let year = pack.manifest.today.0.year();
        let mut gold =
            Gold { samples: Vec::new(), episodes: Vec::new(), by_prompt: BTreeMap::new() };
        for sample in samples_of(&pack, split) {
            gold.add(&sample, year);
        }
        for dialogue in pack.split(split) {
            gold.add_episode(dialogue, year);
        }
        Ok(gold)
    }

    /// Adds a sample under the protocols that ask for single steps.
    fn add(&mut self, sample: &Sample<'_>, year: i16) {
        let index = self.samples.len();
        let mut unique = true;
        for protocol in [Protocol::Bracket, Protocol::Tools, Protocol::AllTools] {
            // A search has there the prompt of what comes after it.
            if protocol == Protocol::AllTools && all_tools::leaves_out(sample) {
                continue;
            }
            let key = key(&ask(protocol, Prompts::builtin(protocol), sample, year));
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
        let answer = match &call {
            Some(call) => call::format(&call.api_name, &call.param_dict),
            None => sample.gold_reply().unwrap_or_default().to_owned(),
        };
        let (id, ability, kind) = (sample.id(), sample.ability(), sample.kind);
        self.samples.push(GoldSample { id, ability, kind, call, answer, unique });
    }

    /// Adds the steps of a dialogue that the gold plays on its own: what it says right before a
    /// call is left out, since a reply would let the user go on.
    fn add_episode(&mut self, dialogue: &Dialogue, year: i16) {
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
            let sample = Sample::new(&played, at, SampleKind::Episode);
            let key = key(&agent::ask_at(Prompts::builtin(protocol), &sample, year));
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

    /// The sample of an id.
    #[must_use]
    pub fn sample(&self, id: &str) -> Option<&GoldSample> {
        self.samples.iter().find(|sample| sample.id == id)
    }

    /// The sample that a prompt stands for, given as its joined texts and the names of its tools;
    /// the first of several with the same prompt.
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

/// The user's message alone does not tell a call from a reply that is asked for at the same turn,
/// and dialogues that begin alike differ in their tools.
fn key(ask: &Ask) -> String {
    let tools: Vec<String> = ask.tools.iter().map(|tool| tool.name.clone()).collect();
    keyed(&joined(ask.messages.iter().map(|message| message.content.as_str())), &tools)
}

fn keyed(text: &str, tools: &[String]) -> String {
    format!("{text}\u{0}{}", tools.join(","))
}
