//! Buttons that copy or save a picture of a result.

use crate::platform::picture;
use crate::session::score::card::{Card, HEIGHT, WIDTH};
use crate::t;
use leptos::prelude::*;
use leptos::task::spawn_local;

/// The file of a saved picture.
const FILE: &str = "api-bank-result.png";

/// "Copy image" and "Save image".
#[component]
pub fn ResultCard(
    /// What the picture shows, or why there is none.
    card: impl Fn() -> Result<Card, String> + Clone + Send + Sync + 'static,
    /// Whether the buttons are disabled.
    #[prop(into, default = false.into())]
    disabled: Signal<bool>,
) -> impl IntoView {
    let said = RwSignal::new(String::new());
    let of = card.clone();
    let copy = move |_| match of() {
        Ok(card) => spawn_local(async move {
            let copied = picture::copy(&card.draw(), (WIDTH, HEIGHT)).await;
            let text = if copied { t!("Copied.") } else { t!("Can't copy here. Save the image.") };
            let _ = said.try_set(text.to_owned());
        }),
        Err(why) => said.set(why),
    };
    let save = move |_| match card() {
        Ok(card) => spawn_local(async move {
            let saved = picture::save(FILE, &card.draw(), (WIDTH, HEIGHT)).await;
            let text = if saved { t!("Saved.") } else { t!("This browser can't make the image.") };
            let _ = said.try_set(text.to_owned());
        }),
        Err(why) => said.set(why),
    };
    view! {
        <button type="button" class="button" data-test="card-copy" disabled=disabled on:click=copy>{t!("Copy image")}</button>
        <button type="button" class="button" data-test="card-save" disabled=disabled on:click=save>{t!("Save image")}</button>
        <span class="quiet" role="status" data-test="card-said">{said}</span>
    }
}
