//! Requests of the Your tools page.

use super::search_lab::LabPoint;
use dataset::own_tools::listing::{Alike, ListedTool};
use generator::own::TaskSettings;
use generator::{Asking, Spent};
use provider::ApiKey;
use serde::{Deserialize, Serialize};

/// Replace the current pack with tools or a pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadOwnTools {
    /// A pack or a list of tools, as text.
    pub text: String,
    /// What to call a list of tools.
    pub name: String,
}

/// Change the current pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeOwnTools {
    /// Adds the conversations of a log.
    AddLog {
        /// The log.
        log: String,
        /// The model that answered in it; empty for the one that it names.
        model: String,
    },
    /// Removes tasks.
    Remove(Vec<String>),
    /// Accepts drafts.
    Accept(Vec<String>),
    /// Replaces a task's turns, JSON lines.
    Edit {
        /// The task.
        id: String,
        /// Its turns, one a line.
        turns: String,
    },
    /// Replaces a tool's description.
    Describe {
        /// The tool.
        name: String,
        /// The new description.
        description: String,
    },
}

/// The map's group of tools with a near-duplicate.
pub const ALIKE: &str = crate::english!("Near-duplicates");
/// The map's group of the other tools.
pub const DISTINCT: &str = crate::english!("Other tools");

/// The current pack. Its file stays in the worker, which merges changes and generated tasks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OwnToolsView {
    /// Its name.
    pub name: String,
    /// The tools.
    pub rows: Vec<ListedTool>,
    /// Pairs of tools that read nearly the same; `None` without the search model.
    pub alike: Option<Vec<Alike>>,
    /// The tools on the two principal components of their vectors; empty without them.
    pub map: Vec<LabPoint>,
    /// The tasks, by id.
    pub tasks: Vec<TaskView>,
    /// What is wrong with the tasks together.
    pub findings: Vec<String>,
}

/// A task.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TaskView {
    /// Its id.
    pub id: String,
    /// Whether a model wrote it and nobody has accepted it yet.
    pub draft: bool,
    /// Its turns as JSON lines.
    pub turns: String,
    /// The user's first words.
    pub asks: String,
    /// The calls that are due, in order.
    pub calls: Vec<String>,
    /// Whether it has a step where no call is right.
    pub has_no_call: bool,
    /// What is wrong with it.
    pub findings: Vec<String>,
}

/// Read the example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadExample {}

/// Keep the pack in this browser, for runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeepOwnTools {}

/// Get the tab's last pack, or remove it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastOwnTools {
    /// Whether to remove it.
    pub forget: bool,
}

/// Estimate the requests and tokens for writing tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct EstimateTasks {
    /// The number of tasks.
    pub count: usize,
}

/// Write tasks with a model. Refused during a run.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct WriteTasks {
    /// How many, and when to stop.
    pub settings: TaskSettings,
    /// The model.
    pub asking: Box<Asking>,
    /// Its key, kept only while tasks are written.
    #[serde(with = "provider::key::transfer")]
    pub key: Option<ApiKey>,
}

/// Progress of writing tasks, after each answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TasksProgress {
    /// Tasks accepted by the tester.
    pub accepted: usize,
    /// Requests and tokens so far.
    pub spent: Spent,
    /// The pack with a new task.
    pub pack: Option<OwnToolsView>,
    /// Why an answer was rejected, or failed.
    pub refused: Option<String>,
}
