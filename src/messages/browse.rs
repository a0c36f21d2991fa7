//! Requests of the Dataset page.

use dataset::Split;
use dataset::browse::ListedDialogue;
use dataset::statistics::Statistics;
use serde::{Deserialize, Serialize};

/// Request all dialogues and their statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatasetOverview {}

/// Request a dialogue with the changes its calls make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadDialogue {
    /// Its id.
    pub dialogue: String,
}

/// The contents of the loaded pack.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Overview {
    /// Name of the dataset.
    pub name: String,
    /// Its version.
    pub version: String,
    /// SHA-256 of its files.
    pub digest: String,
    /// Whether it is the built-in pack, whose size the page compares with the original's.
    pub own: bool,
    /// Number of corrections since its first version.
    pub errata: usize,
    /// Statistics of each split that has dialogues.
    pub statistics: Vec<(Split, Statistics)>,
    /// Every dialogue, in the pack's order.
    pub entries: Vec<ListedDialogue>,
}
