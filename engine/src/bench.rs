//! What a run stands on: the pack, its world and API Search, loaded once.

use crate::protocol::replayed;
use crate::retrieval::{Hit, RetrievalError, Search};
use apis::registry;
use apis::search::{ApiSearch, SearchHandle};
use apis::{Suite, World};
use dataset::{Dialogue, Pack};
use std::sync::{Arc, Mutex, PoisonError};

/// Name of the embedding model behind API Search.
pub const SEARCH_MODEL: &str = "paraphrase-MiniLM-L3-v2";

/// A pack that is ready to run.
#[derive(Debug)]
pub struct Bench {
    /// The pack.
    pub pack: Pack,
    /// The pack's world with API Search in it: every sample starts from a clone.
    pub world: World,
    search: Arc<SharedSearch>,
}

/// API Search behind a lock: its cache of queries is written when it answers.
struct SharedSearch(Mutex<Search>);

impl std::fmt::Debug for SharedSearch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SharedSearch")
    }
}

impl SharedSearch {
    fn rank(&self, suite: Suite, text: &str, k: usize) -> Result<Vec<Hit>, RetrievalError> {
        // A panic while the lock was held can only have lost a cache entry.
        let mut search = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        search.search(suite.as_str(), text, k)
    }
}

impl ApiSearch for SharedSearch {
    fn best(&self, suite: Suite, keywords: &str) -> Result<Option<String>, String> {
        let hits = self.rank(suite, keywords, 1).map_err(|error| error.to_string())?;
        Ok(hits.into_iter().next().map(|hit| hit.name))
    }
}

impl Bench {
    /// Puts a pack and API Search together.
    pub fn new(pack: Pack, search: Search) -> Self {
        let search = Arc::new(SharedSearch(Mutex::new(search)));
        let mut world = pack.world.clone();
        world.search = SearchHandle::new(search.clone());
        Bench { pack, world, search }
    }

    /// The `k` APIs of a suite that fit a text best, with their cosines.
    ///
    /// # Errors
    /// When the encoder cannot run.
    pub fn rank(&self, suite: Suite, text: &str, k: usize) -> Result<Vec<Hit>, RetrievalError> {
        self.search.rank(suite, text, k)
    }

    /// SHA-256 of the search model's weights.
    pub fn search_digest(&self) -> String {
        let search = self.search.0.lock().unwrap_or_else(PoisonError::into_inner);
        search.encoder().digest().to_owned()
    }

    /// A dialogue of the pack with its gold calls run anew.
    pub fn replayed(&self, dialogue: &Dialogue) -> Dialogue {
        replayed(dialogue, &self.world)
    }
}

/// Suite, name and search text of every API in the pool, several texts an API:
/// what API vectors are made of.
pub fn search_texts() -> Vec<(&'static str, &'static str, String)> {
    registry::all()
        .flat_map(|api| {
            api.search_texts().into_iter().map(|text| (api.suite.as_str(), api.name, text))
        })
        .collect()
}
