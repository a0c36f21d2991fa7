//! Files of the user: an area to drop them on, and buttons that open the browser's picker.

use crate::platform::files::{self, PickedFiles};
use crate::state::use_app;
use crate::t;
use leptos::{ev, html, prelude::*};
use wasm_bindgen_futures::spawn_local;

/// File name endings of records.
pub const RECORDS: &str = ".json,.gz,application/json,application/gzip";

/// An area to drop files and folders on.
#[component]
pub fn DropArea(
    /// More classes.
    #[prop(optional)]
    class: &'static str,
    /// Whether files are refused now.
    #[prop(optional, into)]
    disabled: Signal<bool>,
    /// What takes the files, which are at least one.
    take: Callback<PickedFiles>,
    children: Children,
) -> impl IntoView {
    let ui = use_app().ui;
    let over = RwSignal::new(false);
    let drop = move |event: ev::DragEvent| {
        event.prevent_default();
        over.set(false);
        if disabled.get_untracked() {
            return;
        }
        let entries = event.data_transfer().map(|it| files::dropped(&it)).unwrap_or_default();
        spawn_local(async move {
            match files::walk(entries).await {
                Ok(found) if found.paths.is_empty() => {
                    ui.notify(t!("The drop contained no readable files."));
                }
                Ok(found) => take.run(found),
                Err(message) => ui.notify(message),
            }
        });
    };
    view! {
        <div class=format!("drop {class}") class:drop-over=over
            on:dragover=move |event| { event.prevent_default(); over.set(true); }
            on:dragleave=move |_| over.set(false)
            on:drop=drop>
            {children()}
        </div>
    }
}

/// A button that opens the browser's picker. Its own input would speak the browser's language.
#[component]
pub fn FileButton(
    /// The button's text.
    text: &'static str,
    /// The `data-test` attribute of the input.
    test: &'static str,
    /// The endings of the files; empty for all.
    #[prop(optional)]
    accept: &'static str,
    /// Whether it picks several files.
    #[prop(optional)]
    multiple: bool,
    /// Whether it picks a folder.
    #[prop(optional)]
    folder: bool,
    /// Whether the button is small.
    #[prop(optional)]
    small: bool,
    /// Whether files are refused now.
    #[prop(optional, into)]
    disabled: Signal<bool>,
    /// What takes the files, which are at least one.
    take: Callback<PickedFiles>,
) -> impl IntoView {
    let input = NodeRef::<html::Input>::new();
    let picked = move |_| {
        let Some(input) = input.get_untracked() else { return };
        let found = input.files().map(|list| files::picked(&list)).unwrap_or_default();
        // Allow picking the same files again.
        input.set_value("");
        if !found.paths.is_empty() {
            take.run(found);
        }
    };
    let open = move |_| {
        if let Some(input) = input.get_untracked() {
            input.click();
        }
    };
    view! {
        <input type="file" class="visually-hidden" tabindex="-1" aria-hidden="true" multiple=multiple
            data-test=test node_ref=input on:change=picked prop:webkitdirectory=folder
            accept=(!accept.is_empty()).then_some(accept)/>
        <button type="button" class="button" class:button-small=small on:click=open disabled=disabled>
            {text}
        </button>
    }
}
