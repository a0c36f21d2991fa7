//! Starts, resumes and opens runs.

use super::archive::save_archive;
use super::journal::{Journal, show_earlier, tell_damaged};
use super::ports::Browser;
use super::{Host, NOT_LOADED, post, refuse};
use crate::platform::cancel::{self, Watch};
use crate::platform::indexed_db::Store;
use crate::platform::runs;
use crate::protocol::Event;
use crate::stored_runs::StoredRun;
use futures::channel::mpsc;
use futures::future::join;
use provider::ApiKey;
use record::RunSettings;
use record::{Outcome, Record, SampleRecord};
use runner::benchmark::Benchmark;
use std::rc::Rc;
use wasm_bindgen_futures::spawn_local;

/// The starting point of a run.
pub(super) enum Origin {
    /// A new run.
    New(Box<RunSettings>),
    /// A stored run.
    Stored {
        /// The run.
        id: String,
        /// Whether to retry samples without an answer.
        again: bool,
    },
    /// The last run of this worker, to retry its samples without an answer.
    Last,
}

/// The last run of this worker.
pub(super) struct Last {
    /// Its settings.
    pub settings: RunSettings,
    /// Its record.
    pub record: Rc<Record>,
}

impl Host {
    /// Starts a run, unless one is in progress.
    pub(super) fn run(self: Rc<Self>, from: Origin, key: Option<ApiKey>) {
        let Some(bench) = self.bench.borrow().clone() else {
            return refuse(NOT_LOADED);
        };
        if self.running.borrow().is_some() {
            return refuse("A run is already in progress. Cancel it first.");
        }
        let (switch, watch) = cancel::pair();
        *self.running.borrow_mut() = Some(switch);
        spawn_local(async move {
            let outcome = self.play(&bench, from, key, watch).await;
            *self.running.borrow_mut() = None;
            match outcome {
                Ok(finished) => post(&finished),
                Err(message) => refuse(message),
            }
        });
    }

    async fn play(
        &self,
        bench: &Benchmark,
        from: Origin,
        key: Option<ApiKey>,
        watch: Watch,
    ) -> Result<Event, String> {
        let (bench, mut journal, done) = self.journal(bench, from).await?;
        let bench = &bench;
        let settings = journal.run.settings.clone();
        let ports = Browser::new(watch);
        let (sender, notes) = mpsc::unbounded();
        let follow = journal.follow(notes, done.clone());
        let report = move |progress| {
            // The receiver outlives the run, so sending cannot fail.
            let _ = sender.unbounded_send(progress);
        };
        let run = runner::resume(bench, &settings, key.as_ref(), &ports, done, report);
        let (record, ()) = join(run, follow).await;
        journal.end(&record).await;
        Ok(self.remember(settings, record))
    }

    /// Opens a run's journal, with the run's data and the samples it has.
    async fn journal(
        &self,
        bench: &Benchmark,
        from: Origin,
    ) -> Result<(Benchmark, Journal, Vec<SampleRecord>), String> {
        match from {
            Origin::New(settings) => {
                let settings = *settings;
                self.check_model(&settings)?;
                let bench = self.of_run(bench, &settings)?;
                runner::check(&bench, &settings)
                    .map_err(|error| format!("This run cannot start: {error}."))?;
                let head = runner::head(&bench, &settings);
                let run = StoredRun::begin(new_id(), settings, head);
                Ok((bench, Journal::begin(run).await, Vec::new()))
            }
            Origin::Stored { id, again } => {
                let (mut journal, mut samples) = Journal::reopen(&id).await?;
                self.check_model(&journal.run.settings)?;
                let bench = self.of_run(bench, &journal.run.settings)?;
                journal.run.can_go_on(&runner::head(&bench, &journal.run.settings))?;
                if again {
                    let (failed, answered) =
                        samples.into_iter().partition(|(sample, _)| is_failed(sample));
                    samples = answered;
                    let failed: Vec<runs::StoredSample> = failed;
                    let ids: Vec<String> = failed.into_iter().map(|(it, _)| it.id).collect();
                    journal.drop_samples(ids).await;
                }
                journal.run.recount(samples.iter().map(|(sample, bytes)| (sample, *bytes)));
                let samples = samples.into_iter().map(|(sample, _)| sample).collect();
                Ok((bench, journal, samples))
            }
            Origin::Last => {
                let last = self.last.borrow();
                let last = last.as_ref().ok_or("There is no run to retry.")?;
                let settings = last.settings.clone();
                self.check_model(&settings)?;
                let samples = last.record.samples.iter().filter(|it| !is_failed(it)).cloned();
                let samples: Vec<SampleRecord> = samples.collect();
                let bench = self.of_run(bench, &settings)?;
                let head = runner::head(&bench, &settings);
                let journal = Journal::in_memory(StoredRun::begin(new_id(), settings, head));
                Ok((bench, journal, samples))
            }
        }
    }

    /// Opens a stored run; `conclude` marks an unfinished one as ended.
    pub(super) fn open(self: Rc<Self>, id: String, conclude: bool) {
        if self.running.borrow().is_some() {
            return refuse("A run is already in progress. Cancel it first.");
        }
        spawn_local(async move {
            match self.opened(&id, conclude).await {
                Ok(finished) => post(&finished),
                Err(message) => refuse(message),
            }
        });
    }

    async fn opened(&self, id: &str, conclude: bool) -> Result<Event, String> {
        let (run, samples) = if conclude {
            let (mut journal, samples) = Journal::reopen(id).await?;
            let record = journal.run.whole(samples.iter().map(|(it, _)| it.clone()).collect());
            journal.end(&record).await;
            (journal.run, samples)
        } else {
            let store = Store::open().await.map_err(|error| error.to_string())?;
            let loaded = runs::load(&store, id).await.map_err(|error| error.to_string())?;
            tell_damaged(&loaded);
            (loaded.run, loaded.samples)
        };
        let samples: Vec<SampleRecord> = samples.into_iter().map(|(sample, _)| sample).collect();
        post(&Event::Started {
            id: Some(run.id.clone()),
            settings: Box::new(run.settings.clone()),
            planned: run.planned.clone(),
        });
        show_earlier(&samples);
        let record = run.whole(samples);
        Ok(self.remember(run.settings, record))
    }

    pub(super) fn remember(&self, settings: RunSettings, record: impl Into<Rc<Record>>) -> Event {
        let record = record.into();
        let finished = Event::Finished {
            status: record.status,
            summary: record.summary.clone(),
            digest: record.digest.clone(),
            pack: record.pack.clone(),
            planned: record.planned,
        };
        *self.last.borrow_mut() = Some(Last { settings, record });
        finished
    }
}

/// Sends the record files of all stored runs as an archive, without unreadable ones.
///
/// # Errors
/// When there is no run, or when runs are unreadable; the archive is sent without them.
pub(super) async fn export_all() -> Result<(), String> {
    let listed = runs::list().await.map_err(|error| error.to_string())?;
    let mut files: Vec<(String, String)> = Vec::new();
    let mut left_out = listed.damaged;
    for run in listed.runs {
        match as_json(&run.id).await {
            // Runs of the same day and model have the same name.
            Ok((name, text)) => files.push((format!("{name}-{}.json", run.id), text)),
            Err(reason) => left_out.push(format!("{} ({reason})", run.id)),
        }
    }
    if files.is_empty() && left_out.is_empty() {
        return Err("No run is stored yet.".to_owned());
    }
    if !files.is_empty() {
        save_archive("api-bank-records.zip", &files)?;
    }
    if left_out.is_empty() {
        return Ok(());
    }
    Err(format!("These runs cannot be read and are not in the archive: {}.", left_out.join(", ")))
}

/// The name of a stored run's file without its ending, and its text.
async fn as_json(id: &str) -> Result<(String, String), String> {
    let record = runs::whole(id).await?;
    let text = record.to_json().map_err(|error| error.to_string())?;
    Ok((runs::file_name(&record), text))
}

/// The data that the settings name.
pub(super) fn edition(bench: &Benchmark, settings: &RunSettings) -> Result<Benchmark, String> {
    bench.edition(settings.edition).map_err(|error| error.to_string())
}

impl Host {
    /// The edition of a run, with the user's retriever if it is loaded.
    fn of_run(&self, bench: &Benchmark, settings: &RunSettings) -> Result<Benchmark, String> {
        self.lab.offered(edition(bench, settings)?, settings.retriever.as_ref())
    }
}

fn is_failed(sample: &SampleRecord) -> bool {
    matches!(sample.outcome, Outcome::Failed { .. })
}

/// An id that sorts by time; its second half is random.
pub(super) fn new_id() -> String {
    let random = (js_sys::Math::random() * f64::from(u32::MAX)) as u32;
    format!("{:013}-{random:08x}", js_sys::Date::now() as u64)
}
