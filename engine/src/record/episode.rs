//! What a record keeps of an episode: every answer, call, result and change.

use super::SampleTimes;
use crate::call::ParsedCall;
use crate::provider::Answer;
use apis::effect::Effect;
use apis::store::Change;
use serde::{Deserialize, Serialize};

/// A dialogue that a model played by its own calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EpisodeRecord {
    /// The model's answers, in order.
    pub steps: Vec<EpisodeStep>,
    /// Why it ended.
    pub ended: EpisodeEnd,
    /// How the databases differ at the end from the beginning.
    pub changes: Vec<Change>,
    /// How they differ after the gold calls.
    pub gold_changes: Vec<Change>,
    /// Whether both ends are the same.
    pub same_state: bool,
    /// The gold calls that read something, and whether the model's calls have read the same.
    pub required: Vec<Required>,
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
