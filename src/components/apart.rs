//! A part of a page that comes in a task of its own.

use leptos::prelude::*;
use std::time::Duration;

/// Shows its children a moment later: what takes long is done in pieces, between which the page can
/// answer.
#[component]
pub fn Apart(children: ChildrenFn) -> impl IntoView {
    let there = RwSignal::new(false);
    // The page may be another by then.
    let show = move || {
        let _ = there.try_set(true);
    };
    set_timeout(show, Duration::ZERO);
    view! { <Show when=move || there.get()>{children()}</Show> }
}
