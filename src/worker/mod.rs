//! The worker's host: receives commands and requests, runs the engine, sends events and answers.

mod archive;
mod browse;
mod compare;
mod demo;
mod endpoints;
mod generate;
mod import;
mod in_page;
mod journal;
mod kept;
mod load;
mod own_tools;
mod packs;
mod ports;
mod requests;
mod runs;
mod search_lab;
mod sign;
mod verify;

use crate::platform::cancel::Switch;
use crate::platform::runs as stored;
use crate::protocol::{AnyRequest, COMMAND, Command, Event, FILES, ID, REQUEST};
use apis::World;
use archive::save_record;
use runner::benchmark::Benchmark;
use runs::{Last, Origin};
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

fn refuse(message: impl Into<String>) {
    post(&Event::Refused { message: message.into() });
}

/// Tells the page why a command failed.
fn answered(outcome: Result<(), String>) {
    if let Err(message) = outcome {
        refuse(message);
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
    /// Handles a message: a request, which has an id, or a command.
    fn receive(self: Rc<Self>, message: &JsValue) {
        let Ok(id) = read::<u32>(message, ID) else {
            return match read(message, COMMAND) {
                Ok(command) => self.handle(command, message),
                Err(message) => refuse(message),
            };
        };
        let request: Result<AnyRequest, String> = read(message, REQUEST);
        let files = attached(message);
        spawn_local(async move {
            let answer = match request {
                Ok(request) => self.answer(request, files).await,
                Err(message) => Err(message),
            };
            post(&Event::Answered { id, answer });
        });
    }

    fn handle(self: Rc<Self>, command: Command, message: &JsValue) {
        match command {
            Command::Run { settings, key } => self.run(Origin::New(settings), key),
            Command::Resume { id, again, key } => self.run(Origin::Stored { id, again }, key),
            Command::Rerun { key } => self.run(Origin::Last, key),
            Command::Open { id, conclude } => self.open(id, conclude),
            Command::Pause { on } => {
                if let Some(switch) = self.running.borrow().as_ref() {
                    switch.pause(on);
                    post(&Event::Paused { on });
                }
            }
            Command::Load { assets, pack } => self.load(assets, pack),
            Command::UsePack { digest } => self.use_pack(digest),
            Command::Import { label, source } => self.import(label, source, attached(message)),
            Command::Audit => self.audit(),
            Command::CancelImport => self.cancel_import(),
            Command::Cancel => {
                if let Some(switch) = self.running.borrow_mut().take() {
                    switch.stop();
                }
            }
            Command::SaveRecord => self.save_whole(save_record),
            Command::SaveResult => self.save_whole(verify::save_result),
            Command::CompareEndpoints { runs } => self.compare_endpoints(runs),
            Command::ExportCompared => self.export_compared(),
            Command::ExportRun { id } => spawn_local(async move {
                answered(stored::whole(&id).await.and_then(|record| save_record(&record)));
            }),
            Command::ExportRuns => spawn_local(async { answered(runs::export_all().await) }),
            Command::Export { format } => self.save_last(|record| verify::export(record, format)),
            Command::ResetWorld => {
                if let Some(bench) = self.bench.borrow().as_ref() {
                    *self.scratch.borrow_mut() = Some(bench.world.clone());
                }
                post(&Event::WorldReset);
            }
            Command::Generate { command } => self.generation(command),
        }
    }

    fn loaded(&self, bench: Rc<Benchmark>) {
        let ready =
            Event::Ready { pack: load::facts(&bench.pack), search_digest: bench.search_digest() };
        *self.scratch.borrow_mut() = Some(bench.world.clone());
        *self.bench.borrow_mut() = Some(bench);
        post(&ready);
    }
}
