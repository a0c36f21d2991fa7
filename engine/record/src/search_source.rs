//! The search model of a run.

use crate::Retriever;
use apis::search::SearchResults;
use serde::{Deserialize, Serialize};

/// The search model and its settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchSource {
    /// The model's name.
    pub model: String,
    /// SHA-256 of the model's weights.
    pub digest: String,
    /// Number of APIs per search; 1 in records without this field.
    #[serde(default = "SearchResults::unnamed", skip_serializing_if = "SearchResults::is_unnamed")]
    pub results: SearchResults,
    /// What answered the searches; absent for the built-in search model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retriever: Option<Retriever>,
}
