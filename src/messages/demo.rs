//! Requests of the Demo page; the Method page judges examples with them.

use apis::TableName;
use dataset::Ability;
use provider::ApiKey;
use record::RunSettings;
use serde::{Deserialize, Serialize};

/// The dialogues of an ability.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListDialogues {
    /// The ability.
    pub ability: Ability,
}

/// A dialogue step by step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WalkDialogue {
    /// Its id.
    pub dialogue: String,
}

/// Judge a typed answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeAnswer {
    /// The sample's id.
    pub sample: String,
    /// The answer.
    pub answer: String,
}

/// Judge answers to several samples.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeAnswers {
    /// Ids of samples with answers.
    pub answers: Vec<(String, String)>,
}

/// The endpoint's answer to a sample, judged.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct AskModel {
    /// The sample's id.
    pub sample: String,
    /// The endpoint.
    pub settings: Box<RunSettings>,
    /// Its key.
    #[serde(with = "provider::key::transfer")]
    pub key: Option<ApiKey>,
}

/// Request a table at a sample.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadTable {
    /// The sample's id.
    pub sample: String,
    /// The table.
    pub table: TableName,
    /// Whether the gold call has been made.
    pub answered: bool,
}
