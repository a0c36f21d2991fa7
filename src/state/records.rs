//! Stored runs: resumed, opened, saved, deleted.

use super::App;
use crate::messages::request::{VerifyProgress, VerifyRecord};
use crate::messages::{Count, MakeFile, RunOrigin, RunProgress, StartRun};
use crate::platform::runs::RunList;
use crate::platform::{page, runs};
use crate::session::Source;
use crate::stored_runs::StoredRun;
use crate::t;
use gloo_timers::callback::Timeout;
use js_sys::Array;
use leptos::prelude::*;
use leptos::task::spawn_local;
use record::{RunSettings, Verification};
use web_sys::File;

/// Interval for checking a run in another tab, in milliseconds.
const LOOK_AGAIN_MS: u32 = 1500;

/// Key of the tab's storage for the id of the run that it shows.
const SHOWN: &str = "api-bank.shown-run";

/// Stored runs, and records from files.
#[derive(Clone, Copy)]
pub struct RecordsState {
    /// The stored runs; an error if the browser has no storage.
    pub stored: RwSignal<Result<RunList, String>>,
    /// Progress of a verification, in samples; 0 in total before the file is read.
    pub verifying: RwSignal<Count>,
    /// Whether the file's numbers are shown; its verification may still be in progress.
    pub opened: RwSignal<bool>,
    look_again: StoredValue<Option<Timeout>, LocalStorage>,
}

impl RecordsState {
    pub(super) fn new() -> Self {
        RecordsState {
            stored: RwSignal::new(Ok(RunList::default())),
            verifying: RwSignal::new(Count::default()),
            opened: RwSignal::new(false),
            look_again: StoredValue::new_local(None),
        }
    }
}

impl App {
    /// Resumes a stored run; `again` retries samples without an answer.
    pub fn resume_run(self, run: &StoredRun, again: bool) {
        let (id, settings) = (run.id.clone(), run.settings.clone());
        self.resume_from(Some(id), settings, Source::Stored, again);
    }

    /// Resumes the displayed run; `again` retries samples without an answer.
    pub fn resume_shown(self, again: bool) {
        let (id, settings, source) = self
            .run
            .current
            .with_untracked(|run| (run.id.clone(), run.settings.clone(), run.source));
        if let Some(settings) = settings {
            self.resume_from(id, settings, source, again);
        }
    }

    fn resume_from(self, id: Option<String>, settings: RunSettings, source: Source, again: bool) {
        let model = settings.model.clone();
        self.once_agreed(&model, source, move || {
            let key = self.sending.key_for(&settings.model);
            let origin = id.map_or(RunOrigin::Last, |id| RunOrigin::Stored { id, again });
            self.run.take_focus("button");
            self.begin(settings, source, StartRun { origin, key });
        });
    }

    /// Opens a stored run; `conclude` marks an unfinished one as over.
    pub fn open_run(self, run: &StoredRun, conclude: bool) {
        let origin = RunOrigin::Opened { id: run.id.clone(), conclude };
        self.begin(run.settings.clone(), Source::Stored, StartRun { origin, key: None });
    }

    /// Opens the stored run with an id out of an address.
    ///
    /// # Errors
    /// What is missing and the remedy. Later refusals of the worker are in [`crate::session::Run::message`].
    pub async fn open_stored(self, id: &str) -> Result<(), String> {
        let listed = runs::list().await.map_err(|error| error.to_string())?;
        let run = listed.runs.iter().find(|run| run.id == id).ok_or_else(|| {
            t!(
                "This browser has no readable run {run}: it was deleted, or the link is from another browser. Ask for the record's file and open it under Verify.",
                run = id
            )
        })?;
        if listed.going_on.contains(&run.id) {
            return Err(t!("The run {run} is in progress. Retry when it has ended.", run = id));
        }
        self.can_replace_run()?;
        self.open_run(run, false);
        Ok(())
    }

    /// Verifies a record's file, which becomes the displayed run.
    ///
    /// # Errors
    /// What is wrong with it, or why it can't be verified.
    pub fn verify(self, file: &File) -> impl Future<Output = Result<Verification, String>> + use<> {
        let show = move |progress| match progress {
            VerifyProgress::Run(progress) => {
                if let RunProgress::Started { settings, .. } = &progress {
                    self.run.show((**settings).clone(), Source::File);
                }
                self.show_progress(progress);
            }
            VerifyProgress::Shown(facts) => {
                self.run.current.update(|run| run.finish(facts, page::now_ms()));
                self.records.opened.set(true);
            }
            VerifyProgress::Verified(count) => self.records.verifying.set(count),
        };
        self.records.verifying.set(Count::default());
        self.records.opened.set(false);
        self.follow(VerifyRecord {}, Some(Array::of1(file)), show)
    }

    /// Whether a link may replace the displayed run.
    ///
    /// # Errors
    /// When it is in progress, or would be lost.
    pub fn can_replace_run(self) -> Result<(), String> {
        self.run.current.with_untracked(|run| match run {
            run if run.phase.is_active() => Err(t!(
                "A run is in progress in this tab. Retry when it has ended, or open the link in another tab."
            )
            .to_owned()),
            run if run.is_at_risk() => {
                Err(t!("The loaded run is not saved. Download its record, then retry.").to_owned())
            }
            _ => Ok(()),
        })
    }

    /// Remembers across a reload which stored run the tab shows.
    pub(super) fn remember_shown(id: Option<&str>) {
        page::keep_for_tab(SHOWN, id);
    }

    /// The stored run that the tab showed before a reload, unless it is unfinished.
    pub fn shown_before(self) -> Option<StoredRun> {
        let id = page::of_tab(SHOWN)?;
        self.records.stored.with(|kept| {
            let runs = &kept.as_ref().ok()?.runs;
            runs.iter().find(|run| run.over && run.id == id).cloned()
        })
    }

    /// Reloads the list of stored runs.
    pub fn refresh_runs(self) {
        self.lazy.run(move |lazy| (lazy.refresh_runs)(self));
    }

    /// Reloads the list of stored runs. Only the lazy-loaded module may call it by name.
    pub(crate) fn refresh_runs_now(self) {
        spawn_local(async move {
            let kept = runs::list().await.map_err(|error| error.to_string());
            let here = self.run.current.with_untracked(|run| run.phase.is_active());
            let elsewhere = !here && kept.as_ref().is_ok_and(RunList::has_another_tab);
            self.records.stored.set(kept);
            // Browsers release the locks of a closed tab with a delay.
            self.records.look_again.set_value(
                elsewhere.then(|| Timeout::new(LOOK_AGAIN_MS, move || self.refresh_runs_now())),
            );
        });
    }

    /// Deletes a stored run.
    pub fn forget_run(self, id: String) {
        spawn_local(async move {
            if let Err(error) = runs::forget(&id).await {
                self.ui.notify(error.to_string());
            }
            self.refresh_runs_now();
        });
    }

    /// Labels a stored run.
    pub fn name_run(self, id: String, label: String) {
        spawn_local(async move {
            match runs::name(&id, &label).await {
                // Update without notifying: a rerender would lose the focus.
                Ok(()) => self.records.stored.update_untracked(|kept| {
                    let runs = kept.as_mut().map(|it| it.runs.iter_mut()).into_iter().flatten();
                    runs.filter(|run| run.id == id).for_each(|run| run.label.clone_from(&label));
                }),
                Err(message) => {
                    self.ui.notify(message);
                    self.refresh_runs_now();
                }
            }
        });
    }

    /// Saves the files of all stored runs in an archive.
    pub fn export_all_runs(self) {
        self.ui.notify(t!("Saving all runs…"));
        self.save(MakeFile::StoredRuns);
    }
}
