//! Requests of the Your tools page.

use dataset::tools::listing::{Alike, Row};
use serde::{Deserialize, Serialize};

/// Read tools, or a pack, with a change to its tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadOwnTools {
    /// A pack or a list of tools, as text.
    pub text: String,
    /// What to call a list of tools.
    pub name: String,
    /// The change.
    pub change: Change,
}

/// A change to a pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// None.
    None,
    /// Adds the conversations of a log.
    AddLog(String),
    /// Removes tasks.
    Remove(Vec<String>),
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

/// A pack, read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OwnToolsView {
    /// The pack's file.
    pub text: String,
    /// Its name.
    pub name: String,
    /// The tools.
    pub rows: Vec<Row>,
    /// Pairs of tools that read nearly the same; `None` without the search model.
    pub alike: Option<Vec<Alike>>,
    /// The tasks, by id.
    pub tasks: Vec<TaskView>,
    /// What is wrong with the tasks together.
    pub findings: Vec<String>,
}

/// A task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskView {
    /// Its id.
    pub id: String,
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

/// Keep a pack in this browser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeepOwnTools {
    /// The pack's file.
    pub text: String,
}
