//! Asks before sending requests on behalf of a record, a stored run or a link: names the host and
//! accepts a key for it.

use super::key_field::KeyField;
use crate::session::Source;
use crate::session::keys::HostQuestion;
use crate::state::use_app;
use crate::t;
use leptos::html;
use leptos::prelude::*;

/// The dialog; empty without a question.
#[component]
pub fn SendQuestion() -> impl IntoView {
    let app = use_app();
    move || app.sending.question.get().map(|question| view! { <Dialog question/> })
}

#[component]
fn Dialog(question: HostQuestion) -> impl IntoView {
    let app = use_app();
    let dialog = NodeRef::<html::Dialog>::new();
    Effect::new(move || {
        if let Some(dialog) = dialog.get() {
            // Fall back to a non-modal dialog.
            if dialog.show_modal().is_err() {
                dialog.set_open(true);
            }
        }
    });
    let HostQuestion { origin, source } = question;
    let host = origin.authority();
    let address = origin.to_string();
    let why = match source {
        Source::File => t!("The opened record specifies this endpoint."),
        Source::Stored => t!("The saved run used this endpoint."),
        Source::Link | Source::Form => t!("A link set this endpoint."),
    };
    let origin = Signal::derive(move || Some(origin.clone()));
    view! {
        <dialog class="panel send-question" data-test="send-question" node_ref=dialog
            aria-labelledby="send-question-title" on:close=move |_| app.answer_question(false)>
            <h2 id="send-question-title">{t!("Send requests to {host}?", host = host.clone())}</h2>
            <p>{why} " " {t!("Prompts go to")} " " <code data-test="send-host">{address}</code></p>
            <KeyField origin test="send-key"/>
            <p class="hint">
                {t!("Enter a key only if you trust this host. Keys for other hosts are never sent.")}
            </p>
            <div class="actions">
                <button type="button" class="button" data-test="send-cancel" autofocus=true
                    on:click=move |_| app.answer_question(false)>{t!("Cancel")}</button>
                <button type="button" class="button button-primary" data-test="send-agree"
                    on:click=move |_| app.answer_question(true)>{t!("Send to {host}", host = host)}</button>
            </div>
        </dialog>
    }
}
