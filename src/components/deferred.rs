//! Parts of a page that come later than the rest: what takes long is done in pieces, between which the
//! page can answer.

use leptos::prelude::*;
use std::time::Duration;

/// Shows its children apart from the rest: a part of a large page in a task of its own.
#[component]
pub fn Deferred(
    /// How many frames with the rest are to be painted before; `None` shows them with the rest.
    frames: Option<usize>,
    /// What is shown.
    children: ChildrenFn,
) -> impl IntoView {
    let there = RwSignal::new(frames.is_none());
    if let Some(frames) = frames {
        // The page may be another by then.
        after_frames(frames, move || {
            let _ = there.try_set(true);
        });
    }
    view! { <Show when=move || there.get()>{children()}</Show> }
}

/// Does something in a task of its own, once so many frames with what has changed are painted.
pub fn after_frames(frames: usize, what: impl FnOnce() + 'static) {
    match frames {
        0 => set_timeout(what, Duration::ZERO),
        _ => request_animation_frame(move || {
            let rest: Box<dyn FnOnce()> = Box::new(what);
            after_frames(frames - 1, rest);
        }),
    }
}
