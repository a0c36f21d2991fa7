//! `#/verify`: verifies a record file and opens it.

use crate::components::disclosure_view::disclosure_view;
use crate::components::file_picker::{DropArea, FileButton, RECORDS};
use crate::components::results_table::ResultsTable;
use crate::components::signatures::Signatures;
use crate::messages::Count;
use crate::pages::run::ProfileSwitch;
use crate::platform::files::PickedFiles;
use crate::session::{Route, disclosure, format};
use crate::state::{App, Latest, use_app};
use crate::t;
use crate::texts;
use leptos::prelude::*;
use record::{Difference, Verification};
use wasm_bindgen::JsCast;
use web_sys::File;

/// Differences per page.
const PAGE: usize = 100;

/// State of the page.
#[derive(Clone, Copy)]
struct Check {
    app: App,
    name: RwSignal<String>,
    answer: Latest<Verification>,
}

impl Check {
    fn file(self, file: &File) {
        self.name.set(file.name());
        self.answer.clear();
        self.answer.follow(self.app.verify(file));
    }

    fn goes_on(self) -> bool {
        self.answer.is_asked() && self.answer.with(|answer| answer.is_none())
    }
}

/// The page.
#[component]
pub fn VerifyPage() -> impl IntoView {
    let app = use_app();
    let check = Check { app, name: RwSignal::new(String::new()), answer: Latest::new() };
    view! {
        <div class="intro">
            <h1>{t!("Verify")}</h1>
            <p>
                {t!("Checks that the numbers in a saved results file follow from the answers in it.")} " "
                {t!("Opens a record, replays every call and recomputes every number from the recorded answers. The file stays in this browser.")}
            </p>
        </div>
        <Picker check/>
        <Progress check/>
        {move || check.answer.get().map(|answer| match answer {
            Ok(found) => result(found).into_any(),
            Err(text) => view! {
                <p class="field-error" role="alert" data-test="verify-trouble">{text}</p>
            }.into_any(),
        })}
        <Show when=move || check.answer.is_asked() && app.records.opened.get()><Metrics check/></Show>
    }
}

#[component]
fn Picker(check: Check) -> impl IntoView {
    let take = Callback::new(move |found: PickedFiles| {
        if let Ok(file) = found.files.get(0).dyn_into::<File>() {
            check.file(&file);
        }
    });
    view! {
        <DropArea take>
            <p>{t!("Drop a record file here, or")}</p>
            <FileButton text=t!("Choose a file") test="verify-file" accept=RECORDS take/>
        </DropArea>
    }
}

#[component]
fn Progress(check: Check) -> impl IntoView {
    let text = move || {
        let Count { done, of } = check.app.records.verifying.get();
        match of {
            0 => t!("Reading {name}…", name = check.name.get()),
            of => t!(
                "Verifying {name}: {done} of {of} samples",
                name = check.name.get(),
                done = format::count(done),
                of = format::count(of)
            ),
        }
    };
    move || {
        check.goes_on().then(|| {
            view! {
                <p class="panel" role="status" data-test="verify-progress">
                    {text}
                    ". "
                    {move || check.app.records.opened.get()
                        .then(|| t!("The numbers below are not verified yet."))}
                    " "
                    <button type="button" class="button button-small"
                        on:click=move |_| check.app.cancel_run()>{t!("Stop")}</button>
                </p>
            }
        })
    }
}

fn result(found: Verification) -> impl IntoView {
    let class = if found.holds() { "tag tag-right" } else { "tag tag-wrong" };
    let verdict = disclosure::verdict(&found, texts::current());
    let meaning = disclosure::meaning(&found, texts::current());
    let facts = disclosure_view(&found.disclosure);
    view! {
        <section class="panel" aria-label=t!("Verification result")>
            <p role="status" data-test="verify-result"><span class=class>{verdict}</span>" "{meaning}</p>
            {facts}
            <Signatures signatures=found.signatures.clone()/>
            {differences(found)}
        </section>
    }
}

/// The record's numbers, shown before they are verified.
#[component]
fn Metrics(check: Check) -> impl IntoView {
    let app = check.app;
    let summary = app.run.summary();
    let caption = move || {
        let profile = app.run.profile.get().as_str();
        app.run.current.with(|run| match &run.settings {
            Some(settings) => format::caption(settings, profile, texts::current()),
            None => String::new(),
        })
    };
    let unverified = move || check.answer.with(|answer| !matches!(answer, Some(Ok(_))));
    view! {
        <section class="results" aria-label=t!("Record metrics")>
            <div class="section-head">
                <h2>
                    {t!("Metrics")}
                    {move || unverified().then(|| view! {
                        " " <span class="tag" data-test="verify-pending">{t!("not verified")}</span>
                    })}
                </h2>
                <ProfileSwitch app/>
            </div>
            <ResultsTable summary caption=Signal::derive(caption)/>
            <p><a href=Route::Results.href()>{t!("Open full results")}</a></p>
        </section>
    }
}

fn differences(found: Verification) -> impl IntoView {
    if found.holds() {
        return ().into_any();
    }
    let shown = RwSignal::new(PAGE);
    let (kept, all) = (found.differences.len(), found.found);
    let list = found.differences;
    let rows = move || list.iter().take(shown.get()).map(row).collect_view();
    view! {
        <div class="scroll" role="region" tabindex="0" aria-label=t!("Differences")>
            <table class="table" data-test="verify-differences">
                <caption>{t!("Recorded and recomputed values")}</caption>
                <thead><tr>
                    <th scope="col">{t!("Field")}</th>
                    <th scope="col">{t!("Recorded")}</th>
                    <th scope="col">{t!("Recomputed")}</th>
                </tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
        {move || (shown.get() < kept).then(|| view! {
            <button type="button" class="button" on:click=move |_| shown.update(|it| *it += PAGE)>
                {t!("Show {n} more", n = PAGE)}
            </button>
        })}
        {(all > kept).then(|| view! { <p class="quiet">{t!("Only the first {n} are listed.", n = format::count(kept))}</p> })}
    }
    .into_any()
}

fn row(difference: &Difference) -> impl IntoView + use<> {
    view! {
        <tr>
            <th scope="row" class="wrap">{difference.path.clone()}</th>
            <td class="wrap"><code>{difference.recorded.clone()}</code></td>
            <td class="wrap"><code>{difference.recomputed.clone()}</code></td>
        </tr>
    }
}
