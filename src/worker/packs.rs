//! The worker's current pack, and imports.

use super::import::{self, Stopped};
use super::tell::Teller;
use super::{Host, NOT_LOADED, Task, load};
use crate::messages::{
    AuditGold, ChosenPack, Count, Import, ImportReport, Load, LoadProgress, UsePack,
};
use gloo_timers::future::TimeoutFuture;
use js_sys::Array;
use runner::audit;
use runner::benchmark::Benchmark;
use scoring::audit::Audit;
use std::rc::Rc;

/// Time for a waiting run to arrive from the page, in milliseconds.
const WAITING_MS: u32 = 30;
/// How many times longer a run that has arrived may take to send its first requests.
const HEAD_START: usize = 20;
/// Calls of an audit that are told together.
const TOLD: usize = 25;

impl Host {
    /// Loads the built-in pack and reports it, so that a run can start while the search model, by
    /// far the largest file, is still on its way. Then loads the search model and the chosen pack.
    pub(super) async fn load(&self, request: Load, page: Teller<Load>) -> Result<(), String> {
        let Load { assets, pack, tab } = request;
        self.own_pack.set_tab(tab);
        let files = load::ModelFiles::new(&assets, page);
        let index = files.index().await?;
        let (own, arrival) = Benchmark::pending(load::pack()?, index);
        *self.own.borrow_mut() = Some(Rc::new(own));
        // Imported packs need the model.
        let builtin = pack.is_none();
        if builtin {
            page.tell(&LoadProgress::Ready(self.choose(None).await?));
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
        if !builtin {
            page.tell(&LoadProgress::Ready(self.choose(pack).await?));
        }
        Ok(())
    }

    /// Switches to another pack.
    pub(super) async fn use_pack(&self, request: UsePack) -> Result<ChosenPack, String> {
        self.check_idle()?;
        self.choose(request.digest).await
    }

    async fn choose(&self, digest: Option<String>) -> Result<ChosenPack, String> {
        let own = self.own.borrow().clone().ok_or(NOT_LOADED)?;
        let mut refused = None;
        let bench = match digest {
            None => own,
            Some(digest) => imported(&own, &digest).await.unwrap_or_else(|reason| {
                refused = Some(format!(
                    "The chosen data cannot be used: {reason} The built-in data is used instead."
                ));
                own
            }),
        };
        let pack = load::facts(&bench.pack);
        *self.scratch.borrow_mut() = Some(bench.world.clone());
        *self.bench.borrow_mut() = Some(bench);
        Ok(ChosenPack { pack, refused })
    }

    /// Imports and stores data.
    pub(super) async fn import(
        &self,
        request: Import,
        files: Array,
        page: Teller<Import>,
    ) -> Result<ImportReport, String> {
        let busy = "An import is already in progress. Cancel it first.";
        let task = Task::begin(&self.importing, busy)?;
        let report = import::run(request, files, &task.watch, page).await;
        report.map_err(|stopped| match stopped {
            Stopped::Cancelled => "Cancelled: nothing was stored.".to_owned(),
            Stopped::Failed(message) => message,
        })
    }

    /// Judges the gold under every profile.
    pub(super) async fn audit(&self, page: Teller<AuditGold>) -> Result<Audit, String> {
        let bench = self.searching().await?;
        Ok(audit(&bench, |done, of| {
            if done % TOLD == 0 {
                page.tell(&Count { done, of });
            }
        }))
    }

    /// Cancels an import.
    pub(super) fn cancel_import(&self) {
        if let Some(switch) = self.importing.borrow_mut().as_mut() {
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
