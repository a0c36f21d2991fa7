//! The tools on the two principal components of their vectors, as a picture.

use crate::components::tool_map::Picture;
use crate::messages::search_lab::{LabHits, LabReport};
use crate::t;
use leptos::prelude::*;

/// The map, with a choice of the retriever if several have vectors.
#[component]
pub(super) fn Map(report: StoredValue<LabReport>, answers: Memo<Vec<LabHits>>) -> impl IntoView {
    let mapped: Vec<(usize, String)> = report.with_value(|report| {
        let runs = report.runs.iter().enumerate().filter(|(_, run)| !run.map.is_empty());
        runs.map(|(at, run)| (at, run.retriever.clone())).collect()
    });
    let Some((first, _)) = mapped.first().cloned() else {
        return view! {
            <p class="quiet">{t!("A map needs vectors: choose a retriever that embeds.")}</p>
        }
        .into_any();
    };
    let chosen = RwSignal::new(first);
    let choice = (mapped.len() > 1).then(|| {
        let button = |(at, name): (usize, String)| {
            view! {
                <button type="button" class="segment" aria-pressed=move || (chosen.get() == at).to_string()
                    on:click=move |_| chosen.set(at)>{name}</button>
            }
        };
        let buttons = mapped.into_iter().map(button).collect_view();
        view! { <div class="segments" role="group" aria-label=t!("Retriever")>{buttons}</div> }
    });
    let picture = move || {
        let run = chosen.get();
        let points = report.with_value(|report| report.runs.get(run).map(|run| run.map.clone()));
        view! { <Picture points=points.unwrap_or_default() run answers/> }
    };
    view! {
        <div class="lab-head">
            <h4>{t!("Map of the tools")}</h4>
            {choice}
        </div>
        <p class="hint">
            {t!("Near points have similar texts. Two of many dimensions are shown (PCA), so the nearest tools may look far. Arrow keys move between points.")}
        </p>
        {picture}
    }
    .into_any()
}
