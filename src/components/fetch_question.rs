//! The question before a file is fetched from another host.

use crate::session::file_address::FileAddress;
use crate::t;
use leptos::html;
use leptos::prelude::*;

/// The question. The focus moves to Cancel, because a stranger's link may ask.
#[component]
pub fn FetchQuestion(
    /// The file.
    address: FileAddress,
    /// `data-test` attribute: the question's ends in `-question`, the buttons' in `-agree` and
    /// `-decline`.
    test: &'static str,
    /// Runs when the user agrees.
    start: impl Fn(FileAddress) + 'static,
    /// Runs when the user declines.
    cancel: impl Fn() + 'static,
) -> impl IntoView {
    let question = t!(
        "Fetch {name} from {host}? The host sees this device's network address and which file is asked for; nothing else is sent.",
        name = address.name.clone(),
        host = address.origin.authority()
    );
    let decline = NodeRef::<html::Button>::new();
    Effect::new(move || {
        if let Some(button) = decline.get() {
            let _ = button.focus();
        }
    });
    view! {
        <div class="importing">
            <p role="alert" data-test=format!("{test}-question")>{question}</p>
            <div class="actions">
                <button type="button" class="button" data-test=format!("{test}-agree")
                    on:click=move |_| start(address.clone())>{t!("Fetch")}</button>
                <button type="button" class="button" node_ref=decline data-test=format!("{test}-decline")
                    on:click=move |_| cancel()>{t!("Cancel")}</button>
            </div>
        </div>
    }
}
