//! Form field: the model.

use super::field::Problems;
use crate::session::Choice;
use crate::state::{App, use_app};
use crate::t;
use crate::texts;
use leptos::prelude::*;

/// A card per kind of model, and below them the endpoint's fields.
#[component]
pub fn ModelChoice(
    /// Problems with the fields.
    problems: Problems,
    /// Whether the fields show their problems.
    attempted: RwSignal<bool>,
) -> impl IntoView {
    let app = use_app();
    let choice = Memo::new(move |_| app.setup.form.with(|form| form.choice));
    let cards = Choice::ALL.map(|choice| view! { <ModelCard app choice/> });
    view! {
        <fieldset class="choices models">
            <legend>{t!("Model")}</legend>
            {cards.into_iter().collect_view()}
        </fieldset>
        {move || match choice.get() {
            Choice::Endpoint => Some(endpoint_fields(app, problems, attempted)),
            Choice::InPage => Some(in_page_fields(app, problems)),
            Choice::KeywordBaseline | Choice::GoldReplay => None,
        }}
    }
}

/// The endpoint's fields, once the module is loaded.
fn endpoint_fields(app: App, problems: Problems, attempted: RwSignal<bool>) -> AnyView {
    match app.lazy.module.get() {
        Some(lazy) => (lazy.endpoint_fields)(problems, attempted),
        None => waiting(),
    }
}

/// The fields of a model in the page, likewise.
fn in_page_fields(app: App, problems: Problems) -> AnyView {
    match app.lazy.module.get() {
        Some(lazy) => (lazy.in_page_fields)(problems),
        None => waiting(),
    }
}

fn waiting() -> AnyView {
    view! { <p class="empty waiting" role="status">{t!("Loading…")}</p> }.into_any()
}

#[component]
fn ModelCard(app: App, choice: Choice) -> impl IntoView {
    let id = choice.as_str();
    let checked = move || app.setup.form.with(|form| form.choice == choice);
    view! {
        <label class="card" class:card-picked=checked>
            <input type="radio" name="model" value=id data-test=format!("model-{id}") prop:checked=checked
                on:change=move |_| app.setup.form.update(|form| form.choose(choice))/>
            <span>
                <span class="card-title">{choice.title(texts::current())}</span>
                <span class="card-text">{choice.explain(texts::current())}</span>
            </span>
        </label>
    }
}
