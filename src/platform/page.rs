//! Browser APIs of the page: storage, files, the clock, the address.

use crate::messages::Asset;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, HtmlElement, Url};

/// The files that `index.html` lists for the worker.
#[derive(Debug, Clone, Deserialize)]
pub struct SiteAssets {
    /// The worker's script.
    pub worker: Asset,
    /// The Chinese catalogue.
    pub chinese: Asset,
    /// The leaderboard's table.
    pub leaderboard: Asset,
    /// The style sheet of the Search lab.
    pub lab_style: Asset,
    /// The files that the worker loads.
    #[serde(flatten)]
    pub load: crate::messages::Assets,
}

/// The files listed in `index.html`, with absolute addresses.
///
/// # Errors
/// When the list is missing or damaged.
pub fn assets() -> Result<SiteAssets, String> {
    let block = document().and_then(|document| document.get_element_by_id("assets"));
    let text = block.and_then(|block| block.text_content()).unwrap_or_default();
    let mut assets: SiteAssets = serde_json::from_str(&text).map_err(|error| {
        format!("This page is incomplete: its list of files is damaged ({error}).")
    })?;
    for asset in [
        &mut assets.worker,
        &mut assets.chinese,
        &mut assets.leaderboard,
        &mut assets.lab_style,
        &mut assets.load.search_model,
        &mut assets.load.search_vocab,
        &mut assets.load.search_vectors,
    ] {
        asset.url = absolute(&asset.url);
    }
    Ok(assets)
}

/// An address relative to the page, made absolute.
pub fn absolute(url: &str) -> String {
    let base = document().and_then(|it| it.base_uri().ok().flatten()).unwrap_or_default();
    Url::new_with_base(url, &base).map_or_else(|_| url.to_owned(), |it| it.href())
}

/// The document.
pub fn document() -> Option<web_sys::Document> {
    web_sys::window().and_then(|window| window.document())
}

/// Removes an element by its id.
pub fn remove(id: &str) {
    if let Some(element) = document().and_then(|document| document.get_element_by_id(id)) {
        element.remove();
    }
}

/// Milliseconds since 1970.
pub fn now_ms() -> f64 {
    js_sys::Date::now()
}

/// Date and time in the local time zone: `2026-11-22 14:05`.
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

/// Reads a stored value; `None` if there is no valid one.
pub fn stored<T: DeserializeOwned>(name: &str) -> Option<T> {
    let storage = web_sys::window()?.local_storage().ok()??;
    serde_json::from_str(&storage.get_item(name).ok()??).ok()
}

/// Stores a value. Without browser storage, does nothing.
pub fn store(name: &str, value: &impl serde::Serialize) {
    let storage = web_sys::window().and_then(|it| it.local_storage().ok()).flatten();
    if let (Some(storage), Ok(text)) = (storage, serde_json::to_string(value)) {
        let _ = storage.set_item(name, &text);
    }
}

/// Reads a text from the tab's storage.
pub fn of_tab(name: &str) -> Option<String> {
    web_sys::window()?.session_storage().ok()??.get_item(name).ok()?
}

/// Writes a text to the tab's storage, or removes it. Without browser storage, does nothing.
pub fn keep_for_tab(name: &str, text: Option<&str>) {
    let storage = web_sys::window().and_then(|it| it.session_storage().ok()).flatten();
    if let Some(storage) = storage {
        let _ = match text {
            Some(text) => storage.set_item(name, text),
            None => storage.remove_item(name),
        };
    }
}

/// The tab's random id, which survives reloads.
pub fn tab() -> String {
    const NAME: &str = "api-bank-tab";
    of_tab(NAME).unwrap_or_else(|| {
        let name = format!("{:x}", js_sys::Math::random().to_bits());
        keep_for_tab(NAME, Some(&name));
        name
    })
}

/// Requests persistent storage. If the browser declines, it may evict data when space runs out.
pub fn ask_to_keep() {
    let asked = web_sys::window().and_then(|it| it.navigator().storage().persist().ok());
    if let Some(promise) = asked {
        wasm_bindgen_futures::spawn_local(async move {
            // The result does not matter.
            let _ = wasm_bindgen_futures::JsFuture::from(promise).await;
        });
    }
}

/// Offers a JSON text as a file to save.
pub fn save(name: &str, text: &str) -> Result<(), JsValue> {
    save_as(name, text, "application/json")
}

/// Offers a text of a media type as a file to save.
pub fn save_as(name: &str, text: &str, media: &str) -> Result<(), JsValue> {
    let parts = js_sys::Array::of1(&JsValue::from_str(text));
    let kind = BlobPropertyBag::new();
    kind.set_type(media);
    let blob = Blob::new_with_str_sequence_and_options(&parts, &kind)?;
    save_at(name, Url::create_object_url_with_blob(&blob)?)
}

/// Offers the blob at an address as a file to save, and revokes the address afterwards.
pub fn save_at(name: &str, url: String) -> Result<(), JsValue> {
    let document = document().ok_or("no document")?;
    let link: HtmlAnchorElement = document.create_element("a")?.dyn_into()?;
    link.set_href(&url);
    link.set_download(name);
    link.click();
    // The browser reads the blob after the click; a minute is ample.
    gloo_timers::callback::Timeout::new(60_000, move || {
        let _ = Url::revoke_object_url(&url);
    })
    .forget();
    Ok(())
}

/// Whether the `details` element that sent a `toggle` event is open now.
pub fn is_open(event: &web_sys::Event) -> bool {
    let target = event.current_target().and_then(|it| it.dyn_into::<web_sys::Element>().ok());
    target.is_some_and(|target| target.has_attribute("open"))
}

/// Opens the print dialog, if the browser has one.
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

/// Whether the address asks for the page without its frame: `?embed` before the fragment.
pub fn is_embedded() -> bool {
    let query = web_sys::window().and_then(|window| window.location().search().ok());
    query.is_some_and(|query| query.trim_start_matches('?').split('&').any(|part| part == "embed"))
}

/// Copies a text to the clipboard; `false` if the browser denies it.
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

/// Replaces the fragment without a history entry and without navigating.
pub fn replace_fragment(fragment: &str) {
    let history = web_sys::window().and_then(|window| window.history().ok());
    if let Some(history) = history {
        // On failure the old address stays, which is harmless.
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(fragment));
    }
}

/// Whether a key press is for a form field or a browser shortcut.
pub fn is_typing(event: &web_sys::KeyboardEvent) -> bool {
    let name = event
        .target()
        .and_then(|it| it.dyn_into::<web_sys::Element>().ok())
        .map(|element| element.tag_name())
        .unwrap_or_default();
    matches!(name.as_str(), "INPUT" | "SELECT" | "TEXTAREA")
        || event.ctrl_key()
        || event.meta_key()
        || event.alt_key()
}

/// The elements that match a selector, in document order.
pub fn elements(selector: &str) -> Vec<web_sys::HtmlElement> {
    let Some(found) = document().and_then(|it| it.query_selector_all(selector).ok()) else {
        return Vec::new();
    };
    (0..found.length()).filter_map(|at| found.get(at)?.dyn_into().ok()).collect()
}

/// Focuses the first element that matches a selector, HTML or SVG.
pub fn focus(selector: &str) {
    let found = document().and_then(|document| document.query_selector(selector).ok().flatten());
    let focus = found.as_ref().and_then(|it| js_sys::Reflect::get(it, &"focus".into()).ok());
    let focus = focus.and_then(|focus| focus.dyn_into::<js_sys::Function>().ok());
    if let (Some(element), Some(focus)) = (found, focus) {
        let _ = focus.call0(&element);
    }
}

/// If an element that matches `from` has the focus, moves it to `to` after the next render.
pub fn catch_focus(from: &str, to: &'static str) {
    if focused(&elements(from)).is_some() {
        gloo_timers::callback::Timeout::new(0, move || focus(to)).forget();
    }
}

/// The index of the focused element.
pub fn focused(elements: &[web_sys::HtmlElement]) -> Option<usize> {
    let active = document()?.active_element()?;
    elements.iter().position(|element| element.is_same_node(Some(&active)))
}

/// Applies a theme: `light`, `dark`, or the system's.
pub fn apply_theme(theme: &str) {
    if let Some(root) = document().and_then(|document| document.document_element()) {
        let done = match theme {
            "light" | "dark" => root.set_attribute("data-theme", theme),
            _ => root.remove_attribute("data-theme"),
        };
        if let Err(error) = done {
            web_sys::console::error_1(&error);
        }
    }
}

/// Scrolls a positioned list of links sideways, the current one to its middle.
pub fn reveal_current(list: &HtmlElement) {
    let link = list.query_selector("[aria-current]").ok().flatten();
    if let Some(link) = link.and_then(|link| link.dyn_into::<HtmlElement>().ok()) {
        let margin = (list.client_width() - link.offset_width()) / 2;
        list.set_scroll_left(link.offset_left() - margin);
    }
}
