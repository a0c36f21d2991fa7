//! The worker's current pack, and imports.

use super::import::{self, Stopped};
use super::{Host, NOT_LOADED, load, post, refuse};
use crate::platform::cancel;
use crate::protocol::{Assets, Event, ImportSource};
use gloo_timers::future::TimeoutFuture;
use js_sys::Array;
use runner::audit;
use runner::benchmark::Benchmark;
use std::rc::Rc;
use wasm_bindgen_futures::spawn_local;

/// Time for a waiting run to arrive from the page, in milliseconds.
const WAITING_MS: u32 = 30;
/// How many times longer a run that has arrived may take to send its first requests.
const HEAD_START: usize = 20;

impl Host {
    /// Loads the built-in pack, then the search model and the chosen pack.
    pub(super) fn load(self: Rc<Self>, assets: Assets, pack: Option<String>) {
        spawn_local(async move {
            if let Err(message) = self.load_own(&assets, pack).await {
                post(&Event::LoadFailed { message });
            }
        });
    }

    /// Loads the built-in pack and reports it, so that a run can start while the search model, by
    /// far the largest file, is still on its way.
    async fn load_own(
        self: &Rc<Self>,
        assets: &Assets,
        pack: Option<String>,
    ) -> Result<(), String> {
        let files = load::ModelFiles::new(assets);
        let index = files.index().await?;
        let (own, arrival) = Benchmark::pending(load::pack()?, index);
        *self.own.borrow_mut() = Some(Rc::new(own));
        // Imported packs need the model.
        let builtin = pack.is_none();
        if builtin {
            self.choose(None).await;
            // Reading the model blocks the worker: start a waiting run first.
            TimeoutFuture::new(WAITING_MS).await;
            for _ in 0..HEAD_START {
                if self.running.borrow().is_none() {
                    break;
                }
                TimeoutFuture::new(WAITING_MS).await;
            }
        }
        arrival.complete(files.encoder().await).map_err(|error| load::no_search(&error))?;
        post(&Event::Searchable);
        if !builtin {
            self.choose(pack).await;
        }
        Ok(())
    }

    /// Switches to another pack.
    pub(super) fn use_pack(self: Rc<Self>, digest: Option<String>) {
        if self.running.borrow().is_some() {
            return refuse("A run is in progress. Cancel it before choosing other data.");
        }
        spawn_local(async move { self.choose(digest).await });
    }

    async fn choose(&self, digest: Option<String>) {
        let Some(own) = self.own.borrow().clone() else { return };
        let bench = match digest {
            None => own,
            Some(digest) => imported(&own, &digest).await.unwrap_or_else(|reason| {
                let message = format!(
                    "The chosen data cannot be used: {reason} The built-in data is used instead."
                );
                post(&Event::PackRefused { message });
                own
            }),
        };
        self.loaded(bench);
    }

    /// Imports and stores data.
    pub(super) fn import(self: Rc<Self>, label: String, source: ImportSource, files: Array) {
        if self.importing.borrow().is_some() {
            return refuse("An import is already in progress. Cancel it first.");
        }
        let (switch, watch) = cancel::pair();
        *self.importing.borrow_mut() = Some(switch);
        spawn_local(async move {
            let ended = match import::run(label, source, files, &watch).await {
                Ok(report) => Event::Imported { report: Box::new(report) },
                Err(Stopped::Cancelled) => {
                    Event::ImportFailed { message: "Cancelled: nothing was stored.".to_owned() }
                }
                Err(Stopped::Failed(message)) => Event::ImportFailed { message },
            };
            *self.importing.borrow_mut() = None;
            post(&ended);
        });
    }

    /// Judges the gold under every profile.
    pub(super) fn audit(&self) {
        let Some(bench) = self.bench.borrow().clone() else { return refuse(NOT_LOADED) };
        spawn_local(async move {
            if let Err(message) = bench.searchable().await {
                return refuse(message);
            }
            let audit = audit(&bench, |done, total| {
                if done % 25 == 0 {
                    post(&Event::Auditing { done, total });
                }
            });
            post(&Event::Audited { audit: Box::new(audit) });
        });
    }

    /// Cancels an import.
    pub(super) fn cancel_import(&self) {
        if let Some(switch) = self.importing.borrow_mut().take() {
            switch.stop();
        }
    }
}

/// The benchmark on a stored pack, with the loaded search model.
async fn imported(own: &Benchmark, digest: &str) -> Result<Rc<Benchmark>, String> {
    let pack = import::stored(digest).await?;
    if pack.tools.is_some() {
        return Ok(Rc::new(Benchmark::own_tools(pack)));
    }
    own.searchable().await?;
    let encoder = own.encoder().ok_or("API Search is not loaded.")?;
    Ok(Rc::new(Benchmark::imported(pack, encoder)))
}
