//! Compares endpoints: runs them side by side and stores each run.

use super::Host;
use super::archive::archive_of;
use super::journal::Journal;
use super::ports::Browser;
use super::runs::{edition, new_id};
use super::tell::Teller;
use crate::messages::MadeFile;
use crate::messages::endpoints::{CompareEndpoints, ComparedEndpoints, EndpointsProgress};
use crate::platform::runs as stored;
use crate::stored_runs::StoredRun;
use futures::channel::mpsc;
use futures::future::{join, join_all};
use record::compare::{EndpointRun, endpoints};
use record::{Outcome, Record, Status};
use runner::Progress;
use runner::side_by_side::side_by_side;
use std::rc::Rc;

impl Host {
    /// Runs endpoints side by side and compares them.
    ///
    /// # Errors
    /// Why the comparison can't start.
    pub(super) async fn compare_endpoints(
        &self,
        request: CompareEndpoints,
        page: Teller<CompareEndpoints>,
    ) -> Result<ComparedEndpoints, String> {
        let CompareEndpoints { runs } = request;
        let bench = self.bench()?;
        let task = self.run_alone()?;
        let first = runs.first().ok_or("There is no endpoint to compare.")?;
        let bench = &edition(&bench, &first.settings)?;
        let mut journals = Vec::new();
        for run in &runs {
            runner::check(bench, &run.settings)
                .map_err(|error| format!("This comparison cannot start: {error}."))?;
            let head = runner::head(bench, &run.settings);
            let run = StoredRun::begin(new_id(), run.settings.as_ref().clone(), head);
            journals.push(Journal::begin(run, None).await);
        }
        let watch = &task.watch;
        let ports = Browser::new(watch.clone());
        let (senders, notes): (Vec<_>, Vec<_>) = runs.iter().map(|_| mpsc::unbounded()).unzip();
        let follow = journals.iter_mut().zip(notes);
        let follow = join_all(follow.map(|(journal, notes)| journal.follow(notes, Vec::new())));
        let settings: Vec<_> =
            runs.iter().map(|run| (run.settings.as_ref().clone(), run.key.clone())).collect();
        let asked = async {
            let report = move |run: usize, progress: Progress| {
                if let Some(progress) = shown(run, &progress) {
                    page.tell(&progress);
                }
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
        Ok(ComparedEndpoints { report, cancelled })
    }

    /// The compared records in an archive.
    ///
    /// # Errors
    /// When there is none.
    pub(super) fn compared_records(&self) -> Result<MadeFile, String> {
        let named = |(index, record): (usize, &Rc<Record>)| -> Result<(String, String), String> {
            let name = stored::file_name(record);
            let text = record.to_json().map_err(|error| error.to_string())?;
            Ok((format!("{}-{name}.json", record::compare::letter(index)), text))
        };
        let compared = self.compared.borrow();
        let files: Vec<_> =
            compared.all().iter().enumerate().map(named).collect::<Result<_, _>>()?;
        match files.is_empty() {
            true => Err("There is no record to save.".to_owned()),
            false => archive_of("api-bank-endpoints.zip", &files),
        }
    }
}

/// The progress of a run as the page shows it.
fn shown(run: usize, progress: &Progress) -> Option<EndpointsProgress> {
    match progress {
        Progress::Started { planned } if run == 0 => {
            let planned = planned.iter().map(|(_, count)| count).sum();
            Some(EndpointsProgress::Started { planned })
        }
        Progress::Started { .. } => None,
        Progress::Sample(sample) => {
            let answered = matches!(sample.outcome, Outcome::Answered(_));
            Some(EndpointsProgress::Sample { run, answered })
        }
        Progress::Stopped { reason } => {
            Some(EndpointsProgress::Stopped { run, reason: reason.clone() })
        }
    }
}
