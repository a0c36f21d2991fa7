//! State and actions of the worker: starts it, sends requests, receives their progress and answers.

use super::App;
use crate::bridge::{Bridge, Listener, Waiter};
use crate::messages::request::{decode, decode_progress};
use crate::messages::{
    AnyRequest, Cancel, ChosenPack, Event, Load, LoadProgress, MadeFile, MakeFile, Request,
};
use crate::platform::{browser_model, page};
use crate::session::{Engine, Kept, SearchLab};
use crate::t;
use futures::channel::oneshot;
use js_sys::Array;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::rc::Rc;

/// The engine's worker.
#[derive(Clone, Copy)]
pub struct WorkerState {
    /// Its state.
    pub engine: RwSignal<Engine>,
    bridge: StoredValue<Option<Bridge>, LocalStorage>,
}

impl WorkerState {
    pub(super) fn new() -> Self {
        WorkerState { engine: RwSignal::new(Engine::Off), bridge: StoredValue::new_local(None) }
    }
}

impl App {
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
        self.passed::<R>(request.into(), files, progress_of::<R>(|_| {}))
    }

    /// As [`App::ask_with`]; calls `on_progress` with all progress before the answer.
    ///
    /// # Errors
    /// As [`App::ask`].
    pub fn follow<R: Request, F: Fn(R::Progress) + 'static>(
        self,
        request: R,
        files: Option<Array>,
        on_progress: F,
    ) -> impl Future<Output = Result<R::Answer, String>> + use<R, F> {
        self.passed::<R>(request.into(), files, progress_of::<R>(on_progress))
    }

    fn passed<R: Request>(
        self,
        request: AnyRequest,
        files: Option<Array>,
        progress: Listener,
    ) -> impl Future<Output = Result<R::Answer, String>> + use<R> {
        let (answer, answered) = oneshot::channel();
        let waiter = Waiter { answer, progress };
        self.lazy.run(move |lazy| (lazy.ask)(self, request, files, waiter));
        async move {
            let gone = |_| Err(t!("The engine stopped.").to_owned());
            decode::<R>(answered.await.unwrap_or_else(gone))
        }
    }

    /// Sends a request of which only a refusal is of interest.
    pub fn send<R: Request>(self, request: R) {
        let answer = self.ask(request);
        spawn_local(async move {
            if let Err(message) = answer.await {
                self.ui.notify(message);
            }
        });
    }

    /// Saves a file that the worker makes.
    pub fn save(self, request: MakeFile) {
        let is_last_run = request.is_last_run();
        let made = self.ask(request);
        spawn_local(async move {
            match made.await {
                Ok(MadeFile { name, url, lacking }) => {
                    self.ui.notice.set(lacking);
                    self.ui.saved(page::save_at(&name, url).is_ok());
                    if is_last_run {
                        self.run.current.update(|run| run.saved());
                    }
                }
                Err(message) => self.ui.notify(message),
            }
        });
    }
}

/// Decodes a request's progress.
fn progress_of<R: Request>(on_progress: impl Fn(R::Progress) + 'static) -> Listener {
    Rc::new(move |text| decode_progress::<R>(text).map(&on_progress))
}

/// Only the lazy-loaded module may call these by name.
impl App {
    /// Starts the worker unless it is running or has failed.
    pub(crate) fn start_worker_now(self) {
        let failed = self.worker.engine.with_untracked(|engine| engine.failure().is_some());
        if failed || self.worker.bridge.with_value(Option::is_some) {
            return;
        }
        self.worker.engine.set(Engine::Starting);
        match Bridge::start(move |event| self.hear(event)) {
            Ok(bridge) => self.worker.bridge.set_value(Some(bridge)),
            Err(message) => self.lose_worker(&message),
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
            self.send(Cancel {});
        }
    }

    /// Sends a request with the user's files; starts the worker if necessary.
    pub(crate) fn ask_now(self, request: AnyRequest, files: Option<Array>, waiter: Waiter) {
        self.start_worker_now();
        let failure = self.worker.engine.with_untracked(|it| it.failure().map(str::to_owned));
        match failure {
            Some(message) => drop(waiter.answer.send(Err(message))),
            None => self.with_bridge(|bridge| bridge.ask(request, files, waiter)),
        }
    }

    fn hear(self, event: Event) {
        match event {
            Event::Listening => self.load(),
            Event::Progress { id, progress } => {
                // The listener may send requests itself.
                let listener = self
                    .worker
                    .bridge
                    .with_value(|bridge| bridge.as_ref().and_then(|bridge| bridge.listener(id)));
                if let Some(Err(message)) = listener.map(|listener| listener(&progress)) {
                    self.hear(Event::Panicked { message });
                }
            }
            Event::Answered { id, answer } => self.with_bridge(|bridge| {
                bridge.answer(id, answer);
                Ok(())
            }),
            Event::Notice { message } => self.ui.notice.set(Some(message)),
            Event::Panicked { message } => {
                self.lose_worker(&message);
                // Its tasks would go on and send requests.
                self.with_bridge(|bridge| {
                    bridge.stop();
                    Ok(())
                });
            }
        }
    }

    /// Has the listening worker load the chosen pack.
    fn load(self) {
        let pack = self.data.library.with_untracked(|library| library.chosen.clone());
        let (answer, answered) = oneshot::channel();
        let progress = progress_of::<Load>(move |progress| match progress {
            // The built-in pack is ready before the search model.
            LoadProgress::Bytes(_) if self.worker.engine.with_untracked(Engine::is_ready) => {}
            LoadProgress::Bytes(bytes) => self.worker.engine.set(Engine::Loading(bytes)),
            LoadProgress::Ready(chosen) => {
                // A crashed worker has released its locks.
                self.refresh_runs_now();
                self.take_pack(chosen);
                self.with_bridge(Bridge::open);
            }
        });
        self.with_bridge(|bridge| bridge.load(pack, Waiter { answer, progress }));
        spawn_local(async move {
            // Not after a restart, which drops what waits for an answer.
            if let Ok(Err(message)) = answered.await {
                self.lose_worker(&message);
            }
        });
    }

    /// Takes the pack that runs use.
    pub(super) fn take_pack(self, chosen: ChosenPack) {
        if let Some(message) = chosen.refused {
            self.ui.notice.set(Some(message));
            self.data.library.update(|library| library.chosen = None);
        }
        self.worker.engine.set(Engine::Ready(chosen.pack));
    }

    /// Notes that the worker, and what it held, is lost.
    fn lose_worker(self, message: &str) {
        self.in_page.update(|in_page| *in_page = in_page.lost(message));
        browser_model::stop();
        self.kept.update(Kept::lost);
        self.lab.signal().update(SearchLab::lost);
        self.setup.lose_models();
        self.worker.engine.update(|it| *it = std::mem::take(it).failed(message.to_owned()));
        self.with_bridge(|bridge| {
            bridge.fail_requests(message);
            Ok(())
        });
    }

    fn with_bridge(self, work: impl FnOnce(&mut Bridge) -> Result<(), String>) {
        let done =
            self.worker.bridge.try_update_value(|bridge| bridge.as_mut().map(work)).flatten();
        if let Some(Err(message)) = done {
            self.lose_worker(&message);
        }
    }
}
