//! Form fields of an endpoint, and the connection test.

use super::connection::{Checks, Connection, test};
use super::field::{Problems, TextField, Tick};
use crate::components::key_field::KeyField;
use crate::platform::fetch;
use crate::session::field::FieldName;
use crate::state::use_app;
use crate::t;
use crate::texts::translated;
use leptos::prelude::*;
use provider::{Origin, PRESETS, Preset, WireFormat};

/// The fields, as an entry point of the lazy-loaded module.
pub fn fields(problems: Problems, attempted: RwSignal<bool>) -> AnyView {
    view! { <EndpointFields problems attempted/> }.into_any()
}

/// Preset, address, key, model, test, sampling.
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
            <TextField problems field=FieldName::Address label=t!("Address") test="endpoint-url"
                input_mode="url" get=|form| form.address.clone() set=|form, text| form.type_address(text)/>
            <KeyField origin test="endpoint-key"/>
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
            <TextField problems field=FieldName::Model label=t!("Model") test="endpoint-model" list="models"
                get=|form| form.model.clone() set=|form, text| form.model = text/>
            <datalist id="models">
                {move || models.get().into_iter().map(|name| view! { <option value=name/> }).collect_view()}
            </datalist>
            <ConnectionTest models connection attempted/>
            <div class="field-row">
                <TextField problems field=FieldName::Temperature label=t!("Temperature") test="endpoint-temperature"
                    input_mode="decimal"
                    get=|form| form.temperature.clone() set=|form, text| form.temperature = text/>
                <TextField problems field=FieldName::MaxTokens label=t!("Max answer tokens")
                    test="endpoint-max-tokens" input_mode="numeric"
                    get=|form| form.max_tokens.clone() set=|form, text| form.max_tokens = text/>
                <TextField problems field=FieldName::Concurrency label=t!("Requests in flight")
                    test="endpoint-concurrency" input_mode="numeric"
                    get=|form| form.concurrency.clone() set=|form, text| form.concurrency = text/>
            </div>
            <p class="hint">
                {t!("Empty fields use the endpoint's defaults. Values the endpoint rejects are dropped and \
                     noted in the record.")}
            </p>
            <MoreFields problems/>
        </fieldset>
    }
}

/// The preset menu, with the preset's remark.
#[component]
fn PresetField(models: RwSignal<Vec<String>>, connection: RwSignal<Connection>) -> impl IntoView {
    let app = use_app();
    let options = PRESETS.map(|facts| {
        let picked = move || app.setup.form.with(|form| form.preset == facts.preset);
        view! { <option value=facts.id selected=picked>{translated(facts.title)}</option> }
    });
    let pick = move |event| {
        if let Some(preset) = Preset::from_id(&event_target_value(&event)) {
            app.setup.form.update(|form| form.pick(preset));
            models.set(Vec::new());
            connection.set(Connection::Untested);
        }
    };
    let remark = move || {
        let facts = app.setup.form.with(|form| form.preset.facts());
        translated(facts.remark).replace("{origin}", &fetch::origin())
    };
    view! {
        <label class="field">
            <span class="label">{t!("Preset")}</span>
            <select data-test="endpoint-preset" on:change=pick>{options.into_iter().collect_view()}</select>
            <span class="hint">{remark}</span>
        </label>
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

/// Advanced options: wire format, sampling, context, streaming.
#[component]
fn MoreFields(problems: Problems) -> impl IntoView {
    let app = use_app();
    let is_ollama = move || app.setup.form.with(|form| form.format == WireFormat::Ollama);
    view! {
        <details class="more">
            <summary data-test="endpoint-more">{t!("More settings")}</summary>
            <FormatField/>
            <div class="field-row">
                <TextField problems field=FieldName::TopP label=t!("Top p") test="endpoint-top-p"
                    input_mode="decimal"
                    get=|form| form.more.top_p.clone() set=|form, text| form.more.top_p = text/>
                <TextField problems field=FieldName::SamplingSeed label=t!("Sampling seed") test="endpoint-seed"
                    input_mode="numeric"
                    get=|form| form.more.seed.clone() set=|form, text| form.more.seed = text/>
                <Show when=is_ollama>
                    <TextField problems field=FieldName::NumCtx label=t!("Context window (tokens)")
                        test="endpoint-num-ctx" input_mode="numeric"
                        get=|form| form.more.num_ctx.clone() set=|form, text| form.more.num_ctx = text/>
                </Show>
            </div>
            <div class="field-row">
                <TextField problems field=FieldName::HeadersTimeout label=t!("Header timeout (seconds)")
                    test="endpoint-timeout" input_mode="numeric"
                    get=|form| form.more.headers_s.clone() set=|form, text| form.more.headers_s = text/>
                <TextField problems field=FieldName::BodyTimeout label=t!("Body timeout (seconds)")
                    test="endpoint-body-timeout" input_mode="numeric"
                    get=|form| form.more.body_s.clone() set=|form, text| form.more.body_s = text/>
            </div>
            <Tick label=t!("Stream answers") test="endpoint-streaming"
                get=|form| form.more.streaming set=|form, on| form.more.streaming = on/>
            <Tick label=t!("Require tool calls") test="endpoint-must-call"
                get=|form| form.more.must_call set=|form, on| form.more.must_call = on/>
            <Tick label=t!("Enforce a JSON schema") test="endpoint-constrained"
                get=|form| form.more.constrained set=|form, on| form.more.constrained = on/>
            <TextField problems field=FieldName::Extra label=t!("Extra request fields (JSON)")
                test="endpoint-extra"
                get=|form| form.more.extra.clone() set=|form, text| form.more.extra = text/>
        </details>
    }
}

/// The wire format menu.
#[component]
fn FormatField() -> impl IntoView {
    let app = use_app();
    let options = WireFormat::ALL.map(|format| {
        let picked = move || app.setup.form.with(|form| form.format == format);
        view! { <option value=format.as_str() selected=picked>{format.title()}</option> }
    });
    let pick = move |event| {
        let id = event_target_value(&event);
        if let Some(format) = WireFormat::ALL.into_iter().find(|it| it.as_str() == id) {
            app.setup.form.update(|form| form.format = format);
        }
    };
    view! {
        <label class="field">
            <span class="label">{t!("Wire format")}</span>
            <select data-test="endpoint-format" on:change=pick>{options.into_iter().collect_view()}</select>
        </label>
    }
}
