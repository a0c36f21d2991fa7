//! The record of an episode: a whole dialogue in which the model makes its own calls.

use crate::Answer;
use crate::call::ParsedCall;
use apis::effect::Effect;
use serde::{Deserialize, Serialize};

/// Times of a sample's request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SampleTimes {
    /// Time of the first attempt, in milliseconds since 1970 (UTC).
    pub started_ms: u64,
    /// Milliseconds until the answer was complete, including retries and waiting.
    pub latency_ms: u64,
    /// Time to first token of a streamed answer, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_token_ms: Option<u64>,
}

/// One answer of the model with its calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EpisodeStep {
    /// The answer.
    pub answer: Answer,
    /// Its calls with their effects; empty for a reply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<EpisodeCall>,
    /// Requests sent, including retries.
    pub attempts: u32,
    /// Times of the request.
    pub times: SampleTimes,
}

impl EpisodeStep {
    /// What the model says: the text of an answer whose calls are native, or that has none.
    pub fn words(&self) -> &str {
        if self.answer.calls.is_empty() && !self.calls.is_empty() { "" } else { &self.answer.text }
    }
}

/// One call of the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EpisodeCall {
    /// The call; absent if it could not be parsed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<ParsedCall>,
    /// Why it could not be parsed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Whether the tool was offered to the model.
    pub offered: bool,
    /// Its result and the changes to the databases.
    pub effect: Effect,
}

/// Why an episode ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EpisodeEnd {
    /// The user has nothing more to say.
    ScriptDone,
    /// The model reached the limit of answers.
    TurnLimit,
    /// The agent left before the script's end.
    Left,
}

/// A gold call whose result the model must have obtained.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Required {
    /// Index of the gold turn.
    pub turn: usize,
    /// Name of the API.
    pub api: String,
    /// Whether a call of the model to this API returned the same result.
    pub met: bool,
}
