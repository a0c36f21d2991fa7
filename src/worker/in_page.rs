//! A model in the page: reads its header, computes its digest, loads it into the engine.

use super::Host;
use super::tell::Teller;
use crate::messages::Count;
use crate::messages::in_page::{
    LoadModel, LoadedModel, ModelDescription, ModelProgress, ModelSpeed, ModelStep, UseBrowserModel,
};
use crate::platform::in_page;
use apis::store::hex;
use futures::future::pending;
use gguf::{Header, HeaderError, MOST_HEADER_BYTES, MOST_MEMORY_BYTES, Model};
use gloo_timers::future::TimeoutFuture;
use js_sys::{Array, Reflect, Uint8Array};
use provider::{Backend, HttpHead, HttpRequest, IN_PAGE_ADDRESS, InPageModel, Sink};
use record::{Model as RunModel, RunSettings};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{File, FileReaderSync};

/// The engine's library and its version, as `xtask::tools` pins it.
const LIBRARY: (&str, &str) = ("wllama", "3.8.1");
/// The interface to the browser's own model.
const BROWSER_LIBRARY: &str = "Prompt API";
/// Bytes of a file's beginning that are read first, and the factor for more.
const BEGINNING: u64 = 256 << 10;
const MORE: u64 = 4;
/// Bytes of a file that are hashed at a time.
const CHUNK: u64 = 8 << 20;
/// The most files of a model.
const MOST_FILES: u32 = 1000;
/// The text whose continuation measures the speed, and the tokens of the answer.
const PROBE: &str = "A user asks an assistant to set an alarm for half past seven in the morning, to \
    remind them of the meeting with the doctor, and to tell them what the weather will be like on \
    the way. The assistant calls one API after the other and reports";
const PROBE_TOKENS: u32 = 8;

/// The chosen and the loaded model.
#[derive(Default)]
pub(super) struct InPage {
    chosen: RefCell<Option<Rc<Chosen>>>,
    loaded: RefCell<Option<InPageModel>>,
    /// Counts choices: work for an earlier one ends.
    turn: Cell<u32>,
}

/// Described files.
pub(super) struct Chosen {
    pub(super) files: Array,
    pub(super) description: ModelDescription,
    digests: RefCell<Option<Vec<String>>>,
    /// Its id among the models that this browser keeps, if its files are those.
    pub(super) kept: RefCell<Option<String>>,
}

const NONE: &str = "No model is chosen. Choose a .gguf file first.";
const OTHER: &str = "Another model was chosen.";

impl Host {
    /// Describes files; a model that can't be loaded is described with the reason.
    pub(super) async fn describe_model(&self, files: Array) -> Result<ModelDescription, String> {
        self.unload_model().await?;
        let files = in_parts(&files)?;
        let headers: Vec<Header> = files.iter().map(header).collect::<Result<_, _>>()?;
        let (model, order) = Model::of(&headers).map_err(|error| sentence(&error))?;
        let files: Vec<File> = order.into_iter().filter_map(|at| files.get(at).cloned()).collect();
        let memory = memory();
        let template = model.chat_template.as_deref();
        let description = ModelDescription {
            files: files.iter().map(File::name).collect(),
            template_digest: template.map(|text| hex(&Sha256::digest(text.as_bytes()))),
            problem: model.check(memory).err().map(|error| sentence(&error)),
            memory,
            model,
        };
        let files = files.into_iter().map(JsValue::from).collect();
        let chosen = Chosen {
            files,
            description: description.clone(),
            digests: RefCell::default(),
            kept: RefCell::default(),
        };
        *self.in_page.chosen.borrow_mut() = Some(Rc::new(chosen));
        Ok(description)
    }

    /// The chosen model.
    pub(super) fn chosen(&self) -> Result<Rc<Chosen>, String> {
        self.in_page.chosen.borrow().clone().ok_or_else(|| NONE.to_owned())
    }

    /// SHA-256 of the chosen model's files.
    pub(super) async fn digest_model(
        &self,
        tell: impl Fn(ModelProgress),
    ) -> Result<Vec<String>, String> {
        let chosen = self.chosen()?;
        if let Some(known) = chosen.digests.borrow().clone() {
            return Ok(known);
        }
        let turn = self.in_page.turn.get();
        let all = chosen.description.model.size();
        let mut done = 0;
        let mut digests = Vec::new();
        let reader = FileReaderSync::new().map_err(|error| format!("{error:?}"))?;
        for file in chosen.files.iter() {
            let file: File = file.unchecked_into();
            let size = file.size() as u64;
            let mut hash = Sha256::new();
            let mut at = 0;
            while at < size {
                let end = size.min(at + CHUNK);
                hash.update(slice(&reader, &file, at, end)?);
                done += end - at;
                at = end;
                tell(ModelProgress { step: ModelStep::Digest, bytes: Count { done, of: all } });
                // Other messages, such as another choice, have their turn.
                TimeoutFuture::new(0).await;
                if self.in_page.turn.get() != turn {
                    return Err(OTHER.to_owned());
                }
            }
            digests.push(hex(&hash.finalize()));
        }
        *chosen.digests.borrow_mut() = Some(digests.clone());
        Ok(digests)
    }

    /// Loads the chosen model and measures its speed.
    pub(super) async fn load_model(
        &self,
        request: LoadModel,
        page: Teller<LoadModel>,
    ) -> Result<LoadedModel, String> {
        self.check_idle()?;
        let chosen = self.chosen()?;
        let ModelDescription { model, problem, .. } = &chosen.description;
        if let Some(problem) = problem {
            return Err(problem.clone());
        }
        self.in_page.loaded.take();
        let digests = self.digest_model(|progress| page.tell(&progress)).await?;
        let turn = self.in_page.turn.get();
        let all = model.size();
        let tell = move |step, done, of| {
            page.tell(&ModelProgress { step, bytes: Count { done, of } });
        };
        let progress = move |done| tell(ModelStep::Load, done, all);
        let computing =
            in_page::load(&chosen.files, request.context, request.threads, progress).await;
        let computing =
            computing.map_err(|reason| format!("The model can't be loaded: {reason}."))?;
        if self.in_page.turn.get() != turn {
            return Err(OTHER.to_owned());
        }
        tell(ModelStep::Measure, 0, 0);
        let speed = measure().await?;
        let facts = InPageModel {
            library: LIBRARY.0.to_owned(),
            version: LIBRARY.1.to_owned(),
            backend: computing.backend,
            threads: computing.threads,
            digests,
            bytes: all,
            architecture: model.architecture.clone(),
            quantization: model.quantization.clone(),
            parameters: model.parameters,
            context: request.context,
            template_digest: chosen.description.template_digest.clone(),
        };
        *self.in_page.loaded.borrow_mut() = Some(facts.clone());
        let takes_tools = model.chat_template.as_ref().is_some_and(|it| it.contains("tools"));
        Ok(LoadedModel { facts, name: name(&chosen.description), takes_tools, speed })
    }

    /// Takes the browser's own model, instead of the present one. Its speed stays unknown.
    pub(super) async fn use_browser_model(
        &self,
        request: UseBrowserModel,
        port: JsValue,
    ) -> Result<LoadedModel, String> {
        self.unload_model().await?;
        in_page::use_browser_model(&port).await?;
        // The browser does not name its model.
        let name = format!("{} built-in model", request.version);
        let facts = InPageModel {
            library: BROWSER_LIBRARY.to_owned(),
            version: request.version,
            backend: Backend::Browser,
            context: request.context,
            ..InPageModel::default()
        };
        *self.in_page.loaded.borrow_mut() = Some(facts.clone());
        Ok(LoadedModel { facts, name, takes_tools: false, speed: ModelSpeed::default() })
    }

    /// Frees the loaded model and forgets the chosen files.
    pub(super) async fn unload_model(&self) -> Result<(), String> {
        self.check_idle()?;
        self.in_page.turn.set(self.in_page.turn.get().wrapping_add(1));
        let was_chosen = self.in_page.chosen.take().is_some();
        if self.in_page.loaded.take().is_some_and(|loaded| loaded.is_browsers()) {
            in_page::use_browser_model(&JsValue::NULL).await?;
        }
        if was_chosen { in_page::unload().await } else { Ok(()) }
    }

    /// Rejects a run on a model in the page that is not the loaded one.
    pub(super) fn check_model(&self, settings: &RunSettings) -> Result<(), String> {
        let RunModel::Endpoint(endpoint) = &settings.model else { return Ok(()) };
        let Some(wanted) = &endpoint.in_page else { return Ok(()) };
        let loaded = self.in_page.loaded.borrow();
        if loaded.as_ref() == Some(&**wanted) {
            return Ok(());
        }
        if wanted.is_browsers() {
            return Err(format!(
                "This run needs the model of the browser {}. Choose the browser's own model on the \
                 Run page, then try again.",
                wanted.version
            ));
        }
        let digest = wanted.digests.first().map_or("", |digest| digest.get(..12).unwrap_or(digest));
        Err(format!(
            "This run needs {} in the page, SHA-256 {digest}…, context {}, backend {}, threads {}. \
             Load that model on the Run page, then try again.",
            endpoint.model,
            wanted.context,
            wanted.backend.as_str(),
            wanted.threads
        ))
    }
}

/// An engine's error as a sentence.
fn sentence(error: &dyn std::fmt::Display) -> String {
    format!("{error}.")
}

fn in_parts(files: &Array) -> Result<Vec<File>, String> {
    if files.length() > MOST_FILES {
        return Err(format!("Too many files: a model has at most {MOST_FILES} parts."));
    }
    Ok(files.iter().filter_map(|file| file.dyn_into().ok()).collect())
}

/// The name in records: the model's own, or the file's.
pub(super) fn name(description: &ModelDescription) -> String {
    let file = || description.files.first().map(|name| name.trim_end_matches(".gguf").to_owned());
    description.model.name.clone().or_else(file).unwrap_or_else(|| "model".to_owned())
}

/// Reads a file's header.
fn header(file: &File) -> Result<Header, String> {
    let size = file.size() as u64;
    let reader = FileReaderSync::new().map_err(|error| format!("{error:?}"))?;
    let mut length = BEGINNING.min(size);
    loop {
        match gguf::read(&slice(&reader, file, 0, length)?, size) {
            Ok(header) => return Ok(header),
            Err(HeaderError::Incomplete { needed }) => {
                length = needed.max(length * MORE).min(size).min(MOST_HEADER_BYTES + 1);
            }
            Err(error) => return Err(format!("{}: {error}.", file.name())),
        }
    }
}

fn slice(reader: &FileReaderSync, file: &File, from: u64, to: u64) -> Result<Vec<u8>, String> {
    let read = || {
        let blob = file.slice_with_f64_and_f64(from as f64, to as f64)?;
        reader.read_as_array_buffer(&blob)
    };
    let buffer = read().map_err(|error| {
        let reason = Reflect::get(&error, &"message".into()).ok().and_then(|it| it.as_string());
        format!(
            "{}: the browser can't read it ({}). If it has changed or moved, choose it again.",
            file.name(),
            reason.unwrap_or_default()
        )
    })?;
    Ok(Uint8Array::new(&buffer).to_vec())
}

/// The memory that the engine may use: three quarters of what the browser says this device has, in
/// steps up to 8 GB, and at most what WebAssembly can address.
fn memory() -> u64 {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into()).unwrap_or_default();
    let gigabytes = Reflect::get(&navigator, &"deviceMemory".into()).ok();
    let bytes = gigabytes.and_then(|it| it.as_f64()).map(|it| (it * 0.75 * 1e9) as u64);
    bytes.map_or(MOST_MEMORY_BYTES, |bytes| bytes.min(MOST_MEMORY_BYTES))
}

/// Measures how fast the loaded model reads and writes.
async fn measure() -> Result<ModelSpeed, String> {
    let body = json!({
        "prompt": PROBE, "max_tokens": PROBE_TOKENS, "temperature": 0, "cache_prompt": false,
        "ignore_eos": true,
    });
    let request = HttpRequest {
        method: "POST",
        url: format!("{IN_PAGE_ADDRESS}/completions"),
        headers: Vec::new(),
        body: Some(body.to_string()),
    };
    let mut whole = Whole::default();
    let sent = in_page::send(request, pending(), &mut whole).await;
    sent.map_err(|error| format!("The model does not answer: {error}."))?;
    let answer: Value = serde_json::from_slice(&whole.body).unwrap_or_default();
    if whole.status != 200 {
        let message = answer["error"]["message"].as_str().unwrap_or("no reason is given");
        return Err(format!("The model does not answer: {message}."));
    }
    let speed = |name: &str| answer["timings"][name].as_f64().unwrap_or_default();
    Ok(ModelSpeed { prompt: speed("prompt_per_second"), answer: speed("predicted_per_second") })
}

/// A complete response.
#[derive(Default)]
struct Whole {
    status: u16,
    body: Vec<u8>,
}

impl Sink for Whole {
    fn head(&mut self, head: HttpHead) {
        self.status = head.status;
    }

    fn bytes(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        self.body.extend(bytes);
        ControlFlow::Continue(())
    }
}
