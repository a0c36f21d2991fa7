//! Retrievers that answer a run's searches in place of the built-in one.
//!
//! Only the searches change: what a built-in model ranks with stays the same, so that two runs
//! differ by the retriever alone.

use apis::search::{ApiSearch, SearchHandle, needed};
use apis::{Suite, registry};
use dataset::own_tools::{Tool, Toolset};
use exchange::protocol::{Sample, SampleKind};
use record::EmbeddingModel;
use retrieval::{Bm25, Bm25Parameters, Encoder, Hit, Index, RetrievalError, Search};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The name of BM25 in a record.
pub(crate) const BM25: &str = "okapi-bm25";

/// BM25 over the search texts of each suite's APIs.
pub(crate) struct Bm25Search(BTreeMap<Suite, (Vec<&'static str>, Bm25)>);

impl Bm25Search {
    /// Indexes the pool.
    pub(crate) fn new(k1: f64, b: f64) -> Self {
        let suite = |suite: Suite| {
            let apis: Vec<_> = registry::pool(suite).collect();
            let texts: Vec<String> = apis.iter().map(|api| api.search_texts().join("\n")).collect();
            let index = Bm25::new(texts.iter().map(String::as_str), Bm25Parameters { k1, b });
            (suite, (apis.iter().map(|api| api.name).collect(), index))
        };
        Bm25Search(Suite::ALL.into_iter().map(suite).collect())
    }
}

impl ApiSearch for Bm25Search {
    fn best(&self, suite: Suite, keywords: &str, k: usize) -> Result<Vec<String>, String> {
        let Some((names, index)) = self.0.get(&suite) else { return Ok(Vec::new()) };
        let scores = index.scores(keywords);
        let mut hits: Vec<(f64, &str)> = scores.into_iter().zip(names.iter().copied()).collect();
        hits.retain(|(score, _)| *score > 0.0);
        // Stable: ties in pool order.
        hits.sort_by(|one, other| other.0.total_cmp(&one.0));
        Ok(hits.into_iter().take(k).map(|(_, name)| name.to_owned()).collect())
    }
}

/// BM25 over the names and descriptions of a pack's own tools.
pub(crate) struct ToolRanker {
    names: Vec<String>,
    index: Bm25,
}

impl ToolRanker {
    /// Indexes the tools.
    pub(crate) fn new(tools: Option<&Toolset>) -> Self {
        let tools = tools.map_or(&[][..], |it| it.tools.as_slice());
        let texts: Vec<String> = tools.iter().map(Tool::text).collect();
        let index = Bm25::new(texts.iter().map(String::as_str), Bm25Parameters::default());
        ToolRanker { names: tools.iter().map(|tool| tool.name.clone()).collect(), index }
    }

    /// The `k` tools that match a text best, best first.
    pub(crate) fn rank(&self, text: &str, k: usize) -> Vec<Hit> {
        let hit = |(score, name): (f64, &String)| Hit { name: name.clone(), cosine: score as f32 };
        let scores = self.index.scores(text).into_iter();
        let mut hits: Vec<Hit> = scores.zip(&self.names).map(hit).collect();
        // Stable: ties in the pack's order.
        hits.sort_by(|a, b| b.cosine.total_cmp(&a.cosine));
        hits.truncate(k);
        hits
    }
}

/// SHA-256 of the texts that BM25 indexes.
pub(crate) fn texts_digest() -> String {
    let texts = apis::search::texts();
    Index::digest_texts(texts.iter().map(|(suite, name, text)| (*suite, *name, text.as_str())))
}

/// A search that knows the gold searches of a dialogue.
pub(crate) struct OracleSearch {
    /// The API that each gold search finds, by keywords.
    gold: BTreeMap<String, String>,
    /// The APIs that come first with any other keywords.
    due: Vec<String>,
    /// Ranks the rest.
    other: SearchHandle,
}

impl OracleSearch {
    /// The oracle of a sample. With keywords of a gold search, its API comes first. With others, the
    /// API of the search that is due comes first; in an episode, whose searches come in any order,
    /// all APIs that the dialogue searches for.
    pub(crate) fn new(sample: &Sample<'_>, other: SearchHandle) -> Self {
        let searches: Vec<(usize, &str, String)> = sample
            .dialogue
            .turns
            .iter()
            .enumerate()
            .filter_map(|(turn, it)| Some((turn, it.as_call().filter(|call| call.is_search())?)))
            .filter_map(|(turn, call)| {
                let keywords = call.param_dict.get("keywords")?.as_str()?;
                Some((turn, keywords, needed(&call.result)?))
            })
            .collect();
        let is_due = |turn: usize| match sample.kind {
            SampleKind::Episode => true,
            _ => turn == sample.turn,
        };
        let due = searches.iter().filter(|(turn, ..)| is_due(*turn));
        OracleSearch {
            due: due.map(|(.., api)| api.clone()).collect(),
            gold: searches.into_iter().map(|(_, words, api)| (words.to_owned(), api)).collect(),
            other,
        }
    }
}

impl ApiSearch for OracleSearch {
    fn best(&self, suite: Suite, keywords: &str, k: usize) -> Result<Vec<String>, String> {
        let known = self.gold.get(keywords).map(std::slice::from_ref);
        let first = known.unwrap_or(&self.due);
        let ranked = self.other.best(suite, keywords, usize::MAX)?;
        let (mut found, rest): (Vec<String>, Vec<String>) =
            ranked.into_iter().partition(|name| first.contains(name));
        for name in first {
            if !found.contains(name) {
                found.push(name.clone());
            }
        }
        found.extend(rest);
        found.truncate(k);
        Ok(found)
    }
}

/// A user's sentence-embedding model with the vectors of the pool.
pub struct OwnRetriever {
    model: EmbeddingModel,
    /// Behind a lock, because searching updates the query cache.
    search: Mutex<Search>,
}

impl std::fmt::Debug for OwnRetriever {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("OwnRetriever").field(&self.model).finish()
    }
}

impl OwnRetriever {
    /// Embeds the pool, which takes seconds.
    ///
    /// # Errors
    /// See [`Encoder::encode`].
    pub fn new(
        model: EmbeddingModel,
        encoder: impl Into<Arc<Encoder>>,
    ) -> Result<Self, RetrievalError> {
        let encoder = encoder.into();
        let texts = apis::search::texts();
        let texts = texts.iter().map(|(suite, name, text)| (*suite, *name, text.as_str()));
        let index = Index::build(&encoder, texts)?;
        Ok(OwnRetriever { model, search: Mutex::new(Search::new(encoder, index)?) })
    }

    /// The model and its settings.
    pub fn model(&self) -> &EmbeddingModel {
        &self.model
    }
}

impl ApiSearch for OwnRetriever {
    fn best(&self, suite: Suite, keywords: &str, k: usize) -> Result<Vec<String>, String> {
        // A poisoned lock is harmless: the panic can only have lost a cache entry.
        let mut search = self.search.lock().unwrap_or_else(PoisonError::into_inner);
        let hits = search.search(suite.as_str(), keywords, k).map_err(|error| error.to_string())?;
        Ok(hits.into_iter().map(|hit| hit.name).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bm25_finds_by_shared_words() {
        let search = Bm25Search::new(1.2, 0.75);
        let found = search.best(Suite::Dialogue, "add an alarm", 5).unwrap();
        assert_eq!(found.first().map(String::as_str), Some("AddAlarm"));
        assert_eq!(found.len(), 5);
        assert_eq!(search.best(Suite::Planning, "qqqq", 5), Ok(Vec::new()));
    }
}
