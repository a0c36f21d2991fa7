//! What the page does with the worker: starts it, sends it commands and requests, takes its events.

use super::App;
use crate::bridge::{Answer, Bridge};
use crate::platform::page;
use crate::protocol::request::decode;
use crate::protocol::{AnyRequest, Command, Event, Request};
use crate::session::{Engine, Source};
use crate::t;
use futures::channel::oneshot;
use gloo_timers::callback::Timeout;
use js_sys::Array;
use leptos::prelude::*;

/// Samples that come within this time are shown together: to paint them more often would take the
/// time from who makes them, and no eye would see it.
const BATCH_MS: u32 = 100;

/// The engine's worker.
#[derive(Clone, Copy)]
pub struct WorkerState {
    /// How far it is.
    pub engine: RwSignal<Engine>,
    /// Counts resets of the scratch world.
    pub resets: RwSignal<u32>,
    bridge: StoredValue<Option<Bridge>, LocalStorage>,
    /// Samples that wait to be shown, and the timer that shows them.
    batch: StoredValue<(Vec<Event>, Option<Timeout>), LocalStorage>,
}

impl WorkerState {
    pub(super) fn new() -> Self {
        WorkerState {
            engine: RwSignal::new(Engine::Off),
            resets: RwSignal::new(0),
            bridge: StoredValue::new_local(None),
            batch: StoredValue::new_local((Vec::new(), None)),
        }
    }

    fn is_broken(self) -> bool {
        self.engine.with_untracked(|engine| engine.failure().is_some())
    }
}

impl App {
    /// Sends a command; starts the worker when there is none.
    pub fn send(self, command: Command) {
        self.send_with(command, None);
    }

    /// Sends a command with files of the user's beside it.
    pub(super) fn send_with(self, command: Command, files: Option<Array>) {
        self.lazy.run(move |lazy| (lazy.send)(self, command, files));
    }

    /// Starts a worker unless one runs.
    pub fn start_worker(self) {
        self.lazy.run(move |lazy| (lazy.start_worker)(self));
    }

    /// Gives up the old worker and starts a fresh one.
    pub fn restart_worker(self) {
        self.lazy.run(move |lazy| (lazy.restart_worker)(self));
    }

    /// Asks the worker; starts one when there is none. The request is on its way when this returns.
    ///
    /// # Errors
    /// Why there is no answer; also when the worker breaks down or is restarted meanwhile.
    pub fn ask<R: Request>(
        self,
        request: R,
    ) -> impl Future<Output = Result<R::Answer, String>> + use<R> {
        self.ask_with(request, None)
    }

    /// The same with files of the user's beside the request.
    ///
    /// # Errors
    /// As above.
    pub fn ask_with<R: Request>(
        self,
        request: R,
        files: Option<Array>,
    ) -> impl Future<Output = Result<R::Answer, String>> + use<R> {
        let (sender, answer) = oneshot::channel();
        let request = request.into();
        self.lazy.run(move |lazy| (lazy.ask)(self, request, files, sender));
        async move {
            let gone = |_| Err(t!("The engine stopped.").to_owned());
            decode::<R>(answer.await.unwrap_or_else(gone))
        }
    }
}

/// What only the lazy-loaded module calls by name.
impl App {
    /// Starts a worker unless one runs.
    pub(crate) fn start_worker_now(self) {
        let failure = self.worker.engine.with_untracked(|it| it.failure().map(str::to_owned));
        if let Some(message) = failure {
            return self.run.current.update(|run| run.fail(&message, page::now_ms()));
        }
        if self.worker.bridge.with_value(Option::is_some) {
            return;
        }
        self.worker.engine.set(Engine::Starting);
        match Bridge::start(move |event| self.receive(event)) {
            Ok(bridge) => self.worker.bridge.set_value(Some(bridge)),
            Err(message) => self.hear(Event::Panicked { message }),
        }
    }

    /// Gives up the old worker and starts a fresh one.
    pub(crate) fn restart_worker_now(self) {
        self.worker.bridge.set_value(None);
        self.worker.engine.set(Engine::Off);
        self.start_worker_now();
    }

    /// Stops the run, whether or not the worker has begun it.
    pub(crate) fn cancel_run_now(self) {
        let waiting = self
            .worker
            .bridge
            .try_update_value(|bridge| bridge.as_mut().is_some_and(Bridge::drop_waiting_run));
        if waiting == Some(true) {
            self.run.current.update(|run| run.cancel_before_start(page::now_ms()));
        } else {
            self.send_now(Command::Cancel, None);
        }
    }

    /// Sends a command, with files of the user's beside it; starts the worker when there is none.
    pub(crate) fn send_now(self, command: Command, files: Option<Array>) {
        self.start_worker_now();
        self.with_bridge(|bridge| bridge.send(command, files));
    }

    /// Sends a request likewise. Without a worker that works it has no answer.
    pub(crate) fn ask_now(self, request: AnyRequest, files: Option<Array>, answer: Answer) {
        self.start_worker_now();
        if !self.worker.is_broken() {
            self.with_bridge(|bridge| bridge.ask(request, files, answer));
        }
    }

    /// Takes an event of the worker: samples in batches, everything else at once.
    fn receive(self, event: Event) {
        if !matches!(event, Event::Sample { .. }) {
            self.flush();
            self.hear(event);
            return;
        }
        self.worker.batch.update_value(|(waiting, timer)| {
            waiting.push(event);
            if timer.is_none() {
                *timer = Some(Timeout::new(BATCH_MS, move || self.flush()));
            }
        });
    }

    fn flush(self) {
        let waiting = self
            .worker
            .batch
            .try_update_value(|(waiting, timer)| {
                // A timer that has gone off must not be cancelled from inside itself.
                if let Some(timer) = timer.take() {
                    timer.forget();
                }
                std::mem::take(waiting)
            })
            .unwrap_or_default();
        if !waiting.is_empty() {
            let now = page::now_ms();
            self.run.current.update(|run| waiting.iter().for_each(|event| run.fold(event, now)));
        }
    }

    fn hear(self, event: Event) {
        let now = page::now_ms();
        if let Event::Opened { settings } = &event {
            self.run.show((**settings).clone(), Source::File);
        }
        if self.run.is_active() {
            self.run.current.update(|run| run.fold(&event, now));
        }
        if event.is_of_library() {
            self.data.library.update(|library| library.fold(&event));
        }
        match event {
            Event::Listening => {
                let pack = self.data.library.with_untracked(|library| library.chosen.clone());
                self.with_bridge(|bridge| bridge.load(pack));
            }
            Event::Loading { bytes } => self.worker.engine.set(Engine::Loading(bytes)),
            // Another pack than the built-in one has a search of its own.
            Event::Searchable => {
                if self.data.library.with_untracked(|library| library.chosen.is_none()) {
                    self.with_bridge(Bridge::open_search);
                }
            }
            Event::Ready { pack, .. } => {
                // The locks of a worker that broke down are free now.
                self.refresh_runs_now();
                self.worker.engine.set(Engine::Ready(pack));
                self.with_bridge(Bridge::open);
            }
            Event::LoadFailed { message } | Event::Panicked { message } => {
                if !self.worker.is_broken() {
                    self.worker.engine.update(|it| *it = std::mem::take(it).failed(message));
                }
                self.with_bridge(|bridge| {
                    bridge.fail_requests();
                    Ok(())
                });
            }
            Event::RecordFile { name, text } => self.ui.saved(page::save(&name, &text).is_ok()),
            Event::FileAt { name, url } => {
                self.ui.notice.set(None);
                self.ui.saved(page::save_at(&name, url).is_ok());
            }
            Event::PackRefused { message }
            | Event::Notice { message }
            | Event::Refused { message } => self.ui.notice.set(Some(message)),
            Event::Answered { id, answer } => self.with_bridge(|bridge| {
                bridge.answer(id, answer);
                Ok(())
            }),
            Event::Verifying { done, of } => self.records.verifying.set((done, of)),
            Event::Opened { .. } => {}
            Event::Generation { event } => self.generation.current.update(|it| it.fold(*event)),
            Event::WorldReset => self.worker.resets.update(|count| *count += 1),
            Event::Started { .. }
            | Event::Finished { .. }
            | Event::NotKept { .. }
            | Event::KeptAgain { .. } => {
                self.refresh_runs_now();
            }
            Event::Paused { on } => self.generation.current.update(|it| it.pause(on)),
            Event::Sample { .. }
            | Event::Throttled { .. }
            | Event::Stopped { .. }
            | Event::EarlierSamples { .. }
            | Event::Auditing { .. }
            | Event::Audited { .. }
            | Event::Importing { .. }
            | Event::Imported { .. }
            | Event::ImportFailed { .. } => {}
        }
    }

    fn with_bridge(self, work: impl FnOnce(&mut Bridge) -> Result<(), String>) {
        let done =
            self.worker.bridge.try_update_value(|bridge| bridge.as_mut().map(work)).flatten();
        if let Some(Err(message)) = done {
            self.hear(Event::Panicked { message });
        }
    }
}
