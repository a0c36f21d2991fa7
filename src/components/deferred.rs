//! Renders slow parts of a page after the rest, in tasks of their own, so that the page stays responsive.

use leptos::prelude::*;
use std::time::Duration;

/// Renders its children in a task of their own.
#[component]
pub fn Deferred(
    /// Frames to paint before; `None` renders the children with the rest.
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

/// Runs `what` in a task of its own after `frames` frames are painted.
pub fn after_frames(frames: usize, what: impl FnOnce() + 'static) {
    match frames {
        0 => set_timeout(what, Duration::ZERO),
        _ => request_animation_frame(move || {
            let rest: Box<dyn FnOnce()> = Box::new(what);
            after_frames(frames - 1, rest);
        }),
    }
}
