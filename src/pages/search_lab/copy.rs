//! Copies the result as CSV or JSON.

use crate::messages::search_lab::LabReport;
use crate::platform::page;
use crate::session::search_lab::{csv, json};
use crate::t;
use leptos::prelude::*;
use leptos::task::spawn_local;

/// The buttons.
#[component]
pub(super) fn Copy(report: StoredValue<LabReport>) -> impl IntoView {
    let said = RwSignal::new("");
    let copy = move |name: &'static str, text: String| {
        spawn_local(async move {
            let message = if page::copy(&text).await {
                t!("Copied.")
            } else if page::save(name, &text).is_ok() {
                t!("The browser denies access to the clipboard: saved as a file.")
            } else {
                t!("The browser blocked saving the file.")
            };
            said.set(message);
        });
    };
    view! {
        <div class="actions">
            <button type="button" class="button button-small" data-test="lab-csv"
                on:click=move |_| copy("search-lab.csv", report.with_value(csv))>{t!("Copy as CSV")}</button>
            <button type="button" class="button button-small" data-test="lab-json"
                on:click=move |_| copy("search-lab.json", report.with_value(json))>{t!("Copy as JSON")}</button>
            <span class="quiet" role="status">{said}</span>
        </div>
    }
}
