//! Questions and answers of the Dataset page.

use dataset::Split;
use dataset::browse::{Entry, Reading};
use dataset::statistics::Statistics;
use serde::{Deserialize, Serialize};

/// What the Dataset page asks the worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// All dialogues and their statistics.
    Overview,
    /// One dialogue with what its calls do.
    Dialogue {
        /// Its id.
        dialogue: String,
    },
}

/// What the loaded data holds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Overview {
    /// Name of the data set.
    pub name: String,
    /// Its version.
    pub version: String,
    /// SHA-256 of its files.
    pub digest: String,
    /// Whether it is the project's own, so that its size is to be compared with the original's.
    pub own: bool,
    /// Corrections since its first version.
    pub errata: usize,
    /// Statistics of each split that has dialogues.
    pub statistics: Vec<(Split, Statistics)>,
    /// Every dialogue, in the pack's order.
    pub entries: Vec<Entry>,
}

/// What the worker answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
// Not tagged inside: maps with numbers for keys would not come back.
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// What there is.
    Overview {
        /// All of it.
        overview: Overview,
    },
    /// A dialogue.
    Dialogue {
        /// What happens in it.
        reading: Reading,
    },
}
