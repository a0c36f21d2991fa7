//! Files of the user: dropped, or chosen with a button.

use super::Lab;
use crate::platform::files::{self, PickedFiles};
use leptos::{ev, html, prelude::*};
use wasm_bindgen_futures::spawn_local;

/// A drop zone with a button.
#[component]
pub(super) fn Picker(
    lab: Lab,
    /// The button's text.
    button: &'static str,
    /// What is accepted.
    hint: &'static str,
    /// The `data-test` attribute of the input; the button's ends in `-choose`.
    test: &'static str,
    /// The endings of the files.
    accept: &'static str,
    /// Whether several files belong together.
    #[prop(optional)]
    multiple: bool,
    /// What takes the files.
    take: fn(Lab, PickedFiles),
) -> impl IntoView {
    let over = RwSignal::new(false);
    let input = NodeRef::<html::Input>::new();
    let taken = move |picked: PickedFiles| {
        if !picked.paths.is_empty() {
            take(lab, picked);
        }
    };
    let drop = move |event: ev::DragEvent| {
        event.prevent_default();
        over.set(false);
        let entries = event.data_transfer().map(|it| files::dropped(&it)).unwrap_or_default();
        spawn_local(async move {
            match files::walk(entries).await {
                Ok(found) => taken(found),
                Err(message) => lab.app.ui.notify(message),
            }
        });
    };
    let picked = move |_| {
        if let Some(input) = input.get_untracked() {
            if let Some(list) = input.files() {
                taken(files::picked(&list));
            }
            // Allow picking the same files again.
            input.set_value("");
        }
    };
    let open = move |_| {
        if let Some(input) = input.get_untracked() {
            input.click();
        }
    };
    view! {
        <div class="drop lab-drop" class:drop-over=over
            on:dragover=move |event| { event.prevent_default(); over.set(true); }
            on:dragleave=move |_| over.set(false)
            on:drop=drop>
            <input type="file" class="visually-hidden" tabindex="-1" aria-hidden="true" multiple=multiple
                data-test=test node_ref=input on:change=picked accept=accept/>
            <button type="button" class="button button-small" data-test=format!("{test}-choose") on:click=open>
                {button}
            </button>
            <span class="hint">{hint}</span>
        </div>
    }
}
