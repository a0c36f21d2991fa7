//! Everything a run needs, loaded once: pack, world and API Search.

use apis::search::{ApiSearch, SearchHandle};
use apis::{Suite, World};
use dataset::import::Original;
use dataset::{Dialogue, Pack};
use exchange::protocol::replayed;
use original::evaluator::Evaluator;
use original::search::PackSearch;
use retrieval::{Encoder, Hit, RetrievalError, Search};
use std::sync::{Arc, Mutex, PoisonError};

/// The embedding model behind API Search.
pub const SEARCH_MODEL: &str = "paraphrase-MiniLM-L3-v2";

/// A pack that is ready to run.
#[derive(Debug)]
pub struct Bench {
    /// The pack.
    pub pack: Pack,
    /// The pack's world, including API Search: every sample starts from a clone.
    pub world: World,
    /// The original's evaluator, if the pack is imported.
    pub original: Option<Evaluator>,
    search: Finder,
}

/// The implementation of API Search.
#[derive(Debug)]
enum Finder {
    /// The project's texts, several per API.
    Own(Arc<SharedSearch>),
    /// An imported pack's texts.
    Pack(Arc<PackSearch>),
    /// A ranker that replaces the search model.
    Given(Arc<Given>),
}

/// Ranks APIs in place of the search model, for code that must run without the model's files.
pub trait Ranker {
    /// The `k` APIs of a suite that match a text best, best first.
    fn rank(&self, suite: Suite, text: &str, k: usize) -> Vec<Hit>;
}

/// A [`Ranker`] as API Search.
struct Given(Box<dyn Ranker + Send + Sync>);

impl std::fmt::Debug for Given {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Given")
    }
}

impl ApiSearch for Given {
    fn best(&self, suite: Suite, keywords: &str) -> Result<Option<String>, String> {
        Ok(self.0.rank(suite, keywords, 1).into_iter().next().map(|hit| hit.name))
    }
}

/// API Search behind a lock, because searching updates the query cache.
struct SharedSearch(Mutex<Search>);

impl std::fmt::Debug for SharedSearch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SharedSearch")
    }
}

impl SharedSearch {
    fn rank(&self, suite: Suite, text: &str, k: usize) -> Result<Vec<Hit>, RetrievalError> {
        // A panic while the lock was held can only lose a cache entry.
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
    /// Combines a pack with API Search.
    pub fn new(pack: Pack, search: Search) -> Self {
        let search = Arc::new(SharedSearch(Mutex::new(search)));
        let mut world = pack.world.clone();
        world.search = SearchHandle::new(search.clone());
        Bench { pack, world, original: None, search: Finder::Own(search) }
    }

    /// Combines a pack with a custom ranker.
    pub fn with_ranker(pack: Pack, ranker: Box<dyn Ranker + Send + Sync>) -> Self {
        let search = Arc::new(Given(ranker));
        let mut world = pack.world.clone();
        world.search = SearchHandle::new(search.clone());
        Bench { pack, world, original: None, search: Finder::Given(search) }
    }

    /// Combines an imported pack with an encoder: it searches the pack's own texts.
    pub fn imported(pack: Pack, encoder: Arc<Encoder>) -> Self {
        let none = Original::default();
        let data = pack.imported.as_ref().map_or(&none, |it| &it.original);
        let search = Arc::new(PackSearch::new(data, encoder));
        let mut world = pack.world.clone();
        world.search = SearchHandle::new(search.clone());
        let original = Some(Evaluator::new(data, search.clone()));
        Bench { pack, world, original, search: Finder::Pack(search) }
    }

    /// The `k` APIs of a suite that match a text best, with their cosines.
    ///
    /// # Errors
    /// When the encoder fails.
    pub fn rank(&self, suite: Suite, text: &str, k: usize) -> Result<Vec<Hit>, RetrievalError> {
        match &self.search {
            Finder::Own(search) => search.rank(suite, text, k),
            Finder::Pack(search) => search.rank(suite, text, k),
            Finder::Given(search) => Ok(search.0.rank(suite, text, k)),
        }
    }

    /// SHA-256 of the search model's file; empty with a custom ranker.
    pub fn search_digest(&self) -> String {
        self.encoder().map(|encoder| encoder.digest().to_owned()).unwrap_or_default()
    }

    /// The search model; `None` with a custom ranker.
    pub fn encoder(&self) -> Option<Arc<Encoder>> {
        match &self.search {
            Finder::Own(search) => {
                let search = search.0.lock().unwrap_or_else(PoisonError::into_inner);
                Some(Arc::clone(search.encoder()))
            }
            Finder::Pack(search) => Some(search.encoder()),
            Finder::Given(_) => None,
        }
    }

    /// A dialogue of the pack with its gold calls rerun.
    pub fn replayed(&self, dialogue: &Dialogue) -> Dialogue {
        replayed(dialogue, &self.world)
    }
}
