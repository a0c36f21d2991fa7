//! HTTP requests, from the page and the worker.

use crate::messages::Asset;
use futures::future::{Either, select};
use gloo_net::http::{Method, RequestBuilder, Response};
use gloo_timers::future::TimeoutFuture;
use js_sys::Uint8Array;
use provider::diagnosis::{Permission, Place, refused_by_browser};
use provider::{
    HttpHead, HttpRequest, Origin, REST_MS, REST_PIECES, Sink, Timeouts, TransportError,
};
use std::future::Future;
use std::pin::pin;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, AbortSignal, ReadableStreamDefaultReader, ReferrerPolicy, RequestCredentials,
    RequestMode, RequestRedirect, ResponseType, SubtleCrypto,
};

/// How long a server has to answer at all, in milliseconds.
const ANSWERS_MS: u32 = 5_000;

/// Sends a request to an endpoint and streams the response to `sink`. Timeouts and `stop` abort the
/// request, body included, so that the server stops generating. A request to a model in the page goes
/// to its engine.
///
/// # Errors
/// When there is no complete response.
pub async fn send(
    request: HttpRequest,
    limits: Timeouts,
    stop: impl Future<Output = ()>,
    sink: &mut dyn Sink,
) -> Result<(), TransportError> {
    if provider::is_in_page(&request.url) {
        #[cfg(feature = "worker")]
        return super::in_page::send(request, stop, sink).await;
        #[cfg(not(feature = "worker"))]
        return Err(TransportError::Forbidden("Models in the page run in the worker.".to_owned()));
    }
    // Aborts on drop: after an error, or once the rest of the body is drained.
    let guard = Abort(AbortController::new().ok());
    check(&request.url)?;
    let mut stop = pin!(stop);
    let head = within(limits.headers_s, &mut stop, head(request, guard.signal().as_ref())).await?;
    let response = head.map_err(TransportError::Unreachable)?;
    if response.type_() == ResponseType::Opaqueredirect {
        return Err(TransportError::Redirected(None));
    }
    let header = |name| response.headers().get(name);
    let (retry_after, date) = (header("retry-after"), header("date"));
    let now_ms = js_sys::Date::now() as u64;
    sink.head(HttpHead::new(response.status(), retry_after.as_deref(), date.as_deref(), now_ms));
    let body = within(limits.body_s, &mut stop, body(&response, sink)).await?;
    if let Some(rest) = body.map_err(TransportError::BrokenOff)? {
        wasm_bindgen_futures::spawn_local(async move {
            select(TimeoutFuture::new(REST_MS), pin!(read_rest(&rest))).await;
            drop(guard);
        });
    }
    Ok(())
}

/// Checks the page's Content-Security-Policy and the browser's restrictions. A worker may be served
/// without a policy, so check the address here too.
fn check(url: &str) -> Result<(), TransportError> {
    let reason = match Origin::of(url) {
        Ok(_) => refused_by_browser(url, &origin()),
        Err(error) => Some(format!("Address: {error}.")),
    };
    reason.map_or(Ok(()), |reason| Err(TransportError::Forbidden(reason)))
}

/// Drains a response after the end of the answer, see [`REST_MS`].
async fn read_rest(rest: &ReadableStreamDefaultReader) {
    for _ in 0..REST_PIECES {
        if !matches!(piece(rest).await, Ok(Some(_))) {
            return;
        }
    }
}

/// Aborts a request when dropped.
struct Abort(Option<AbortController>);

impl Abort {
    fn signal(&self) -> Option<AbortSignal> {
        self.0.as_ref().map(AbortController::signal)
    }
}

impl Drop for Abort {
    fn drop(&mut self) {
        if let Some(controller) = &self.0 {
            controller.abort();
        }
    }
}

/// Waits for `work`, at most `seconds`, unless stopped.
async fn within<T>(
    seconds: u32,
    stop: &mut (impl Future<Output = ()> + Unpin),
    work: impl Future<Output = T>,
) -> Result<T, TransportError> {
    let limit = TimeoutFuture::new(seconds.saturating_mul(1000));
    match select(pin!(work), select(limit, stop)).await {
        Either::Left((done, _)) => Ok(done),
        Either::Right((Either::Left(_), _)) => Err(TransportError::TimedOut(seconds)),
        Either::Right((Either::Right(_), _)) => Err(TransportError::Cancelled),
    }
}

async fn head(request: HttpRequest, signal: Option<&AbortSignal>) -> Result<Response, String> {
    let method = if request.method == "POST" { Method::POST } else { Method::GET };
    let mut builder = RequestBuilder::new(&request.url)
        .method(method)
        .credentials(RequestCredentials::Omit)
        .referrer_policy(ReferrerPolicy::NoReferrer)
        .redirect(RequestRedirect::Manual)
        .abort_signal(signal);
    for (name, value) in &request.headers {
        builder = builder.header(name, value);
    }
    let built = match request.body {
        Some(body) => builder.body(body),
        None => builder.build(),
    };
    built.map_err(text)?.send().await.map_err(text)
}

/// Streams a body to the sink, until its end or until the sink breaks; returns the reader if data
/// is left.
async fn body(
    response: &Response,
    sink: &mut dyn Sink,
) -> Result<Option<ReadableStreamDefaultReader>, String> {
    let Some(stream) = response.body() else { return Ok(None) };
    let reader = ReadableStreamDefaultReader::new(&stream).map_err(message_of)?;
    while let Some(bytes) = piece(&reader).await.map_err(message_of)? {
        if sink.bytes(&bytes).is_break() {
            return Ok(Some(reader));
        }
    }
    Ok(None)
}

/// The next piece of a body; `None` after the last.
async fn piece(reader: &ReadableStreamDefaultReader) -> Result<Option<Vec<u8>>, JsValue> {
    let piece = JsFuture::from(reader.read()).await?;
    let get = |name: &str| js_sys::Reflect::get(&piece, &JsValue::from_str(name));
    if get("done")?.is_truthy() {
        return Ok(None);
    }
    Ok(Some(js_sys::Uint8Array::new(&get("value")?).to_vec()))
}

/// The message of a browser error.
fn message_of(error: JsValue) -> String {
    match error.dyn_ref::<js_sys::Error>() {
        Some(error) => error.message().into(),
        None => format!("{error:?}"),
    }
}

fn text(error: gloo_net::Error) -> String {
    match error {
        gloo_net::Error::JsError(error) => error.message,
        other => other.to_string(),
    }
}

/// Loads and parses a file of the site. If `www/worker-boot.js` has fetched it already, parses it
/// while the browser hashes it; if the hash is wrong, fetches and parses it again.
///
/// # Errors
/// A message for the user, with the remedy.
pub async fn load_parsed<T>(file: &Asset, make: impl Fn(Vec<u8>) -> T) -> Result<T, String> {
    if let Some((bytes, digest)) = early(file).await {
        let made = make(bytes);
        let digest = JsFuture::from(digest).await.ok().and_then(|digest| digest.as_string());
        if digest.as_deref() == Some(&file.integrity) {
            return Ok(made);
        }
    }
    Ok(make(asset(file).await?))
}

/// Fetches a file of the site and checks its hash.
///
/// # Errors
/// A message for the user, with the remedy.
pub async fn asset(asset: &Asset) -> Result<Vec<u8>, String> {
    let name = asset.url.rsplit('/').next().unwrap_or_default();
    let failed = |reason: String| {
        format!(
            "The file {name} of this site could not be loaded ({reason}). Check the connection \
             and reload the page; if this stays, the site is incomplete."
        )
    };
    let known = sha256_of(&asset.integrity);
    let subtle = known.as_ref().and_then(|_| subtle());
    let mut request = RequestBuilder::new(&asset.url).credentials(RequestCredentials::SameOrigin);
    if subtle.is_none() && !asset.integrity.is_empty() {
        request = request.integrity(&asset.integrity);
    }
    let response = request.send().await.map_err(|error| failed(text(error)))?;
    if !response.ok() {
        return Err(failed(format!("HTTP {}", response.status())));
    }
    let broken = |error: JsValue| failed(format!("{error:?}"));
    let buffer = web_sys::Response::from(response).array_buffer().map_err(broken)?;
    let buffer = JsFuture::from(buffer).await.map_err(broken)?;
    // The browser hashes on another thread while the bytes are copied here.
    let digest = subtle.map(|subtle| {
        let digest = subtle.digest_with_str_and_buffer_source("SHA-256", buffer.unchecked_ref());
        digest.map(JsFuture::from)
    });
    let bytes = Uint8Array::new(&buffer).to_vec();
    if let Some(digest) = digest {
        let digest = Uint8Array::new(&digest.map_err(broken)?.await.map_err(broken)?).to_vec();
        if Some(hexadecimal(digest)) != known {
            return Err(failed("it is not the one that this page was built with".to_owned()));
        }
    }
    Ok(bytes)
}

/// A file that `www/worker-boot.js` has fetched, usable once, and the promise of its digest; `None`
/// if it was not fetched or the request failed.
async fn early(asset: &Asset) -> Option<(Vec<u8>, js_sys::Promise)> {
    let get = |object: &JsValue, key: &str| js_sys::Reflect::get(object, &key.into()).ok();
    let files: js_sys::Map = get(&js_sys::global(), "early")?.dyn_into().ok()?;
    let address = JsValue::from_str(&asset.url);
    let file: js_sys::Promise = files.get(&address).dyn_into().ok()?;
    files.delete(&address);
    let file = JsFuture::from(file).await.ok()?;
    let digest = get(&file, "digest")?.dyn_into().ok()?;
    Some((Uint8Array::new(&get(&file, "bytes")?).to_vec(), digest))
}

/// The browser's SHA-256, available on https and on this machine. Ten times faster than a request
/// with an integrity attribute, which holds the bytes back until they are checked.
pub fn subtle() -> Option<SubtleCrypto> {
    let crypto = js_sys::Reflect::get(&js_sys::global(), &JsValue::from_str("crypto")).ok()?;
    let subtle = js_sys::Reflect::get(&crypto, &JsValue::from_str("subtle")).ok()?;
    (!subtle.is_undefined()).then(|| subtle.unchecked_into())
}

fn hexadecimal(bytes: impl IntoIterator<Item = u8>) -> String {
    bytes.into_iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The SHA-256 in a subresource integrity attribute, lower-case hexadecimal; `None` if it has none.
pub fn sha256_of(integrity: &str) -> Option<String> {
    let encoded = JsValue::from_str(integrity.strip_prefix("sha256-")?);
    let global = js_sys::global();
    let decode = js_sys::Reflect::get(&global, &JsValue::from_str("atob")).ok()?;
    let bytes = decode.dyn_ref::<js_sys::Function>()?.call1(&global, &encoded).ok()?.as_string()?;
    let digits = hexadecimal(bytes.chars().map(|byte| u32::from(byte) as u8));
    (digits.len() == 64).then_some(digits)
}

/// The site's origin.
pub fn origin() -> String {
    let location = js_sys::Reflect::get(&js_sys::global(), &JsValue::from_str("location"));
    let origin = location.and_then(|it| js_sys::Reflect::get(&it, &JsValue::from_str("origin")));
    origin.ok().and_then(|origin| origin.as_string()).unwrap_or_default()
}

/// Whether a server answers at an address: the browser tells that much of a request in the mode
/// `no-cors`, whose answer it does not show. Sends neither key nor body.
pub async fn answers(url: &str) -> bool {
    let guard = Abort(AbortController::new().ok());
    let asked = RequestBuilder::new(url)
        .mode(RequestMode::NoCors)
        .credentials(RequestCredentials::Omit)
        .referrer_policy(ReferrerPolicy::NoReferrer)
        .abort_signal(guard.signal().as_ref())
        .send();
    let limit = TimeoutFuture::new(ANSWERS_MS);
    matches!(select(pin!(asked), limit).await, Either::Left((Ok(_), _)))
}

/// The origin and permissions of this page's requests.
pub async fn place() -> Place {
    let get = |object: &JsValue, key: &str| js_sys::Reflect::get(object, &key.into()).ok();
    let agent = get(&js_sys::global(), "navigator").and_then(|it| get(&it, "userAgent"));
    let agent = agent.and_then(|agent| agent.as_string()).unwrap_or_default();
    // Chromium's user agents contain "Safari" too.
    let is_safari = agent.contains("Safari/") && !agent.contains("Chrom");
    Place { origin: Some(origin()), permission: permission().await, is_safari }
}

/// The permission to access servers on this machine. Its name has changed over time, and many
/// browsers support neither.
async fn permission() -> Permission {
    for name in ["loopback-network", "local-network-access"] {
        match query_permission(name).await.as_deref() {
            Some("denied") => return Permission::Denied,
            Some("prompt") => return Permission::Prompt,
            Some("granted") => return Permission::Granted,
            _ => {}
        }
    }
    Permission::Unknown
}

async fn query_permission(name: &str) -> Option<String> {
    let get = |object: &JsValue, key: &str| js_sys::Reflect::get(object, &key.into()).ok();
    let navigator = get(&js_sys::global(), "navigator")?;
    let permissions = get(&navigator, "permissions")?;
    let query: js_sys::Function = get(&permissions, "query")?.dyn_into().ok()?;
    let wanted = js_sys::Object::new();
    js_sys::Reflect::set(&wanted, &"name".into(), &name.into()).ok()?;
    let promise: js_sys::Promise = query.call1(&permissions, &wanted).ok()?.dyn_into().ok()?;
    get(&JsFuture::from(promise).await.ok()?, "state")?.as_string()
}
