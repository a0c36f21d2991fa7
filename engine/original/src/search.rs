//! API Search over a pack's API descriptions.

use crate::harness;
use crate::harness::space_capitals;
use crate::harness::{Pools, Tool, ToolRanker};
use apis::search::ApiSearch;
use apis::{Suite, registry};
use dataset::import::{Origin, Original, PoolTool, released_vector, spaced_name};
use retrieval::{Encoder, Entry, Hit, Index, Known, RetrievalError, Search};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A suite's tools with the evaluator's descriptions where the pack has them. The project's
/// descriptions replace missing or outdated ones, so searches for those may differ from the
/// recorded results.
fn tools(original: &Original, suite: Suite) -> Vec<PoolTool> {
    let described = original.pools.get(&suite);
    registry::all()
        .filter(|api| api.suite == suite)
        .map(|api| {
            let known = described.and_then(|pool| pool.get(api.name));
            known.filter(|tool| tool.origin > Origin::Outdated).cloned().unwrap_or_else(|| {
                let json = api.prompt_json();
                PoolTool {
                    name: api.name.to_owned(),
                    search_text: spaced_name(api.name) + api.description,
                    input_parameters: json["input_parameters"].clone(),
                    output_parameters: json["output_parameters"].clone(),
                    origin: Origin::Outdated,
                }
            })
        })
        .collect()
}

/// The pools of the `original` profile.
pub fn pools(original: &Original) -> Pools {
    let suite = |suite| {
        let tool = |tool: PoolTool| Tool {
            name: tool.name,
            search_text: tool.search_text,
            input_parameters: tool.input_parameters,
            output_parameters: tool.output_parameters,
        };
        tools(original, suite).into_iter().map(tool).collect()
    };
    Pools { dialogue: suite(Suite::Dialogue), planning: suite(Suite::Planning) }
}

/// API Search over a pack's API descriptions. A suite is embedded on its first search, because most
/// answers search one suite or none.
#[derive(Debug)]
pub struct PackSearch {
    encoder: Arc<Encoder>,
    tools: BTreeMap<Suite, Vec<PoolTool>>,
    searches: Mutex<BTreeMap<Suite, Search>>,
}

impl PackSearch {
    /// Creates a search over a pack's API descriptions.
    pub fn new(original: &Original, encoder: Arc<Encoder>) -> Self {
        let tools = Suite::ALL.map(|suite| (suite, tools(original, suite)));
        PackSearch { encoder, tools: tools.into(), searches: Mutex::default() }
    }

    /// The top `k` tools of a suite for a query, taken verbatim.
    ///
    /// # Errors
    /// When the encoder cannot run.
    pub fn rank(&self, suite: Suite, query: &str, k: usize) -> Result<Vec<Hit>, RetrievalError> {
        // A panic while holding the lock can only lose a cache entry.
        let mut searches = self.searches.lock().unwrap_or_else(PoisonError::into_inner);
        let search = match searches.entry(suite) {
            std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::btree_map::Entry::Vacant(free) => {
                let index = self.index(suite)?;
                free.insert(Search::new(Arc::clone(&self.encoder), index)?)
            }
        };
        search.search(suite.as_str(), query, k)
    }

    /// The search model.
    pub fn encoder(&self) -> Arc<Encoder> {
        Arc::clone(&self.encoder)
    }

    /// The vectors of a suite: embeds descriptions from the pack's pool, and takes the others from
    /// the evaluator's vectors in this program, where they exist.
    fn index(&self, suite: Suite) -> Result<Index, RetrievalError> {
        let tools: Vec<&PoolTool> = self.tools.get(&suite).into_iter().flatten().collect();
        let entry = |tool: &&PoolTool| {
            let released = match tool.origin {
                Origin::Pool => None,
                _ => released_vector(suite, &tool.name),
            };
            Ok(Entry {
                suite: suite.as_str().to_owned(),
                name: tool.name.clone(),
                vector: match released {
                    Some(vector) => vector,
                    None => self.encoder.encode(&tool.search_text)?,
                },
            })
        };
        let texts =
            tools.iter().map(|it| (suite.as_str(), it.name.as_str(), it.search_text.as_str()));
        Ok(Index {
            digest: self.encoder.digest().to_owned(),
            texts_digest: Index::digest_texts(texts),
            entries: tools.iter().map(entry).collect::<Result<_, RetrievalError>>()?,
            known: Known::default(),
        })
    }
}

impl ApiSearch for PackSearch {
    fn best(&self, suite: Suite, keywords: &str, k: usize) -> Result<Vec<String>, String> {
        // Level 3 of the original searches with a space before every capital.
        let query =
            if suite == Suite::Planning { space_capitals(keywords) } else { keywords.to_owned() };
        let hits = self.rank(suite, &query, k).map_err(|error| error.to_string())?;
        Ok(hits.into_iter().map(|hit| hit.name).collect())
    }
}

/// The evaluator's search; stores the error of a search that failed.
pub(super) struct Ranker<'a> {
    pub(super) search: &'a PackSearch,
    pub(super) failed: std::cell::RefCell<Option<String>>,
}

impl ToolRanker for Ranker<'_> {
    fn best(&self, suite: harness::Suite, query: &str) -> Option<String> {
        let suite = match suite {
            harness::Suite::Dialogue => Suite::Dialogue,
            harness::Suite::Planning => Suite::Planning,
        };
        match self.search.rank(suite, query, 1) {
            Ok(hits) => hits.into_iter().next().map(|hit| hit.name),
            Err(error) => {
                *self.failed.borrow_mut() = Some(error.to_string());
                None
            }
        }
    }
}
