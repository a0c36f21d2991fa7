//! A part of a page behind a title.

use leptos::prelude::*;
use web_sys::HtmlDetailsElement;

/// A title that opens its children. They are rendered while it is open, so that a closed one costs
/// nothing.
#[component]
pub fn Collapsible(
    /// Classes of the element.
    class: &'static str,
    /// Its hook for tests.
    test: &'static str,
    /// What is always there.
    title: &'static str,
    /// What comes with it.
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
