//! Signs the record of the run with this browser's key.

use crate::messages::request::{SignRecord, SignedRecord};
use crate::state::App;
use crate::t;
use leptos::prelude::*;
use leptos::task::spawn_local;
use record::{CheckedSignature, LONGEST_NAME};

/// State of the signing.
#[derive(Debug, Clone, PartialEq)]
enum Outcome {
    /// In progress.
    Asked,
    /// The new signature, and why the stored run lacks it, if so.
    Signed(CheckedSignature, Option<String>),
    /// Why it failed.
    Refused(String),
}

/// The form, and the result.
#[component]
pub fn SignPanel(
    /// The shared state.
    app: App,
) -> impl IntoView {
    let name = RwSignal::new(String::new());
    let outcome = RwSignal::new(None::<Outcome>);
    let sign = move |_| {
        let run = app.run.current.with_untracked(|run| run.id.clone());
        let signed = app.ask(SignRecord { run, name: name.get_untracked() });
        outcome.set(Some(Outcome::Asked));
        spawn_local(async move {
            outcome.set(match signed.await {
                Ok(SignedRecord { mut signatures, not_kept }) => {
                    app.refresh_runs();
                    signatures.pop().map(|signature| Outcome::Signed(signature, not_kept))
                }
                Err(message) => Some(Outcome::Refused(message)),
            });
        });
    };
    let busy = move || outcome.get() == Some(Outcome::Asked);
    view! {
        <section class="panel sign" aria-label=t!("Signature")>
            <p class="quiet">
                {t!("A signature shows that you vouch for this record. This browser creates the key, which can't be copied and is lost when you clear browser data.")}
            </p>
            <label class="field">
                <span class="label">{t!("Public name (optional)")}</span>
                <input type="text" data-test="sign-name" maxlength=LONGEST_NAME.to_string()
                    prop:value=name on:input:target=move |event| name.set(event.target().value())/>
            </label>
            <button type="button" class="button" data-test="sign-now" disabled=busy on:click=sign>
                {t!("Sign with this browser's key")}
            </button>
            <div role="status" data-test="sign-outcome">{move || outcome.get().map(shown)}</div>
        </section>
    }
}

fn shown(outcome: Outcome) -> AnyView {
    match outcome {
        Outcome::Asked => view! { <p>{t!("Signing…")}</p> }.into_any(),
        Outcome::Refused(message) => view! { <p class="field-error">{message}</p> }.into_any(),
        Outcome::Signed(signature, not_kept) => {
            let key = signature.fingerprint.map(|fingerprint| fingerprint.grouped());
            view! {
                <p>
                    {t!("Signed; Download record includes the signature. Publish this fingerprint so that others can recognize your key: ")}
                    <code class="fingerprint">{key}</code>
                </p>
                {not_kept.map(|message| view! { <p class="warn">{message}</p> })}
            }
            .into_any()
        }
    }
}
