//! A collapsible section.

use leptos::prelude::*;
use web_sys::HtmlDetailsElement;

/// A title that toggles its children. Children are rendered only while it is open.
#[component]
pub fn Collapsible(
    /// CSS classes.
    class: &'static str,
    /// The `data-test` attribute.
    test: &'static str,
    /// The title, always visible.
    title: &'static str,
    /// The content.
    children: ChildrenFn,
) -> impl IntoView {
    let open = RwSignal::new(false);
    let turned = move |event| open.set(event_target::<HtmlDetailsElement>(&event).open());
    view! {
        <details class=class data-test=test on:toggle=turned>
            <summary>{title}</summary>
            <Show when=move || open.get()>{children()}</Show>
        </details>
    }
}
