//! The model that plays agents: that of the Run page, in this page or at an endpoint.

use super::endpoint::EndpointFields;
use super::endpoint_settings::EndpointSettings;
use crate::platform::fetch;
use crate::session::field::Problem;
use crate::state::use_app;
use crate::t;
use crate::texts;
use leptos::prelude::*;

/// The fields of the endpoint, or the name of the model in this page.
#[component]
pub fn AgentsModel(
    /// Whether the fields show their problems.
    attempted: RwSignal<bool>,
) -> impl IntoView {
    let app = use_app();
    let problems: Memo<Vec<Problem>> = Memo::new(move |_| {
        let found =
            app.setup.form.with(|form| form.answering(&fetch::origin(), texts::current()).err());
        if attempted.get() { found.unwrap_or_default() } else { Vec::new() }
    });
    let in_page = Memo::new(move |_| {
        app.setup.form.with(|form| {
            form.loaded.as_ref().filter(|_| form.runs_in_page()).map(|loaded| loaded.name.clone())
        })
    });
    view! {
        <Show when=move || in_page.read().is_some()
            fallback=move || view! { <EndpointFields problems attempted/> }>
            <p data-test="agents-in-page">{move || in_page.get().map(|name| t!(
                "{name} in this page plays the agents. To ask an endpoint, choose it on Run.",
                name = name
            ))}</p>
        </Show>
        <details class="more">
            <summary>{t!("More settings")}</summary>
            <EndpointSettings problems/>
        </details>
    }
}
