//! Where the tools come from: pasted, dropped, picked, or the example.

use super::Mine;
use crate::messages::own_tools::{ReadExample, ReadOwnTools};
use crate::platform::files::{self, PickedFiles};
use crate::t;
use leptos::task::spawn_local;
use leptos::{ev, html, prelude::*};
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
    mine.read(ReadOwnTools { text, name: stem }, || {});
}

/// A field to paste into, a drop zone, and the example.
#[component]
pub(super) fn Source(mine: Mine) -> impl IntoView {
    let text = RwSignal::new(String::new());
    let over = RwSignal::new(false);
    let input = NodeRef::<html::Input>::new();
    let drop = move |event: ev::DragEvent| {
        event.prevent_default();
        over.set(false);
        let entries = event.data_transfer().map(|it| files::dropped(&it)).unwrap_or_default();
        spawn_local(async move {
            match files::walk(entries).await {
                Ok(found) => take(mine, found, text),
                Err(reason) => mine.trouble.set(Some(reason)),
            }
        });
    };
    let picked = move |_| {
        if let Some(input) = input.get_untracked() {
            if let Some(list) = input.files() {
                take(mine, files::picked(&list), text);
            }
            // Allow picking the same file again.
            input.set_value("");
        }
    };
    view! {
        <section class="panel stack" aria-labelledby="tools-source">
            <h2 id="tools-source">{t!("Add tools")}</h2>
            <div class="field" class:drop-over=over
                on:dragover=move |event| { event.prevent_default(); over.set(true); }
                on:dragleave=move |_| over.set(false)
                on:drop=drop>
                <label for="tools-text">{t!("A list of tools, or a pack")}</label>
                <textarea id="tools-text" class="mono" rows="5" spellcheck="false" autocomplete="off"
                    data-test="tools-text" aria-describedby="tools-hint"
                    prop:value=text on:input=move |event| text.set(event_target_value(&event))></textarea>
                <p class="hint" id="tools-hint">
                    {t!("OpenAI's or Anthropic's tools, the result of MCP's tools/list, or OpenAPI 3 as JSON or YAML: up to 500 tools, pasted or dropped here. Nothing leaves this browser.")}
                </p>
            </div>
            <div class="actions">
                <button type="button" class="button button-primary" data-test="tools-read"
                    disabled=move || mine.is_busy() || text.with(|it| it.trim().is_empty())
                    on:click=move |_| read(mine, text.get_untracked(), t!("My tools"))>{t!("Read the tools")}</button>
                <input type="file" class="visually-hidden" tabindex="-1" aria-hidden="true"
                    data-test="tools-file" node_ref=input on:change=picked accept=".json,.jsonl,.yaml,.yml"/>
                <button type="button" class="button" on:click=move |_| {
                    if let Some(input) = input.get_untracked() {
                        input.click();
                    }
                }>{t!("Choose a file")}</button>
                <button type="button" class="button" data-test="tools-example" disabled=move || mine.is_busy()
                    on:click=move |_| mine.read(ReadExample {}, || {})>{t!("Try the example")}</button>
            </div>
        </section>
    }
}
