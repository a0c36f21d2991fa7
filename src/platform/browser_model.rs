//! The browser's own model, `www/browser-model.js`: browsers offer it to pages, so the page answers
//! what the worker asks through a port.

use js_sys::{Array, Function, Promise, Reflect};
use serde::Deserialize;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

#[wasm_bindgen]
extern "C" {
    /// The module `www/browser-model.js`.
    type Module;

    #[wasm_bindgen(method)]
    fn availability(this: &Module) -> Promise;

    #[wasm_bindgen(method)]
    fn start(this: &Module, progress: &Function) -> Promise;

    #[wasm_bindgen(method)]
    fn stop(this: &Module);
}

/// Whether the browser has a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Availability {
    /// No.
    #[default]
    Unavailable,
    /// It downloads one when it is started.
    Downloadable,
    /// It is downloading one.
    Downloading,
    /// Yes.
    Available,
}

/// What is known of a started model.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Started {
    /// The browser's name and version.
    pub version: String,
    /// The tokens that a session takes; 0 if unknown.
    pub context: u64,
}

/// Whether the browser has the interface at all; looks at no file.
pub fn is_offered() -> bool {
    Reflect::has(&js_sys::global(), &"LanguageModel".into()).unwrap_or_default()
}

async fn module() -> Result<Module, JsValue> {
    let import = Reflect::get(&js_sys::global(), &"browserModel".into())?;
    let promise = import.dyn_into::<Function>()?.call0(&JsValue::NULL)?;
    Ok(JsFuture::from(promise.unchecked_into::<Promise>()).await?.unchecked_into())
}

/// Asks the browser for its model; one that can't be asked is unavailable.
pub async fn availability() -> Availability {
    let Ok(module) = module().await else { return Availability::Unavailable };
    let answer = JsFuture::from(module.availability()).await.unwrap_or_default();
    serde_wasm_bindgen::from_value(answer).unwrap_or_default()
}

/// Starts the model, after a click: the browser may have to download it. `progress` gets the part
/// done, from 0 to 1. Returns what is known, and a list of the worker's port.
///
/// # Errors
/// The browser's reason.
pub async fn start(progress: impl Fn(f64) + 'static) -> Result<(Started, Array), String> {
    let progress = Closure::<dyn Fn(f64)>::new(progress);
    let module = module().await.map_err(|error| message(&error))?;
    let started = module.start(progress.as_ref().unchecked_ref());
    let started = JsFuture::from(started).await;
    // A started model may still tell of its download.
    progress.forget();
    let started = started.map_err(|error| message(&error))?;
    let port = Reflect::get(&started, &"port".into()).unwrap_or_default();
    let facts = serde_wasm_bindgen::from_value(started).map_err(|error| error.to_string())?;
    Ok((facts, Array::of1(&port)))
}

/// Gives the model up, or its start. Without one, does nothing.
pub fn stop() {
    if is_offered() {
        spawn_local(async {
            if let Ok(module) = module().await {
                module.stop();
            }
        });
    }
}

fn message(error: &JsValue) -> String {
    let text = Reflect::get(error, &"message".into()).ok().and_then(|it| it.as_string());
    text.unwrap_or_else(|| format!("{error:?}"))
}
