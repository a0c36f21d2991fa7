//! Whether the page is isolated from other origins, which browsers demand for threads.

use js_sys::{Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

fn member(of: &JsValue, name: &str) -> JsValue {
    Reflect::get(of, &name.into()).unwrap_or_default()
}

/// Whether isolation is all that a model in the page lacks for threads. Of two cores,
/// `www/model-host.js` leaves one free.
pub fn is_missing() -> bool {
    let global = js_sys::global();
    let cores = member(&member(&global, "navigator"), "hardwareConcurrency").as_f64();
    !member(&global, "crossOriginIsolated").is_truthy() && cores.is_some_and(|cores| cores > 2.0)
}

/// Completes when a reload would isolate the page, because the service worker then serves it; `false`
/// if none would. Without a service worker, it may never complete.
pub async fn comes_with_a_reload() -> bool {
    let container = member(&member(&js_sys::global(), "navigator"), "serviceWorker");
    // A page that the service worker has served is as isolated as the browser allows.
    if container.is_undefined() || !member(&container, "controller").is_null() {
        return false;
    }
    let ready = member(&container, "ready").dyn_into::<Promise>();
    match ready {
        Ok(ready) => JsFuture::from(ready).await.is_ok(),
        Err(_) => false,
    }
}
