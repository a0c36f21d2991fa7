//! Web Locks: a name that only one tab or worker of this browser holds at a time.
//!
//! The browser releases them when the holder ends for any reason, and does not freeze tabs that
//! hold one.

use futures::channel::oneshot;
use futures::future::{Either, select};
use js_sys::{Array, Function, Object, Promise, Reflect};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue, prelude::Closure};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortSignal, DomException};

/// A lock, held until dropped.
#[derive(Debug)]
pub struct LockGuard {
    /// Resolves the promise that holds the lock; `None` if the browser has no locks.
    release: Option<Function>,
}

impl Drop for LockGuard {
    fn drop(&mut self) {
        if let Some(release) = &self.release
            && let Err(error) = release.call0(&JsValue::NULL)
        {
            web_sys::console::error_1(&error);
        }
    }
}

/// Takes a lock; `None` if it is held elsewhere. In a browser without locks, always succeeds.
pub async fn take(name: &str) -> Option<LockGuard> {
    request(name, "ifAvailable", &JsValue::TRUE).await
}

/// Takes a lock, and waits for it up to `patience` milliseconds. Requests are granted in their order.
pub async fn take_within(name: &str, patience: u32) -> Option<LockGuard> {
    request(name, "signal", &AbortSignal::timeout_with_u32(patience)).await
}

/// Requests a lock with an option of `LockManager.request`.
async fn request(name: &str, option: &str, value: &JsValue) -> Option<LockGuard> {
    let Some((locks, request)) = method("request") else {
        return Some(LockGuard { release: None });
    };
    let options = Object::new();
    let wish = Reflect::set(&options, &option.into(), value);
    let (tell, answer) = oneshot::channel();
    let tell = RefCell::new(Some(tell));
    let granted = Closure::<dyn FnMut(JsValue) -> Promise>::new(move |lock: JsValue| {
        let release = Rc::new(RefCell::new(None));
        let held = Promise::new(&mut |resolve, _| *release.borrow_mut() = Some(resolve));
        let release = release.borrow_mut().take();
        let got = !lock.is_null() && !lock.is_undefined();
        if let Some(tell) = tell.borrow_mut().take() {
            // If the receiver is gone, the guard is dropped with the message.
            let _ = tell.send(got.then_some(LockGuard { release }));
        }
        if got { held } else { Promise::resolve(&JsValue::NULL) }
    });
    let asked = wish.and_then(|_| {
        request.call3(&locks, &name.into(), &options, granted.as_ref().unchecked_ref())
    });
    // The page is not allowed to use locks.
    let Ok(asked) = asked else { return Some(LockGuard { release: None }) };
    match select(answer, JsFuture::from(asked.unchecked_into::<Promise>())).await {
        Either::Left((answer, _)) => answer.ok().flatten(),
        Either::Right((Err(error), _)) if !is_timeout(&error) => Some(LockGuard { release: None }),
        // Refused at once, or after the time.
        Either::Right(_) => None,
    }
}

fn is_timeout(error: &JsValue) -> bool {
    error.dyn_ref::<DomException>().is_some_and(|it| it.name() == "TimeoutError")
}

/// The held locks whose names start with `prefix`, in any tab of this browser.
pub async fn held(prefix: &str) -> Vec<String> {
    let Some((locks, query)) = method("query") else { return Vec::new() };
    let asked = query.call0(&locks).and_then(|promise| promise.dyn_into::<Promise>());
    let Ok(promise) = asked else { return Vec::new() };
    let Ok(snapshot) = JsFuture::from(promise).await else { return Vec::new() };
    let held = Reflect::get(&snapshot, &"held".into()).ok();
    let held = held.and_then(|held| held.dyn_into::<Array>().ok()).unwrap_or_default();
    held.iter()
        .filter_map(|lock| Reflect::get(&lock, &"name".into()).ok()?.as_string())
        .filter(|name| name.starts_with(prefix))
        .collect()
}

/// The lock manager and one of its methods: `web-sys` has no stable binding yet.
fn method(name: &str) -> Option<(JsValue, Function)> {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into()).ok()?;
    let locks = Reflect::get(&navigator, &"locks".into()).ok()?;
    let method = Reflect::get(&locks, &name.into()).ok()?.dyn_into().ok()?;
    Some((locks, method))
}
