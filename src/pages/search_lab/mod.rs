//! `#/search-lab`: which retriever finds the tools that a query needs.

mod choose;
mod copy;
mod map;
mod misses;
mod models;
mod picker;
mod result;
mod start;
mod tables;
mod trial;

use crate::messages::Asset;
use crate::platform::page;
use crate::session::SearchLab;
use crate::session::search_lab::LabPhase;
use crate::state::{App, use_app};
use crate::t;
use leptos::html;
use leptos::prelude::*;

/// The state, with what every part of the page needs.
#[derive(Clone, Copy)]
struct Lab {
    app: App,
    state: RwSignal<SearchLab>,
    /// The heading of the choices, which the result's button moves to.
    choices: NodeRef<html::H2>,
}

/// The page.
#[component]
pub fn SearchLabPage() -> impl IntoView {
    let app = use_app();
    let lab = Lab { app, state: app.lab.signal(), choices: NodeRef::new() };
    view! {
        <Styled>
            <div class="intro">
                <h1>{t!("Search lab")}</h1>
                <p>
                    {t!("A model can only call an API that its search finds. This page measures the search alone: how often retrievers find the tools that a query needs, and what they rank first instead.")}
                </p>
            </div>
            <div class="lab">
                <div class="lab-main">
                    <start::Status lab/>
                    <Result lab/>
                </div>
                <choose::Choices lab/>
            </div>
        </Styled>
    }
}

/// Loads the page's style sheet, which no other page needs, before it shows the page.
#[component]
fn Styled(children: ChildrenFn) -> impl IntoView {
    let loaded = RwSignal::new(false);
    let sheet = page::assets().ok().map(|it| it.lab_style);
    let link = sheet.map(|Asset { url, integrity }| {
        view! {
            <link rel="stylesheet" href=url integrity=integrity
                on:load=move |_| loaded.set(true) on:error=move |_| loaded.set(true)/>
        }
    });
    if link.is_none() {
        loaded.set(true);
    }
    view! {
        {link}
        <div class="lab-page" class:visually-hidden=move || !loaded.get() inert=move || !loaded.get()>{children()}</div>
    }
}

/// The result, or what this page answers.
#[component]
fn Result(lab: Lab) -> impl IntoView {
    let turn = Memo::new(move |_| lab.state.with(|state| state.turn));
    let is_idle = Memo::new(move |_| lab.state.with(|state| !state.is_running()));
    move || {
        // Tracking alone would not compute it.
        let _ = turn.get();
        let report = lab.state.with_untracked(|state| state.report.clone());
        match report {
            Some(report) => view! { <result::Report lab report/> }.into_any(),
            None => view! {
                <Show when=move || is_idle.get()><Empty lab/></Show>
            }
            .into_any(),
        }
    }
}

#[component]
fn Empty(lab: Lab) -> impl IntoView {
    let standard = move |_| {
        lab.state.update(SearchLab::choose_standard);
        start::start(lab);
    };
    view! {
        <section class="panel lab-empty" aria-labelledby="lab-empty">
            <h2 id="lab-empty">{t!("Is it the model, or the search?")}</h2>
            <p>
                {t!("If the right API is not among the five that a search returns, no model can call it. The standard comparison shows how often that happens with the built-in embedding model and with BM25, on all APIs and the gold keywords of the dialogues.")}
            </p>
            <button type="button" class="button button-primary" data-test="lab-standard" on:click=standard>
                {t!("Run the standard comparison")}
            </button>
        </section>
    }
}

/// Whether the last evaluation failed or was cancelled, as a text.
fn trouble(phase: &LabPhase) -> Option<String> {
    match phase {
        LabPhase::Cancelled => Some(t!("Cancelled").to_owned()),
        LabPhase::Failed(reason) => Some(reason.clone()),
        LabPhase::Idle | LabPhase::Running { .. } => None,
    }
}
