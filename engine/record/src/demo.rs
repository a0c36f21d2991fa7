//! A dialogue step by step: the prompt, the gold answer and an answer's effect.
//!
//! Shown by the page's Demo, and computed by the same functions as a run.

use crate::SampleRecord;
use apis::{Change, TableName};
use dataset::Ability;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A list entry for a dialogue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DialogueSummary {
    /// The dialogue's id.
    pub id: String,
    /// The opening words.
    pub opening: String,
}

/// A dialogue as a sequence of steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Walkthrough {
    /// The dialogue's id.
    pub dialogue: String,
    /// The ability that it measures.
    pub ability: Ability,
    /// Names of the APIs described to the model.
    pub described: Vec<String>,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// One step of a dialogue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "lowercase")]
#[allow(clippy::large_enum_variant, reason = "most steps are graded")]
pub enum Step {
    /// A turn that is not graded.
    Said {
        /// Whether the user is speaking.
        user: bool,
        /// The text.
        text: String,
    },
    /// A graded step, here with the gold answer.
    Graded(SampleRecord),
}

/// A database table after a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableView {
    /// Its name.
    pub table: TableName,
    /// The total number of rows.
    pub total: usize,
    /// Keys and rows: first those that the step changed, then others up to a limit.
    pub rows: Vec<(String, Value)>,
    /// The changes that the step made.
    pub changes: Vec<Change>,
}
