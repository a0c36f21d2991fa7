//! Renders slow parts of a page later, in separate tasks, so that the page stays responsive.

use leptos::prelude::*;
use std::time::Duration;

/// Renders its children in a separate task.
#[component]
pub fn Deferred(
    /// Number of frames to paint first; `None` renders immediately.
    frames: Option<usize>,
    /// The content.
    children: ChildrenFn,
) -> impl IntoView {
    let there = RwSignal::new(frames.is_none());
    if let Some(frames) = frames {
        // The page may have changed in the meantime.
        after_frames(frames, move || {
            let _ = there.try_set(true);
        });
    }
    view! { <Show when=move || there.get()>{children()}</Show> }
}

/// Runs `what` in a separate task after painting `frames` frames.
pub fn after_frames(frames: usize, what: impl FnOnce() + 'static) {
    match frames {
        0 => set_timeout(what, Duration::ZERO),
        _ => request_animation_frame(move || {
            let rest: Box<dyn FnOnce()> = Box::new(what);
            after_frames(frames - 1, rest);
        }),
    }
}
