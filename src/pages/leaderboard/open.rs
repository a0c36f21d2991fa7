//! Opens a record of the table, and compares it with the user's own.

use super::Board;
use crate::messages::Asset;
use crate::messages::Count;
use crate::messages::compare::{Change, CompareRecords, Comparison};
use crate::platform::{fetch, page};
use crate::session::leaderboard::{find, name_of};
use crate::session::{Route, Source, disclosure, format};
use crate::state::{App, go};
use crate::t;
use crate::texts;
use js_sys::{Array, Uint8Array};
use leptos::prelude::*;
use leptos::task::spawn_local;
use record::compare::MARGIN;
use record::leaderboard::RecordFile;
use record::{Model, Verification};
use web_sys::File;

/// The record that is being opened.
#[derive(Clone, Copy)]
pub(super) struct Opening {
    /// The file's name; empty for none.
    name: RwSignal<String>,
    /// The file that was not opened last, and why.
    trouble: RwSignal<Option<(String, String)>>,
}

impl Opening {
    pub(super) fn new() -> Self {
        Opening { name: RwSignal::new(String::new()), trouble: RwSignal::new(None) }
    }

    /// Whether a record is being opened.
    pub(super) fn is_busy(self) -> bool {
        !self.name.read().is_empty()
    }
}

/// A record's file name.
fn file_name(record: &RecordFile) -> &str {
    record.url.rsplit('/').next().unwrap_or_default()
}

/// Progress of a row's record, or why it was not opened.
pub(super) fn state(board: Board, records: &[RecordFile]) -> impl IntoView + use<> {
    let Opening { name, trouble } = board.opening;
    let files: Vec<String> = records.iter().map(|record| file_name(record).to_owned()).collect();
    let own = files.clone();
    let progress = move || {
        let name = name.get();
        own.contains(&name).then(|| {
            view! {
                <p class="board-state" role="status" data-test="board-progress">
                    {progress(board.app, &name)} " "
                    <button type="button" class="button button-small"
                        on:click=move |_| board.app.cancel_run()>{t!("Stop")}</button>
                </p>
            }
        })
    };
    let trouble = move || {
        trouble.get().filter(|(name, _)| files.contains(name)).map(|(_, text)| {
            view! { <p class="board-state field-error" role="alert" data-test="board-trouble">{text}</p> }
        })
    };
    view! { {progress} {trouble} }
}

/// How far a record is read and verified.
pub(in crate::pages) fn progress(app: App, name: &str) -> String {
    match app.records.verifying.get() {
        Count { of: 0, .. } => t!("Reading {name}…", name = name),
        Count { done, of } => {
            t!(
                "Verifying {name}: {done} of {of} samples",
                name = name,
                done = format::count(done),
                of = format::count(of)
            )
        }
    }
}

/// Does `work` on a record's file, unless another one is being opened.
fn with_file<W: Future<Output = Result<(), String>> + 'static>(
    board: Board,
    record: &RecordFile,
    work: impl FnOnce(App, File) -> W + 'static,
) {
    let Opening { name, trouble } = board.opening;
    if board.opening.name.with_untracked(|name| !name.is_empty()) {
        return;
    }
    let record = record.clone();
    let file = file_name(&record).to_owned();
    name.set(file.clone());
    trouble.set(None);
    board.app.records.verifying.set(Count::default());
    spawn_local(async move {
        let done = async { work(board.app, fetched(&record).await?).await };
        let done = done.await;
        // The reader may have left the page.
        let _ = name.try_set(String::new());
        if let Err(message) = done {
            let _ = trouble.try_set(Some((file, message)));
        }
    });
}

/// A record's file, with its hash checked.
async fn fetched(record: &RecordFile) -> Result<File, String> {
    let asset = Asset { url: page::absolute(&record.url), integrity: record.integrity.clone() };
    of_bytes(file_name(record), &fetch::asset(&asset).await?)
}

fn of_bytes(name: &str, bytes: &[u8]) -> Result<File, String> {
    let parts = Array::of1(&Uint8Array::from(bytes));
    File::new_with_u8_array_sequence(&parts, name)
        .map_err(|error| format!("The browser cannot hold the file: {error:?}"))
}

/// Verifies a record and shows its results.
pub(super) fn open(board: Board, record: &RecordFile) {
    let of = record.clone();
    with_file(board, record, async move |app: App, file| {
        verified(app, &of, &file).await?;
        go(&Route::Results);
        Ok(())
    });
}

/// Verifies a record, which becomes the displayed run.
async fn verified(app: App, record: &RecordFile, file: &File) -> Result<(), String> {
    let found: Verification = app.verify(file).await?;
    if !found.holds() {
        let verdict = disclosure::verdict(&found, texts::current());
        return Err(format!("{verdict}: {}", disclosure::meaning(&found, texts::current())));
    }
    app.run.current.update(|run| run.list(name_of(record), &record.digest));
    Ok(())
}

/// Opens the record with a name out of an address. The name is only looked up in the site's table, so
/// it leads to no other file.
///
/// # Errors
/// When the table has no such record, or as for any record of the table.
pub(in crate::pages) async fn open_named(app: App, name: &str) -> Result<(), String> {
    let table = super::load().await?;
    let record = find(&table, name).ok_or_else(|| {
        t!(
            "The leaderboard has no record {run}. Pick one on the Leaderboard page, or ask for the file and open it under Verify.",
            run = name
        )
    })?;
    let file = fetched(record).await?;
    verified(app, record, &file).await
}

/// Compares a record with the user's latest one, and shows the comparison.
pub(super) fn compare(board: Board, record: &RecordFile) {
    let split = record.split;
    with_file(board, record, async move |app: App, file| {
        change(app, Change::Clear, None).await?;
        change(app, Change::AddFile, Some(&file)).await?;
        // A run of this tab that no file brought.
        let is_here = app.run.current.with_untracked(|run| {
            run.facts.is_some() && run.source != Source::File && run.settings.is_some()
        });
        if is_here {
            change(app, Change::AddLast, None).await?;
        } else if let Some(id) = latest(app, split) {
            change(app, Change::AddStored { id }, None).await?;
        }
        go(&Route::Compare);
        Ok(())
    });
}

async fn change(app: App, change: Change, file: Option<&File>) -> Result<Comparison, String> {
    let profile = app.run.profile.get_untracked();
    let request = CompareRecords { change, profile, margin: MARGIN };
    app.ask_with(request, file.map(|file| Array::of1(file))).await
}

/// The user's newest finished run, of the same split if there is one.
fn latest(app: App, split: dataset::Split) -> Option<String> {
    app.records.stored.with_untracked(|stored| {
        let runs = || stored.as_ref().ok().into_iter().flat_map(|it| &it.runs).filter(|it| it.over);
        let same = runs().find(|run| run.settings.split == split);
        same.or_else(|| runs().next()).map(|run| run.id.clone())
    })
}

/// Whether the shown run is the user's own and finished.
pub(super) fn is_own(app: App) -> bool {
    app.run.current.with(|run| {
        let model = run.settings.as_ref().map(|settings| &settings.model);
        run.facts.is_some()
            && run.source != Source::File
            && matches!(model, Some(Model::Endpoint(_)))
    })
}
