//! Request settings: sampling, wire format, and how requests are sent.

use super::field::{OptionField, Problems};
use crate::session::Choice;
use crate::state::use_app;
use crate::t;
use leptos::prelude::*;
use provider::WireFormat;
use record::options::{Group, OPTIONS};

/// The options of an endpoint.
#[component]
pub fn EndpointSettings(
    /// Problems with the fields.
    problems: Problems,
    /// Whether the answers make no record of a run.
    #[prop(optional)]
    without_record: bool,
) -> impl IntoView {
    let app = use_app();
    let is_server = move || app.setup.form.with(|form| form.choice != Choice::InPage);
    // Other pages ask the endpoint, too, whatever model runs here.
    let draft = Memo::new(move |_| {
        let mut form = app.setup.form.get();
        if form.choice != Choice::InPage {
            form.choice = Choice::Endpoint;
        }
        form.draft()
    });
    let options = OPTIONS.into_iter().filter(move |option| match option.group {
        Group::Prompts => false,
        Group::Claims => !without_record,
        Group::Sampling | Group::Requests => true,
    });
    view! {
        <p class="hint">
            {t!("Empty fields use the endpoint's defaults. Values the endpoint rejects are dropped and \
                 noted in the record.")}
        </p>
        <Show when=is_server><FormatField/></Show>
        {options.map(|option| view! { <OptionField option draft problems/> }).collect_view()}
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
        if let Some(format) = WireFormat::ALL.into_iter().find(|format| format.as_str() == id) {
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
