//! Shows the run again that a reload has cleared from the page.

use super::unfinished::so_far;
use crate::session::{Phase, Route};
use crate::state::{go, use_app};
use crate::t;
use leptos::prelude::*;

/// The offer; empty as soon as the page has a run.
#[component]
pub fn LastRun() -> impl IntoView {
    let app = use_app();
    let last = Memo::new(move |_| {
        let is_idle = app.run.current.with(|run| run.phase == Phase::Idle);
        if is_idle { app.shown_before() } else { None }
    });
    move || {
        last.get().map(|run| {
            let text = so_far(&run);
            let show = move |_| {
                app.open_run(&run, false);
                go(&Route::Results);
            };
            view! {
                <section class="offer" data-test="last-run" aria-label=t!("Last run")>
                    <p class="num">{text}</p>
                    <div class="actions">
                        <button type="button" class="button" data-test="show-last-run" on:click=show>
                            {t!("Show the last run")}
                        </button>
                    </div>
                </section>
            }
        })
    }
}
