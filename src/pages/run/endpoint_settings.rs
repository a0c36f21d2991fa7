//! Request settings: sampling, concurrency, wire format, timeouts.

use super::field::{Problems, TextField, Tick};
use crate::session::Choice;
use crate::session::field::FieldName;
use crate::state::use_app;
use crate::t;
use leptos::prelude::*;
use provider::WireFormat;

/// The common settings, then the advanced ones.
#[component]
pub fn EndpointSettings(
    /// Problems with the fields.
    problems: Problems,
) -> impl IntoView {
    let app = use_app();
    let is_server = move || app.setup.form.with(|form| form.choice != Choice::InPage);
    view! {
            <div class="field-row">
                <TextField problems field=FieldName::Temperature label=t!("Temperature") test="endpoint-temperature"
                    input_mode="decimal"
                    get=|form| form.temperature.clone() set=|form, text| form.temperature = text/>
                <TextField problems field=FieldName::MaxTokens label=t!("Max answer tokens")
                    test="endpoint-max-tokens" input_mode="numeric"
                    get=|form| form.max_tokens.clone() set=|form, text| form.max_tokens = text/>
                <Show when=is_server>
                <TextField problems field=FieldName::Concurrency label=t!("Requests in flight")
                    test="endpoint-concurrency" input_mode="numeric"
                    get=|form| form.concurrency.clone() set=|form, text| form.concurrency = text/>
                </Show>
            </div>
            <p class="hint">
                {t!("Empty fields use the endpoint's defaults. Values the endpoint rejects are dropped and \
                     noted in the record.")}
            </p>
            <MoreFields problems is_server/>
    }
}

/// Advanced settings: wire format, sampling, context, timeouts, streaming.
#[component]
fn MoreFields(
    problems: Problems,
    /// Whether the settings are a server's; a model in the page needs fewer.
    is_server: impl Fn() -> bool + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let app = use_app();
    let is_ollama =
        move || is_server() && app.setup.form.with(|form| form.format == WireFormat::Ollama);
    view! {
        <div class="more">
            <Show when=is_server><FormatField/></Show>
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
            <Show when=is_server>
            <div class="field-row">
                <TextField problems field=FieldName::HeadersTimeout label=t!("Header timeout (seconds)")
                    test="endpoint-timeout" input_mode="numeric"
                    get=|form| form.more.headers_s.clone() set=|form, text| form.more.headers_s = text/>
                <TextField problems field=FieldName::BodyTimeout label=t!("Body timeout (seconds)")
                    test="endpoint-body-timeout" input_mode="numeric"
                    get=|form| form.more.body_s.clone() set=|form, text| form.more.body_s = text/>
            </div>
            </Show>
            <Tick label=t!("Stream answers") test="endpoint-streaming"
                get=|form| form.more.streaming set=|form, on| form.more.streaming = on/>
            <Tick label=t!("Require tool calls") test="endpoint-must-call"
                get=|form| form.more.must_call set=|form, on| form.more.must_call = on/>
            <Tick label=t!("Constrain the form of answers") test="endpoint-constrained"
                get=|form| form.more.constrained set=|form, on| form.more.constrained = on/>
            <Tick label=t!("Fold system messages and tool results into the user's turns")
                test="endpoint-fold-roles"
                get=|form| form.more.fold_roles set=|form, on| form.more.fold_roles = on/>
            <TextField problems field=FieldName::Extra label=t!("Extra request fields (JSON)")
                test="endpoint-extra"
                get=|form| form.more.extra.clone() set=|form, text| form.more.extra = text/>
        </div>
    }
}

/// The wire format.
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
