//! The lazy-loaded module, and tasks that wait for it.

use super::{App, Latest};
use crate::bridge::Waiter;
use crate::messages::{AnyRequest, StartRun};
use crate::session::Route;
use crate::session::field::Problem;
use js_sys::Array;
use leptos::prelude::*;
use record::{RunSettings, RunSize};

/// Entry points of the lazy-loaded module.
pub struct LazyModule {
    /// Shows any page but Run.
    pub page: fn(&Route) -> AnyView,
    /// Shows the notices above the Run form: links, unfinished runs.
    pub offers: fn() -> AnyView,
    /// Shows the fields of an endpoint, given the problems and whether to show them.
    pub endpoint_fields: fn(Memo<Vec<Problem>>, RwSignal<bool>) -> AnyView,
    /// Shows the fields of a model in the page, given the problems.
    pub in_page_fields: fn(Memo<Vec<Problem>>) -> AnyView,
    /// Shows the settings of a run, given the problems.
    pub settings: fn(Memo<Vec<Problem>>) -> AnyView,
    /// Shows the progress of the run.
    pub progress: fn() -> AnyView,
    /// Shows its results.
    pub results: fn() -> AnyView,
    /// Asks before sending requests to a host that the user did not enter.
    pub send_question: fn() -> AnyView,
    /// Sends the worker a request, with files; the last argument receives progress and answer.
    pub ask: fn(App, AnyRequest, Option<Array>, Waiter),
    /// Plays a run and shows it.
    pub play: fn(App, StartRun),
    /// Counts the requests and tokens of a run.
    pub estimate: fn(App, Box<RunSettings>, Latest<RunSize>),
    /// Stops the run.
    pub cancel_run: fn(App),
    /// Starts the worker unless it is running.
    pub start_worker: fn(App),
    /// Starts a fresh worker.
    pub restart_worker: fn(App),
    /// Loads the list of stored runs.
    pub refresh_runs: fn(App),
    /// Loads the list of stored packs.
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

    /// Stores the loaded module and runs the waiting tasks in order.
    pub fn loaded(self, module: &'static LazyModule) {
        self.module.set(Some(module));
        let waiting = self.waiting.try_update_value(std::mem::take).unwrap_or_default();
        waiting.into_iter().for_each(|task| task(module));
    }
}
