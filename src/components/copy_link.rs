//! A button that copies a link.

use crate::platform::page;
use crate::t;
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::HtmlInputElement;

/// Copies a link and shows it, in case the browser denies access to the clipboard.
#[component]
pub fn CopyLink(
    /// Label of the button.
    label: &'static str,
    /// `data-test` attribute; the field's ends in `-field`.
    test: &'static str,
    /// The link's fragment, or why there is none.
    link: impl Fn() -> Result<String, String> + Clone + Send + Sync + 'static,
    /// Whether the button is disabled.
    #[prop(into, default = false.into())]
    disabled: Signal<bool>,
) -> impl IntoView {
    let shown = RwSignal::new(None::<String>);
    let said = RwSignal::new(String::new());
    let select = |event: ev::FocusEvent| event_target::<HtmlInputElement>(&event).select();
    let press = move |_| match link() {
        Ok(fragment) => {
            let address = page::address_with(&fragment);
            shown.set(Some(address.clone()));
            spawn_local(async move {
                let copied = page::copy(&address).await;
                let text = if copied { t!("Copied.") } else { t!("Copy the text from the field.") };
                said.set(text.to_owned());
            });
        }
        Err(why) => {
            shown.set(None);
            said.set(why);
        }
    };
    view! {
        <span class="copy-link">
            <button type="button" class="button" data-test=test disabled=disabled on:click=press>{label}</button>
            {move || shown.get().map(|address| view! {
                <input type="text" readonly aria-label=t!("Link") data-test=format!("{test}-field") prop:value=address
                    on:focus=select/>
            })}
            <span class="quiet" role="status">{said}</span>
        </span>
    }
}
