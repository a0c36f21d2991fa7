//! Stores a run in progress: every sample before it is shown. Failed writes are queued and retried.

use super::post;
use super::tell::Teller;
use crate::messages::{Event, RunProgress, StartRun};
use crate::platform::indexed_db::{Store, StoreError};
use crate::platform::lock::LockGuard;
use crate::platform::runs::{self, Loaded};
use crate::stored_runs::StoredRun;
use crate::stored_runs::backlog::Backlog;
use futures::StreamExt;
use futures::channel::mpsc::UnboundedReceiver;
use futures::future::{Either, pending, select};
use gloo_timers::future::TimeoutFuture;
use record::{Record, SampleRecord};
use runner::Progress;
use std::pin::pin;

/// Maximum number of samples per transaction.
const TOGETHER: usize = 64;
/// How long a sample waits for others, in milliseconds: a transaction costs the browser as much as
/// a request, whatever its size.
const GATHER_MS: u32 = 50;
/// Samples of an earlier session that are told together.
const PAGE: usize = 100;

/// Writes a run.
pub(super) struct Journal {
    /// The run's row, also without storage.
    pub run: StoredRun,
    /// The database; `None` after a failure, until reopened.
    store: Option<Store>,
    /// Whether to store the run at all.
    keeps: bool,
    /// Who shows its progress; `None` if the page shows another run.
    page: Option<Teller<StartRun>>,
    /// Ids of samples to be asked again, whose old answers are still to be deleted.
    outdated: Vec<String>,
    backlog: Backlog<Box<SampleRecord>>,
    /// Whether the run's row has been written.
    begun: bool,
    /// Whether the site's data was cleared since: until the end, earlier samples are in memory alone.
    cleared: bool,
    /// Prevents other tabs from running it.
    _lock: Option<LockGuard>,
}

impl Journal {
    fn new(run: StoredRun, store: Option<Store>, lock: Option<LockGuard>) -> Self {
        Journal {
            run,
            store,
            keeps: true,
            page: None,
            outdated: Vec::new(),
            backlog: Backlog::default(),
            begun: false,
            cleared: false,
            _lock: lock,
        }
    }

    /// Starts a run. Without storage, reports why to the page.
    pub(super) async fn begin(run: StoredRun, page: Option<Teller<StartRun>>) -> Self {
        let lock = runs::take(&run.id).await;
        let mut journal = Journal { page, ..Journal::new(run, None, lock) };
        journal.flush().await;
        journal
    }

    /// Resumes a run; returns its samples.
    ///
    /// # Errors
    /// When another tab runs it, or it cannot be read.
    pub(super) async fn reopen(
        id: &str,
        page: Teller<StartRun>,
    ) -> Result<(Self, Vec<runs::StoredSample>), String> {
        let lock = runs::take(id).await.ok_or_else(|| {
            "This run is active in another tab of this browser. Switch to that tab, or close it first."
                .to_owned()
        })?;
        let store = Store::open().await.map_err(|error| error.to_string())?;
        let loaded = runs::load(&store, id).await.map_err(|error| error.to_string())?;
        tell_damaged(&loaded);
        let Loaded { run, samples, .. } = loaded;
        let journal = Journal::new(run, Some(store), Some(lock));
        Ok((Journal { begun: true, page: Some(page), ..journal }, samples))
    }

    /// A run that is not stored.
    pub(super) fn in_memory(run: StoredRun, page: Teller<StartRun>) -> Self {
        Journal { keeps: false, page: Some(page), ..Journal::new(run, None, None) }
    }

    /// Deletes samples that are to be asked again.
    pub(super) async fn drop_samples(&mut self, ids: Vec<String>) {
        self.outdated = ids;
        self.flush().await;
    }

    /// Stores and shows the run's progress until it ends. Shows `earlier` first.
    pub(super) async fn follow(
        &mut self,
        mut notes: UnboundedReceiver<Progress>,
        mut earlier: Vec<SampleRecord>,
    ) {
        let mut ahead = None;
        loop {
            let Some(note) = self.next(ahead.take(), &mut notes).await else {
                self.flush().await;
                continue;
            };
            match note {
                None => break,
                Some(Progress::Started { planned }) => {
                    self.run.planned.clone_from(&planned);
                    self.keep(&[]).await;
                    self.show_start(planned, &std::mem::take(&mut earlier));
                }
                Some(Progress::Sample(first)) => {
                    let (samples, next) = gather(first, &mut notes).await;
                    ahead = next;
                    self.keep(&samples).await;
                    for sample in samples {
                        self.show(&RunProgress::Sample { sample });
                    }
                }
                Some(Progress::Stopped { reason }) => {
                    self.run.stopped = Some(reason.clone());
                    self.show(&RunProgress::Stopped { reason });
                }
            }
        }
    }

    /// Ends the run.
    pub(super) async fn end(&mut self, record: &Record) {
        self.run.end(record);
        self.flush().await;
        if !self.cleared {
            return;
        }
        let (over, stopped) = (self.run.over, self.run.stopped.take());
        self.run.recount([]);
        (self.run.over, self.run.stopped) = (over, stopped);
        self.backlog.extend(record.samples.iter().cloned().map(Box::new));
        self.flush().await;
        if self.backlog.is_empty() {
            let count = record.samples.len();
            let message = format!("All {count} samples of the run are stored again.");
            post(&Event::Notice { message });
        }
    }

    /// The next progress event; `None` when a failed write is due for a retry.
    async fn next(
        &self,
        ahead: Option<Progress>,
        notes: &mut UnboundedReceiver<Progress>,
    ) -> Option<Option<Progress>> {
        if ahead.is_some() {
            return Some(ahead);
        }
        match select(notes.next(), pin!(self.retry())).await {
            Either::Left((note, _)) => Some(note),
            Either::Right(_) => None,
        }
    }

    fn show(&self, progress: &RunProgress) {
        if let Some(page) = self.page {
            page.tell(progress);
        }
    }

    fn show_start(&self, planned: Vec<(dataset::Ability, usize)>, earlier: &[SampleRecord]) {
        self.show(&RunProgress::Started {
            id: self.store.is_some().then(|| self.run.id.clone()),
            settings: Box::new(self.run.settings.clone()),
            planned,
        });
        show_earlier(earlier, |progress| self.show(&progress));
    }

    /// Writes samples and the backlog. After a failure, only once its pause is over.
    async fn keep(&mut self, samples: &[Box<SampleRecord>]) {
        if self.keeps {
            self.backlog.extend(samples.iter().cloned());
        }
        if self.backlog.wait_ms(now_ms()) == 0 {
            self.flush().await;
        }
    }

    /// Completes when a failed write is due for a retry; never without a failure.
    async fn retry(&self) {
        if !self.backlog.is_stuck() {
            return pending().await;
        }
        let wait_ms = self.backlog.wait_ms(now_ms());
        TimeoutFuture::new(u32::try_from(wait_ms).unwrap_or(u32::MAX)).await;
    }

    /// Writes the whole backlog and the run's row.
    async fn flush(&mut self) {
        if !self.keeps {
            return;
        }
        match self.write().await {
            Ok(true) => self.show(&RunProgress::KeptAgain { id: self.run.id.clone() }),
            Ok(false) => {}
            Err(error) => {
                self.store = None;
                let message = error.to_string();
                if self.backlog.failed(now_ms()) {
                    match self.page {
                        Some(page) => page.tell(&RunProgress::NotKept { message }),
                        None => post(&Event::Notice { message }),
                    }
                }
            }
        }
    }

    /// Writes the backlog in batches; whether a failure is now recovered.
    async fn write(&mut self) -> Result<bool, StoreError> {
        let store = match self.store.take() {
            Some(store) => store,
            None => Store::open().await?,
        };
        if self.begun && !self.cleared && !runs::is_stored(&store, &self.run.id).await? {
            self.cleared = true;
            let message = format!(
                "The site's data was cleared during the run: {} samples are only in this tab until the \
                 run ends. Don't close it; the run goes on and stores them then.",
                self.run.done
            );
            post(&Event::Notice { message });
        }
        runs::drop_samples(&store, &self.run.id, &self.outdated).await?;
        self.outdated.clear();
        let again = loop {
            let batch = self.backlog.next(TOGETHER);
            let count = batch.len();
            runs::keep(&store, &mut self.run, batch.iter().map(AsRef::as_ref)).await?;
            self.begun = true;
            let again = self.backlog.written(count);
            if self.backlog.is_empty() {
                break again;
            }
        };
        self.store = Some(store);
        Ok(again)
    }
}

fn now_ms() -> u64 {
    js_sys::Date::now() as u64
}

/// A sample with those that follow shortly, up to one transaction; and the event that ended them,
/// if it is not a sample.
async fn gather(
    first: Box<SampleRecord>,
    notes: &mut UnboundedReceiver<Progress>,
) -> (Vec<Box<SampleRecord>>, Option<Progress>) {
    let mut samples = vec![first];
    let mut time = TimeoutFuture::new(GATHER_MS);
    while samples.len() < TOGETHER {
        match select(notes.next(), &mut time).await {
            Either::Left((Some(Progress::Sample(sample)), _)) => samples.push(sample),
            Either::Left((other, _)) => return (samples, other),
            Either::Right(_) => break,
        }
    }
    (samples, None)
}

/// Shows samples of an earlier session.
pub(super) fn show_earlier(earlier: &[SampleRecord], show: impl Fn(RunProgress)) {
    for page in earlier.chunks(PAGE) {
        show(RunProgress::Earlier { samples: page.to_vec() });
    }
}

/// Reports the number of unreadable samples.
pub(super) fn tell_damaged(loaded: &Loaded) {
    if loaded.damaged > 0 {
        let message = format!(
            "Samples of this run that cannot be read: {}. The others are kept; resume the run to ask \
             them again.",
            loaded.damaged
        );
        post(&Event::Notice { message });
    }
}
