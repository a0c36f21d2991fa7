//! The browser's own model, where a browser has one.

use super::choose_model::{begin_turn, take, take_loaded};
use crate::messages::in_page::{ModelStep, UseBrowserModel};
use crate::platform::browser_model::{self, Availability, Started};
use crate::session::in_page::Step;
use crate::state::App;
use crate::t;
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

/// Steps of the progress bar: the browser tells only a share.
const STEPS: f64 = 1000.0;

/// What it is, and the button that starts it; nothing where there is none.
#[component]
pub fn BrowserModel(app: App) -> impl IntoView {
    let availability = RwSignal::new(Availability::Unavailable);
    if browser_model::is_offered() {
        spawn_local(async move {
            let found = browser_model::availability().await;
            availability.try_set(found);
        });
    }
    let busy = move || {
        app.run.current.with(|run| run.phase.is_active())
            || app.in_page.with(|in_page| in_page.step.is_some())
    };
    let comes_first = move || availability.get() != Availability::Available;
    view! {
        <Show when=move || availability.get() != Availability::Unavailable>
            <div class="browser-model" data-test="browser-model">
                <p>{t!("This browser has a model of its own. It takes no tools and no settings for sampling, and nobody can repeat its runs exactly.")}</p>
                <button type="button" class="button" data-test="browser-model-use" disabled=busy
                    on:click=move |_| start(app)>{t!("Use the browser's model")}</button>
                <p class="hint" hidden=move || !comes_first()>
                    {t!("The browser downloads it first, several gigabytes.")}
                </p>
            </div>
        </Show>
    }
}

fn start(app: App) {
    let turn = begin_turn(app, None);
    let progress = move |part: f64| {
        take(app, turn, |in_page| {
            if in_page.loaded.is_none() {
                let done = (part * STEPS) as u64;
                in_page.step = Some((Step::Worker(ModelStep::Load), done, STEPS as u64));
            }
        });
    };
    app.in_page.update(|in_page| in_page.step = Some((Step::Worker(ModelStep::Load), 0, 0)));
    spawn_local(async move {
        let started = browser_model::start(progress).await;
        let (Started { version, context }, port) = match started {
            Ok(started) => started,
            Err(message) => {
                let said = t!("The browser's model can't be started: {reason}", reason = message);
                take(app, turn, |in_page| in_page.loaded(Err(said)));
                return;
            }
        };
        if app.in_page.with_untracked(|in_page| in_page.turn != turn) {
            return browser_model::stop();
        }
        let loaded = app.ask_with(UseBrowserModel { version, context }, Some(port)).await;
        take_loaded(app, turn, loaded);
    });
}
