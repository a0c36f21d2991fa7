//! How to add a model.

use super::open::is_own;
use crate::messages::MakeFile;
use crate::session::Route;
use crate::state::App;
use crate::t;
use leptos::prelude::*;

/// The section below the table.
pub(super) fn add(app: App) -> impl IntoView {
    view! {
        <section class="panel" aria-label=t!("Add a model") data-test="board-add">
            <h2>{t!("Add a model")}</h2>
            <p>{t!("Run the standard split, all of it or 25 % with seed 1, and the hard split if you like. Add the saved file to the folder results/ of the repository in a pull request. A workflow replays every sample; it can't show who wrote the answers.")}</p>
            <div class="deeds">
                {move || if is_own(app) {
                    view! {
                        <button type="button" class="button" data-test="board-save"
                            on:click=move |_| app.save(MakeFile::Result)>{t!("Save the last run for the leaderboard")}</button>
                    }.into_any()
                } else {
                    view! { <a href=Route::Run.href()>{t!("Run a model")}</a> }.into_any()
                }}
            </div>
        </section>
    }
}
