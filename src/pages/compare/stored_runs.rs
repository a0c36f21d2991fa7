//! Adds runs that this browser stores.

use super::Table;
use crate::messages::compare::Change;
use crate::pages::records::title;
use crate::t;
use leptos::html;
use leptos::prelude::*;

/// A menu of the stored runs and its button; empty without runs.
#[component]
pub(super) fn KeptRuns(table: Table) -> impl IntoView {
    let app = table.app;
    app.refresh_runs();
    let runs = Memo::new(move |_| {
        app.records.stored.with(|kept| {
            let runs = kept.as_ref().map(|kept| kept.runs.as_slice()).unwrap_or_default();
            // A run without samples has nothing to compare.
            let some = runs.iter().filter(|run| run.done > 0);
            some.map(|run| (run.id.clone(), title(run))).collect::<Vec<_>>()
        })
    });
    let menu = NodeRef::<html::Select>::new();
    let add = move |_| {
        if let Some(menu) = menu.get_untracked() {
            table.change(Change::AddStored { id: menu.value() });
        }
    };
    let options = move || {
        let runs = runs.get().into_iter();
        runs.map(|(id, title)| view! { <option value=id>{title}</option> }).collect_view()
    };
    view! {
        <Show when=move || runs.with(|runs| !runs.is_empty())>
            <label class="field">
                <span class="label">{t!("Saved runs")}</span>
                <select data-test="compare-kept" node_ref=menu>{options}</select>
            </label>
            <button type="button" class="button" data-test="compare-add-kept" on:click=add>
                {t!("Add the saved run")}
            </button>
        </Show>
    }
}
