//! Starts, resumes and opens runs.

use super::Host;
use super::archive::archive_of;
use super::journal::{Journal, show_earlier, tell_damaged};
use super::ports::Browser;
use super::tell::Teller;
use crate::messages::{MadeFile, RecordFacts, RunOrigin, RunProgress, StartRun};
use crate::platform::indexed_db::Store;
use crate::platform::runs;
use crate::stored_runs::StoredRun;
use futures::channel::mpsc;
use futures::future::join;
use record::RunSettings;
use record::{Outcome, Record, SampleRecord};
use runner::benchmark::Benchmark;
use std::rc::Rc;

/// The last run of this worker.
pub(super) struct Last {
    /// Its settings.
    pub settings: RunSettings,
    /// Its record.
    pub record: Rc<Record>,
}

impl Host {
    /// Plays or opens a run.
    ///
    /// # Errors
    /// Why it can't start.
    pub(super) async fn start_run(
        &self,
        request: StartRun,
        page: Teller<StartRun>,
    ) -> Result<RecordFacts, String> {
        let bench = self.bench()?;
        let task = self.run_alone()?;
        let StartRun { origin, key } = request;
        if let RunOrigin::Opened { id, conclude } = origin {
            return self.opened(&id, conclude, page).await;
        }
        let (bench, mut journal, done) = self.journal(&bench, origin, page).await?;
        let bench = &bench;
        let settings = journal.run.settings.clone();
        let ports = Browser::new(task.watch.clone()).of_run(page);
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
        origin: RunOrigin,
        page: Teller<StartRun>,
    ) -> Result<(Benchmark, Journal, Vec<SampleRecord>), String> {
        match origin {
            RunOrigin::New(settings) => {
                let settings = *settings;
                self.check_model(&settings)?;
                let bench = self.of_run(bench, &settings)?;
                runner::check(&bench, &settings)
                    .map_err(|error| format!("This run cannot start: {error}."))?;
                let head = runner::head(&bench, &settings);
                let run = StoredRun::begin(new_id(), settings, head);
                Ok((bench, Journal::begin(run, Some(page)).await, Vec::new()))
            }
            RunOrigin::Stored { id, again } => {
                let (mut journal, mut samples) = Journal::reopen(&id, page).await?;
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
            RunOrigin::Last | RunOrigin::Opened { .. } => {
                let last = self.last.borrow();
                let last = last.as_ref().ok_or("There is no run to retry.")?;
                let settings = last.settings.clone();
                self.check_model(&settings)?;
                let samples = last.record.samples.iter().filter(|it| !is_failed(it)).cloned();
                let samples: Vec<SampleRecord> = samples.collect();
                let bench = self.of_run(bench, &settings)?;
                let head = runner::head(&bench, &settings);
                let journal = Journal::in_memory(StoredRun::begin(new_id(), settings, head), page);
                Ok((bench, journal, samples))
            }
        }
    }

    /// Opens a stored run; `conclude` marks an unfinished one as ended.
    async fn opened(
        &self,
        id: &str,
        conclude: bool,
        page: Teller<StartRun>,
    ) -> Result<RecordFacts, String> {
        let (run, samples) = if conclude {
            let (mut journal, samples) = Journal::reopen(id, page).await?;
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
        page.tell(&RunProgress::Started {
            id: Some(run.id.clone()),
            settings: Box::new(run.settings.clone()),
            planned: run.planned.clone(),
        });
        show_earlier(&samples, |progress| page.tell(&progress));
        let record = run.whole(samples);
        Ok(self.remember(run.settings, record))
    }

    pub(super) fn remember(
        &self,
        settings: RunSettings,
        record: impl Into<Rc<Record>>,
    ) -> RecordFacts {
        let record = record.into();
        let facts = RecordFacts {
            status: record.status,
            digest: record.digest.clone(),
            pack: record.pack.clone(),
            planned: record.planned,
        };
        *self.last.borrow_mut() = Some(Last { settings, record });
        facts
    }
}

/// The record files of all stored runs in an archive, without unreadable ones.
///
/// # Errors
/// When there is no readable run.
pub(super) async fn all_runs() -> Result<MadeFile, String> {
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
    let lacking = (!left_out.is_empty()).then(|| {
        format!("These runs cannot be read and are not in the archive: {}.", left_out.join(", "))
    });
    if files.is_empty() {
        return Err(lacking.unwrap_or_else(|| "No run is stored yet.".to_owned()));
    }
    Ok(MadeFile { lacking, ..archive_of("api-bank-records.zip", &files)? })
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
