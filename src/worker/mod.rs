//! The worker's host: Commands in, Events out, the engine behind.

mod archive;
mod browse;
mod compare;
mod demo;
mod generate;
mod import;
mod journal;
mod load;
mod packs;
mod ports;
mod runs;
mod sign;
mod verify;

use crate::platform::cancel::Switch;
use crate::platform::runs as stored;
use crate::protocol::demo::Question;
use crate::protocol::{COMMAND, Command, Event, FILES, SearchHit};
use apis::search::find;
use apis::{Suite, World, effect};
use record::RunSettings;
use retrieval::Search;
use runner::bench::Bench;
use runner::estimate;
use runs::{Last, Origin};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue, prelude::Closure};
use wasm_bindgen_futures::spawn_local;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

/// What the worker holds.
#[derive(Default)]
struct Host {
    /// The search model before there is a pack.
    early: RefCell<Option<Search>>,
    /// The project's own pack.
    own: RefCell<Option<Rc<Bench>>>,
    /// The pack that is worked with.
    bench: RefCell<Option<Rc<Bench>>>,
    importing: RefCell<Option<Switch>>,
    scratch: RefCell<Option<World>>,
    running: RefCell<Option<Switch>>,
    last: RefCell<Option<Last>>,
    compared: RefCell<compare::Records>,
}

/// Starts the host: listens, and says so.
pub fn start() {
    std::panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        // The last message before the trap: the page shows it and offers a fresh worker.
        post(&Event::Panicked { message: info.to_string() });
    }));
    let host = Rc::new(Host::default());
    let receive =
        Closure::<dyn Fn(MessageEvent)>::new(
            move |event: MessageEvent| match Command::deserialize(
                serde_wasm_bindgen::Deserializer::from(part(&event.data(), COMMAND)),
            ) {
                Ok(command) => Rc::clone(&host).handle(command, &event.data()),
                Err(error) => refuse(None, format!("The worker cannot read this command: {error}")),
            },
        );
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

fn refuse(id: Option<u32>, message: impl Into<String>) {
    post(&Event::Refused { id, message: message.into() });
}

/// The files that came beside a command.
fn attached(message: &JsValue) -> js_sys::Array {
    part(message, FILES).dyn_into().unwrap_or_default()
}

fn part(message: &JsValue, name: &str) -> JsValue {
    js_sys::Reflect::get(message, &name.into()).unwrap_or_default()
}

const NOT_LOADED: &str = "The databases are not loaded yet. Try again in a moment.";

impl Host {
    fn handle(self: Rc<Self>, command: Command, message: &JsValue) {
        match command {
            Command::Run { settings, key } => self.run(Origin::New(settings), key),
            Command::Resume { id, again, key } => self.run(Origin::Kept { id, again }, key),
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
            Command::RecordFile => self.record_file(),
            Command::ExportRuns => spawn_local(async {
                if let Err(message) = runs::export_all().await {
                    refuse(None, message);
                }
            }),
            Command::Export { format } => self.export(format),
            Command::Sign { id, run, name } => self.sign(id, run, name),
            Command::Verify { id } => self.verify(id, attached(message)),
            Command::Search { id, suite, keywords, k } => self.search(id, &suite, &keywords, k),
            Command::Call { id, suite, api, arguments } => self.call(id, &suite, &api, &arguments),
            Command::ResetWorld => {
                if let Some(bench) = self.bench.borrow().as_ref() {
                    *self.scratch.borrow_mut() = Some(bench.world.clone());
                }
                post(&Event::WorldReset);
            }
            Command::Compare { id, question } => {
                let last = self.last.borrow().as_ref().map(|last| Rc::clone(&last.record));
                match self.compared.borrow_mut().answer(question, last.as_ref()) {
                    Ok(answer) => post(&Event::Compared { id, answer: Box::new(answer) }),
                    Err(message) => refuse(Some(id), message),
                }
            }
            Command::Estimate { id, settings } => self.estimate(id, &settings),
            Command::Dataset { id, question } => self.browse(id, &question),
            Command::Demo { id, question } => self.demo(id, question),
            Command::Generate { wish } => self.generation(wish),
        }
    }

    fn loaded(&self, bench: Rc<Bench>) {
        let ready =
            Event::Ready { pack: load::facts(&bench.pack), search_digest: bench.search_digest() };
        *self.scratch.borrow_mut() = Some(bench.world.clone());
        *self.bench.borrow_mut() = Some(bench);
        post(&ready);
    }

    fn record_file(&self) {
        let record = self.last.borrow().as_ref().map(|last| Rc::clone(&last.record));
        let Some(record) = record else {
            return refuse(None, "There is no finished run to save yet.");
        };
        match record.to_json() {
            Ok(text) => post(&Event::RecordFile { name: stored::file_name(&record), text }),
            Err(error) => refuse(None, error.to_string()),
        }
    }

    fn estimate(&self, id: u32, settings: &RunSettings) {
        let bench = self.bench.borrow();
        let Some(bench) = bench.as_ref() else { return refuse(Some(id), NOT_LOADED) };
        match settings.check() {
            Ok(()) => post(&Event::Estimated { id, estimate: estimate(bench, settings) }),
            Err(error) => refuse(Some(id), error.to_string()),
        }
    }

    fn browse(&self, id: u32, question: &crate::protocol::browse::Question) {
        let bench = self.bench.borrow();
        let Some(bench) = bench.as_ref() else { return refuse(Some(id), NOT_LOADED) };
        match browse::answer(bench, question) {
            Ok(answer) => post(&Event::Dataset { id, answer: Box::new(answer) }),
            Err(message) => refuse(Some(id), message),
        }
    }

    fn demo(&self, id: u32, question: Question) {
        let Some(bench) = self.bench.borrow().clone() else {
            return refuse(Some(id), NOT_LOADED);
        };
        spawn_local(async move {
            match demo::answer(&bench, question).await {
                Ok(answer) => post(&Event::Demo { id, answer: Box::new(answer) }),
                Err(message) => refuse(Some(id), message),
            }
        });
    }

    fn search(&self, id: u32, suite: &str, keywords: &str, k: usize) {
        let (bench, mut early) = (self.bench.borrow(), self.early.borrow_mut());
        let Some(suite) = suite_of(suite) else { return refuse(Some(id), NOT_LOADED) };
        let found = match (bench.as_ref(), early.as_mut()) {
            (Some(bench), _) => bench.rank(suite, keywords, k),
            (None, Some(early)) => early.search(suite.as_str(), keywords, k),
            (None, None) => return refuse(Some(id), NOT_LOADED),
        };
        match found {
            Ok(hits) => {
                let hits = hits
                    .into_iter()
                    .map(|hit| SearchHit { name: hit.name, cosine: hit.cosine })
                    .collect();
                post(&Event::Found { id, hits });
            }
            Err(error) => refuse(Some(id), error.to_string()),
        }
    }

    fn call(&self, id: u32, suite: &str, api: &str, arguments: &str) {
        let mut scratch = self.scratch.borrow_mut();
        let (Some(world), Some(suite)) = (scratch.as_mut(), suite_of(suite)) else {
            return refuse(Some(id), NOT_LOADED);
        };
        let Some(found) = find(suite, api) else {
            let suite = suite.as_str();
            return refuse(Some(id), format!("The {suite} suite has no API {api}."));
        };
        match serde_json::from_str(arguments) {
            Ok(arguments) => {
                let before = world.clone();
                let result = found.call(&arguments, world);
                let changes = world.changes_since(&before);
                let effect = Box::new(effect::Effect { result, changes });
                post(&Event::Called { id, effect });
            }
            Err(error) => {
                refuse(Some(id), format!("The arguments are no JSON object: {error}"));
            }
        }
    }
}

fn suite_of(name: &str) -> Option<Suite> {
    Suite::ALL.into_iter().find(|suite| suite.as_str() == name)
}
