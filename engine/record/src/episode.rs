//! The record of an episode: every answer, call, result and change.

use apis::store::Change;
use exchange::{EpisodeEnd, EpisodeStep, Required};
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
