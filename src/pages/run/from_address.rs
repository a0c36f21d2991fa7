//! A model's file from an address: a question that names the host, progress, cancel.

use super::choose_model::choose;
use crate::components::fetch_question::FetchQuestion;
use crate::platform::download;
use crate::platform::files::PickedFiles;
use crate::session::file_address::FileAddress;
use crate::session::format;
use crate::state::App;
use crate::t;
use crate::texts;
use futures::channel::oneshot;
use js_sys::Array;
use leptos::{ev, prelude::*};
use wasm_bindgen_futures::spawn_local;

/// What the engine can address.
const MOST: u64 = 4 << 30;

/// What becomes of an address.
#[derive(Debug, Clone, PartialEq)]
enum Fetch {
    Entering,
    Asking(FileAddress),
    Running { name: String, came: u64, all: Option<u64> },
    Failed(String),
}

/// The address, then the question, then progress.
#[component]
pub fn FromAddress(app: App) -> impl IntoView {
    let state = RwSignal::new(Fetch::Entering);
    let stop = StoredValue::new_local(None::<oneshot::Sender<()>>);
    let cancel = move || {
        stop.update_value(|it| *it = None);
        state.set(Fetch::Entering);
    };
    on_cleanup(move || {
        stop.try_update_value(|it| *it = None);
    });
    let start = move |address: FileAddress| {
        let (sender, stopped) = oneshot::channel();
        stop.set_value(Some(sender));
        fetch(app, state, address, stopped);
    };
    let body = move || match state.get() {
        Fetch::Asking(address) => {
            view! { <FetchQuestion address test="in-page" start cancel/> }.into_any()
        }
        Fetch::Running { name, came, all } => running(&name, came, all, cancel),
        Fetch::Entering | Fetch::Failed(_) => ().into_any(),
    };
    view! {
        <details class="more">
            <summary data-test="in-page-address">{t!("From an address")}</summary>
            <Field app state/>
            {body}
        </details>
    }
}

#[component]
fn Field(app: App, state: RwSignal<Fetch>) -> impl IntoView {
    let text = RwSignal::new(String::new());
    let ask = move || {
        let read = FileAddress::read(&text.get_untracked(), texts::current());
        state.set(read.map_or_else(Fetch::Failed, Fetch::Asking));
    };
    let busy = move || {
        app.run.current.with(|run| run.phase.is_active())
            || matches!(*state.read(), Fetch::Running { .. })
    };
    let failure = move || match state.get() {
        Fetch::Failed(message) => Some(message),
        _ => None,
    };
    // Enter would start a run: the field is part of its form.
    let typed = move |event: ev::KeyboardEvent| {
        if event.key() == "Enter" {
            event.prevent_default();
            if !busy() {
                ask();
            }
        }
    };
    view! {
        <div class="field">
            <label for="in-page-url">{t!("Address of a GGUF file")}</label>
            <div class="field-row address-row">
                <input id="in-page-url" type="url" inputmode="url" autocomplete="off"
                    placeholder="https://…/model.gguf" data-test="in-page-url"
                    aria-describedby="in-page-url-error" prop:value=text
                    on:input=move |event| text.set(event_target_value(&event)) on:keydown=typed/>
                <button type="button" class="button" data-test="in-page-fetch" disabled=busy
                    on:click=move |_| ask()>{t!("Fetch")}</button>
            </div>
            <p class="field-error" role="alert" id="in-page-url-error" data-test="in-page-url-error"
                hidden=move || failure().is_none()>{failure}</p>
        </div>
    }
}

fn running(name: &str, came: u64, all: Option<u64>, cancel: impl Fn() + 'static) -> AnyView {
    let size = format::size(came);
    let text = match all {
        Some(all) => t!(
            "Fetching {name}: {size} of {all}",
            name = name,
            size = size,
            all = format::size(all)
        ),
        None => t!("Fetching {name}: {size}", name = name, size = size),
    };
    view! {
        <div class="importing">
            <p role="status" data-test="in-page-fetching">{text}</p>
            <progress max=all.map(|all| all.max(1).to_string()) value=all.map(|_| came.to_string())
                aria-label=t!("Bytes read")></progress>
            <button type="button" class="button button-stop" data-test="in-page-fetch-cancel"
                on:click=move |_| cancel()>{t!("Cancel")}</button>
        </div>
    }
    .into_any()
}

/// Fetches the file and chooses it; `stopped` ends when the user cancels.
fn fetch(app: App, state: RwSignal<Fetch>, address: FileAddress, stopped: oneshot::Receiver<()>) {
    let FileAddress { url, name, .. } = address;
    state.set(Fetch::Running { name: name.clone(), came: 0, all: None });
    spawn_local(async move {
        // Chunks come faster than a screen is drawn.
        let mut shown = 0;
        let came = |came: u64, all: Option<u64>| {
            if came - shown >= 1_000_000 {
                shown = came;
                state.try_set(Fetch::Running { name: name.clone(), came, all });
            }
        };
        let stop = async {
            // A dropped sender stops as well.
            let _ = stopped.await;
        };
        match download::file(&url, &name, MOST, stop, came).await {
            Some(Ok(file)) => {
                state.try_set(Fetch::Entering);
                choose(app, PickedFiles { paths: vec![name], files: Array::of1(&file) });
            }
            Some(Err(message)) => {
                state.try_set(Fetch::Failed(message));
            }
            None => {}
        }
    });
}
