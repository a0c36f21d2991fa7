//! Whether the page is isolated from other origins, which browsers demand for threads.

use js_sys::{Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

fn member(of: &JsValue, name: &str) -> JsValue {
    Reflect::get(of, &name.into()).unwrap_or_default()
}

/// The processor's cores, as far as the browser tells.
fn cores() -> u32 {
    let cores = member(&member(&js_sys::global(), "navigator"), "hardwareConcurrency").as_f64();
    cores.map_or(1, |cores| cores as u32)
}

fn is_isolated() -> bool {
    member(&js_sys::global(), "crossOriginIsolated").is_truthy()
}

/// The most threads that a model in the page can have.
pub fn threads() -> u32 {
    if is_isolated() { cores() } else { 1 }
}

/// Whether isolation is all that a model in the page lacks for threads.
pub fn is_missing() -> bool {
    !is_isolated() && cores() > 1
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
