//! Models that this browser keeps, `www/kept-models.js`: files in the origin's private file system.

use crate::messages::kept_models::Space;
use js_sys::{Array, Function, Promise, Reflect};
use serde::Deserialize;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::AbortSignal;

#[wasm_bindgen]
extern "C" {
    /// The module `www/kept-models.js`.
    type KeptModels;

    #[wasm_bindgen(method)]
    fn list(this: &KeptModels, sweep: bool) -> Promise;

    #[wasm_bindgen(method)]
    fn keep(
        this: &KeptModels,
        id: &str,
        files: &Array,
        about: &str,
        progress: &Function,
        signal: &AbortSignal,
    ) -> Promise;

    #[wasm_bindgen(method)]
    fn open(this: &KeptModels, id: &str) -> Promise;

    #[wasm_bindgen(method)]
    fn remove(this: &KeptModels, id: &str) -> Promise;

    #[wasm_bindgen(method)]
    fn space(this: &KeptModels) -> Promise;
}

/// A file system error: the name of the browser's exception, such as `QuotaExceededError`, and its
/// message.
#[derive(Debug)]
pub struct FileError {
    /// The name.
    pub name: String,
    /// The message.
    pub message: String,
}

impl From<JsValue> for FileError {
    fn from(error: JsValue) -> Self {
        let member = |name: &str| {
            let value = Reflect::get(&error, &name.into()).ok();
            value.and_then(|value| value.as_string()).unwrap_or_default()
        };
        FileError { name: member("name"), message: member("message") }
    }
}

/// The module; it is fetched on first use.
async fn module() -> Result<KeptModels, FileError> {
    let import = Reflect::get(&js_sys::global(), &"keptModels".into())?;
    let promise = import.unchecked_ref::<Function>().call0(&JsValue::NULL)?;
    Ok(JsFuture::from(promise.unchecked_into::<Promise>()).await?.unchecked_into())
}

/// The descriptions of all complete models. `sweep` deletes what is half written.
///
/// # Errors
/// When the browser gives this site no files.
pub async fn list(sweep: bool) -> Result<Vec<String>, FileError> {
    let found = JsFuture::from(module().await?.list(sweep)).await?;
    Ok(found.unchecked_into::<Array>().iter().filter_map(|name| name.as_string()).collect())
}

/// Keeps a model's files under an id, with their description. `progress` gets the bytes written.
///
/// # Errors
/// When it is not kept; then nothing of it is left.
pub async fn keep(
    id: &str,
    files: &Array,
    about: &str,
    progress: impl Fn(u64) + 'static,
    signal: &AbortSignal,
) -> Result<(), FileError> {
    let progress = Closure::<dyn Fn(f64)>::new(move |bytes: f64| progress(bytes as u64));
    let callback = progress.as_ref().unchecked_ref();
    JsFuture::from(module().await?.keep(id, files, about, callback, signal)).await?;
    Ok(())
}

/// A kept model's files.
///
/// # Errors
/// When it is not kept, or no longer complete.
pub async fn open(id: &str) -> Result<Array, FileError> {
    Ok(JsFuture::from(module().await?.open(id)).await?.unchecked_into())
}

/// Deletes a kept model.
///
/// # Errors
/// When the browser still uses its files.
pub async fn remove(id: &str) -> Result<(), FileError> {
    JsFuture::from(module().await?.remove(id)).await?;
    Ok(())
}

/// The site's storage; unknown in browsers that don't tell.
pub async fn space() -> Option<Space> {
    let estimate = JsFuture::from(module().await.ok()?.space()).await.ok()?;
    Space::deserialize(serde_wasm_bindgen::Deserializer::from(estimate)).ok()
}
