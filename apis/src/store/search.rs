//! The search that ToolSearcher asks. The sentence embeddings live outside this crate.

use crate::suite::Suite;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// Ranks the APIs of a suite by keywords.
pub trait ApiSearch {
    /// Names of the `k` best matches, best first; empty if nothing matches.
    ///
    /// # Errors
    /// The reason as a clause without a full stop.
    fn best(&self, suite: Suite, keywords: &str, k: usize) -> Result<Vec<String>, String>;
}

/// Number of APIs per search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub enum SearchResults {
    /// The best one, as in the paper.
    One,
    /// The five best; the model chooses.
    #[default]
    Five,
}

impl SearchResults {
    /// Both, the default first.
    pub const ALL: [SearchResults; 2] = [SearchResults::Five, SearchResults::One];

    /// The number.
    pub const fn count(self) -> usize {
        match self {
            SearchResults::One => 1,
            SearchResults::Five => 5,
        }
    }

    /// The number as text.
    pub const fn as_str(self) -> &'static str {
        match self {
            SearchResults::One => "1",
            SearchResults::Five => "5",
        }
    }

    /// The value for files without this setting, which are older than it.
    pub const fn unnamed() -> Self {
        SearchResults::One
    }

    /// Whether this is the value of [`Self::unnamed`], which is not serialized.
    pub const fn is_unnamed(&self) -> bool {
        matches!(self, SearchResults::One)
    }
}

impl TryFrom<u8> for SearchResults {
    type Error = String;

    fn try_from(count: u8) -> Result<Self, String> {
        match count {
            1 => Ok(SearchResults::One),
            5 => Ok(SearchResults::Five),
            other => Err(format!("search results: expected 1 or 5, got {other}")),
        }
    }
}

impl From<SearchResults> for u8 {
    fn from(results: SearchResults) -> u8 {
        match results {
            SearchResults::One => 1,
            SearchResults::Five => 5,
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for SearchResults {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "SearchResults".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "How many APIs a search returns.",
            "enum": [1, 5],
        })
    }
}

/// A world's API Search: the implementation, if loaded, and the number of results.
#[derive(Clone, Default)]
pub struct SearchHandle {
    search: Option<Arc<dyn ApiSearch + Send + Sync>>,
    /// Number of APIs per search.
    pub results: SearchResults,
}

impl SearchHandle {
    /// A loaded handle.
    pub fn new(search: Arc<dyn ApiSearch + Send + Sync>, results: SearchResults) -> Self {
        SearchHandle { search: Some(search), results }
    }

    /// As [`ApiSearch::best`].
    ///
    /// # Errors
    /// If nothing is loaded, or the search fails.
    pub fn best(&self, suite: Suite, keywords: &str, k: usize) -> Result<Vec<String>, String> {
        match &self.search {
            Some(search) => search.best(suite, keywords, k),
            None => Err("it is not loaded".to_owned()),
        }
    }
}

impl fmt::Debug for SearchHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let loaded = if self.search.is_some() { "loaded" } else { "empty" };
        write!(f, "SearchHandle({loaded}, {})", self.results.as_str())
    }
}
