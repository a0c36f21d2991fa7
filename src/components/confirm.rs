//! A button that asks before it does what cannot be undone.

use crate::t;
use leptos::html;
use leptos::prelude::*;

/// Asks in place of itself: no window of the browser, nothing that jumps. The keyboard goes to the
/// answer that changes nothing, and back to the button after it.
#[component]
pub fn Confirm(
    /// What the button says.
    label: &'static str,
    /// What is asked.
    #[prop(into)]
    question: Signal<String>,
    /// What the button that does it says.
    yes: &'static str,
    /// Hook of the first button; the second has `-yes` behind it.
    test: &'static str,
    /// What it does.
    act: impl Fn() + Clone + Send + Sync + 'static,
) -> impl IntoView {
    let asked = RwSignal::new(false);
    let act = StoredValue::new(act);
    let (first, keep) = (NodeRef::<html::Button>::new(), NodeRef::<html::Button>::new());
    Effect::new(move |before: Option<bool>| {
        let asked = asked.get();
        if before.is_some_and(|before| before != asked) {
            let next = if asked { keep } else { first };
            // The button is there after the next paint.
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
