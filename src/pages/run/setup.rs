//! The form: model, abilities, and the Run button.

use super::amount::AmountFields;
use super::asking::AskingFields;
use super::estimate::EstimateLine;
use super::field::{FieldError, Problems};
use crate::components::copy_link::CopyLink;
use crate::pages::data::PackChoice;
use crate::platform::fetch;
use crate::protocol::Command;
use crate::session::field::FieldName;
use crate::session::{Choice, Phase, Route, fill};
use crate::state::{App, use_app};
use crate::t;
use crate::texts::{self, translated};
use dataset::{Ability, Split};
use leptos::prelude::*;

/// The form.
#[component]
pub fn Setup() -> impl IntoView {
    let app = use_app();
    let attempted = RwSignal::new(false);
    let problems: Problems = Memo::new(move |_| {
        let found =
            app.setup.form.with(|form| form.settings(&fetch::origin(), texts::current()).err());
        if attempted.get() { found.unwrap_or_default() } else { Vec::new() }
    });
    let active = Memo::new(move |_| app.run.current.with(|run| run.phase.is_active()));
    let run = move |_| attempted.set(!app.start_run());
    let is_endpoint =
        Memo::new(move |_| app.setup.form.with(|form| form.choice == Choice::Endpoint));
    view! {
        <form class="panel setup" aria-label=t!("Run settings") on:submit=|event| event.prevent_default()>
            <fieldset class="choices">
                <legend>{t!("Model")}</legend>
                {Choice::ALL.map(|choice| view! { <ModelCard app choice/> }).into_iter().collect_view()}
            </fieldset>
            {move || is_endpoint.get().then(|| endpoint_fields(app, problems, attempted))}
            <SplitSelect app/>
            <Show when=move || app.setup.form.with(|form| form.split == Split::Standard)>
                <PackChoice/>
            <fieldset class="abilities">
                    <legend>{t!("Abilities")}</legend>
                    {Ability::ALL.map(|ability| view! { <AbilityBox app ability/> }).into_iter().collect_view()}
                    <FieldError problems field=FieldName::Abilities/>
                </fieldset>
            </Show>
            <AmountFields problems/>
            <AskingFields problems/>
            <div class="actions">
                {move || if active.get() {
                    view! { <Controls app/> }.into_any()
                } else {
                    let again = app.run.current.with(|run| run.phase != Phase::Idle);
                    view! {
                        <button type="button" class="button button-primary" data-test="run-button"
                            on:click=run>{if again { t!("Run again") } else { t!("Run") }}</button>
                    }.into_any()
                }}
            </div>
            <EstimateLine problems/>
            <CopyLink label=t!("Copy settings link") test="settings-link"
                link=move || Ok(Route::Fill(app.setup.form.with_untracked(fill::query)).href())/>
        </form>
    }
}

/// The fields of an endpoint, once the lazy-loaded module is there.
fn endpoint_fields(app: App, problems: Problems, attempted: RwSignal<bool>) -> AnyView {
    match app.lazy.module.get() {
        Some(lazy) => (lazy.endpoint_fields)(problems, attempted),
        None => view! { <p class="empty waiting" role="status">{t!("Loading…")}</p> }.into_any(),
    }
}

/// Pause and cancel.
#[component]
fn Controls(app: App) -> impl IntoView {
    let phase = Memo::new(move |_| app.run.current.with(|run| run.phase));
    let paused = move || phase.get() == Phase::Paused;
    view! {
        <button type="button" class="button button-stop" data-test="cancel-button"
            on:click=move |_| app.cancel_run()>{t!("Cancel")}</button>
        <button type="button" class="button button-large" data-test="pause-button"
            disabled=move || phase.get() == Phase::Loading
            on:click=move |_| app.send(Command::Pause { on: !paused() })>
            {move || if paused() { t!("Resume") } else { t!("Pause") }}
        </button>
    }
}

#[component]
fn ModelCard(app: App, choice: Choice) -> impl IntoView {
    let id = choice.as_str();
    let checked = move || app.setup.form.with(|form| form.choice == choice);
    view! {
        <label class="card" class:card-picked=checked>
            <input type="radio" name="model" value=id data-test=format!("model-{id}") prop:checked=checked
                on:change=move |_| app.setup.form.update(|form| form.choice = choice)/>
            <span>
                <span class="card-title">{choice.title(texts::current())}</span>
                <span class="card-text">{choice.explain(texts::current())}</span>
            </span>
        </label>
    }
}

/// The choice of the split.
#[component]
fn SplitSelect(app: App) -> impl IntoView {
    let options = Split::ALL.map(|split| {
        let picked = move || app.setup.form.with(|form| form.split == split);
        view! { <option value=split.as_str() selected=picked>{translated(split.title())}</option> }
    });
    let pick = move |event| {
        let value = event_target_value(&event);
        if let Some(split) = Split::ALL.into_iter().find(|it| it.as_str() == value) {
            app.setup.form.update(|form| form.split = split);
        }
    };
    view! {
        <label class="field">
            <span class="label">{t!("Dialogues")}</span>
            <select data-test="split" on:change=pick>{options.into_iter().collect_view()}</select>
            <span class="hint">{move || translated(app.setup.form.with(|form| form.split.explain()))}</span>
        </label>
    }
}

#[component]
fn AbilityBox(app: App, ability: Ability) -> impl IntoView {
    view! {
        <label class="check">
            <input type="checkbox" data-test=format!("ability-{}", ability.as_str())
                prop:checked=move || app.setup.form.with(|form| form.abilities.contains(&ability))
                on:change=move |event| {
                    let on = event_target_checked(&event);
                    app.setup.form.update(|form| form.toggle(ability, on));
                }/>
            {translated(ability.title())}
        </label>
    }
}
