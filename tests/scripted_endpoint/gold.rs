//! What the built-in pack asks, and the gold answers.

use std::collections::BTreeMap;

use crate::wire::joined;
use apis::Suite;
use dataset::{Ability, PackError, RecordedCall, Split};
use engine::{
    call,
    protocol::{Message, Prompts, Protocol, SampleKind, ask, samples_of},
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

/// Every sample of the pack, found by its prompt.
#[derive(Debug, Clone)]
pub struct Gold {
    samples: Vec<GoldSample>,
    /// Index of the first sample with a prompt.
    by_prompt: BTreeMap<String, usize>,
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
        let mut gold = Gold { samples: Vec::new(), by_prompt: BTreeMap::new() };
        for sample in samples_of(&pack, split) {
            let prompts = Prompts::builtin(Protocol::Bracket);
            let key = key(&ask(Protocol::Bracket, prompts, &sample, year).messages);
            let index = gold.samples.len();
            let first = *gold.by_prompt.entry(key).or_insert(index);
            if let Some(other) = gold.samples.get_mut(first) {
                other.unique = false;
            }
            let call = sample.gold_call().cloned();
            let answer = match &call {
                Some(call) => call::format(&call.api_name, &call.param_dict),
                None => sample.gold_reply().unwrap_or_default().to_owned(),
            };
            gold.samples.push(GoldSample {
                id: sample.id(),
                ability: sample.ability(),
                kind: sample.kind,
                call,
                answer,
                unique: first == index,
            });
        }
        Ok(gold)
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

    /// The sample that a prompt stands for, given as its joined texts; the first of several with the
    /// same prompt.
    #[must_use]
    pub fn of_prompt(&self, text: &str) -> Option<&GoldSample> {
        self.by_prompt.get(text).and_then(|index| self.samples.get(*index))
    }
}

/// The user's message alone does not tell a call from a reply that is asked for at the same turn.
fn key(messages: &[Message]) -> String {
    joined(messages.iter().map(|message| message.content.as_str()))
}
