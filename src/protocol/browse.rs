//! Requests of the Dataset page.

use dataset::Split;
use dataset::browse::ListedDialogue;
use dataset::statistics::Statistics;
use serde::{Deserialize, Serialize};

/// All dialogues and their statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatasetOverview {}

/// One dialogue with what its calls do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadDialogue {
    /// Its id.
    pub dialogue: String,
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
    pub entries: Vec<ListedDialogue>,
}
