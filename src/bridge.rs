//! The page's connection to the worker: starts it, sends requests, forwards their progress and answers.

use crate::messages::{AnyRequest, Event, FILES, ID, Load, Message, Outbox, Pending, REQUEST};
use crate::platform::page::{self, SiteAssets};
use futures::channel::oneshot;
use js_sys::{Array, Object, Reflect};
use serde::{Deserialize, Serialize};
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue, prelude::Closure};
use web_sys::{ErrorEvent, MessageEvent, MessagePort, Worker, WorkerOptions, WorkerType};

/// Takes a request's progress as JSON text, or says why it can't be read.
pub type Listener = Rc<dyn Fn(&str) -> Result<(), String>>;

/// Who waits for a request. Dropping it means that the worker is gone.
pub struct Waiter {
    /// Takes the answer as [`crate::messages::request::encode`] writes it, or an error.
    pub answer: oneshot::Sender<Result<String, String>>,
    /// Takes the progress.
    pub progress: Listener,
}

/// A running worker, with unsent messages and pending requests.
pub struct Bridge {
    worker: Worker,
    assets: SiteAssets,
    outbox: Outbox<Option<Array>>,
    pending: Pending<Waiter>,
    _listeners: [Closure<dyn Fn(JsValue)>; 3],
}

impl Bridge {
    /// Starts a worker. `on_event` receives its events, and [`Event::Panicked`] if it ends for any
    /// other reason.
    ///
    /// # Errors
    /// A message for the user, with the remedy.
    pub fn start(on_event: impl Fn(Event) + 'static) -> Result<Self, String> {
        let assets = page::assets()?;
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(&assets.worker.url, &options).map_err(|error| {
            format!("The worker cannot be started: {error:?}. Reload the page.")
        })?;
        let on_event = Rc::new(on_event);
        let failed = || failure_listener(Rc::clone(&on_event));
        let listeners = [message_listener(Rc::clone(&on_event)), failed(), failed()];
        let [on_message, on_error, on_message_error] = &listeners;
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        worker.set_onmessageerror(Some(on_message_error.as_ref().unchecked_ref()));
        Ok(Bridge {
            worker,
            assets,
            outbox: Outbox::default(),
            pending: Pending::default(),
            _listeners: listeners,
        })
    }

    /// Has the listening worker load the site's files and a pack.
    pub fn load(&mut self, pack: Option<String>, waiter: Waiter) -> Result<(), String> {
        let request = Load { assets: self.assets.load.clone(), pack, tab: page::tab() }.into();
        let id = self.pending.add(waiter);
        self.post(&Message { id, request }, None)
    }

    /// Sends all waiting messages, once the worker is ready.
    pub fn open(&mut self) -> Result<(), String> {
        let waiting = self.outbox.open();
        waiting.iter().try_for_each(|(message, files)| self.post(message, files.as_ref()))
    }

    /// Sends a request with the user's files, now or once the worker is ready.
    pub fn ask(
        &mut self,
        request: AnyRequest,
        files: Option<Array>,
        waiter: Waiter,
    ) -> Result<(), String> {
        let id = self.pending.add(waiter);
        match self.outbox.push(Message { id, request }, files) {
            Some((message, files)) => self.post(&message, files.as_ref()),
            None => Ok(()),
        }
    }

    /// Who takes the progress of a request, if it is still pending.
    pub fn listener(&self, id: u32) -> Option<Listener> {
        self.pending.get(id).map(|waiter| Rc::clone(&waiter.progress))
    }

    /// Completes a request, if it is still pending.
    pub fn answer(&mut self, id: u32, answer: Result<String, String>) {
        if let Some(waiter) = self.pending.take(id) {
            let _ = waiter.answer.send(answer);
        }
    }

    /// Completes every pending request with an error, after the worker is gone.
    pub fn fail_requests(&mut self, message: &str) {
        for waiter in self.pending.take_all() {
            let _ = waiter.answer.send(Err(message.to_owned()));
        }
    }

    /// Drops a waiting run; `false` if there is none.
    pub fn drop_waiting_run(&mut self) -> bool {
        let dropped = self.outbox.drop_waiting_run();
        dropped.and_then(|id| self.pending.take(id)).is_some()
    }

    /// Terminates the worker: a program that has panicked must send no further request.
    pub fn stop(&self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.set_onmessageerror(None);
        self.worker.terminate();
    }

    fn post(&self, message: &Message, files: Option<&Array>) -> Result<(), String> {
        // Files are copied, ports can only be handed over.
        let ports: Array = files
            .into_iter()
            .flat_map(|files| files.iter().filter(|file| file.has_type::<MessagePort>()))
            .collect();
        object_of(message, files)
            .and_then(|object| self.worker.post_message_with_transfer(&object, &ports))
            .map_err(|error| format!("The worker cannot be reached: {error:?}"))
    }
}

fn object_of(message: &Message, files: Option<&Array>) -> Result<Object, JsValue> {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    let object = Object::new();
    Reflect::set(&object, &ID.into(), &JsValue::from(message.id))?;
    Reflect::set(&object, &REQUEST.into(), &message.request.serialize(&serializer)?)?;
    if let Some(files) = files {
        Reflect::set(&object, &FILES.into(), files)?;
    }
    Ok(object)
}

impl Drop for Bridge {
    fn drop(&mut self) {
        self.stop();
    }
}

fn message_listener(on_event: Rc<impl Fn(Event) + 'static>) -> Closure<dyn Fn(JsValue)> {
    Closure::new(move |event: JsValue| {
        let data = event.unchecked_into::<MessageEvent>().data();
        match Event::deserialize(serde_wasm_bindgen::Deserializer::from(data)) {
            Ok(event) => on_event(event),
            Err(error) => on_event(Event::Panicked {
                message: format!("The worker sent something that the page cannot read: {error}"),
            }),
        }
    })
}

fn failure_listener(on_event: Rc<impl Fn(Event) + 'static>) -> Closure<dyn Fn(JsValue)> {
    Closure::new(move |event: JsValue| {
        let message = event.dyn_into::<ErrorEvent>().map(|event| event.message());
        let message = message.ok().filter(|message| !message.is_empty()).unwrap_or_else(|| {
            "The worker could not be loaded. Check the connection; if this stays, the site is \
             incomplete."
                .to_owned()
        });
        on_event(Event::Panicked { message });
    })
}
