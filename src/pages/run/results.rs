//! The results of the run: the table, the error classes, the file.

use super::measures::Measures;
use crate::app::{App, use_app};
use crate::components::score_table::ScoreTable;
use crate::protocol::Command;
use crate::session::{Filter, SampleState, format};
use engine::export::Format;
use engine::record::Summary;
use engine::scoring::{ErrorClass, Profile};
use leptos::prelude::*;

/// The section below the run.
#[component]
pub fn Results() -> impl IntoView {
    let app = use_app();
    let summary = Memo::new(move |_| app.run.with(|run| run.summary(app.profile.get())));
    let caption = move || {
        let profile = app.profile.get().as_str();
        app.run.with(|run| match &run.settings {
            Some(settings) => format::caption(settings, profile),
            None => String::new(),
        })
    };
    let over = move || app.run.with(|run| !run.phase.is_active());
    view! {
        <section class="results" id="results" aria-labelledby="results-title">
            <div class="section-head">
                <h2 id="results-title">"Results"</h2>
                <ProfileSwitch app/>
                <button class="button" data-test="download" disabled=move || !over()
                    on:click=move |_| app.send(Command::RecordFile)>"Download JSON"</button>
                {Format::ALL.map(|format| view! {
                    <button class="button" data-test=format!("export-{}", format.as_str())
                        disabled=move || !over()
                        on:click=move |_| app.send(Command::Export { format })>{format.title()}</button>
                }).into_iter().collect_view()}
            </div>
            <ScoreTable summary caption=Signal::derive(caption)/>
            <p class="quiet note">
                "Correct means: same effect on the databases and same result (execution), or same name and "
                "values (exact, and f1, which also counts the parts). n counts scored calls; requests that got no answer are not scored. "
                <a href="#/method">"How it is measured"</a>
            </p>
            <Measures/>
            <ErrorBars app summary/>
        </section>
    }
}

/// The choice of the profile that numbers are shown under.
#[component]
pub fn ProfileSwitch(
    /// The shared state.
    app: App,
) -> impl IntoView {
    let buttons = Profile::ALL.map(|profile| {
        let on = move || app.profile.get() == profile;
        view! {
            <button class="segment" data-test=format!("profile-{}", profile.as_str())
                aria-pressed=move || on().to_string()
                on:click=move |_| app.profile.set(profile)>{profile.as_str()}</button>
        }
    });
    view! {
        <div class="segments" role="group" aria-label="Scoring profile">
            <span class="label">"Profile"</span>
            {buttons.into_iter().collect_view()}
        </div>
    }
}

/// Wrong calls by class; a click lists them.
#[component]
fn ErrorBars(app: App, summary: Memo<Summary>) -> impl IntoView {
    let rows = move || {
        let total = summary.get().rows.pop().unwrap_or_default();
        let wrong: usize = total.errors.values().sum();
        (wrong > 0).then(|| {
            let rows = total
                .errors
                .into_iter()
                .map(|(class, count)| error_row(app, class, count, wrong))
                .collect_view();
            view! {
                <div class="scroll" role="region" tabindex="0" aria-label="Error classes">
                <table class="table errors" data-test="errors-table">
                    <caption>"Wrong calls by error class, first that fits. Pick one to list its samples."</caption>
                    <thead><tr>
                        <th scope="col">"Class"</th>
                        <th scope="col" class="num">"Calls"</th>
                        <th scope="col" class="num">"Share"</th>
                        <th scope="col" class="bar-head"><span class="visually-hidden">"Bar"</span></th>
                    </tr></thead>
                    <tbody>{rows}</tbody>
                </table>
                </div>
            }
        })
    };
    view! { {rows} }
}

fn error_row(app: App, class: ErrorClass, count: usize, wrong: usize) -> impl IntoView {
    let share = 100.0 * count as f64 / wrong as f64;
    let pick = move |_| {
        app.filter.set(Filter {
            state: Some(SampleState::Wrong),
            class: Some(class),
            ..Filter::default()
        });
    };
    view! {
        <tr>
            <th scope="row"><button class="link" on:click=pick>{class.title()}</button></th>
            <td class="num">{count}</td>
            <td class="num">{format!("{share:.1} %")}</td>
            <td class="bar-cell" aria-hidden="true">
                <svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none">
                    <rect width=format!("{share:.1}") height="8"/>
                </svg>
            </td>
        </tr>
    }
}
