//! `#/compare`: two to eight records side by side.

mod differences;
mod errors;
mod horizon;
mod pairs;
mod save;
mod stored_runs;
mod table;

pub(super) use differences::share;

use crate::components::file_picker::{DropArea, FileButton, RECORDS};
use crate::messages::Request;
use crate::messages::compare::{
    Change, CompareRecords, CompareSample, Comparison, SampleComparison,
};
use crate::pages::run::ProfileSwitch;
use crate::platform::files::PickedFiles;
use crate::state::{App, use_app};
use crate::t;
use js_sys::Array;
use leptos::prelude::*;
use leptos::task::spawn_local;
use record::compare::{MARGIN, MAX_RECORDS};
use scoring::Profile;
use wasm_bindgen::JsCast;
use web_sys::File;

/// State of the page.
#[derive(Clone, Copy)]
struct Table {
    app: App,
    /// Counts requests: only the latest one's error is shown.
    turn: StoredValue<u32>,
    /// The difference below which models count as equal, 0 to 1.
    margin: RwSignal<f64>,
    comparison: RwSignal<Option<Comparison>>,
    sample: RwSignal<Option<SampleComparison>>,
    trouble: RwSignal<Option<String>>,
}

impl Table {
    /// Changes the records. Each answer has all of them, so none is dropped.
    fn change(self, change: Change) {
        self.change_with(change, None);
    }

    /// Adds a file.
    fn add(self, file: &File) {
        self.change_with(Change::AddFile, Some(Array::of1(file)));
    }

    fn change_with(self, change: Change, files: Option<Array>) {
        let margin = self.margin.get_untracked();
        let request = CompareRecords { change, profile: self.profile(), margin };
        let show = |table: Table, comparison| table.comparison.set(Some(comparison));
        self.show(request, files, show);
    }

    fn open_sample(self, sample: String) {
        let request = CompareSample { sample, profile: self.profile() };
        self.show(request, None, |table, sample| table.sample.set(Some(sample)));
    }

    fn show<R: Request>(self, request: R, files: Option<Array>, show: fn(Table, R::Answer)) {
        let turn = self.turn.get_value().wrapping_add(1);
        self.turn.set_value(turn);
        let answer = self.app.ask_with(request, files);
        spawn_local(async move {
            match answer.await {
                Ok(answer) => {
                    self.trouble.set(None);
                    show(self, answer);
                }
                Err(message) if self.turn.try_get_value() == Some(turn) => {
                    self.trouble.set(Some(message));
                }
                Err(_) => {}
            }
        });
    }

    fn profile(self) -> Profile {
        self.app.run.profile.get_untracked()
    }
}

/// The page.
#[component]
pub fn ComparePage() -> impl IntoView {
    let app = use_app();
    let table = Table {
        app,
        turn: StoredValue::new(0),
        margin: RwSignal::new(MARGIN),
        comparison: RwSignal::new(None),
        sample: RwSignal::new(None),
        trouble: RwSignal::new(None),
    };
    // Compare at the start, and again when the profile or the margin changes.
    Effect::new(move || {
        app.run.profile.track();
        table.margin.track();
        table.sample.set(None);
        table.change(Change::Keep);
    });
    view! {
        <div class="intro">
            <h1>{t!("Compare")}</h1>
            <p>
                {t!("Is one model really better than another, or was it luck? Compares the records of two to eight runs on the same samples: which is better, by how much, and where they disagree. Files stay in this browser.")}
            </p>
        </div>
        <Sources table/>
        {move || table.trouble.get().map(|text| view! {
            <p class="field-error" role="alert" data-test="compare-trouble">{text}</p>
        })}
        <ProfileSwitch app/>
        {move || table.comparison.with(|it| it.as_ref().is_some_and(|comparison| comparison.records.len() > 1)).then(|| view! {
            <div class="exports">
                <button type="button" class="button" data-test="save-page" on:click=move |_| save(table)>
                    {t!("Save as one page")}
                </button>
            </div>
        })}
        {move || match table.comparison.get() {
            Some(Comparison { records, report, margin, against, disagreements }) if !records.is_empty() => view! {
                {table::records(table, &records)}
                {horizon::horizons(&records)}
                {(records.len() > 1).then(|| pairs::pairs(table, &report, margin))}
                {table::rates(&records, &against)}
                {errors::errors(&records)}
                {differences::differences(table, &records, disagreements)}
            }.into_any(),
            Some(_) => view! {
                <p class="empty" data-test="compare-empty">
                    {t!("Nothing to compare. Drop record files above or add runs.")}
                </p>
            }.into_any(),
            None => view! { <p class="empty" role="status">{t!("Starting the engine…")}</p> }.into_any(),
        }}
    }
}

/// Saves the comparison as one HTML file.
fn save(table: Table) {
    let language = table.app.ui.language.get_untracked().code();
    let page = table
        .comparison
        .with_untracked(|it| it.as_ref().map(|it| save::page(it, table.profile(), language)));
    if let Some(page) = page {
        table.app.ui.save_page(&page);
    }
}

/// Adds records: dropped or picked files, the last run, and stored ones.
#[component]
fn Sources(table: Table) -> impl IntoView {
    let take = Callback::new(move |found: PickedFiles| {
        // One after the other.
        found.files.iter().filter_map(|it| it.dyn_into().ok()).for_each(|file| table.add(&file));
    });
    view! {
        <DropArea take>
            <p>{t!("Drop up to {n} record files here, or", n = MAX_RECORDS)}</p>
            <FileButton text=t!("Choose files") test="compare-files" multiple=true accept=RECORDS take/>
            <button type="button" class="button" data-test="compare-last"
                on:click=move |_| table.change(Change::AddLast)>{t!("Add the last run")}</button>
            <stored_runs::KeptRuns table/>
        </DropArea>
    }
}
