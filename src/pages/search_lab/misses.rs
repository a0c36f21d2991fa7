//! The queries that a retriever misses, with the tools that came first.

use crate::messages::search_lab::{LabMiss, LabReport, RESULTS};
use crate::session::format;
use crate::session::search_lab::{group_title, matches};
use crate::t;
use crate::texts;
use leptos::prelude::*;

/// Misses shown at first, and added with each click.
const PAGE: usize = 50;

/// The list, with a choice of the retriever and a filter.
#[component]
pub(super) fn Misses(report: StoredValue<LabReport>) -> impl IntoView {
    // The first retriever that misses any.
    let first = report.with_value(|report| report.runs.iter().position(|run| run.missed > 0));
    let run = RwSignal::new(first.unwrap_or_default());
    let filter = RwSignal::new(String::new());
    let shown = RwSignal::new(PAGE);
    // Another list starts at its top.
    Effect::new(move || {
        run.track();
        filter.track();
        shown.set(PAGE);
    });
    let found = Memo::new(move |_| {
        let filter = filter.read();
        report.with_value(|report| {
            let misses =
                report.runs.get(run.get()).map(|it| it.misses.as_slice()).unwrap_or_default();
            let found = misses.iter().enumerate().filter(|(_, miss)| matches(miss, &filter));
            found.map(|(at, _)| at).collect::<Vec<_>>()
        })
    });
    let about = move || {
        let at = run.get();
        let (missed, all) =
            report.with_value(|it| (it.runs.get(at).map_or(0, |run| run.missed), it.queries));
        let about = t!(
            "{n} of {all} queries lack a tool among the first {k}.",
            n = format::count(missed),
            all = format::count(all),
            k = RESULTS
        );
        if filter.read().trim().is_empty() {
            return about;
        }
        format!("{about} {}", t!("{n} match the filter.", n = format::count(found.read().len())))
    };
    let items = move || {
        report.with_value(|report| {
            let misses =
                report.runs.get(run.get()).map(|it| it.misses.as_slice()).unwrap_or_default();
            let found = found.read();
            let listed = found.iter().take(shown.get()).filter_map(|at| misses.get(*at));
            listed.map(miss).collect_view()
        })
    };
    let tabs = report.with_value(|report| {
        let names = report.runs.iter().map(|run| (run.retriever.clone(), run.missed)).enumerate();
        let tab = |(at, (name, missed)): (usize, (String, usize))| {
            view! {
                <button type="button" class="segment" data-test=format!("lab-misses-{at}")
                    aria-pressed=move || (run.get() == at).to_string()
                    on:click=move |_| run.set(at)>{name} " (" {missed} ")"</button>
            }
        };
        names.map(tab).collect_view()
    });
    view! {
        <section class="lab-misses" aria-labelledby="lab-misses">
            <h3 id="lab-misses">{t!("What each misses")}</h3>
            <div class="actions">
                <div class="segments" role="group" aria-label=t!("Retriever")>{tabs}</div>
                <input type="search" class="lab-filter" autocomplete="off" data-test="lab-filter"
                    aria-label=t!("Filter by query or tool") placeholder=t!("Filter by query or tool")
                    prop:value=filter on:input=move |event| filter.set(event_target_value(&event))/>
            </div>
            <p class="quiet" role="status" data-test="lab-missed">{about}</p>
            <ol class="lab-list" data-test="lab-miss-list">{items}</ol>
            {move || (shown.get() < found.read().len()).then(|| view! {
                <button type="button" class="button" data-test="lab-more"
                    on:click=move |_| shown.update(|shown| *shown += PAGE)>
                    {t!("Show {n} more", n = PAGE)}
                </button>
            })}
        </section>
    }
}

fn miss(miss: &LabMiss) -> impl IntoView + use<> {
    let needed = miss.relevant.iter().map(|(name, rank)| {
        let place = match rank {
            Some(rank) => t!("place {rank}", rank = rank),
            None => t!("not found").to_owned(),
        };
        view! { <li><code>{name.clone()}</code> " " <span class="quiet num">{place}</span></li> }
    });
    let won = miss.neighbours.iter().map(|(name, score)| {
        view! { <li><code>{name.clone()}</code> " " <span class="quiet num">{format!("{score:.2}")}</span></li> }
    });
    let nothing =
        miss.neighbours.is_empty().then(|| view! { <span class="quiet">{t!("nothing")}</span> });
    view! {
        <li>
            <p><q>{miss.text.clone()}</q> " " <span class="tag">{group_title(&miss.kind, texts::current())}</span></p>
            <div class="lab-miss">
                <span class="label">{t!("Needed")}</span><ul>{needed.collect_view()}</ul>
                <span class="label">{t!("Came first")}</span><div><ul>{won.collect_view()}</ul>{nothing}</div>
            </div>
        </li>
    }
}
