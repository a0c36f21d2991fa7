//! A dialogue step by step: what the model is shown, what is right, what an answer does.
//!
//! What the page's Demo shows; a run goes through the same functions.

use crate::SampleRecord;
use apis::{Change, TableName};
use dataset::Ability;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A dialogue in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its id.
    pub id: String,
    /// What is said first.
    pub opening: String,
}

/// A dialogue as a sequence of steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Walk {
    /// Its id.
    pub dialogue: String,
    /// What it measures.
    pub ability: Ability,
    /// The APIs described to the model, by name.
    pub described: Vec<String>,
    /// What happens, in order.
    pub steps: Vec<Step>,
}

/// One step of a dialogue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "lowercase")]
#[allow(clippy::large_enum_variant, reason = "most steps are graded")]
pub enum Step {
    /// Words that are not graded.
    Said {
        /// Whether the user says them.
        user: bool,
        /// The words.
        text: String,
    },
    /// A step that a model is asked for, here with the gold answer.
    Graded(SampleRecord),
}

/// A table of the world as it is after a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableView {
    /// Its name.
    pub table: TableName,
    /// How many rows it has.
    pub total: usize,
    /// Key and row: those that the step changed, then the others up to a limit.
    pub rows: Vec<(String, Value)>,
    /// What the step changed in it.
    pub changes: Vec<Change>,
}
