//! The engine of a model in the page, `www/model-host.js`: answers an endpoint's requests without
//! the network. It lives in the worker.

use futures::channel::mpsc;
use futures::future::FutureExt;
use futures::{StreamExt, select};
use js_sys::{Array, Function, Promise, Reflect};
use provider::{Backend, HttpHead, HttpRequest, Sink, TransportError};
use serde::Deserialize;
use std::future::Future;
use std::ops::ControlFlow;
use std::pin::pin;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, AbortSignal};

#[wasm_bindgen]
extern "C" {
    /// The module `www/browser-model-client.js`.
    type BrowserModel;

    #[wasm_bindgen(method, js_name = "use")]
    fn use_port(this: &BrowserModel, port: &JsValue);

    /// The module `www/model-host.js`. The other one answers requests in the same way.
    type ModelHost;

    #[wasm_bindgen(method)]
    fn load(
        this: &ModelHost,
        files: &Array,
        context: f64,
        threads: u32,
        progress: &Function,
    ) -> Promise;

    #[wasm_bindgen(method)]
    fn unload(this: &ModelHost);

    #[wasm_bindgen(method)]
    fn answer(
        this: &ModelHost,
        is_chat: bool,
        body: &str,
        signal: &AbortSignal,
        head: &Function,
        piece: &Function,
    ) -> Promise;
}

/// What the engine computes with.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Computing {
    /// The backend.
    pub backend: Backend,
    /// Number of threads.
    pub threads: u32,
}

/// A module that the worker's script imports on first use, by the name of its function.
async fn module(import: &str) -> Result<JsValue, String> {
    let import = Reflect::get(&js_sys::global(), &import.into()).unwrap_or_default();
    let import: Function =
        import.dyn_into().map_err(|_| "This page is incomplete. Reload it.".to_owned())?;
    let failed = |error: JsValue| {
        format!(
            "The engine for models in the page could not be loaded ({}). Check the connection; if \
             this stays, the site was built without it.",
            message_of(&error)
        )
    };
    let promise: Promise = import.call0(&JsValue::NULL).map_err(failed)?.unchecked_into();
    JsFuture::from(promise).await.map_err(failed)
}

/// The engine of this site.
const HOST: &str = "modelHost";

async fn host() -> Result<ModelHost, String> {
    Ok(module(HOST).await?.unchecked_into())
}

/// The browser's own model, asked through the page.
const BROWSER_MODEL: &str = "browserModelClient";

/// Takes the page's port to the browser's own model, or null to give it up.
///
/// # Errors
/// When the script can't be loaded.
pub async fn use_browser_model(port: &JsValue) -> Result<(), String> {
    module(BROWSER_MODEL).await?.unchecked_into::<BrowserModel>().use_port(port);
    Ok(())
}

/// Loads a model's files, in the order of its parts, instead of the present model. `progress` gets
/// the bytes read.
///
/// # Errors
/// The engine's reason.
pub async fn load(
    files: &Array,
    context: u64,
    threads: u32,
    progress: impl Fn(u64) + 'static,
) -> Result<Computing, String> {
    let host = host().await?;
    let progress = Closure::<dyn Fn(f64)>::new(move |bytes: f64| progress(bytes as u64));
    let callback = progress.as_ref().unchecked_ref();
    let loaded = JsFuture::from(host.load(files, context as f64, threads, callback)).await;
    // The engine reports again if it restarts after a crash.
    progress.forget();
    let computing = loaded.map_err(|error| message_of(&error))?;
    serde_wasm_bindgen::from_value(computing).map_err(|error| error.to_string())
}

/// Frees the memory of the loaded model. Without one, does nothing.
///
/// # Errors
/// When the engine can't be loaded.
pub async fn unload() -> Result<(), String> {
    host().await?.unload();
    Ok(())
}

/// Something that arrives of an answer.
enum Piece {
    Head(u16),
    Body(String),
}

/// Answers a request to [`provider::IN_PAGE_ADDRESS`] and streams the response to `sink`. There is no
/// timeout, because the page sees the engine at work; `stop` ends the request.
///
/// # Errors
/// When there is no complete response.
pub async fn send(
    request: HttpRequest,
    stop: impl Future<Output = ()>,
    sink: &mut dyn Sink,
) -> Result<(), TransportError> {
    let Some(body) = request.body else {
        let reason = "A model in the page answers no such request.".to_owned();
        return Err(TransportError::Forbidden(reason));
    };
    let name = if provider::is_browser_model(&request.url) { BROWSER_MODEL } else { HOST };
    let host: ModelHost = module(name).await.map_err(TransportError::Forbidden)?.unchecked_into();
    let guard = Stop(AbortController::new().map_err(|error| {
        TransportError::Forbidden(format!(
            "The browser can't cancel requests: {}",
            message_of(&error)
        ))
    })?);
    let (sender, mut pieces) = mpsc::unbounded();
    let heads = sender.clone();
    let head = Closure::<dyn Fn(u16)>::new(move |status| {
        // An error means that the request was cancelled.
        let _ = heads.unbounded_send(Piece::Head(status));
    });
    let piece = Closure::<dyn Fn(String)>::new(move |text| {
        let _ = sender.unbounded_send(Piece::Body(text));
    });
    let is_chat = request.url.ends_with("/chat/completions");
    let answered = host.answer(
        is_chat,
        &body,
        &guard.0.signal(),
        head.as_ref().unchecked_ref(),
        piece.as_ref().unchecked_ref(),
    );
    let mut answered = JsFuture::from(answered).fuse();
    let mut stop = pin!(stop.fuse());
    loop {
        select! {
            piece = pieces.next() => {
                if piece.is_some_and(|piece| pass(piece, sink).is_break()) {
                    return Ok(());
                }
            }
            done = answered => {
                done.map_err(|error| TransportError::BrokenOff(message_of(&error)))?;
                while let Ok(piece) = pieces.try_recv() {
                    if pass(piece, sink).is_break() {
                        break;
                    }
                }
                return Ok(());
            }
            () = stop => return Err(TransportError::Cancelled),
        }
    }
}

fn pass(piece: Piece, sink: &mut dyn Sink) -> ControlFlow<()> {
    match piece {
        Piece::Head(status) => {
            sink.head(HttpHead { status, retry_after: None });
            ControlFlow::Continue(())
        }
        Piece::Body(text) => sink.bytes(text.as_bytes()),
    }
}

/// Aborts the request when dropped; the engine calls nothing back from then on.
struct Stop(AbortController);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The message of an error.
fn message_of(error: &JsValue) -> String {
    match error.dyn_ref::<js_sys::Error>() {
        Some(error) => error.message().into(),
        None => error.as_string().unwrap_or_else(|| format!("{error:?}")),
    }
}
