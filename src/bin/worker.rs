//! The worker's entry point: hosts the engine off the page's thread.

fn main() {
    #[cfg(target_arch = "wasm32")]
    {
        use wasm_bindgen::{JsCast, JsValue, prelude::Closure};
        console_error_panic_hook::set_once();
        let scope: web_sys::DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
        let reply = scope.clone();
        let answer = Closure::<dyn Fn(web_sys::MessageEvent)>::new(move |event: web_sys::MessageEvent| {
            if let Err(error) = reply.post_message(&event.data()) {
                web_sys::console::error_1(&error);
            }
        });
        scope.set_onmessage(Some(answer.as_ref().unchecked_ref()));
        answer.forget();
        if let Err(error) = scope.post_message(&JsValue::from_str("ready")) {
            web_sys::console::error_1(&error);
        }
    }
}
