//! Pictures of SVG texts, made by `www/picture.js`.

use super::page;
use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, Url};

#[wasm_bindgen]
extern "C" {
    /// The module `www/picture.js`.
    type Module;

    #[wasm_bindgen(method)]
    fn png(this: &Module, svg: &str, width: u32, height: u32) -> Promise;

    #[wasm_bindgen(method)]
    fn copy(this: &Module, svg: &str, width: u32, height: u32) -> Promise;
}

async fn module() -> Result<Module, JsValue> {
    let import = Reflect::get(&js_sys::global(), &"picture".into())?;
    let promise = import.dyn_into::<Function>()?.call0(&JsValue::NULL)?;
    Ok(JsFuture::from(promise.unchecked_into::<Promise>()).await?.unchecked_into())
}

/// Offers the picture of an SVG text as a PNG file to save; `false` if the browser can't make one.
/// `size` is width and height in pixels.
pub async fn save(name: &str, svg: &str, (width, height): (u32, u32)) -> bool {
    let saved = async {
        let blob = JsFuture::from(module().await?.png(svg, width, height)).await?;
        page::save_at(name, Url::create_object_url_with_blob(&blob.dyn_into::<Blob>()?)?)
    };
    saved.await.is_ok()
}

/// Copies the picture to the clipboard; `false` if the browser denies it.
pub async fn copy(svg: &str, (width, height): (u32, u32)) -> bool {
    let copied = async { JsFuture::from(module().await?.copy(svg, width, height)).await };
    copied.await.is_ok()
}
