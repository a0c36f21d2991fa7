//! What passes in an episode, a dialogue that a model plays by its own calls.

use crate::Answer;
use crate::call::ParsedCall;
use apis::effect::Effect;
use serde::{Deserialize, Serialize};

/// When a sample was asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SampleTimes {
    /// Milliseconds since 1970.
    pub started_ms: u64,
    /// Milliseconds until the answer was there, tries and pauses included.
    pub latency_ms: u64,
    /// Milliseconds from sending to the first piece of a streamed answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_token_ms: Option<u64>,
}

/// One answer of the model with the calls that it makes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EpisodeStep {
    /// What it said.
    pub answer: Answer,
    /// Its calls with what they gave; none for a reply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<EpisodeCall>,
    /// Requests that were made for it.
    pub attempts: u32,
    /// When.
    pub times: SampleTimes,
}

/// One call of the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EpisodeCall {
    /// The call; absent where it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<ParsedCall>,
    /// Why it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Whether the model had this tool.
    pub offered: bool,
    /// What it returned and changed.
    pub effect: Effect,
}

/// Why an episode ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EpisodeEnd {
    /// The user had nothing more to say.
    ScriptDone,
    /// The model had as many answers as it may have.
    TurnLimit,
}

/// A gold call whose result the model has to have seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Required {
    /// Index of the gold turn.
    pub turn: usize,
    /// The API.
    pub api: String,
    /// Whether a call of the model to this API returned the same.
    pub met: bool,
}
