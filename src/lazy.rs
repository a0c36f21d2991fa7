//! Entry points of the lazy-loaded module: the other pages, the results, the worker's messages.
//! Code reachable only from [`entry_points`] is in a separate WebAssembly file, loaded after the
//! first paint, so that the first file contains little besides the form.
//!
//! The build splits the page's WebAssembly at [`entry_points`], see `xtask/src/site/split.rs`. A
//! function that the first paint calls by name is always in the first file.

use crate::components::send_question::SendQuestion;
use crate::messages::request::EstimateRun;
use crate::pages;
use crate::state::{App, LazyModule};
use leptos::prelude::*;
use leptos::task::spawn_local;
#[cfg(not(feature = "worker"))]
use leptos::wasm_split;
use leptos::wasm_split::SplitLoaderError;

/// Loads the module and runs the waiting tasks. After a failure, the next call retries.
pub fn load(app: App) {
    app.lazy.missing.set(false);
    spawn_local(async move {
        match module().await {
            Ok(module) => app.lazy.loaded(module),
            Err(_) => app.lazy.missing.set(true),
        }
    });
}

#[cfg(not(feature = "worker"))]
async fn module() -> Result<&'static LazyModule, SplitLoaderError> {
    entry_points().await
}

/// The worker also links this library, and must not contain the page's split-off code.
#[cfg(feature = "worker")]
async fn module() -> Result<&'static LazyModule, SplitLoaderError> {
    entry_points()
}

#[cfg_attr(
    not(feature = "worker"),
    wasm_split::wasm_split(later, wasm_split_path = ::leptos::wasm_split, fallible)
)]
fn entry_points() -> Result<&'static LazyModule, SplitLoaderError> {
    static MODULE: LazyModule = LazyModule {
        page: pages::show,
        offers: pages::run::offers,
        endpoint_fields: pages::run::endpoint::fields,
        in_page_fields: pages::run::in_page::fields,
        settings: pages::run::settings::fields,
        progress: pages::run::progress,
        results: pages::run::results,
        send_question: || view! { <SendQuestion/> }.into_any(),
        ask: App::ask_now,
        play: App::play_now,
        estimate: |app, settings, estimate| estimate.refresh(app, EstimateRun { settings }),
        cancel_run: App::cancel_run_now,
        start_worker: App::start_worker_now,
        restart_worker: App::restart_worker_now,
        refresh_runs: App::refresh_runs_now,
        list_packs: App::list_packs_now,
    };
    Ok(&MODULE)
}
