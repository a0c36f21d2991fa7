//! The signatures of a verified record, and the keys that the reader trusts.

use crate::platform::page;
use crate::session::trust::{LONGEST_LABEL, Trusted};
use crate::t;
use leptos::prelude::*;
use record::{CheckedSignature, Fingerprint, SignatureState};

/// Storage key of the trusted keys.
const STORED: &str = "api-bank.trusted";

/// The stored list.
#[derive(Clone, Copy)]
struct List(RwSignal<Trusted>);

impl List {
    fn read() -> Trusted {
        page::stored(STORED).unwrap_or_default()
    }

    /// Applies a change to the currently stored list, which another tab may have changed.
    fn change(self, change: impl FnOnce(&mut Trusted)) {
        let mut trusted = List::read();
        change(&mut trusted);
        page::store(STORED, &trusted);
        self.0.set(trusted);
    }
}

/// Each signature with its state, and the list of trusted keys.
#[component]
pub fn Signatures(
    /// The checked signatures.
    signatures: Vec<CheckedSignature>,
) -> impl IntoView {
    let list = List(RwSignal::new(List::read()));
    let none = signatures.is_empty();
    let rows = signatures.into_iter().map(|signature| row(list, signature)).collect_view();
    view! {
        <h2>{t!("Signatures")}</h2>
        {none.then(|| view! { <p class="quiet" data-test="no-signatures">{t!("None.")}</p> })}
        <ul class="signatures">{rows}</ul>
        {move || (!list.0.read().keys().is_empty()).then(|| trusted_keys(list))}
    }
}

fn row(list: List, signature: CheckedSignature) -> impl IntoView {
    let CheckedSignature { state, signer, fingerprint } = signature;
    let (class, word, detail) = match &state {
        // A valid signature by an unknown key says nothing about who made the record.
        SignatureState::Valid => ("tag", t!("Valid"), None),
        SignatureState::Broken => ("tag tag-wrong", t!("Broken"), None),
        SignatureState::Unreadable { reason } => {
            ("tag tag-warn", t!("Unreadable"), Some(reason.clone()))
        }
    };
    let key = fingerprint.as_ref().map(|key| {
        view! { <code class="fingerprint" data-test="fingerprint">{key.grouped()}</code> }
    });
    let trust = fingerprint.filter(|_| state == SignatureState::Valid).map(|key| {
        move || match list.0.read().label(&key) {
            Some(label) => {
                let text = t!("Trusted as {label}", label = label);
                view! { <span class="tag tag-right" data-test="trusted">{text}</span> }.into_any()
            }
            None => view! {
                <span class="tag tag-warn" data-test="unknown-key">{t!("Unknown key")}</span>
                {ask_trust(list, key.clone())}
            }
            .into_any(),
        }
    });
    view! {
        <li data-test="signature" data-state=state.as_str()>
            <span class=class>{word}</span>
            {signer.map(|name| view! { <bdi>{format!("“{name}”")}</bdi> })}
            {key}
            {detail.map(|reason| view! { <span class="quiet">{reason}</span> })}
            {trust}
        </li>
    }
}

/// Lets the reader trust a key, under a label.
fn ask_trust(list: List, key: Fingerprint) -> impl IntoView {
    let label = RwSignal::new(String::new());
    let trust = move |_| list.change(|list| list.add(key.clone(), &label.get_untracked()));
    view! {
        <span class="trust">
            <input type="text" data-test="trust-label" maxlength=LONGEST_LABEL.to_string()
                placeholder=t!("Whose key is it?") aria-label=t!("Whose key is it?")
                prop:value=label on:input:target=move |event| label.set(event.target().value())/>
            <button type="button" class="button button-small" data-test="trust"
                disabled=move || label.read().trim().is_empty() on:click=trust>{t!("Trust this key")}</button>
        </span>
    }
}

fn trusted_keys(list: List) -> impl IntoView {
    let keys = list.0.with(|it| it.keys().to_vec()).into_iter().map(|key| {
        let gone = key.fingerprint.clone();
        view! {
            <li data-test="trusted-key">
                <bdi>{key.label}</bdi>
                <code class="fingerprint">{key.fingerprint.grouped()}</code>
                <button type="button" class="button button-small" data-test="distrust"
                    on:click=move |_| list.change(|list| list.remove(&gone))>{t!("Remove")}</button>
            </li>
        }
    });
    view! {
        <h2>{t!("Keys you trust")}</h2>
        <ul class="signatures">{keys.collect_view()}</ul>
    }
}
