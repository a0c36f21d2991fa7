//! What a run leaves while it goes on: every sample is kept before it is shown. What cannot be kept is
//! held, and tried again.

use super::post;
use crate::platform::lock::LockGuard;
use crate::platform::runs::{self, Loaded};
use crate::platform::store::{Store, StoreError};
use crate::protocol::Event;
use crate::stored::StoredRun;
use crate::stored::backlog::Backlog;
use futures::StreamExt;
use futures::channel::mpsc::UnboundedReceiver;
use futures::future::{Either, pending, select};
use gloo_timers::future::TimeoutFuture;
use record::{Record, SampleRecord};
use runner::Progress;
use std::pin::pin;

/// Samples that are written together at most.
const TOGETHER: usize = 64;
/// How long a sample waits for others, in milliseconds: every write costs the browser as much as a
/// request, however little it brings.
const GATHER_MS: u32 = 50;
/// Samples of an earlier part of the run that are shown by one message.
const PAGE: usize = 100;

/// Writes one run.
pub(super) struct Journal {
    /// The run's row, also where nothing can be kept.
    pub run: StoredRun,
    /// Where it is kept; `None` after a failure, until it is opened again.
    store: Option<Store>,
    /// Whether it is to be kept at all.
    keeps: bool,
    /// Ids of samples that are to be asked again, whose old answers still have to go.
    outdated: Vec<String>,
    backlog: Backlog<Box<SampleRecord>>,
    /// No other tab runs it meanwhile.
    _lock: Option<LockGuard>,
}

impl Journal {
    fn new(run: StoredRun, store: Option<Store>, keeps: bool, lock: Option<LockGuard>) -> Self {
        let (outdated, backlog) = (Vec::new(), Backlog::default());
        Journal { run, store, keeps, outdated, backlog, _lock: lock }
    }

    /// A run that begins. Where nothing can be kept, the page is told why.
    pub(super) async fn begin(run: StoredRun) -> Self {
        let lock = runs::take(&run.id).await;
        let mut journal = Journal::new(run, None, true, lock);
        journal.flush().await;
        journal
    }

    /// A run that goes on, with the samples that it has.
    ///
    /// # Errors
    /// When another tab runs it, or it cannot be read: what to do, in words.
    pub(super) async fn reopen(id: &str) -> Result<(Self, Vec<runs::StoredSample>), String> {
        let lock = runs::take(id).await.ok_or_else(|| {
            "This run goes on in another tab of this browser. Go there, or close that tab first."
                .to_owned()
        })?;
        let store = Store::open().await.map_err(|error| error.to_string())?;
        let loaded = runs::load(&store, id).await.map_err(|error| error.to_string())?;
        tell_damaged(&loaded);
        let Loaded { run, samples, .. } = loaded;
        Ok((Journal::new(run, Some(store), true, Some(lock)), samples))
    }

    /// A run that is not kept.
    pub(super) fn in_memory(run: StoredRun) -> Self {
        Journal::new(run, None, false, None)
    }

    /// Drops the samples that are to be asked again from what is kept.
    pub(super) async fn drop_samples(&mut self, ids: Vec<String>) {
        self.outdated = ids;
        self.flush().await;
    }

    /// Keeps and shows what the run reports, until it is over. `earlier` is shown at the start.
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
                    self.show_start(planned, std::mem::take(&mut earlier));
                }
                Some(Progress::Sample(first)) => {
                    let (samples, next) = gather(first, &mut notes).await;
                    ahead = next;
                    self.keep(&samples).await;
                    for sample in samples {
                        post(&Event::Sample { sample });
                    }
                }
                Some(Progress::Stopped { reason }) => {
                    self.run.stopped = Some(reason.clone());
                    post(&Event::Stopped { reason });
                }
            }
        }
    }

    /// The run is over.
    pub(super) async fn end(&mut self, record: &Record) {
        self.run.end(record);
        self.flush().await;
    }

    /// What the run reports next; `None` when a failed write is to be tried again.
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

    fn show_start(&self, planned: Vec<(dataset::Ability, usize)>, earlier: Vec<SampleRecord>) {
        post(&Event::Started {
            id: self.store.is_some().then(|| self.run.id.clone()),
            settings: Box::new(self.run.settings.clone()),
            planned,
        });
        show_earlier(&earlier);
    }

    /// Writes samples, with what could not be written before. After a failure only once its pause is
    /// over.
    async fn keep(&mut self, samples: &[Box<SampleRecord>]) {
        if self.keeps {
            self.backlog.extend(samples.iter().cloned());
        }
        if self.backlog.wait_ms(now_ms()) == 0 {
            self.flush().await;
        }
    }

    /// Ends when a failed write is to be tried again; never, where none failed.
    async fn retry(&self) {
        if !self.backlog.is_stuck() {
            return pending().await;
        }
        let wait_ms = self.backlog.wait_ms(now_ms());
        TimeoutFuture::new(u32::try_from(wait_ms).unwrap_or(u32::MAX)).await;
    }

    /// Writes all that waits, and the run's row.
    async fn flush(&mut self) {
        if !self.keeps {
            return;
        }
        match self.write().await {
            Ok(true) => post(&Event::KeptAgain { id: self.run.id.clone() }),
            Ok(false) => {}
            Err(error) => {
                self.store = None;
                if self.backlog.failed(now_ms()) {
                    post(&Event::NotKept { message: error.to_string() });
                }
            }
        }
    }

    /// Says whether all is well again after a failure.
    async fn write(&mut self) -> Result<bool, StoreError> {
        let store = match self.store.take() {
            Some(store) => store,
            None => Store::open().await?,
        };
        runs::drop_samples(&store, &self.run.id, &self.outdated).await?;
        self.outdated.clear();
        let again = loop {
            let batch = self.backlog.next(TOGETHER);
            let count = batch.len();
            runs::keep(&store, &mut self.run, batch.iter().map(AsRef::as_ref)).await?;
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

/// A sample and those that come soon after it, as many as are written together; and what came then
/// that is no sample.
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

/// Shows samples that were there before.
pub(super) fn show_earlier(earlier: &[SampleRecord]) {
    for page in earlier.chunks(PAGE) {
        post(&Event::EarlierSamples { samples: page.to_vec() });
    }
}

/// Tells how many samples of a run cannot be read.
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
