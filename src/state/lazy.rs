//! The module that is loaded after the first paint, and what waits for it.

use super::{App, Latest};
use crate::bridge::Answer;
use crate::protocol::{AnyRequest, Command};
use crate::session::Route;
use crate::session::field::Problem;
use js_sys::Array;
use leptos::prelude::*;
use record::{Estimate, RunSettings};

/// Entry points of the lazy-loaded module.
pub struct LazyModule {
    /// Shows any page but Run.
    pub page: fn(&Route) -> AnyView,
    /// Shows what stands above the form of Run: links, unfinished runs.
    pub offers: fn() -> AnyView,
    /// Shows the fields of an endpoint, given what is wrong with them and whether to say it.
    pub endpoint_fields: fn(Memo<Vec<Problem>>, RwSignal<bool>) -> AnyView,
    /// Shows the settings of a run, given what is wrong with them.
    pub settings: fn(Memo<Vec<Problem>>) -> AnyView,
    /// Shows the progress of the run.
    pub progress: fn() -> AnyView,
    /// Shows its results.
    pub results: fn() -> AnyView,
    /// Asks before requests leave for a host that the user did not enter.
    pub send_question: fn() -> AnyView,
    /// Sends the worker a command, with files.
    pub send: fn(App, Command, Option<Array>),
    /// Sends the worker a request, with files; the last argument gets the answer.
    pub ask: fn(App, AnyRequest, Option<Array>, Answer),
    /// Counts the requests and tokens of a run.
    pub estimate: fn(App, Box<RunSettings>, Latest<Estimate>),
    /// Stops the run.
    pub cancel_run: fn(App),
    /// Starts a worker unless one runs.
    pub start_worker: fn(App),
    /// Starts a fresh worker.
    pub restart_worker: fn(App),
    /// Lists the runs of this browser's database.
    pub refresh_runs: fn(App),
    /// Lists the packs of this browser's database.
    pub list_packs: fn(App),
}

type Task = Box<dyn FnOnce(&'static LazyModule)>;

/// The lazy-loaded module.
#[derive(Clone, Copy)]
pub struct LazyState {
    /// Its entry points, once it is loaded.
    pub module: RwSignal<Option<&'static LazyModule>>,
    /// Whether it could not be loaded.
    pub missing: RwSignal<bool>,
    waiting: StoredValue<Vec<Task>, LocalStorage>,
}

impl LazyState {
    pub(super) fn new() -> Self {
        LazyState {
            module: RwSignal::new(None),
            missing: RwSignal::new(false),
            waiting: StoredValue::new_local(Vec::new()),
        }
    }

    /// Runs a task now, or as soon as the module is loaded.
    pub fn run(self, task: impl FnOnce(&'static LazyModule) + 'static) {
        match self.module.get_untracked() {
            Some(module) => task(module),
            None => self.waiting.update_value(|waiting| waiting.push(Box::new(task))),
        }
    }

    /// The module is loaded: runs what waits, in its order.
    pub fn loaded(self, module: &'static LazyModule) {
        self.module.set(Some(module));
        let waiting = self.waiting.try_update_value(std::mem::take).unwrap_or_default();
        waiting.into_iter().for_each(|task| task(module));
    }
}
