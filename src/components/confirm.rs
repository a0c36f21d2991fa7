//! A button that asks for confirmation of an irreversible action.

use crate::t;
use leptos::html;
use leptos::prelude::*;

/// Replaces itself with the question, without a dialog or layout shift. The focus moves to the
/// cancel button, and back to the button afterwards.
#[component]
pub fn Confirm(
    /// Label of the button.
    label: &'static str,
    /// The question.
    #[prop(into)]
    question: Signal<String>,
    /// Label of the confirming button.
    yes: &'static str,
    /// `data-test` attribute; the confirming button's ends in `-yes`.
    test: &'static str,
    /// The action.
    act: impl Fn() + Clone + Send + Sync + 'static,
) -> impl IntoView {
    let asked = RwSignal::new(false);
    let act = StoredValue::new(act);
    let (first, keep) = (NodeRef::<html::Button>::new(), NodeRef::<html::Button>::new());
    Effect::new(move |before: Option<bool>| {
        let asked = asked.get();
        if before.is_some_and(|before| before != asked) {
            let next = if asked { keep } else { first };
            // The button exists only after the next render.
            request_animation_frame(move || {
                if let Some(button) = next.get_untracked() {
                    let _ = button.focus();
                }
            });
        }
        asked
    });
    view! {
        <span class="confirm">
            {move || if asked.get() {
                view! {
                    <span role="alert">{question}</span>
                    <button type="button" class="button button-small button-danger"
                        data-test=format!("{test}-yes")
                        on:click=move |_| { asked.set(false); act.with_value(|act| act()); }>{yes}</button>
                    <button type="button" class="button button-small" node_ref=keep
                        data-test=format!("{test}-keep") on:click=move |_| asked.set(false)>{t!("Keep")}</button>
                }.into_any()
            } else {
                view! {
                    <button type="button" class="button button-small" data-test=test node_ref=first
                        on:click=move |_| asked.set(true)>{label}</button>
                }.into_any()
            }}
        </span>
    }
}
