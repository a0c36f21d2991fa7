//! Asks before sending requests on behalf of a record, a stored run or a link: shows the whole
//! address and every extra field, and accepts a key for the host.

use super::key_field::KeyField;
use crate::session::Source;
use crate::session::keys::{HostQuestion, Target};
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
    let HostQuestion { target, source } = question;
    let host = target.origin.authority();
    let origin = target.origin.clone();
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
            <p>{why}</p>
            <TargetView target/>
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

/// Where prompts go, and what else each request says.
#[component]
pub fn TargetView(
    /// The target.
    target: Target,
) -> impl IntoView {
    let extra = target.extra.into_iter().map(|(name, value)| {
        view! { <dt><bdi>{name}</bdi></dt><dd class="wrap">{value}</dd> }
    });
    let extra = extra.collect_view();
    view! {
        <p>{t!("Prompts go to")} " " <code class="wrap" data-test="send-address">{target.address}</code></p>
        {(!extra.is_empty()).then(|| view! {
            <p>{t!("Each request also has these fields:")}</p>
            <dl class="terms" data-test="send-extra">{extra}</dl>
        })}
    }
}
