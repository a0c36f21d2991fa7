//! The fields of an endpoint, and the test of its connection.

use super::connection::{Connection, test};
use super::setup::{FieldError, Problems, error_id, message_of};
use crate::app::use_app;
use crate::platform::fetch;
use crate::session::settings::FieldName;
use crate::session::{Form, Preset};
use leptos::prelude::*;
use leptos::task::spawn_local;

/// Preset, address, key, model, sampling.
#[component]
pub fn EndpointFields(
    /// What is wrong with the fields.
    problems: Problems,
    /// Set once the fields are to show what is wrong with them.
    attempted: RwSignal<bool>,
) -> impl IntoView {
    let app = use_app();
    let models = RwSignal::new(Vec::<String>::new());
    let connection = RwSignal::new(Connection::Untested);
    let press = move |_| {
        attempted.set(true);
        connection.set(Connection::Testing);
        spawn_local(async move { test(app, models, connection).await });
    };
    let options = Preset::ALL.map(|preset| {
        let picked = move || app.form.with(|form| form.preset == preset);
        view! { <option value=preset.as_str() selected=picked>{preset.title()}</option> }
    });
    let pick = move |event| {
        let value = event_target_value(&event);
        if let Some(preset) = Preset::ALL.into_iter().find(|it| it.as_str() == value) {
            app.form.update(|form| form.pick(preset));
            models.set(Vec::new());
            connection.set(Connection::Untested);
        }
    };
    let preset = move || app.form.with(|form| form.preset);
    view! {
        <fieldset class="endpoint">
            <legend>"Endpoint"</legend>
            <label class="field">
                <span class="label">"Preset"</span>
                <select data-test="endpoint-preset" on:change=pick>{options.into_iter().collect_view()}</select>
                <span class="hint">{move || preset().hint(&fetch::origin())}</span>
            </label>
            <TextField problems field=FieldName::Address label="Address" test="endpoint-url"
                input_mode="url" get=|form| form.address.clone() set=|form, text| form.address = text/>
            <label class="field">
                <span class="label">"API key"</span>
                <input type="password" autocomplete="off" spellcheck="false" data-test="endpoint-key"
                    prop:value=move || app.key.get()
                    on:input=move |event| app.key.set(event_target_value(&event))/>
                <span class="hint">
                    "Kept in memory until you close the page. Never in the record."
                </span>
            </label>
            <label class="check">
                <input type="checkbox" data-test="keep-key" prop:checked=move || app.keep_key.get()
                    on:change=move |event| app.keep_key.set(event_target_checked(&event))/>
                "Keep the key through reloads of this tab"
            </label>
            <TextField problems field=FieldName::Model label="Model" test="endpoint-model" list="models"
                get=|form| form.model.clone() set=|form, text| form.model = text/>
            <datalist id="models">
                {move || models.get().into_iter().map(|name| view! { <option value=name/> }).collect_view()}
            </datalist>
            <div class="connection">
                <button type="button" class="button" data-test="test-connection" on:click=press
                    disabled=move || connection.get() == Connection::Testing>"Test connection"</button>
                <p class=move || connection.read().class() data-test="connection-message" role="status">
                    {move || connection.read().text()}
                </p>
            </div>
            <div class="field-row">
                <TextField problems field=FieldName::Temperature label="Temperature" test="endpoint-temperature"
                    input_mode="decimal"
                    get=|form| form.temperature.clone() set=|form, text| form.temperature = text/>
                <TextField problems field=FieldName::MaxTokens label="Longest answer, tokens"
                    test="endpoint-max-tokens" input_mode="numeric"
                    get=|form| form.max_tokens.clone() set=|form, text| form.max_tokens = text/>
                <TextField problems field=FieldName::Concurrency label="Requests at a time"
                    test="endpoint-concurrency" input_mode="numeric"
                    get=|form| form.concurrency.clone() set=|form, text| form.concurrency = text/>
            </div>
            <p class="hint">"An empty field leaves the value to the endpoint. Some models refuse a temperature."</p>
        </fieldset>
    }
}

/// A text field of the form with its message.
#[component]
fn TextField(
    problems: Problems,
    field: FieldName,
    label: &'static str,
    test: &'static str,
    get: fn(&Form) -> String,
    set: fn(&mut Form, String),
    #[prop(default = "text")] input_mode: &'static str,
    #[prop(optional)] list: Option<&'static str>,
) -> impl IntoView {
    let app = use_app();
    let wrong = move || problems.with(|all| message_of(all, field).is_some());
    view! {
        <div class="field">
            <label>
                <span class="label">{label}</span>
                <input type="text" inputmode=input_mode list=list autocomplete="off" spellcheck="false"
                    autocapitalize="off" data-test=test
                    prop:value=move || app.form.with(get)
                    aria-invalid=move || wrong().then_some("true")
                    aria-describedby=move || wrong().then(|| error_id(field))
                    on:input=move |event| {
                        let text = event_target_value(&event);
                        app.form.update(|form| set(form, text));
                    }/>
            </label>
            <FieldError problems field/>
        </div>
    }
}
