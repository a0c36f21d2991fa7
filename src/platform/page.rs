//! What the page needs of the browser: storage, files, the clock, the address.

use crate::protocol::Asset;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

/// What `index.html` names for the worker.
#[derive(Debug, Clone, Deserialize)]
pub struct SiteAssets {
    /// The worker's script.
    pub worker: Asset,
    /// The texts of the page in Chinese.
    pub chinese: Asset,
    /// What the worker loads.
    #[serde(flatten)]
    pub load: crate::protocol::Assets,
}

/// The files that `index.html` names, with absolute addresses.
///
/// # Errors
/// When the page lacks its block of assets.
pub fn assets() -> Result<SiteAssets, String> {
    let block = document().and_then(|it| it.get_element_by_id("assets"));
    let text = block.and_then(|it| it.text_content()).unwrap_or_default();
    let mut assets: SiteAssets = serde_json::from_str(&text).map_err(|error| {
        format!("This page is incomplete: its list of files is damaged ({error}).")
    })?;
    for asset in [
        &mut assets.worker,
        &mut assets.chinese,
        &mut assets.load.search_model,
        &mut assets.load.search_vocab,
        &mut assets.load.search_vectors,
    ] {
        asset.url = absolute(&asset.url);
    }
    Ok(assets)
}

/// An address relative to the page, made absolute.
fn absolute(url: &str) -> String {
    let base = document().and_then(|it| it.base_uri().ok().flatten()).unwrap_or_default();
    Url::new_with_base(url, &base).map_or_else(|_| url.to_owned(), |it| it.href())
}

/// The document.
pub fn document() -> Option<web_sys::Document> {
    web_sys::window().and_then(|window| window.document())
}

/// Takes an element off the page, by its id.
pub fn remove(id: &str) {
    if let Some(element) = document().and_then(|it| it.get_element_by_id(id)) {
        element.remove();
    }
}

/// Milliseconds since 1970.
pub fn now_ms() -> f64 {
    js_sys::Date::now()
}

/// Date and time in the reader's zone: `2026-11-22 14:05`.
pub fn date_and_time(ms: f64) -> String {
    let date = js_sys::Date::new(&JsValue::from_f64(ms));
    format!(
        "{:04}-{:02}-{:02} {:02}:{:02}",
        date.get_full_year(),
        date.get_month() + 1,
        date.get_date(),
        date.get_hours(),
        date.get_minutes()
    )
}

/// Something that was stored; `None` when nothing usable is there.
pub fn stored<T: DeserializeOwned>(name: &str) -> Option<T> {
    let storage = web_sys::window()?.local_storage().ok()??;
    serde_json::from_str(&storage.get_item(name).ok()??).ok()
}

/// Stores something; a browser without storage forgets it, which is no error.
pub fn store(name: &str, value: &impl serde::Serialize) {
    let storage = web_sys::window().and_then(|it| it.local_storage().ok()).flatten();
    if let (Some(storage), Ok(text)) = (storage, serde_json::to_string(value)) {
        let _ = storage.set_item(name, &text);
    }
}

/// A text of this tab; it goes with the tab.
pub fn of_tab(name: &str) -> Option<String> {
    web_sys::window()?.session_storage().ok()??.get_item(name).ok()?
}

/// Keeps a text for this tab, or forgets it. A browser without storage forgets it too.
pub fn keep_for_tab(name: &str, text: Option<&str>) {
    let storage = web_sys::window().and_then(|it| it.session_storage().ok()).flatten();
    if let Some(storage) = storage {
        let _ = match text {
            Some(text) => storage.set_item(name, text),
            None => storage.remove_item(name),
        };
    }
}

/// Asks the browser to keep what is stored here. It may say no, and then keeps it as long as there
/// is room.
pub fn ask_to_keep() {
    let asked = web_sys::window().and_then(|it| it.navigator().storage().persist().ok());
    if let Some(promise) = asked {
        wasm_bindgen_futures::spawn_local(async move {
            // Nothing depends on the answer.
            let _ = wasm_bindgen_futures::JsFuture::from(promise).await;
        });
    }
}

/// Offers a text as a file to save.
pub fn save(name: &str, text: &str) -> Result<(), JsValue> {
    let parts = js_sys::Array::of1(&JsValue::from_str(text));
    let kind = BlobPropertyBag::new();
    kind.set_type("application/json");
    let blob = Blob::new_with_str_sequence_and_options(&parts, &kind)?;
    save_at(name, Url::create_object_url_with_blob(&blob)?)
}

/// Offers what stands at a blob's address as a file to save, and lets it go afterwards.
pub fn save_at(name: &str, url: String) -> Result<(), JsValue> {
    let document = document().ok_or("no document")?;
    let link: HtmlAnchorElement = document.create_element("a")?.dyn_into()?;
    link.set_href(&url);
    link.set_download(name);
    link.click();
    // The browser reads the blob after the click; a minute is plenty.
    gloo_timers::callback::Timeout::new(60_000, move || {
        let _ = Url::revoke_object_url(&url);
    })
    .forget();
    Ok(())
}

/// Opens the browser's dialog for printing; one that has none does nothing.
pub fn print() {
    if let Some(window) = web_sys::window() {
        let _ = window.print();
    }
}

/// The fragment of the address, `#` included.
pub fn fragment() -> String {
    web_sys::window().and_then(|window| window.location().hash().ok()).unwrap_or_default()
}

/// The address of this page with another fragment.
pub fn address_with(fragment: &str) -> String {
    let href = web_sys::window().and_then(|window| window.location().href().ok());
    let href = href.unwrap_or_default();
    format!("{}{fragment}", href.split('#').next().unwrap_or_default())
}

/// Puts a text onto the clipboard; `false` where the browser refuses.
pub async fn copy(text: &str) -> bool {
    let get = |object: &JsValue, key: &str| js_sys::Reflect::get(object, &key.into()).ok();
    let clipboard = web_sys::window().and_then(|window| get(&window.navigator(), "clipboard"));
    let written = clipboard.and_then(|clipboard| {
        let write: js_sys::Function = get(&clipboard, "writeText")?.dyn_into().ok()?;
        write.call1(&clipboard, &text.into()).ok()?.dyn_into::<js_sys::Promise>().ok()
    });
    match written {
        Some(written) => wasm_bindgen_futures::JsFuture::from(written).await.is_ok(),
        None => false,
    }
}

/// Puts a fragment into the address without a step in the history and without leaving the page.
pub fn replace_fragment(fragment: &str) {
    let history = web_sys::window().and_then(|window| window.history().ok());
    if let Some(history) = history {
        // A browser that refuses keeps the old address, which is no loss of what is shown.
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(fragment));
    }
}

/// Whether a key press belongs to a field or a shortcut of the browser.
pub fn is_typing(event: &web_sys::KeyboardEvent) -> bool {
    let name = event
        .target()
        .and_then(|it| it.dyn_into::<web_sys::Element>().ok())
        .map(|it| it.tag_name())
        .unwrap_or_default();
    matches!(name.as_str(), "INPUT" | "SELECT" | "TEXTAREA")
        || event.ctrl_key()
        || event.meta_key()
        || event.alt_key()
}

/// The elements that match a selector, in the order of the page.
pub fn elements(selector: &str) -> Vec<web_sys::HtmlElement> {
    let Some(found) = document().and_then(|it| it.query_selector_all(selector).ok()) else {
        return Vec::new();
    };
    (0..found.length()).filter_map(|at| found.get(at)?.dyn_into().ok()).collect()
}

/// Which of some elements has the keyboard.
pub fn focused(elements: &[web_sys::HtmlElement]) -> Option<usize> {
    let active = document()?.active_element()?;
    elements.iter().position(|it| it.is_same_node(Some(&active)))
}

/// Puts a theme onto the document: `light`, `dark`, or the system's.
pub fn apply_theme(theme: &str) {
    if let Some(root) = document().and_then(|it| it.document_element()) {
        let done = match theme {
            "light" | "dark" => root.set_attribute("data-theme", theme),
            _ => root.remove_attribute("data-theme"),
        };
        if let Err(error) = done {
            web_sys::console::error_1(&error);
        }
    }
}

/// The text of a file that was picked or dropped.
///
/// # Errors
/// The browser's reason.
pub async fn text_of(file: &web_sys::Blob) -> Result<String, String> {
    let told = |error: JsValue| format!("{error:?}");
    let text = wasm_bindgen_futures::JsFuture::from(file.text()).await.map_err(told)?;
    text.as_string().ok_or_else(|| "it is not text".to_owned())
}
