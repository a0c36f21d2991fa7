//! The retriever of a run: the field of the settings, and comparisons of runs that differ by it.

use crate::messages::compare::{Change, CompareRecords};
use crate::session::Route;
use crate::session::retriever_choice::{RetrieverChoice, counterparts};
use crate::state::{App, go};
use crate::t;
use crate::texts;
use leptos::prelude::*;
use leptos::task::spawn_local;
use record::EmbeddingModel;
use record::compare::MARGIN;

/// Before the index of a model of the user's, as an option's value.
const OWN: &str = "own-";

/// The field, where the run searches.
#[component]
pub(super) fn RetrieverField(app: App) -> impl IntoView {
    let form = app.setup.form;
    let chosen = Memo::new(move |_| form.with(|form| form.asking.retriever));
    let own = Memo::new(move |_| form.with(|form| form.asking.own_retriever.clone()));
    let options = RetrieverChoice::ALL.map(|choice| {
        let picked = move || own.read().is_none() && chosen.get() == choice;
        view! { <option value=choice.as_str() selected=picked>{choice.title(texts::current())}</option> }
    });
    let models = move || {
        let option = |(at, model): (usize, EmbeddingModel)| {
            let name = t!("Your model {name}", name = model.name.clone());
            let picked = move || own.read().as_ref() == Some(&model);
            view! { <option value=format!("{OWN}{at}") selected=picked>{name}</option> }
        };
        app.setup.own_retrievers.get().into_iter().enumerate().map(option).collect_view()
    };
    let pick = move |event| {
        let value = event_target_value(&event);
        let index = value.strip_prefix(OWN).and_then(|at| at.parse::<usize>().ok());
        let model = index.and_then(|at| app.setup.own_retrievers.with(|it| it.get(at).cloned()));
        let found = RetrieverChoice::ALL.into_iter().find(|choice| choice.as_str() == value);
        form.update(|form| {
            form.asking.retriever = found.unwrap_or_default();
            form.asking.own_retriever = model;
        });
    };
    view! {
        <label class="field">
            <span class="label">{t!("Retriever")}</span>
            <select data-test="retriever" on:change=pick>
                {options.into_iter().collect_view()}
                {models}
            </select>
        </label>
        <p class="hint">
            {t!("What ranks the APIs of a search. Oracle minus built-in is what a perfect search would add. A model that you add in the Search lab can be chosen here.")}
            " " <a href=Route::SearchLab.href()>{t!("Search lab")}</a>
        </p>
    }
}

/// Compares the run with a stored one that has the built-in retriever, or the oracle.
#[component]
pub(super) fn RetrieverButtons(app: App) -> impl IntoView {
    let found = Memo::new(move |_| {
        let settings =
            app.run.current.with(|run| run.settings.clone().filter(|_| !run.phase.is_active()));
        let stored = app.records.stored.read();
        match (settings, &*stored) {
            (Some(settings), Ok(list)) => counterparts(&settings, &list.runs),
            _ => Vec::new(),
        }
    });
    let button = move |(choice, id): (RetrieverChoice, String)| {
        let text = match choice {
            RetrieverChoice::Oracle => t!("Compare with the oracle"),
            _ => t!("Compare with the built-in retriever"),
        };
        view! {
            <button class="button" data-test=format!("compare-{}", choice.as_str())
                on:click=move |_| compare(app, id.clone())>{text}</button>
        }
    };
    move || found.get().into_iter().map(button).collect_view()
}

/// Replaces the compared records by a stored run and the last one.
fn compare(app: App, id: String) {
    let change = move |change| {
        let profile = app.run.profile.get_untracked();
        app.ask(CompareRecords { change, profile, margin: MARGIN })
    };
    spawn_local(async move {
        for step in [Change::Clear, Change::AddStored { id }, Change::AddLast] {
            if let Err(message) = change(step).await {
                return app.ui.notify(message);
            }
        }
        go(&Route::Compare);
    });
}
