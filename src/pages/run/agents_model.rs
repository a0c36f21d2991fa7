//! The model that plays agents: that of the Run page, in this page or at an endpoint.

use super::endpoint::EndpointFields;
use super::endpoint_settings::EndpointSettings;
use crate::platform::fetch;
use crate::session::field::Problem;
use crate::session::generation::asking;
use crate::state::{App, use_app};
use crate::t;
use crate::texts;
use generator::Asking;
use leptos::prelude::*;
use provider::ApiKey;

/// Runs `start` with the model and its key, once the user agrees to the endpoint; does nothing while
/// a field is invalid.
pub fn with_agents_model(app: App, start: impl FnOnce(Box<Asking>, Option<ApiKey>) + 'static) {
    let asking =
        app.setup.form.with_untracked(|form| asking(form, &fetch::origin(), texts::current()));
    let Ok(asking) = asking else { return };
    let endpoint = asking.endpoint.clone();
    let source = app.setup.form.with_untracked(|form| form.source());
    app.once_agreed_to(&endpoint, source, move || {
        let key = app.sending.keys.with_untracked(|keys| keys.key_for(&asking.endpoint));
        start(Box::new(asking), key);
    });
}

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
            <EndpointSettings problems without_record=true/>
        </details>
    }
}
