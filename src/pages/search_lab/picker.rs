//! Files of the user: dropped, or chosen with a button.

use super::Lab;
use crate::components::file_picker::{DropArea, FileButton};
use crate::platform::files::PickedFiles;
use leptos::prelude::*;

/// A drop area with a button.
#[component]
pub(super) fn Picker(
    lab: Lab,
    /// The button's text.
    button: &'static str,
    /// What is accepted.
    hint: &'static str,
    /// The `data-test` attribute of the input.
    test: &'static str,
    /// The endings of the files.
    accept: &'static str,
    /// Whether several files belong together.
    #[prop(optional)]
    multiple: bool,
    /// What takes the files.
    take: fn(Lab, PickedFiles),
) -> impl IntoView {
    let take = Callback::new(move |found| take(lab, found));
    view! {
        <DropArea class="lab-drop" take>
            <FileButton text=button test accept multiple small=true take/>
            <span class="hint">{hint}</span>
        </DropArea>
    }
}
