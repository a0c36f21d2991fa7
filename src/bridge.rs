//! The page's end of the worker: starts it, feeds it commands, tells its events.

use crate::platform::page::{self, SiteAssets};
use crate::protocol::{COMMAND, Command, Event, FILES};
use js_sys::{Array, Object, Reflect};
use serde::{Deserialize, Serialize};
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue, prelude::Closure};
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

/// A worker that runs, and the commands that wait until it is ready.
pub struct Bridge {
    worker: Worker,
    assets: SiteAssets,
    ready: bool,
    searchable: bool,
    waiting: Vec<(Command, Option<Array>)>,
    _listeners: [Closure<dyn Fn(JsValue)>; 3],
}

impl Bridge {
    /// Starts a worker. `tell` hears all its events, and [`Event::Panicked`] for
    /// whatever else ends it.
    ///
    /// # Errors
    /// What happened and what to do, in words.
    pub fn start(tell: impl Fn(Event) + 'static) -> Result<Self, String> {
        let assets = page::assets()?;
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(&assets.worker.url, &options).map_err(|error| {
            format!("The worker cannot be started: {error:?}. Reload the page.")
        })?;
        let tell = Rc::new(tell);
        let listeners = [message(Rc::clone(&tell)), broken(Rc::clone(&tell)), broken(tell)];
        let [on_message, on_error, on_damage] = &listeners;
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        worker.set_onmessageerror(Some(on_damage.as_ref().unchecked_ref()));
        Ok(Bridge {
            worker,
            assets,
            ready: false,
            searchable: false,
            waiting: Vec::new(),
            _listeners: listeners,
        })
    }

    /// The worker listens: it is told what to load, and which pack to work with.
    pub fn load(&self, pack: Option<String>) -> Result<(), String> {
        self.post(&Command::Load { assets: self.assets.load.clone(), pack }, None)
    }

    /// The worker is ready: it gets what waits.
    pub fn open(&mut self) -> Result<(), String> {
        self.ready = true;
        let waiting = std::mem::take(&mut self.waiting);
        waiting.iter().try_for_each(|(command, files)| self.post(command, files.as_ref()))
    }

    /// The worker answers searches: it gets those that wait.
    pub fn open_search(&mut self) -> Result<(), String> {
        self.searchable = true;
        let searches: Vec<_> =
            self.waiting.extract_if(.., |(command, _)| is_search(command)).collect();
        searches.iter().try_for_each(|(command, files)| self.post(command, files.as_ref()))
    }

    /// Sends a command, with files of the user's beside it, now or as soon as the worker is ready.
    pub fn send(&mut self, command: Command, files: Option<Array>) -> Result<(), String> {
        if self.ready || self.searchable && is_search(&command) {
            return self.post(&command, files.as_ref());
        }
        self.waiting.push((command, files));
        Ok(())
    }

    /// Drops a run that waits; `false` when none does.
    pub fn drop_waiting_run(&mut self) -> bool {
        let before = self.waiting.len();
        self.waiting.retain(|(command, _)| {
            use Command::{Open, Rerun, Resume, Run};
            !matches!(command, Run { .. } | Resume { .. } | Rerun { .. } | Open { .. })
        });
        self.waiting.len() < before
    }

    fn post(&self, command: &Command, files: Option<&Array>) -> Result<(), String> {
        command
            .serialize(&serde_wasm_bindgen::Serializer::json_compatible())
            .map_err(JsValue::from)
            .and_then(|command| {
                let message = Object::new();
                Reflect::set(&message, &COMMAND.into(), &command)?;
                if let Some(files) = files {
                    Reflect::set(&message, &FILES.into(), files)?;
                }
                self.worker.post_message(&message)
            })
            .map_err(|error| format!("The worker cannot be reached: {error:?}"))
    }
}

fn is_search(command: &Command) -> bool {
    matches!(command, Command::Search { .. })
}

impl Drop for Bridge {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.set_onmessageerror(None);
        self.worker.terminate();
    }
}

fn message(tell: Rc<impl Fn(Event) + 'static>) -> Closure<dyn Fn(JsValue)> {
    Closure::new(move |event: JsValue| {
        let data = event.unchecked_into::<MessageEvent>().data();
        match Event::deserialize(serde_wasm_bindgen::Deserializer::from(data)) {
            Ok(event) => tell(event),
            Err(error) => tell(Event::Panicked {
                message: format!("The worker sent something that the page cannot read: {error}"),
            }),
        }
    })
}

fn broken(tell: Rc<impl Fn(Event) + 'static>) -> Closure<dyn Fn(JsValue)> {
    Closure::new(move |event: JsValue| {
        let message = event.dyn_into::<ErrorEvent>().map(|event| event.message());
        let message = message.ok().filter(|message| !message.is_empty()).unwrap_or_else(|| {
            "The worker could not be loaded. Check the connection; if this stays, the site is \
             incomplete."
                .to_owned()
        });
        tell(Event::Panicked { message });
    })
}
