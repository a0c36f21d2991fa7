//! Everything a run needs, loaded once: pack, world and API Search.

use crate::searchers::{BM25, Bm25Search, OracleSearch, OwnRetriever, ToolRanker, texts_digest};
pub use crate::shared_search::Arrival;
use crate::shared_search::SharedSearch;
use crate::variant::settled;
use apis::search::{ApiSearch, SearchHandle, SearchResults};
use apis::{Suite, World};
use dataset::import::Original;
use dataset::{Dialogue, Edition, Pack, PackError, Variant};
use exchange::protocol::{Sample, replayed};
use original::evaluator::Evaluator;
use original::search::PackSearch;
use record::{Retriever, RunSettings, SearchSource};
use retrieval::{Encoder, Hit, Index, RetrievalError, Search};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The embedding model behind API Search.
pub const SEARCH_MODEL: &str = "paraphrase-MiniLM-L3-v2";

/// The search model in a record of own tools.
const NO_SEARCH: &str = "none";

/// A pack that is ready to run. Clones share everything but the list of tables.
#[derive(Debug, Clone)]
pub struct Benchmark {
    /// The pack.
    pub pack: Arc<Pack>,
    /// The pack's world, including API Search: every sample starts from a clone.
    pub world: World,
    /// The original's evaluator, if the pack is imported.
    pub original: Option<Arc<Evaluator>>,
    /// The databases of horizon tasks, by id, without API Search.
    worlds: Arc<BTreeMap<String, World>>,
    search: SearchBackend,
    /// What answers searches in place of `search`.
    retriever: Option<Retriever>,
    /// A user's model, if one is loaded.
    own: Option<Arc<OwnRetriever>>,
}

/// The implementation of API Search.
#[derive(Debug, Clone)]
enum SearchBackend {
    /// The project's texts, several per API.
    Own(Arc<SharedSearch>),
    /// An imported pack's texts.
    Pack(Arc<PackSearch>),
    /// A ranker that replaces the search model.
    Custom(Arc<CustomRanker>),
}

/// Ranks APIs in place of the search model, for code that must run without the model's files.
pub trait Ranker {
    /// The `k` APIs of a suite that match a text best, best first.
    fn rank(&self, suite: Suite, text: &str, k: usize) -> Vec<Hit>;
}

impl Ranker for ToolRanker {
    fn rank(&self, _suite: Suite, text: &str, k: usize) -> Vec<Hit> {
        ToolRanker::rank(self, text, k)
    }
}

/// A [`Ranker`] as API Search.
struct CustomRanker(Box<dyn Ranker + Send + Sync>);

impl std::fmt::Debug for CustomRanker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CustomRanker")
    }
}

impl ApiSearch for CustomRanker {
    fn best(&self, suite: Suite, keywords: &str, k: usize) -> Result<Vec<String>, String> {
        Ok(self.0.rank(suite, keywords, k).into_iter().map(|hit| hit.name).collect())
    }
}

/// API Search that answers from the pack's recorded searches first.
struct RecordedFirst<S> {
    recorded: SearchHandle,
    search: Arc<S>,
}

impl<S: ApiSearch> ApiSearch for RecordedFirst<S> {
    fn best(&self, suite: Suite, keywords: &str, k: usize) -> Result<Vec<String>, String> {
        match self.recorded.best(suite, keywords, k) {
            Ok(names) => Ok(names),
            Err(_) => self.search.best(suite, keywords, k),
        }
    }
}

/// The tasks of a seed. The latest are kept: a form asks for them again with each change.
fn horizon_tasks(seed: u32) -> Result<HorizonTasks, PackError> {
    static LATEST: Mutex<Option<HorizonTasks>> = Mutex::new(None);
    let mut latest = LATEST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(tasks) = latest.as_ref().filter(|it| it.pack.manifest.horizon == Some(seed)) {
        return Ok(tasks.clone());
    }
    let made = horizon::tasks(seed, dataset::builtin()?);
    let made = made.map_err(|error| PackError::Horizon(error.to_string()))?;
    let tasks = HorizonTasks { pack: Arc::new(made.pack), worlds: Arc::new(made.worlds) };
    *latest = Some(tasks.clone());
    Ok(tasks)
}

#[derive(Clone)]
struct HorizonTasks {
    pack: Arc<Pack>,
    worlds: Arc<BTreeMap<String, World>>,
}

impl Benchmark {
    /// Combines a pack with API Search.
    pub fn new(pack: Pack, search: Search) -> Self {
        Self::with(pack, Arc::new(SharedSearch::new(search)))
    }

    /// Combines a pack with API Search whose model has yet to arrive. Until [`Arrival::complete`],
    /// samples that search for anything but known texts wait.
    pub fn pending(pack: Pack, index: Index) -> (Self, Arrival) {
        let (search, arrival) = SharedSearch::pending(index);
        (Self::with(pack, search), arrival)
    }

    fn with(pack: Pack, search: Arc<SharedSearch>) -> Self {
        let world = searching(&pack, &search);
        Benchmark {
            pack: Arc::new(pack),
            world,
            worlds: Arc::default(),
            original: None,
            search: SearchBackend::Own(search),
            retriever: None,
            own: None,
        }
    }

    /// Another edition of the built-in pack, with this benchmark's search; this benchmark itself for
    /// the original, and if its pack is imported.
    ///
    /// # Errors
    /// Never: tests make every edition.
    pub fn edition(&self, edition: Edition) -> Result<Self, PackError> {
        if self.pack.is_own() || self.pack.source().edition() == edition {
            return Ok(self.clone());
        }
        let mut bench = self.clone();
        match edition {
            Edition::Original => return Ok(bench),
            Edition::Language(language) => {
                let pack = dataset::builtin_in(language)?;
                bench.world = self.searching_in(&pack);
                bench.pack = Arc::new(pack);
            }
            Edition::Horizon(seed) => {
                let tasks = horizon_tasks(seed)?;
                bench.world = self.searching_in(&tasks.pack);
                (bench.pack, bench.worlds) = (tasks.pack, tasks.worlds);
            }
            Edition::Variant(seed) => {
                let variant = Variant::draw(seed)?;
                bench.world = self.searching_in(&variant.pack);
                let settled = settled(variant, &dataset::builtin()?, &bench.world);
                bench.pack = Arc::new(settled.pack);
            }
        }
        Ok(bench)
    }

    /// A pack's world with this benchmark's search.
    fn searching_in(&self, pack: &Pack) -> World {
        match &self.search {
            SearchBackend::Own(search) => searching(pack, search),
            SearchBackend::Custom(search) => searching(pack, search),
            SearchBackend::Pack(_) => pack.world.clone(),
        }
    }

    /// A pack of own tools, ranked by BM25: built-in models choose by it, and nothing searches.
    pub fn own_tools(pack: Pack) -> Self {
        let ranker = ToolRanker::new(pack.tools.as_deref());
        Self::with_ranker(pack, Box::new(ranker))
    }

    /// Combines a pack with a custom ranker.
    pub fn with_ranker(pack: Pack, ranker: Box<dyn Ranker + Send + Sync>) -> Self {
        let search = Arc::new(CustomRanker(ranker));
        let world = searching(&pack, &search);
        Benchmark {
            pack: Arc::new(pack),
            world,
            worlds: Arc::default(),
            original: None,
            search: SearchBackend::Custom(search),
            retriever: None,
            own: None,
        }
    }

    /// Combines an imported pack with an encoder for the pack's own texts. A search returns one
    /// API, as in the pack's files.
    pub fn imported(pack: Pack, encoder: Arc<Encoder>) -> Self {
        let none = Original::default();
        let data = pack.imported.as_ref().map_or(&none, |it| &it.original);
        let search = Arc::new(PackSearch::new(data, encoder));
        let mut world = pack.world.clone();
        world.search = SearchHandle::new(search.clone(), SearchResults::One);
        let original = Some(Arc::new(Evaluator::new(data, search.clone())));
        let search = SearchBackend::Pack(search);
        Benchmark {
            pack: Arc::new(pack),
            world,
            worlds: Arc::default(),
            original,
            search,
            retriever: None,
            own: None,
        }
    }

    /// A copy that has a user's model, for settings that name it.
    #[must_use]
    pub fn with_own(&self, own: Arc<OwnRetriever>) -> Self {
        Benchmark { own: Some(own), ..self.clone() }
    }

    /// Checks that a retriever can answer this benchmark's searches.
    ///
    /// # Errors
    /// What is missing, and the remedy.
    pub fn check_retriever(&self, retriever: Option<&Retriever>) -> Result<(), String> {
        let imported = matches!(self.search, SearchBackend::Pack(_));
        match (retriever, &self.own) {
            (None, _) => Ok(()),
            (Some(_), _) if self.pack.tools.is_some() => {
                Err("the pack's own tools are described in prompts and not searched".to_owned())
            }
            (Some(_), _) if imported => {
                Err("imported data is searched with the built-in retriever alone".to_owned())
            }
            (Some(Retriever::Bm25 { .. } | Retriever::Oracle), _) => Ok(()),
            (Some(Retriever::Model(model)), Some(own)) if own.model() == model => Ok(()),
            (Some(Retriever::Model(model)), Some(own)) => Err(format!(
                "expected the model {:?} (digest {}), pooling {}, found {:?} (digest {}), pooling \
                 {}: give the folder with --retriever DIR, or add its files in the Search lab",
                model.name,
                exchange::shorten(&model.digest, 12),
                model.pooling,
                own.model().name,
                exchange::shorten(&own.model().digest, 12),
                own.model().pooling,
            )),
            (Some(Retriever::Model(model)), None) => Err(format!(
                "the searches were answered by the model {:?} (digest {}), whose files are not part \
                 of the record: give their folder with --retriever DIR, or add them in the Search lab",
                model.name,
                exchange::shorten(&model.digest, 12)
            )),
        }
    }

    /// A copy with the settings' number of search results and retriever. A retriever that
    /// [`Self::check_retriever`] rejects fails every search.
    #[must_use]
    pub fn prepared(&self, settings: &RunSettings) -> Self {
        let mut bench = self.returning(settings.search_results);
        bench.retriever.clone_from(&settings.retriever);
        let results = bench.world.search.results;
        match (&settings.retriever, &bench.own) {
            // The oracle differs by sample, see `of_sample`.
            (None | Some(Retriever::Oracle), _) => {}
            (Some(Retriever::Bm25 { k1, b }), _) => {
                bench.world.search = SearchHandle::new(Arc::new(Bm25Search::new(*k1, *b)), results);
            }
            (Some(Retriever::Model(model)), Some(own)) if own.model() == model => {
                bench.world.search = SearchHandle::new(own.clone(), results);
            }
            (Some(Retriever::Model(_)), _) => {
                bench.world.search = SearchHandle::default();
                bench.world.search.results = results;
            }
        }
        bench
    }

    /// The benchmark as a sample sees it: a horizon task has databases of its own, and the oracle knows the
    /// sample's gold searches.
    pub fn of_sample(&self, sample: &Sample<'_>) -> Cow<'_, Self> {
        if let Some(world) = self.worlds.get(&sample.dialogue.id) {
            let search = self.world.search.clone();
            return Cow::Owned(Benchmark {
                world: World { search, ..world.clone() },
                ..self.clone()
            });
        }
        if self.retriever != Some(Retriever::Oracle) {
            return Cow::Borrowed(self);
        }
        let mut bench = self.clone();
        let (other, results) = (self.world.search.clone(), self.world.search.results);
        bench.world.search = SearchHandle::new(Arc::new(OracleSearch::new(sample, other)), results);
        Cow::Owned(bench)
    }

    /// What answers the searches of a [prepared](Self::prepared) benchmark, for its record.
    pub(crate) fn search_source(&self) -> SearchSource {
        if self.pack.tools.is_some() {
            let (results, retriever) = (self.world.search.results, None);
            return SearchSource {
                model: NO_SEARCH.to_owned(),
                digest: String::new(),
                results,
                retriever,
            };
        }
        let (model, digest) = match &self.retriever {
            None | Some(Retriever::Oracle) => (SEARCH_MODEL.to_owned(), self.search_digest()),
            Some(Retriever::Bm25 { .. }) => (BM25.to_owned(), texts_digest()),
            Some(Retriever::Model(model)) => (model.name.clone(), model.digest.clone()),
        };
        let results = self.world.search.results;
        SearchSource { model, digest, results, retriever: self.retriever.clone() }
    }

    /// A copy with another number of search results. Imported packs keep theirs.
    #[must_use]
    pub fn returning(&self, results: SearchResults) -> Self {
        let mut bench = self.clone();
        if !matches!(bench.search, SearchBackend::Pack(_)) {
            bench.world.search.results = results;
        }
        bench
    }

    /// The `k` APIs of a suite that match a text best, with their cosines.
    ///
    /// # Errors
    /// When the encoder fails.
    pub fn rank(&self, suite: Suite, text: &str, k: usize) -> Result<Vec<Hit>, RetrievalError> {
        match &self.search {
            SearchBackend::Own(search) => search.rank(suite, text, k),
            SearchBackend::Pack(search) => search.rank(suite, text, k),
            SearchBackend::Custom(search) => Ok(search.0.rank(suite, text, k)),
        }
    }

    /// The names of the `k` APIs of a suite that match a text best.
    ///
    /// # Errors
    /// The reason as a clause without a full stop.
    pub fn best(&self, suite: Suite, text: &str, k: usize) -> Result<Vec<String>, String> {
        match &self.search {
            SearchBackend::Own(search) => search.best(suite, text, k),
            SearchBackend::Pack(_) | SearchBackend::Custom(_) => {
                let hits = self.rank(suite, text, k).map_err(|error| error.to_string())?;
                Ok(hits.into_iter().map(|hit| hit.name).collect())
            }
        }
    }

    /// Waits for the search model.
    ///
    /// # Errors
    /// Why it never arrives.
    pub async fn searchable(&self) -> Result<(), String> {
        match &self.search {
            SearchBackend::Own(search) => search.settled().await,
            SearchBackend::Pack(_) | SearchBackend::Custom(_) => Ok(()),
        }
    }

    /// Whether the search model has arrived, or never will.
    pub(crate) fn is_settled(&self) -> bool {
        match &self.search {
            SearchBackend::Own(search) => search.is_settled(),
            SearchBackend::Pack(_) | SearchBackend::Custom(_) => true,
        }
    }

    /// Whether a search has failed since the last call because the model has not arrived.
    pub(crate) fn missed_search(&self) -> bool {
        match &self.search {
            SearchBackend::Own(search) => search.missed(),
            SearchBackend::Pack(_) | SearchBackend::Custom(_) => false,
        }
    }

    /// SHA-256 of the search model's file; empty with a custom ranker.
    pub fn search_digest(&self) -> String {
        match &self.search {
            SearchBackend::Own(search) => search.digest().to_owned(),
            SearchBackend::Pack(search) => search.encoder().digest().to_owned(),
            SearchBackend::Custom(_) => String::new(),
        }
    }

    /// The search model; `None` with a custom ranker, or before it has arrived.
    pub fn encoder(&self) -> Option<Arc<Encoder>> {
        match &self.search {
            SearchBackend::Own(search) => search.encoder(),
            SearchBackend::Pack(search) => Some(search.encoder()),
            SearchBackend::Custom(_) => None,
        }
    }

    /// A dialogue with its gold calls rerun.
    pub fn replayed(&self, dialogue: &Dialogue) -> Dialogue {
        replayed(dialogue, &self.world)
    }
}

/// The pack's world with API Search installed.
fn searching<S: ApiSearch + Send + Sync + 'static>(pack: &Pack, search: &Arc<S>) -> World {
    let mut world = pack.world.clone();
    let recorded = world.search.clone();
    let search = RecordedFirst { recorded, search: Arc::clone(search) };
    world.search = SearchHandle::new(Arc::new(search), SearchResults::default());
    world
}
