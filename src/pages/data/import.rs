//! Imports data: dropped, picked, or downloaded from an address.

use super::report::Report;
use crate::components::file_picker::{DropArea, FileButton};
use crate::messages::{CancelImport, ImportProgress};
use crate::session::format;
use crate::session::library::Import;
use crate::state::{App, use_app};
use crate::t;
use leptos::{ev, prelude::*};

/// The data hub's host, named before the click that contacts it.
const HUB: &str = "huggingface.co";

/// Drop zone, address field, data hub button, and the result of the last import.
#[component]
pub fn ImportPanel() -> impl IntoView {
    let app = use_app();
    let busy = move || app.data.library.with(|library| library.is_importing());
    view! {
        <section class="panel import" aria-labelledby="import-title">
            <h2 id="import-title">{t!("Import")}</h2>
            <DropZone app/>
            <FromAddress app/>
            <div class="from-hub">
                <p>
                    {t!("The dataset ")} <code>"liminghao1630/API-Bank"</code>
                    {t!(" on the data hub has prompts for all three levels, but no databases. This button contacts ")}
                    <strong>{HUB}</strong>
                    {t!(" and the file host it redirects to; nothing is contacted before that.")}
                </p>
                <button class="button" data-test="import-hub" disabled=busy
                    on:click=move |_| app.import_hub()>{t!("Fetch from {host}", host = HUB)}</button>
            </div>
            <Status app/>
        </section>
    }
}

#[component]
fn DropZone(app: App) -> impl IntoView {
    let busy = Signal::derive(move || app.data.library.with(|library| library.is_importing()));
    let take = Callback::new(move |found| app.import_files(found));
    view! {
        <DropArea class="drop-centered" take>
            <p>{t!("Drop folders, files or an archive here, or")}</p>
            <div class="actions">
                <FileButton text=t!("Choose files") test="import-files" multiple=true disabled=busy
                    accept=".json,.jsonl,.py,.zip,.gz,.tgz,.tar" take/>
                <FileButton text=t!("Choose a folder") test="import-folder" multiple=true folder=true
                    disabled=busy take/>
            </div>
            <p class="quiet">
                {t!("Accepts the repository's api-bank folder or its archive (.zip, .tar.gz), the data hub's files, and any .json, .jsonl or .py of them: up to 5,000 files, 16 MB each, 64 MB total. Nothing leaves this browser.")}
            </p>
        </DropArea>
    }
}

#[component]
fn FromAddress(app: App) -> impl IntoView {
    let url = RwSignal::new(String::new());
    let problem = RwSignal::new(None::<&'static str>);
    let fetch = move |event: ev::SubmitEvent| {
        event.prevent_default();
        let address = url.get_untracked().trim().to_owned();
        let usable = ["https://", "http://localhost", "http://127.0.0.1"];
        if usable.iter().any(|start| address.starts_with(start)) {
            problem.set(None);
            app.import_address(address);
        } else {
            problem.set(Some(t!("Enter an https:// URL, or http:// for this machine.")));
        }
    };
    view! {
        <form class="field" on:submit=fetch>
            <label for="import-url">{t!("From a URL")}</label>
            <div class="field-row address-row">
                <input id="import-url" type="url" inputmode="url" autocomplete="off" placeholder="https://…/api-bank.zip"
                    data-test="import-url" aria-describedby="import-url-error"
                    prop:value=url on:input=move |event| url.set(event_target_value(&event))/>
                <button class="button" data-test="import-fetch"
                    disabled=move || app.data.library.with(|library| library.is_importing())>{t!("Fetch")}</button>
            </div>
            <p class="field-error" role="alert" id="import-url-error" data-test="import-url-error" hidden=move || problem.get().is_none()>{problem}</p>
        </form>
    }
}

/// Progress, report or error.
#[component]
fn Status(app: App) -> impl IntoView {
    let import = Memo::new(move |_| app.data.library.with(|library| library.import.clone()));
    let shown = move || match import.get() {
        Import::Idle => ().into_any(),
        Import::Running(ImportProgress { files, total, bytes }) => {
            let size = format::size(bytes);
            let text = if total > 0 {
                t!(
                    "Reading: {n} of {all} files, {size}",
                    n = format::count(files),
                    all = format::count(total),
                    size = size
                )
            } else {
                t!("Reading: {n} files, {size}", n = format::count(files), size = size)
            };
            view! {
                <div class="importing">
                    <p role="status">{text}</p>
                    <progress max=total.max(1) value=files aria-label=t!("Files read")></progress>
                    <button class="button button-stop" data-test="import-cancel"
                        on:click=move |_| app.send(CancelImport {})>{t!("Cancel")}</button>
                </div>
            }
            .into_any()
        }
        Import::Failed(message) => view! {
            <p class="connection-text bad" role="alert" data-test="import-failed">{message}</p>
        }
        .into_any(),
        Import::Done(report) => view! { <Report report=*report/> }.into_any(),
    };
    view! { <div aria-live="polite">{shown}</div> }
}
