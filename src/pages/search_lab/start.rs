//! Starts an evaluation and shows its progress.

use super::{Lab, trouble};
use crate::messages::search_lab::EvaluationProgress;
use crate::messages::{Cancel, Count};
use crate::session::SearchLab;
use crate::session::format;
use crate::session::search_lab::LabPhase;
use crate::t;
use leptos::prelude::*;
use leptos::task::spawn_local;

/// Starts the chosen evaluation, if it can start.
pub(super) fn start(lab: Lab) {
    let request = lab.state.try_update(SearchLab::start).flatten();
    if let Some(request) = request {
        let ended = lab.app.follow(request, None, move |progress| {
            let EvaluationProgress { retriever, steps: Count { done, of } } = progress;
            lab.state.update(|state| state.progress(retriever, done, of));
        });
        spawn_local(async move {
            let ended = ended.await;
            lab.state.update(|state| state.end(ended));
        });
    }
}

/// Progress and its end, announced to screen readers.
#[component]
pub(super) fn Status(lab: Lab) -> impl IntoView {
    let phase = Memo::new(move |_| lab.state.with(|state| state.phase.clone()));
    // The text changes only with the retriever: nobody wants to hear every percent.
    let text = Memo::new(move |_| match phase.get() {
        LabPhase::Running { of: 0, .. } => t!("Loading the search model…").to_owned(),
        LabPhase::Running { retriever, .. } => lab.state.with(|state| {
            let name = state.evaluated.get(retriever).cloned().unwrap_or_default();
            let (number, of) = (retriever + 1, state.evaluated.len());
            t!(
                "Evaluating {name}, retriever {number} of {of}",
                name = name,
                number = number,
                of = of
            )
        }),
        _ => String::new(),
    });
    let bar = move || match phase.get() {
        LabPhase::Running { done, of, .. } if of > 0 => Some((done, of)),
        _ => None,
    };
    let is_running = Memo::new(move |_| lab.state.with(|state| state.is_running()));
    let problem = Memo::new(move |_| trouble(&phase.get()));
    view! {
            <p class="visually-hidden" role="status">{text}</p>
            <Show when=move || is_running.get()>
                <section class="panel lab-progress" data-test="lab-progress" aria-label=t!("Progress")>
                    <p>
                        <strong>{text}</strong>
                        <span class="num quiet">
                            {move || bar().map(|(done, of)| t!("{n} of {all} steps", n = format::count(done), all = format::count(of)))}
                        </span>
                    </p>
                    <progress aria-label=t!("Tools indexed and queries ranked")
                        max=move || bar().map_or(1, |(_, of)| of).to_string()
                        value=move || bar().map(|(done, _)| done.to_string())></progress>
                    <button type="button" class="button button-stop" data-test="lab-cancel"
                        on:click=move |_| lab.app.send(Cancel {})>{t!("Cancel")}</button>
                </section>
            </Show>
            {move || problem.get().map(|text| view! {
                <p class="panel lab-trouble" role="alert" data-test="lab-trouble">{text}</p>
            })}
    }
}
