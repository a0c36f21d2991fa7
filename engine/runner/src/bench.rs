//! What a run stands on: the pack, its world and API Search, loaded once.

use apis::search::{ApiSearch, SearchHandle};
use apis::{Suite, World};
use dataset::import::Original;
use dataset::{Dialogue, Pack};
use exchange::protocol::replayed;
use original::evaluator::Evaluator;
use original::search::PackSearch;
use retrieval::{Encoder, Hit, RetrievalError, Search};
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
    /// The original's evaluator, where the pack is imported.
    pub original: Option<Evaluator>,
    search: Finder,
}

/// Who answers API Search.
#[derive(Debug)]
enum Finder {
    /// The project's texts, several an API.
    Own(Arc<SharedSearch>),
    /// An imported pack's texts.
    Pack(Arc<PackSearch>),
    /// Whoever was given in place of the search model.
    Given(Arc<Given>),
}

/// Ranks APIs in place of the search model, for what has to run without its files.
pub trait Ranker {
    /// The `k` APIs of a suite that fit a text best, the best one first.
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
        Bench { pack, world, original: None, search: Finder::Own(search) }
    }

    /// Puts a pack and another ranking together.
    pub fn with_ranker(pack: Pack, ranker: Box<dyn Ranker + Send + Sync>) -> Self {
        let search = Arc::new(Given(ranker));
        let mut world = pack.world.clone();
        world.search = SearchHandle::new(search.clone());
        Bench { pack, world, original: None, search: Finder::Given(search) }
    }

    /// Puts an imported pack and an encoder together: it searches over its own texts.
    pub fn imported(pack: Pack, encoder: Arc<Encoder>) -> Self {
        let none = Original::default();
        let data = pack.imported.as_ref().map_or(&none, |it| &it.original);
        let search = Arc::new(PackSearch::new(data, encoder));
        let mut world = pack.world.clone();
        world.search = SearchHandle::new(search.clone());
        let original = Some(Evaluator::new(data, search.clone()));
        Bench { pack, world, original, search: Finder::Pack(search) }
    }

    /// The `k` APIs of a suite that fit a text best, with their cosines.
    ///
    /// # Errors
    /// When the encoder cannot run.
    pub fn rank(&self, suite: Suite, text: &str, k: usize) -> Result<Vec<Hit>, RetrievalError> {
        match &self.search {
            Finder::Own(search) => search.rank(suite, text, k),
            Finder::Pack(search) => search.rank(suite, text, k),
            Finder::Given(search) => Ok(search.0.rank(suite, text, k)),
        }
    }

    /// SHA-256 of the search model's weights; empty where another ranking stands in for it.
    pub fn search_digest(&self) -> String {
        self.encoder().map(|encoder| encoder.digest().to_owned()).unwrap_or_default()
    }

    /// The search model; `None` where another ranking stands in for it.
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

    /// A dialogue of the pack with its gold calls run anew.
    pub fn replayed(&self, dialogue: &Dialogue) -> Dialogue {
        replayed(dialogue, &self.world)
    }
}
