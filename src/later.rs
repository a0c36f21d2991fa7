//! What the page needs once it is painted: its other pages, the results, the worker's messages. All
//! that is reached from [`Later`] alone stands in a WebAssembly file of its own, which is loaded
//! after the first picture, so that the first file holds the form and little else.
//!
//! The build splits the page's WebAssembly at [`load`]: see `xtask/src/site/split.rs`. A function
//! that is called by its name from what is painted first is in the first file, whatever this says.

use crate::app::{App, Latest};
use crate::bridge::Answer;
use crate::components::send_question::SendQuestion;
use crate::pages;
use crate::pages::run::Problems;
use crate::protocol::request::EstimateRun;
use crate::protocol::{AnyRequest, Command};
use crate::session::Route;
use js_sys::Array;
use leptos::prelude::*;
#[cfg(not(feature = "worker"))]
use leptos::wasm_split;
use leptos::wasm_split::SplitLoaderError;
use record::{Estimate, RunSettings};

/// The ways into the second file.
pub struct Later {
    /// Shows any page but Run.
    pub page: fn(&Route) -> AnyView,
    /// Shows what stands above the form of Run: links, unfinished runs.
    pub offers: fn() -> AnyView,
    /// Shows the fields of an endpoint, given what is wrong with them and whether to say it.
    pub endpoint_fields: fn(Problems, RwSignal<bool>) -> AnyView,
    /// Shows how the run goes.
    pub progress: fn() -> AnyView,
    /// Shows what came out of it.
    pub results: fn() -> AnyView,
    /// Asks before requests leave for a host that the user did not enter.
    pub send_question: fn() -> AnyView,
    /// Sends the worker a command, with files.
    pub send: fn(App, Command, Option<Array>),
    /// Sends the worker a request, with files; the last argument gets the answer.
    pub ask: fn(App, AnyRequest, Option<Array>, Answer),
    /// Counts what a run would ask.
    pub estimate: fn(App, Box<RunSettings>, Latest<Estimate>),
    /// Stops the run.
    pub cancel_run: fn(App),
    /// Starts a worker unless one runs.
    pub start_worker: fn(App),
    /// Starts a fresh worker.
    pub restart_worker: fn(App),
    /// Reads which runs are kept.
    pub refresh_kept: fn(App),
    /// Reads which packs are kept.
    pub list_packs: fn(App),
}

/// Loads the second file.
///
/// # Errors
/// When it can't be loaded; the next call tries again.
#[cfg(not(feature = "worker"))]
pub async fn load() -> Result<&'static Later, SplitLoaderError> {
    ways().await
}

/// The worker's program has this library too, and must not keep what is split off for the page.
///
/// # Errors
/// None.
#[cfg(feature = "worker")]
pub async fn load() -> Result<&'static Later, SplitLoaderError> {
    ways()
}

#[cfg_attr(
    not(feature = "worker"),
    wasm_split::wasm_split(later, wasm_split_path = ::leptos::wasm_split, fallible)
)]
fn ways() -> Result<&'static Later, SplitLoaderError> {
    static LATER: Later = Later {
        page: pages::show,
        offers: pages::run::offers,
        endpoint_fields: pages::run::endpoint::fields,
        progress: pages::run::progress,
        results: pages::run::results,
        send_question: || view! { <SendQuestion/> }.into_any(),
        send: App::send_now,
        ask: App::ask_now,
        estimate: |app, settings, estimate| estimate.refresh(app, EstimateRun { settings }),
        cancel_run: App::cancel_run_now,
        start_worker: App::start_worker_now,
        restart_worker: App::restart_worker_now,
        refresh_kept: App::refresh_kept_now,
        list_packs: App::list_packs_now,
    };
    Ok(&LATER)
}
