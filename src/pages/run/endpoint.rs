//! Form fields of an endpoint, and the connection test.

use super::connection::{Checks, Connection, test};
use super::field::{Problems, TextField};
use crate::components::key_field::KeyField;
use crate::platform::fetch;
use crate::session::field::FieldName;
use crate::state::use_app;
use crate::t;
use crate::texts::translated;
use leptos::prelude::*;
use provider::{Origin, PRESETS, PresetFacts};

/// Maximum number of model buttons; the field's suggestions have every model.
const MOST_LISTED: usize = 24;

/// The fields, as an entry point of the lazy-loaded module.
pub fn fields(problems: Problems, attempted: RwSignal<bool>) -> AnyView {
    view! { <EndpointFields problems attempted/> }.into_any()
}

/// Server, address, key, model, test.
#[component]
pub fn EndpointFields(
    /// Problems with the fields.
    problems: Problems,
    /// Whether the fields show their problems.
    attempted: RwSignal<bool>,
) -> impl IntoView {
    let app = use_app();
    let models = RwSignal::new(Vec::<String>::new());
    let connection = RwSignal::new(Connection::Untested);
    let origin = Memo::new(move |_| app.setup.form.with(|form| Origin::of(&form.address).ok()));
    view! {
        <fieldset class="endpoint">
            <legend>{t!("Endpoint")}</legend>
            <PresetField models connection/>
            <div class="endpoint-row">
            <TextField problems field=FieldName::Address label=t!("Address") test="endpoint-url"
                input_mode="url" get=|form| form.address.clone() set=|form, text| form.type_address(text)/>
            <KeyField origin test="endpoint-key"/>
            <TextField problems field=FieldName::Model label=t!("Model") test="endpoint-model" list="models"
                get=|form| form.model.clone() set=|form, text| form.model = text/>
            </div>
            <datalist id="models">
                {move || models.get().into_iter().map(|name| view! { <option value=name/> }).collect_view()}
            </datalist>
            <ModelList models/>
            <ConnectionTest models connection attempted/>
            <div class="endpoint-key-notes">
            <p class="hint">
                {t!("Held in memory for this host only, until you close the page. Never in the record.")}
            </p>
            <label class="check">
                <input type="checkbox" data-test="keep-key" prop:checked=move || app.sending.keys.read().keep
                    on:change=move |event| {
                        let keep = event_target_checked(&event);
                        app.sending.keys.update(|keys| keys.keep = keep);
                    }/>
                {t!("Keep the key when this tab reloads")}
            </label>
            </div>
        </fieldset>
    }
}

/// Preset buttons, with a remark on the selected preset.
#[component]
fn PresetField(models: RwSignal<Vec<String>>, connection: RwSignal<Connection>) -> impl IntoView {
    let app = use_app();
    let button = |facts: PresetFacts| {
        let picked = move || app.setup.form.with(|form| form.preset == facts.preset);
        let pick = move |_| {
            app.setup.form.update(|form| form.pick(facts.preset));
            models.set(Vec::new());
            connection.set(Connection::Untested);
        };
        view! {
            <button type="button" class="chip-button" data-test=format!("preset-{}", facts.id)
                aria-pressed=move || picked().to_string() on:click=pick>{translated(facts.title)}</button>
        }
    };
    let remark = move || {
        let facts = app.setup.form.with(|form| form.preset.facts());
        translated(facts.remark).replace("{origin}", &fetch::origin())
    };
    view! {
        <div class="presets" role="group" aria-label=t!("Server")>
            {PRESETS.map(button).into_iter().collect_view()}
        </div>
        <p class="hint" data-test="preset-remark">{remark}</p>
    }
}

/// The endpoint's models as buttons.
#[component]
fn ModelList(models: RwSignal<Vec<String>>) -> impl IntoView {
    let app = use_app();
    let button = move |name: String| {
        let (own, shown) = (name.clone(), name.clone());
        let picked = move || app.setup.form.with(|form| form.model.trim() == own);
        view! {
            <button type="button" class="chip-button" data-test="model-option"
                aria-pressed=move || picked().to_string()
                on:click=move |_| app.setup.form.update(|form| form.model.clone_from(&name))>{shown}</button>
        }
    };
    let listed = move || models.get().into_iter().take(MOST_LISTED).map(button).collect_view();
    view! {
        <Show when=move || !models.read().is_empty()>
            <div class="presets" role="group" aria-label=t!("Models of the endpoint")>{listed}</div>
        </Show>
    }
}

/// The test button, the verdict, and a line per check.
#[component]
fn ConnectionTest(
    models: RwSignal<Vec<String>>,
    connection: RwSignal<Connection>,
    attempted: RwSignal<bool>,
) -> impl IntoView {
    let app = use_app();
    let press = move |_| {
        attempted.set(true);
        test(app, models, connection);
    };
    view! {
        <div class="connection">
            <button type="button" class="button" data-test="test-connection" on:click=press
                disabled=move || connection.read().is_testing()>{t!("Test connection")}</button>
            <div class="connection-result" data-test="connection-message" role="status">
                <p class=move || connection.read().class()>{move || connection.read().text()}</p>
                <Checks connection/>
            </div>
        </div>
    }
}
