//! The steps of choosing and loading a model in the page.

use crate::messages::Count;
use crate::messages::in_page::{
    DescribeModel, DigestModel, LoadModel, LoadedModel, ModelDescription, ModelProgress,
};
use crate::messages::kept_models::ChooseKept;
use crate::platform::browser_model;
use crate::platform::files::PickedFiles;
use crate::platform::isolation;
use crate::session::in_page::{Loaded, PageModel, usual_threads};
use crate::state::App;
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

/// Passes files to the worker, then has it compute their digest.
pub(super) fn choose(app: App, picked: PickedFiles) {
    let turn = begin(app, None);
    let described = app.ask_with(DescribeModel {}, Some(picked.files));
    spawn_local(async move {
        describe(app, turn, described).await;
    });
}

/// Loads a model that this browser keeps, with the context that is offered.
pub(super) fn choose_kept(app: App, id: String) {
    let turn = begin(app, Some(id.clone()));
    let described = app.ask(ChooseKept { id });
    spawn_local(async move {
        describe(app, turn, described).await;
        let is_current = app.in_page.with_untracked(|it| it.turn == turn && it.can_load());
        if is_current {
            let context = app.in_page.with_untracked(PageModel::context);
            load(app, context, usual_threads(isolation::threads()));
        }
    });
}

/// Starts to choose a model, which may be one that this browser keeps.
fn begin(app: App, kept: Option<String>) -> u32 {
    browser_model::stop();
    begin_turn(app, kept)
}

/// As [`begin`], for the browser's own model.
pub(super) fn begin_turn(app: App, kept: Option<String>) -> u32 {
    app.in_page.update(|in_page| *in_page = PageModel { kept, ..in_page.choose() });
    app.setup.form.update(|form| form.loaded = None);
    app.in_page.with_untracked(|in_page| in_page.turn)
}

/// Takes the description of files, then the digest.
async fn describe(
    app: App,
    turn: u32,
    described: impl Future<Output = Result<ModelDescription, String>>,
) {
    let described = described.await;
    let is_whole = described.as_ref().is_ok_and(|it| it.problem.is_none());
    if !take(app, turn, |in_page| in_page.described(described)) || !is_whole {
        return;
    }
    let digested = app.follow(DigestModel {}, None, step(app)).await;
    take(app, turn, |in_page| in_page.digested(digested));
}

/// Shows the progress of a model.
fn step(app: App) -> impl Fn(ModelProgress) {
    move |ModelProgress { step, bytes: Count { done, of } }| {
        app.in_page.update(|in_page| in_page.progress(step, done, of));
    }
}

/// Changes the state unless another model was chosen meanwhile.
pub(super) fn take(app: App, turn: u32, change: impl FnOnce(&mut PageModel)) -> bool {
    let is_current = app.in_page.with_untracked(|in_page| in_page.turn == turn);
    if is_current {
        app.in_page.update(change);
    }
    is_current
}

/// Loads the described model.
pub(super) fn load(app: App, context: u64, threads: u32) {
    app.in_page.update(PageModel::load);
    app.setup.form.update(|form| form.loaded = None);
    let turn = app.in_page.with_untracked(|in_page| in_page.turn);
    spawn_local(async move {
        let loaded = app.follow(LoadModel { context, threads }, None, step(app)).await;
        take_loaded(app, turn, loaded);
    });
}

/// Takes the loaded model, also into the form.
pub(super) fn take_loaded(app: App, turn: u32, loaded: Result<LoadedModel, String>) {
    if let Ok(LoadedModel { facts, name, takes_tools, .. }) = &loaded
        && app.in_page.with_untracked(|in_page| in_page.turn == turn)
    {
        let (name, facts) = (name.clone(), facts.clone());
        let loaded = Loaded { name, facts, takes_tools: *takes_tools };
        app.setup.form.update(|form| form.loaded = Some(loaded));
    }
    take(app, turn, |in_page| in_page.loaded(loaded));
}
