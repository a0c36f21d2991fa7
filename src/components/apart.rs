//! Parts of a page that come later than the rest: what takes long is done in pieces, between which the
//! page can answer.

use leptos::prelude::*;
use std::time::Duration;

/// Shows its children in a task of their own.
#[component]
pub fn Apart(
    /// Whether the rest is to be painted before: one part of a large page a frame.
    #[prop(optional)]
    painted: bool,
    /// What comes later.
    children: ChildrenFn,
) -> impl IntoView {
    let there = RwSignal::new(false);
    // The page may be another by then.
    let show = move || {
        let _ = there.try_set(true);
    };
    match painted {
        true => after_paint(show),
        false => set_timeout(show, Duration::ZERO),
    }
    view! { <Show when=move || there.get()>{children()}</Show> }
}

/// Does something once what has changed is painted.
pub fn after_paint(what: impl FnOnce() + 'static) {
    request_animation_frame(move || set_timeout(what, Duration::ZERO));
}
