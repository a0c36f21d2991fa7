//! Compares endpoints: runs them side by side, stores each run, and sends the comparison.

use super::archive::save_archive;
use super::journal::Journal;
use super::ports::Browser;
use super::runs::{edition, new_id};
use super::{Host, NOT_LOADED, post, refuse};
use crate::platform::cancel::{self, Watch};
use crate::platform::runs as stored;
use crate::protocol::Event;
use crate::protocol::endpoints::{EndpointsEvent, PlannedRun};
use crate::stored_runs::StoredRun;
use futures::channel::mpsc;
use futures::future::{join, join_all};
use record::compare::{EndpointRun, endpoints};
use record::{Outcome, Record, Status};
use runner::Progress;
use runner::benchmark::Benchmark;
use runner::side_by_side::side_by_side;
use std::rc::Rc;
use wasm_bindgen_futures::spawn_local;

fn tell(event: EndpointsEvent) {
    post(&Event::Endpoints { event: Box::new(event) });
}

impl Host {
    /// Starts a comparison, unless a run is in progress.
    pub(super) fn compare_endpoints(self: Rc<Self>, runs: Vec<PlannedRun>) {
        let failed = |message: &str| tell(EndpointsEvent::Failed { message: message.to_owned() });
        let Some(bench) = self.bench.borrow().clone() else {
            return failed(NOT_LOADED);
        };
        if self.running.borrow().is_some() {
            return failed("A run is in progress. Cancel it or wait until it ends.");
        }
        let (switch, watch) = cancel::pair();
        *self.running.borrow_mut() = Some(switch);
        spawn_local(async move {
            let outcome = self.compared_endpoints(&bench, runs, watch).await;
            *self.running.borrow_mut() = None;
            match outcome {
                Ok(finished) => tell(finished),
                Err(message) => tell(EndpointsEvent::Failed { message }),
            }
        });
    }

    async fn compared_endpoints(
        &self,
        bench: &Benchmark,
        runs: Vec<PlannedRun>,
        watch: Watch,
    ) -> Result<EndpointsEvent, String> {
        let first = runs.first().ok_or("There is no endpoint to compare.")?;
        let bench = &edition(bench, &first.settings)?;
        let mut journals = Vec::new();
        for run in &runs {
            runner::check(bench, &run.settings)
                .map_err(|error| format!("This comparison cannot start: {error}."))?;
            let head = runner::head(bench, &run.settings);
            let run = StoredRun::begin(new_id(), run.settings.as_ref().clone(), head);
            journals.push(Journal::begin(run).await.quiet());
        }
        let ports = Browser::new(watch.clone());
        let (senders, notes): (Vec<_>, Vec<_>) = runs.iter().map(|_| mpsc::unbounded()).unzip();
        let follow = journals.iter_mut().zip(notes);
        let follow = join_all(follow.map(|(journal, notes)| journal.follow(notes, Vec::new())));
        let settings: Vec<_> =
            runs.iter().map(|it| (it.settings.as_ref().clone(), it.key.clone())).collect();
        let asked = async {
            let report = move |run: usize, progress: Progress| {
                show(run, &progress);
                if let Some(sender) = senders.get(run) {
                    // The receiver outlives the run, so sending cannot fail.
                    let _ = sender.unbounded_send(progress);
                }
            };
            side_by_side(bench, &settings, &ports, watch.wait(), report).await
        };
        let (records, _) = join(asked, follow).await;
        for (journal, record) in journals.iter_mut().zip(&records) {
            journal.end(record).await;
        }
        let compared: Vec<EndpointRun<'_>> = records
            .iter()
            .zip(&runs)
            .map(|(record, run)| EndpointRun { record, prices: run.prices })
            .collect();
        let report = Box::new(endpoints(&compared));
        let cancelled = records.iter().any(|it| it.status == Status::Cancelled) && watch.stopped();
        self.compared.borrow_mut().replace(records.into_iter().map(Rc::new).collect());
        Ok(EndpointsEvent::Finished { report, cancelled })
    }

    /// Sends the compared records as an archive.
    pub(super) fn export_compared(&self) {
        let named = |(index, record): (usize, &Rc<Record>)| -> Result<(String, String), String> {
            let name = stored::file_name(record);
            let text = record.to_json().map_err(|error| error.to_string())?;
            Ok((format!("{}-{name}.json", record::compare::letter(index)), text))
        };
        let compared = self.compared.borrow();
        let files: Result<Vec<_>, String> = compared.all().iter().enumerate().map(named).collect();
        let saved = files.and_then(|files| match files.is_empty() {
            true => Err("There is no record to save.".to_owned()),
            false => save_archive("api-bank-endpoints.zip", &files),
        });
        if let Err(message) = saved {
            refuse(message);
        }
    }
}

/// Shows the progress of a run.
fn show(run: usize, progress: &Progress) {
    match progress {
        Progress::Started { planned } if run == 0 => {
            let planned = planned.iter().map(|(_, count)| count).sum();
            tell(EndpointsEvent::Started { planned });
        }
        Progress::Started { .. } => {}
        Progress::Sample(sample) => {
            let answered = matches!(sample.outcome, Outcome::Answered(_));
            tell(EndpointsEvent::Sample { run, answered });
        }
        Progress::Stopped { reason } => {
            tell(EndpointsEvent::Stopped { run, reason: reason.clone() });
        }
    }
}
