//! Where the tools come from: pasted, dropped, picked, or the example.

use super::Mine;
use crate::components::file_picker::{DropArea, FileButton};
use crate::messages::own_tools::{ReadExample, ReadOwnTools};
use crate::platform::files::{self, PickedFiles};
use crate::t;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;

/// Reads the first of the user's files.
fn take(mine: Mine, found: PickedFiles, text: RwSignal<String>) {
    let Ok(file) = found.files.get(0).dyn_into::<web_sys::File>() else { return };
    spawn_local(async move {
        let name = file.name();
        match files::read(&file).await {
            Ok(bytes) => {
                text.set(String::from_utf8_lossy(&bytes).into_owned());
                read(mine, text.get_untracked(), &name);
            }
            Err(reason) => mine.trouble.set(Some(format!("{name}: {reason}"))),
        }
    });
}

fn read(mine: Mine, text: String, name: &str) {
    let stem = name.split('.').next().unwrap_or(name).to_owned();
    mine.ask(ReadOwnTools { text, name: stem }, || {});
}

/// A field to paste into, a drop zone, and the example.
#[component]
pub(super) fn Source(mine: Mine) -> impl IntoView {
    let text = RwSignal::new(String::new());
    let take = Callback::new(move |found| take(mine, found, text));
    view! {
        <section class="panel stack" aria-labelledby="tools-source">
            <h2 id="tools-source">{t!("Add tools")}</h2>
            <DropArea take>
            <div class="field">
                <label for="tools-text">{t!("A list of tools, or a pack")}</label>
                <textarea id="tools-text" class="mono" rows="5" spellcheck="false" autocomplete="off"
                    data-test="tools-text" aria-describedby="tools-hint"
                    prop:value=text on:input=move |event| text.set(event_target_value(&event))></textarea>
                <p class="hint" id="tools-hint">
                    {t!("OpenAI's or Anthropic's tools, the result of MCP's tools/list, or OpenAPI 3 as JSON or YAML: up to 500 tools, pasted or dropped here. Nothing leaves this browser.")}
                </p>
            </div>
            </DropArea>
            <div class="actions">
                <button type="button" class="button button-primary" data-test="tools-read"
                    disabled=move || mine.is_busy() || text.with(|text| text.trim().is_empty())
                    on:click=move |_| read(mine, text.get_untracked(), t!("My tools"))>{t!("Read the tools")}</button>
                <FileButton text=t!("Choose a file") test="tools-file" accept=".json,.jsonl,.yaml,.yml" take/>
                <button type="button" class="button" data-test="tools-example" disabled=move || mine.is_busy()
                    on:click=move |_| mine.ask(ReadExample {}, || {})>{t!("Try the example")}</button>
            </div>
        </section>
    }
}
