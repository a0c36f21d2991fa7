//! Precomputed searches of the built-in dialogues: the best APIs for the recorded keywords.
//!
//! Dialogue files record one result per search, as the original's do, but a run shows a model five.
//! With this list, that needs no search model and does not depend on its version.
//! `cargo xtask dataset bless` writes the list, `cargo xtask dataset check` compares it.

use crate::{Dialogue, PackError, Turn};
use apis::Suite;
use apis::search::ApiSearch;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Path of the list below `dataset/`.
pub const FILE: &str = "search/gold.jsonl";

/// A search: one line of the list.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Searched {
    /// The suite.
    pub suite: Suite,
    /// The recorded keywords.
    pub keywords: String,
    /// The best APIs, best first.
    pub apis: Vec<String>,
}

/// API Search restricted to recorded keywords.
#[derive(Debug, Default)]
pub struct Searches(BTreeMap<(Suite, String), Vec<String>>);

impl Searches {
    /// Reads a list.
    ///
    /// # Errors
    /// The first invalid line.
    pub fn read(text: &str) -> Result<Self, PackError> {
        let mut known = BTreeMap::new();
        for (index, line) in text.lines().enumerate() {
            let Searched { suite, keywords, apis } =
                serde_json::from_str(line).map_err(|error| PackError::Json {
                    file: FILE.to_owned(),
                    line: index + 1,
                    reason: error.to_string(),
                })?;
            known.insert((suite, keywords), apis);
        }
        Ok(Searches(known))
    }
}

impl ApiSearch for Searches {
    fn best(&self, suite: Suite, keywords: &str, k: usize) -> Result<Vec<String>, String> {
        let known = self.0.get(&(suite, keywords.to_owned()));
        match known {
            Some(apis) => Ok(apis.iter().take(k).cloned().collect()),
            None => Err("it is not loaded, and only recorded keywords are known".to_owned()),
        }
    }
}

/// Suite and keywords of all searches in the dialogues, sorted and deduplicated.
pub fn of<'a>(dialogues: impl IntoIterator<Item = &'a Dialogue>) -> Vec<(Suite, String)> {
    let mut searches = Vec::new();
    for dialogue in dialogues {
        let calls = dialogue.turns.iter().filter_map(Turn::as_call);
        for call in calls.filter(|call| call.is_search()) {
            if let Some(keywords) = call.param_dict.get("keywords").and_then(|it| it.as_str()) {
                searches.push((dialogue.ability.suite(), keywords.to_owned()));
            }
        }
    }
    searches.sort_unstable();
    searches.dedup();
    searches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_keywords_are_known_and_no_others() {
        let line = r#"{"suite": "dialogue", "keywords": "tea", "apis": ["A", "B", "C"]}"#;
        let searches = Searches::read(line).unwrap();
        let best = |keywords, k| searches.best(Suite::Dialogue, keywords, k);
        assert_eq!(best("tea", 2), Ok(vec!["A".to_owned(), "B".to_owned()]));
        assert!(best("coffee", 2).is_err());
        assert!(searches.best(Suite::Planning, "tea", 2).is_err());
        let error = Searches::read("{}").expect_err("no keywords").to_string();
        assert!(error.contains(FILE), "{error}");
    }

    #[test]
    fn every_search_of_the_pack_is_listed_with_its_api_first() {
        let pack = crate::builtin().unwrap();
        let all = || pack.dialogues.iter().chain(&pack.hard);
        for (suite, keywords) in of(all()) {
            let found = pack.world.search.best(suite, &keywords, 5);
            assert_eq!(found.map(|apis| apis.len()), Ok(5), "{keywords}");
        }
        for dialogue in all() {
            let calls = dialogue.calls().filter(|call| call.is_search());
            for call in calls {
                let keywords = call.param_dict["keywords"].as_str().unwrap();
                let found = pack.world.search.best(dialogue.ability.suite(), keywords, 1).unwrap();
                assert_eq!(
                    found.first(),
                    apis::search::needed(&call.result).as_ref(),
                    "{keywords}"
                );
            }
        }
    }
}
