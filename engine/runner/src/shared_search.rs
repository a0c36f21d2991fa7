//! API Search shared by all samples of a run. It may arrive after the run has started: until then it
//! answers only known queries.

use apis::Suite;
use apis::search::ApiSearch;
use futures::FutureExt;
use futures::channel::oneshot;
use futures::future::Shared;
use retrieval::{Encoder, Hit, Index, RetrievalError, Search};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The reason of a search before the model has arrived. No record has it: the sample waits.
const NOT_THERE: &str = "the search model has not arrived yet";

/// API Search with its index, and with its model once that has arrived.
pub(crate) struct SharedSearch {
    index: Arc<Index>,
    /// The model behind a lock, because searching updates the query cache; or why there is none.
    arrived: OnceLock<Result<Mutex<Search>, String>>,
    arrival: Shared<oneshot::Receiver<()>>,
    missed: AtomicBool,
}

impl std::fmt::Debug for SharedSearch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SharedSearch")
    }
}

/// Completes the search of a benchmark that was loaded without its model.
#[derive(Debug)]
pub struct Arrival {
    search: Arc<SharedSearch>,
    sender: oneshot::Sender<()>,
}

impl Arrival {
    /// Supplies the model, or the reason why it is missing. Everything that waits for it goes on.
    ///
    /// # Errors
    /// The reason, also when another model made the index.
    pub fn complete(self, encoder: Result<Encoder, String>) -> Result<(), String> {
        let index = Arc::clone(&self.search.index);
        let search = encoder
            .and_then(|encoder| Search::new(encoder, index).map_err(|error| error.to_string()));
        let outcome = search.as_ref().map(|_| ()).map_err(Clone::clone);
        // Only this value, which is consumed, sets it.
        let _ = self.search.arrived.set(search.map(Mutex::new));
        // An error means that nobody waits.
        let _ = self.sender.send(());
        outcome
    }
}

impl SharedSearch {
    /// API Search with its model.
    pub(crate) fn new(search: Search) -> Self {
        let (shared, _) = Self::parts(Arc::clone(search.index()));
        let _ = shared.arrived.set(Ok(Mutex::new(search)));
        shared
    }

    /// API Search whose model is still to come.
    pub(crate) fn pending(index: Index) -> (Arc<Self>, Arrival) {
        let (search, sender) = Self::parts(Arc::new(index));
        let search = Arc::new(search);
        (Arc::clone(&search), Arrival { search, sender })
    }

    fn parts(index: Arc<Index>) -> (Self, oneshot::Sender<()>) {
        let (sender, arrival) = oneshot::channel();
        let (arrived, missed) = (OnceLock::new(), AtomicBool::new(false));
        (SharedSearch { index, arrived, arrival: arrival.shared(), missed }, sender)
    }

    /// SHA-256 of the model's file.
    pub(crate) fn digest(&self) -> &str {
        &self.index.digest
    }

    /// The model, if it has arrived.
    pub(crate) fn encoder(&self) -> Option<Arc<Encoder>> {
        let search = self.arrived.get()?.as_ref().ok()?;
        let search = search.lock().unwrap_or_else(PoisonError::into_inner);
        Some(Arc::clone(search.encoder()))
    }

    /// Whether every search has its final answer.
    pub(crate) fn is_settled(&self) -> bool {
        self.arrived.get().is_some()
    }

    /// Whether a search has failed since the last call because the model has not arrived.
    pub(crate) fn missed(&self) -> bool {
        self.missed.swap(false, Ordering::Relaxed)
    }

    /// Waits for the model.
    pub(crate) async fn settled(&self) -> Result<(), String> {
        if !self.is_settled() {
            // An error means that its loader is gone: the model never arrives.
            let _ = self.arrival.clone().await;
        }
        match self.arrived.get() {
            Some(Ok(_)) => Ok(()),
            Some(Err(reason)) => Err(reason.clone()),
            None => Err(NOT_THERE.to_owned()),
        }
    }

    /// The `k` best APIs with their cosines.
    pub(crate) fn rank(
        &self,
        suite: Suite,
        text: &str,
        k: usize,
    ) -> Result<Vec<Hit>, RetrievalError> {
        let reason = match self.arrived.get() {
            Some(Ok(search)) => {
                // A poisoned lock is harmless: the panic can only have lost a cache entry.
                let mut search = search.lock().unwrap_or_else(PoisonError::into_inner);
                return search.search(suite.as_str(), text, k);
            }
            Some(Err(reason)) => reason.clone(),
            None => {
                self.missed.store(true, Ordering::Relaxed);
                NOT_THERE.to_owned()
            }
        };
        Err(RetrievalError::Index(reason))
    }
}

impl ApiSearch for SharedSearch {
    fn best(&self, suite: Suite, keywords: &str, k: usize) -> Result<Vec<String>, String> {
        if let Some(names) = self.index.known(suite.as_str(), keywords, k) {
            return Ok(names.into_iter().map(str::to_owned).collect());
        }
        let hits = self.rank(suite, keywords, k).map_err(|error| error.to_string())?;
        Ok(hits.into_iter().map(|hit| hit.name).collect())
    }
}
