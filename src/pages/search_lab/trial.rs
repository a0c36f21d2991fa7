//! A single query: what each retriever finds, and its place on the map.

use super::Lab;
use super::map::Map;
use crate::messages::search_lab::{LabHits, LabReport, SearchCorpus};
use crate::state::Latest;
use crate::t;
use leptos::prelude::*;

/// The field, the hits and the map.
#[component]
pub(super) fn Trial(lab: Lab, report: StoredValue<LabReport>) -> impl IntoView {
    let text = RwSignal::new(String::new());
    let found = Latest::<Vec<LabHits>>::new();
    let typed = move |event| {
        let value = event_target_value(&event);
        if value.trim().is_empty() {
            found.clear();
        } else {
            found.refresh(lab.app, SearchCorpus { text: value.clone() });
        }
        text.set(value);
    };
    let hits = move || match found.get() {
        None => ().into_any(),
        Some(Err(message)) => {
            view! { <p class="field-error" role="alert">{message}</p> }.into_any()
        }
        Some(Ok(all)) => all.iter().map(column).collect_view().into_any(),
    };
    let answers = Memo::new(move |_| found.get().and_then(Result::ok).unwrap_or_default());
    view! {
        <section class="lab-trial" aria-labelledby="lab-trial">
            <h3 id="lab-trial">{t!("Try a query")}</h3>
            <label class="field">
                <span class="label">{t!("Search these tools with your own words")}</span>
                <input type="search" autocomplete="off" data-test="lab-text" placeholder=t!("wake me up at seven")
                    prop:value=text on:input=typed/>
            </label>
            <div class="lab-hits" aria-live="polite" data-test="lab-hits">{hits}</div>
            <Map report answers/>
        </section>
    }
}

fn column(found: &LabHits) -> impl IntoView + use<> {
    let hit = |(name, score): &(String, f64)| {
        view! { <li><code>{name.clone()}</code> <span class="num">{format!("{score:.3}")}</span></li> }
    };
    let hits = found.hits.iter().map(hit).collect_view();
    let none = found.hits.is_empty().then(|| view! { <p class="quiet">{t!("Nothing found.")}</p> });
    view! {
        <div>
            <h4>{found.retriever.clone()}</h4>
            <ol>{hits}</ol>
            {none}
        </div>
    }
}
