//! What the app does with the worker: starts it, gives it commands, takes its events. All of it
//! stands in the file that is loaded later: [`crate::later`] alone leads here.

use super::{App, Engine};
use crate::bridge::{Answer, Bridge};
use crate::platform::page;
use crate::protocol::{AnyRequest, Command, Event};
use crate::session::{Filter, Run, Source};
use gloo_timers::callback::Timeout;
use js_sys::Array;
use leptos::prelude::*;

/// Samples that come within this time are shown together: to paint them more often would take the
/// time from who makes them, and no eye would see it.
const BATCH_MS: u32 = 100;

impl App {
    /// Starts a worker unless one runs.
    pub(crate) fn start_worker_now(self) {
        let running = self.bridge.with_value(Option::is_some);
        if running || matches!(self.engine.get_untracked(), Engine::Broken(_)) {
            if let Engine::Broken(message) = self.engine.get_untracked() {
                self.run.update(|run| run.fail(&message, page::now_ms()));
            }
            return;
        }
        self.engine.set(Engine::Starting);
        match Bridge::start(move |event| self.receive(event)) {
            Ok(bridge) => self.bridge.set_value(Some(bridge)),
            Err(message) => self.hear(Event::Panicked { message }),
        }
    }

    /// Gives up the old worker and starts a fresh one.
    pub(crate) fn restart_worker_now(self) {
        self.bridge.set_value(None);
        self.engine.set(Engine::Off);
        self.start_worker_now();
    }

    /// Stops the run, whether or not the worker has begun it.
    pub(crate) fn cancel_run_now(self) {
        let waiting = self
            .bridge
            .try_update_value(|bridge| bridge.as_mut().is_some_and(Bridge::drop_waiting_run));
        if waiting == Some(true) {
            self.run.update(|run| run.cancel_before_start(page::now_ms()));
        } else {
            self.send_now(Command::Cancel, None);
        }
    }

    /// Sends a command, with files of the user's beside it; starts the worker when there is none.
    pub(crate) fn send_now(self, command: Command, files: Option<Array>) {
        self.start_worker_now();
        let sent = self
            .bridge
            .try_update_value(|bridge| bridge.as_mut().map(|bridge| bridge.send(command, files)))
            .flatten();
        if let Some(Err(message)) = sent {
            self.hear(Event::Panicked { message });
        }
    }

    /// Sends a request likewise. Without a worker that works it has no answer.
    pub(crate) fn ask_now(self, request: AnyRequest, files: Option<Array>, answer: Answer) {
        self.start_worker_now();
        if !matches!(self.engine.get_untracked(), Engine::Broken(_)) {
            self.tell(|bridge| bridge.ask(request, files, answer));
        }
    }

    /// Takes an event of the worker: samples in batches, everything else at once.
    fn receive(self, event: Event) {
        if !matches!(event, Event::Sample { .. }) {
            self.flush();
            self.hear(event);
            return;
        }
        self.batch.update_value(|(waiting, timer)| {
            waiting.push(event);
            if timer.is_none() {
                *timer = Some(Timeout::new(BATCH_MS, move || self.flush()));
            }
        });
    }

    fn flush(self) {
        let waiting = self
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
            self.run.update(|run| waiting.iter().for_each(|event| run.fold(event, now)));
        }
    }

    fn hear(self, event: Event) {
        let now = page::now_ms();
        if let Event::Opened { settings } = &event {
            self.filter.set(Filter::default());
            self.list_top.set(0.0);
            self.run.set(Run::begin((**settings).clone(), Source::File, now));
        }
        if self.run.with_untracked(|run| run.phase.is_active()) {
            self.run.update(|run| run.fold(&event, now));
        }
        if event.is_of_library() {
            self.library.update(|library| library.fold(&event));
        }
        match event {
            Event::Listening => {
                let pack = self.library.with_untracked(|library| library.chosen.clone());
                self.tell(|bridge| bridge.load(pack));
            }
            Event::Loading { bytes } => self.engine.set(Engine::Loading(bytes)),
            // Another pack than the built-in one has a search of its own.
            Event::Searchable => {
                if self.library.with_untracked(|library| library.chosen.is_none()) {
                    self.tell(Bridge::open_search);
                }
            }
            Event::Ready { pack, .. } => {
                // The locks of a worker that broke down are free now.
                self.refresh_kept_now();
                self.engine.set(Engine::Ready(pack));
                self.tell(Bridge::open);
            }
            Event::LoadFailed { message } | Event::Panicked { message } => {
                // The first reason is the cause; what follows are its echoes.
                if !matches!(self.engine.get_untracked(), Engine::Broken(_)) {
                    self.engine.set(Engine::Broken(message));
                }
                self.tell(|bridge| {
                    bridge.fail_requests();
                    Ok(())
                });
            }
            Event::RecordFile { name, text } => self.saved(page::save(&name, &text).is_ok()),
            Event::FileAt { name, url } => {
                self.notice.set(None);
                self.saved(page::save_at(&name, url).is_ok());
            }
            Event::PackRefused { message }
            | Event::Notice { message }
            | Event::Refused { message } => self.notice.set(Some(message)),
            Event::Answered { id, answer } => self.tell(|bridge| {
                bridge.answer(id, answer);
                Ok(())
            }),
            Event::Verifying { done, of } => self.verifying.set((done, of)),
            Event::Opened { .. } => {}
            Event::Generation { news } => self.generation.update(|it| it.fold(*news)),
            Event::WorldReset => self.resets.update(|count| *count += 1),
            Event::Started { .. }
            | Event::Finished { .. }
            | Event::NotKept { .. }
            | Event::KeptAgain { .. } => {
                self.refresh_kept_now();
            }
            Event::Paused { on } => self.generation.update(|it| it.pause(on)),
            Event::Sample { .. }
            | Event::Held { .. }
            | Event::Stopped { .. }
            | Event::Kept { .. }
            | Event::Auditing { .. }
            | Event::Audited { .. }
            | Event::Importing { .. }
            | Event::Imported { .. }
            | Event::ImportFailed { .. } => {}
        }
    }

    fn tell(self, what: impl FnOnce(&mut Bridge) -> Result<(), String>) {
        let told = self.bridge.try_update_value(|bridge| bridge.as_mut().map(what)).flatten();
        if let Some(Err(message)) = told {
            self.hear(Event::Panicked { message });
        }
    }
}
