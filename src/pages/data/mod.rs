//! The Data page: import, and the available packs.

mod choice;
mod import;
mod packs;
mod report;

pub use choice::PackChoice;

use crate::session::Route;
use crate::state::use_app;
use crate::t;
use leptos::prelude::*;

/// The page.
#[component]
pub fn DataPage() -> impl IntoView {
    let app = use_app();
    app.list_packs();
    view! {
        <div class="intro">
            <h1>{t!("Import data")}</h1>
            <p>
                {t!("Test models on your own copy of the original benchmark's data.")} " "
                {t!("Runs use the built-in pack by default. You can import the original API-Bank data in any \
                released layout, in whole or in part. It stays in this browser. ")}
                <a href=Route::Audit.href()>{t!("Audit the gold of the selected data")}</a>
            </p>
        </div>
        <div class="data">
            <import::ImportPanel/>
            <packs::Packs/>
        </div>
    }
}
