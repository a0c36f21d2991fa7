//! The worker's host: receives requests, runs the engine, sends progress and answers.

mod archive;
mod browse;
mod compare;
mod demo;
mod endpoints;
mod files;
mod generate;
mod import;
mod in_page;
mod journal;
mod kept_models;
mod load;
mod own_tools;
mod packs;
mod ports;
mod requests;
mod runs;
mod search_lab;
mod sign;
mod tell;
mod verify;

use crate::messages::{AnyRequest, Event, FILES, ID, REQUEST};
use crate::platform::cancel::{self, Switch, Watch};
use apis::World;
use runner::benchmark::Benchmark;
use runs::Last;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue, prelude::Closure};
use wasm_bindgen_futures::spawn_local;
use web_sys::{AbortController, DedicatedWorkerGlobalScope, MessageEvent};

/// State of the worker.
#[derive(Default)]
struct Host {
    /// The built-in pack.
    own: RefCell<Option<Rc<Benchmark>>>,
    /// The current pack.
    bench: RefCell<Option<Rc<Benchmark>>>,
    importing: RefCell<Option<Switch>>,
    scratch: RefCell<Option<World>>,
    running: RefCell<Option<Switch>>,
    last: RefCell<Option<Last>>,
    compared: RefCell<compare::Records>,
    in_page: in_page::InPage,
    /// Stops storing a model.
    keeping: RefCell<Option<AbortController>>,
    lab: search_lab::Lab,
    own_pack: own_tools::CurrentPack,
}

/// Starts listening and reports it.
pub fn start() {
    std::panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        // The last message before the trap: the page shows it and offers a restart.
        post(&Event::Panicked { message: info.to_string() });
        // What other tasks would go on with is not to be trusted, and costs requests.
        scope().close();
    }));
    let host = Rc::new(Host::default());
    let receive = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        Rc::clone(&host).receive(&event.data());
    });
    scope().set_onmessage(Some(receive.as_ref().unchecked_ref()));
    receive.forget();
    post(&Event::Listening);
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

fn post(event: &Event) {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    let posted = event
        .serialize(&serializer)
        .map_err(JsValue::from)
        .and_then(|message| scope().post_message(&message));
    if let Err(error) = posted {
        web_sys::console::error_1(&error);
    }
}

/// Deserializes a part of a message from the page.
fn read<T: DeserializeOwned>(message: &JsValue, name: &str) -> Result<T, String> {
    T::deserialize(serde_wasm_bindgen::Deserializer::from(part(message, name)))
        .map_err(|error| format!("The worker cannot read this {name}: {error}"))
}

/// The files sent with a message.
fn attached(message: &JsValue) -> js_sys::Array {
    part(message, FILES).dyn_into().unwrap_or_default()
}

fn part(message: &JsValue, name: &str) -> JsValue {
    js_sys::Reflect::get(message, &name.into()).unwrap_or_default()
}

const NOT_LOADED: &str = "The databases are not loaded yet. Try again in a moment.";

impl Host {
    /// Answers a message from the page, which is a request.
    fn receive(self: Rc<Self>, message: &JsValue) {
        let id = read::<u32>(message, ID).unwrap_or_default();
        let request: Result<AnyRequest, String> = read(message, REQUEST);
        let files = attached(message);
        spawn_local(async move {
            let answer = match request {
                Ok(request) => self.answer(id, request, files).await,
                Err(message) => Err(message),
            };
            post(&Event::Answered { id, answer });
        });
    }

    /// Begins a task that runs alone.
    ///
    /// # Errors
    /// When another one has not ended.
    fn run_alone(&self) -> Result<Task<'_>, String> {
        let busy = "A run is in progress. Cancel it or wait until it ends.";
        Task::begin(&self.running, busy)
    }

    /// Checks that nothing runs, before something changes that a run uses.
    ///
    /// # Errors
    /// When something runs.
    fn check_idle(&self) -> Result<(), String> {
        self.run_alone().map(drop)
    }

    /// Pauses or continues what runs; `false` if nothing does.
    fn pause(&self, on: bool) -> bool {
        let running = self.running.borrow();
        running.as_ref().inspect(|switch| switch.pause(on)).is_some()
    }

    /// Cancels what runs.
    fn cancel(&self) {
        if let Some(switch) = self.running.borrow_mut().as_mut() {
            switch.stop();
        }
    }

    /// Resets the scratch databases.
    fn reset_world(&self) -> Result<(), String> {
        let world = self.bench()?.world.clone();
        *self.scratch.borrow_mut() = Some(world);
        Ok(())
    }
}

/// Something that runs alone, until it is dropped: a run, a generation, an evaluation, an import.
struct Task<'a> {
    place: &'a RefCell<Option<Switch>>,
    watch: Watch,
}

impl<'a> Task<'a> {
    fn begin(place: &'a RefCell<Option<Switch>>, busy: &str) -> Result<Self, String> {
        if place.borrow().is_some() {
            return Err(busy.to_owned());
        }
        let (switch, watch) = cancel::pair();
        *place.borrow_mut() = Some(switch);
        Ok(Task { place, watch })
    }
}

impl Drop for Task<'_> {
    fn drop(&mut self) {
        self.place.take();
    }
}
