//! The Run page: form, progress, results.

mod abilities;
pub mod agents_model;
mod amount;
mod asking;
mod browser_model;
pub mod card;
mod choose_model;
mod connection;
pub mod endpoint;
pub mod endpoint_settings;
mod estimate;
mod failures;
mod field;
mod forms;
mod from_address;
mod headline;
mod heat;
mod horizon;
pub mod in_page;
mod kept_models;
mod last;
mod linked;
mod meaning;
mod measures;
mod model;
mod own_tools;
mod progress;
mod reference;
mod results;
mod retriever_controls;
mod sample_filters;
mod samples;
pub mod settings;
mod setup;
mod sign;
pub mod size;
mod unfinished;

pub use field::Problems;
pub use results::ProfileSwitch;

use crate::components::deferred::Deferred;
use crate::session::Phase;
use crate::state::use_app;
use crate::t;
use leptos::prelude::*;

/// The form, then the progress and the results of the run.
#[component]
pub fn RunPage(
    /// Whether to scroll to the results.
    #[prop(optional)]
    to_results: bool,
) -> impl IntoView {
    let app = use_app();
    if to_results {
        Effect::new(move || {
            let place = document().get_element_by_id("results");
            if let Some(place) = place {
                place.scroll_into_view();
            }
        });
    }
    let idle = Memo::new(move |_| app.run.current.with(|run| run.phase == Phase::Idle));
    view! {
        <div class="intro" class:visually-hidden=move || !idle.get()>
            <h1>{t!("How well does a language model use tools?")}</h1>
            <p>
                {t!("API-Bank shows a model recorded dialogues, asks for the next API call or reply, runs \
                     each call on simulated databases and checks its effect.")}
            </p>
        </div>
        {move || app.lazy.module.get().map(|lazy| (lazy.offers)())}
        <setup::Setup/>
        {move || if idle.get() {
            view! { <abilities::Abilities/> }.into_any()
        } else {
            app.lazy.module.get().map(|lazy| (lazy.progress)()).into_any()
        }}
        {move || app.lazy.module.get().map(|lazy| (lazy.results)())}
    }
}

/// Notices of links, unfinished runs and the run shown before a reload.
pub fn offers() -> AnyView {
    view! {
        <linked::Linked/>
        <unfinished::Unfinished/>
        <last::LastRun/>
    }
    .into_any()
}

/// The progress of the run.
pub fn progress() -> AnyView {
    view! { <progress::ProgressPanel/> }.into_any()
}

/// The results of the run.
pub fn results() -> AnyView {
    let app = use_app();
    // The first sample reveals all of these sections: render them in separate frames.
    let goes_on = move || app.run.current.with_untracked(|run| run.phase.is_active());
    let has_samples = Memo::new(move |_| app.run.current.with(|run| !run.samples.is_empty()));
    view! {
        <failures::Failures/>
        <Show when=move || has_samples.get()>
            <results::Results goes_on=goes_on()/>
            <Deferred frames=Some(if goes_on() { 3 } else { 0 })>
                <samples::Samples goes_on=goes_on()/>
            </Deferred>
        </Show>
    }
    .into_any()
}
