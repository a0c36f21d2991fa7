//! State and actions of the worker: starts it, sends commands and requests, receives events.

use super::App;
use crate::bridge::{Answer, Bridge};
use crate::platform::{browser_model, page};
use crate::protocol::endpoints::EndpointsEvent;
use crate::protocol::request::decode;
use crate::protocol::{AnyRequest, Command, Event, Request};
use crate::session::{Engine, Kept, SearchLab, Source};
use crate::t;
use futures::channel::oneshot;
use gloo_timers::callback::Timeout;
use js_sys::Array;
use leptos::prelude::*;

/// Samples that arrive within this many milliseconds are rendered together, to leave CPU time to
/// the worker.
const BATCH_MS: u32 = 100;

/// The engine's worker.
#[derive(Clone, Copy)]
pub struct WorkerState {
    /// Its state.
    pub engine: RwSignal<Engine>,
    /// Counts resets of the scratch world.
    pub resets: RwSignal<u32>,
    bridge: StoredValue<Option<Bridge>, LocalStorage>,
    /// Samples waiting to be rendered, and the timer that renders them.
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
    /// Sends a command; starts the worker if necessary.
    pub fn send(self, command: Command) {
        self.send_with(command, None);
    }

    /// Sends a command with the user's files.
    pub(super) fn send_with(self, command: Command, files: Option<Array>) {
        self.lazy.run(move |lazy| (lazy.send)(self, command, files));
    }

    /// Starts the worker unless it is running.
    pub fn start_worker(self) {
        self.lazy.run(move |lazy| (lazy.start_worker)(self));
    }

    /// Terminates the worker and starts a new one.
    pub fn restart_worker(self) {
        self.lazy.run(move |lazy| (lazy.restart_worker)(self));
    }

    /// Sends a request; starts the worker if necessary. The request is sent before the future is
    /// polled.
    ///
    /// # Errors
    /// Why there is no answer, including a crash or restart of the worker.
    pub fn ask<R: Request>(
        self,
        request: R,
    ) -> impl Future<Output = Result<R::Answer, String>> + use<R> {
        self.ask_with(request, None)
    }

    /// As [`App::ask`], with the user's files.
    ///
    /// # Errors
    /// As [`App::ask`].
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

/// Only the lazy-loaded module may call these by name.
impl App {
    /// Starts the worker unless it is running.
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

    /// Terminates the worker and starts a new one.
    pub(crate) fn restart_worker_now(self) {
        self.worker.bridge.set_value(None);
        self.worker.engine.set(Engine::Off);
        self.start_worker_now();
    }

    /// Cancels the run, even if the worker has not started it.
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

    /// Sends a command with the user's files; starts the worker if necessary.
    pub(crate) fn send_now(self, command: Command, files: Option<Array>) {
        self.start_worker_now();
        self.with_bridge(|bridge| bridge.send(command, files));
    }

    /// Sends a request likewise; without a working worker it gets no answer.
    pub(crate) fn ask_now(self, request: AnyRequest, files: Option<Array>, answer: Answer) {
        self.start_worker_now();
        if !self.worker.is_broken() {
            self.with_bridge(|bridge| bridge.ask(request, files, answer));
        }
    }

    /// Handles an event of the worker: samples in batches, other events at once.
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
                // Dropping a fired timer inside its own callback would cancel it.
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
        if let Event::Started { id, .. } = &event {
            App::remember_shown(id.as_deref());
        }
        if self.run.is_active() {
            self.run.current.update(|run| run.fold(&event, now));
        }
        if event.is_of_library() {
            self.data.library.update(|library| library.fold(&event));
        }
        // Its tasks would go on and send requests.
        let stopped = matches!(event, Event::Panicked { .. });
        match event {
            Event::Listening => {
                let pack = self.data.library.with_untracked(|library| library.chosen.clone());
                self.with_bridge(|bridge| bridge.load(pack));
            }
            Event::Loading { bytes } => {
                // The built-in pack is ready before the search model.
                if !self.worker.engine.with_untracked(Engine::is_ready) {
                    self.worker.engine.set(Engine::Loading(bytes));
                }
            }
            Event::Ready { pack, .. } => {
                // A crashed worker has released its locks.
                self.refresh_runs_now();
                self.worker.engine.set(Engine::Ready(pack));
                self.with_bridge(Bridge::open);
            }
            Event::LoadFailed { message } | Event::Panicked { message } => {
                self.endpoints.update(|it| it.fail(message.clone()));
                self.in_page.update(|it| *it = it.lost(&message));
                browser_model::stop();
                self.kept.update(Kept::lost);
                self.lab.signal().update(SearchLab::lost);
                self.setup.lose_models();
                if !self.worker.is_broken() {
                    self.worker.engine.update(|it| *it = std::mem::take(it).failed(message));
                }
                self.with_bridge(|bridge| {
                    bridge.fail_requests();
                    if stopped {
                        bridge.stop();
                    }
                    Ok(())
                });
            }
            Event::File { name, url } => {
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
            Event::Verifying { done, of } => {
                self.records.verifying.set((done, of));
                // The worker shows the record before it verifies the first sample.
                self.records.opened.set(true);
            }
            Event::Opened { .. } => {}
            Event::Generation { event } => self.generation.current.update(|it| it.fold(*event)),
            Event::WritingTasks { progress } => {
                self.writing.update(|it| it.fold(&progress));
                if let Some((text, task)) = progress.new {
                    self.own_tools.update(|pack| {
                        if let Some(pack) = pack {
                            pack.text = text;
                            pack.tasks.push(task);
                        }
                    });
                }
            }
            Event::Endpoints { event } => {
                let ended = matches!(*event, EndpointsEvent::Finished { .. });
                self.endpoints.update(|it| it.fold(*event));
                if ended {
                    self.refresh_runs_now();
                }
            }
            Event::ModelProgress { step, done, of } => {
                self.in_page.update(|it| it.progress(step, done, of));
            }
            Event::KeepingModel { done, of } => self.kept.update(|it| it.progress(done, of)),
            Event::Evaluating { retriever, done, of } => {
                self.lab.signal().update(|it| it.progress(retriever, done, of));
            }
            Event::WorldReset => self.worker.resets.update(|count| *count += 1),
            Event::Started { .. }
            | Event::Finished { .. }
            | Event::NotKept { .. }
            | Event::KeptAgain { .. } => {
                self.refresh_runs_now();
            }
            Event::Paused { on } => self.generation.current.update(|it| it.pause(on)),
            Event::Searchable
            | Event::Sample { .. }
            | Event::RunSaved
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
