//! The record of an episode: every answer, call, result and change.

use apis::store::Change;
use exchange::{EpisodeEnd, EpisodeStep, Required};
use serde::{Deserialize, Serialize};

/// A dialogue in which the model's own calls were executed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EpisodeRecord {
    /// The model's answers, in order.
    pub steps: Vec<EpisodeStep>,
    /// Why it ended.
    pub ended: EpisodeEnd,
    /// Changes to the databases during the episode.
    pub changes: Vec<Change>,
    /// Changes that the gold calls make.
    pub gold_changes: Vec<Change>,
    /// Whether both end states are equal.
    pub same_state: bool,
    /// The gold calls that read something, each with whether the model obtained the same result.
    pub required: Vec<Required>,
}
