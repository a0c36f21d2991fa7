//! What a run leaves while it goes on: every sample is kept before it is shown.

use super::post;
use crate::platform::lock::Held;
use crate::platform::runs;
use crate::platform::store::{Store, StoreError};
use crate::protocol::Event;
use crate::session::KeptRun;
use engine::record::{Record, SampleRecord};
use engine::runner::Progress;
use futures::StreamExt;
use futures::channel::mpsc::UnboundedReceiver;
use futures::future::{Either, select};
use gloo_timers::future::TimeoutFuture;

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
    pub run: KeptRun,
    /// `None` once keeping has failed: the run goes on in memory.
    store: Option<Store>,
    /// No other tab runs it meanwhile.
    _lock: Option<Held>,
}

impl Journal {
    /// A run that begins. Where nothing can be kept, the page is told why.
    pub(super) async fn begin(run: KeptRun) -> Self {
        let store = match Store::open().await {
            Ok(store) => Some(store),
            Err(error) => {
                lost(&error);
                None
            }
        };
        let lock = runs::take(&run.id).await;
        Journal { run, store, _lock: lock }
    }

    /// A run that goes on, with the samples that it has.
    ///
    /// # Errors
    /// When another tab runs it, or it cannot be read: what to do, in words.
    pub(super) async fn reopen(id: &str) -> Result<(Self, Vec<runs::Kept>), String> {
        let lock = runs::take(id).await.ok_or_else(|| {
            "This run goes on in another tab of this browser. Go there, or close that tab first."
                .to_owned()
        })?;
        let store = Store::open().await.map_err(|error| error.to_string())?;
        let (run, samples) = runs::load(&store, id).await.map_err(|error| error.to_string())?;
        Ok((Journal { run, store: Some(store), _lock: Some(lock) }, samples))
    }

    /// A run that is not kept.
    pub(super) fn in_memory(run: KeptRun) -> Self {
        Journal { run, store: None, _lock: None }
    }

    /// Drops the samples that are to be asked again from what is kept.
    pub(super) async fn drop_samples(&mut self, ids: &[String]) {
        if let Some(store) = &self.store
            && let Err(error) = runs::drop_samples(store, &self.run.id, ids).await
        {
            lost(&error);
            self.store = None;
        }
    }

    /// Keeps and shows what the run reports, until it is over. `earlier` is shown at the start.
    pub(super) async fn follow(
        &mut self,
        mut notes: UnboundedReceiver<Progress>,
        mut earlier: Vec<SampleRecord>,
    ) {
        while let Some(note) = notes.next().await {
            let first = match note {
                Progress::Started { planned } => {
                    self.run.planned.clone_from(&planned);
                    self.keep(&[]).await;
                    self.show_start(planned, std::mem::take(&mut earlier));
                    continue;
                }
                Progress::Sample(sample) => sample,
            };
            let samples = gather(first, &mut notes).await;
            self.keep(&samples).await;
            for sample in samples {
                post(&Event::Sample { sample });
            }
        }
    }

    /// The run is over.
    pub(super) async fn end(&mut self, record: &Record) {
        self.run.end(record);
        self.keep(&[]).await;
    }

    fn show_start(&self, planned: Vec<(dataset::Ability, usize)>, earlier: Vec<SampleRecord>) {
        post(&Event::Started {
            id: self.store.is_some().then(|| self.run.id.clone()),
            settings: Box::new(self.run.settings.clone()),
            planned,
        });
        show_earlier(&earlier);
    }

    async fn keep(&mut self, samples: &[Box<SampleRecord>]) {
        let Some(store) = &self.store else { return };
        let samples = samples.iter().map(AsRef::as_ref);
        if let Err(error) = runs::keep(store, &mut self.run, samples).await {
            lost(&error);
            self.store = None;
        }
    }
}

/// A sample and those that come soon after it, as many as are written together.
async fn gather(
    first: Box<SampleRecord>,
    notes: &mut UnboundedReceiver<Progress>,
) -> Vec<Box<SampleRecord>> {
    let mut samples = vec![first];
    let mut time = TimeoutFuture::new(GATHER_MS);
    while samples.len() < TOGETHER {
        match select(notes.next(), &mut time).await {
            Either::Left((Some(Progress::Sample(sample)), _)) => samples.push(sample),
            _ => break,
        }
    }
    samples
}

/// Shows samples that were there before.
pub(super) fn show_earlier(earlier: &[SampleRecord]) {
    for page in earlier.chunks(PAGE) {
        post(&Event::Kept { samples: page.to_vec() });
    }
}

fn lost(error: &StoreError) {
    post(&Event::NotKept { message: error.to_string() });
}
