//! Requests, from the page and from the worker alike.

use super::reach::{self, Permission, Situation};
use crate::protocol::Asset;
use engine::provider::{HttpRequest, HttpResponse, TransportError};
use futures::future::{Either, select};
use gloo_net::http::{Method, RequestBuilder};
use gloo_timers::future::TimeoutFuture;
use std::future::Future;
use std::pin::pin;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, AbortSignal, ReferrerPolicy, RequestCredentials};

/// Sends a request to an endpoint and reads the whole answer. Both ends abort
/// the request, body included: the time limit and `stop`.
///
/// # Errors
/// When no answer came.
pub async fn send(
    request: HttpRequest,
    timeout_s: u32,
    stop: impl Future<Output = ()>,
) -> Result<HttpResponse, TransportError> {
    let url = request.url.clone();
    let controller = AbortController::new().ok();
    let signal = controller.as_ref().map(AbortController::signal);
    let work = pin!(exchange(request, signal.as_ref()));
    let limit = TimeoutFuture::new(timeout_s.saturating_mul(1000));
    let error = match select(work, select(limit, pin!(stop))).await {
        Either::Left((Ok(response), _)) => return Ok(response),
        Either::Left((Err(reason), _)) => {
            let situation = Situation { origin: origin(), permission: permission().await };
            return Err(TransportError::Unreachable(reach::explain(&url, &reason, &situation)));
        }
        Either::Right((Either::Left(_), _)) => TransportError::TimedOut(timeout_s),
        Either::Right((Either::Right(_), _)) => TransportError::Cancelled,
    };
    if let Some(controller) = controller {
        controller.abort();
    }
    Err(error)
}

async fn exchange(
    request: HttpRequest,
    signal: Option<&AbortSignal>,
) -> Result<HttpResponse, String> {
    let method = if request.method == "POST" { Method::POST } else { Method::GET };
    let mut builder = RequestBuilder::new(&request.url)
        .method(method)
        .credentials(RequestCredentials::Omit)
        .referrer_policy(ReferrerPolicy::NoReferrer)
        .abort_signal(signal);
    for (name, value) in &request.headers {
        builder = builder.header(name, value);
    }
    let built = match request.body {
        Some(body) => builder.body(body),
        None => builder.build(),
    };
    let response = built.map_err(text)?.send().await.map_err(text)?;
    let retry_after = response.headers().get("retry-after");
    Ok(HttpResponse {
        status: response.status(),
        retry_after: retry_after.and_then(|value| value.trim().parse().ok()),
        body: response.text().await.map_err(text)?,
    })
}

fn text(error: gloo_net::Error) -> String {
    match error {
        gloo_net::Error::JsError(error) => error.message,
        other => other.to_string(),
    }
}

/// A file of the site.
///
/// # Errors
/// What happened and what to do, in words.
pub async fn asset(asset: &Asset) -> Result<Vec<u8>, String> {
    let name = asset.url.rsplit('/').next().unwrap_or_default();
    let failed = |reason: String| {
        format!(
            "The file {name} of this site could not be loaded ({reason}). Check the connection \
             and reload the page; if this stays, the site is incomplete."
        )
    };
    let mut request = RequestBuilder::new(&asset.url).credentials(RequestCredentials::SameOrigin);
    if !asset.integrity.is_empty() {
        request = request.integrity(&asset.integrity);
    }
    let response = request.send().await.map_err(|error| failed(text(error)))?;
    if !response.ok() {
        return Err(failed(format!("HTTP {}", response.status())));
    }
    response.binary().await.map_err(|error| failed(text(error)))
}

/// The site's origin.
pub fn origin() -> String {
    let location = js_sys::Reflect::get(&js_sys::global(), &JsValue::from_str("location"));
    let origin = location.and_then(|it| js_sys::Reflect::get(&it, &JsValue::from_str("origin")));
    origin.ok().and_then(|it| it.as_string()).unwrap_or_default()
}

/// What the browser says of this site's access to servers on this machine; its
/// name has changed over time, and many browsers know neither.
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
