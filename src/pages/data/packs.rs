//! The available packs: choose, rename, delete.

use super::report::{Missing, parts};
use crate::messages::StoredPack;
use crate::session::format;
use crate::state::{App, use_app};
use crate::t;
use leptos::prelude::*;

/// The list, the built-in pack first.
#[component]
pub fn Packs() -> impl IntoView {
    let app = use_app();
    let packs = move || app.data.library.with(|library| library.packs.clone());
    let trouble = move || app.data.library.with(|library| library.trouble.clone());
    view! {
        <section class="panel packs" aria-labelledby="packs-title">
            <h2 id="packs-title">{t!("Packs")}</h2>
            <ul class="pack-list" data-test="packs">
                <li class="pack">
                    <Choose app digest=None label=t!("Built-in").to_owned()/>
                    <p class="quiet">{t!("This project's databases and dialogues, shipped with the page.")}</p>
                </li>
                <For each=packs key=|pack| (pack.digest.clone(), pack.label.clone())
                    children=move |pack| view! { <Pack app pack/> }/>
            </ul>
            {move || trouble().map(|text| view! { <p class="connection-text bad" role="alert">{text}</p> })}
        </section>
    }
}

/// The radio button of a pack.
#[component]
fn Choose(app: App, digest: Option<String>, label: String) -> impl IntoView {
    let own = digest.clone();
    let checked = move || app.data.library.with(|library| library.chosen == own);
    view! {
        <label class="check">
            <input type="radio" name="pack" data-test="pack-choice" prop:checked=checked
                on:change=move |_| app.choose_pack(digest.clone())/>
            <span class="card-title">{label}</span>
        </label>
    }
}

#[component]
fn Pack(app: App, pack: StoredPack) -> impl IntoView {
    let asking = RwSignal::new(false);
    let StoredPack { digest, label, found, missing, files, bytes, .. } = pack;
    let short: String = digest.chars().take(12).collect();
    let choice = Some(digest.clone());
    let named = label.clone();
    let id = digest.clone();
    view! {
        <li class="pack" data-test="pack" data-digest=id>
            <Choose app digest=choice label/>
            <p>{parts(&found)}</p>
            <p class="quiet">
                {t!("{n} files, {size}, digest ", n = format::count(files), size = format::size(bytes))} <code>{short}</code>
            </p>
            {(!missing.is_empty()).then(|| view! { <Missing missing/> })}
            {move || if asking.get() {
                view! { <Confirm app digest=digest.clone() asking/> }.into_any()
            } else {
                view! { <Manage app digest=digest.clone() label=named.clone() asking/> }.into_any()
            }}
        </li>
    }
}

/// Rename and delete.
#[component]
fn Manage(app: App, digest: String, label: String, asking: RwSignal<bool>) -> impl IntoView {
    let name = RwSignal::new(label.clone());
    let rename = move |_| {
        let text = name.get_untracked().trim().to_owned();
        if !text.is_empty() {
            app.rename_pack(&digest, text);
        }
    };
    view! {
        <div class="actions">
            <label class="inline grow">
                <span class="visually-hidden">{t!("Name of {name}", name = label)}</span>
                <input type="text" maxlength="80" data-test="pack-name" prop:value=name
                    on:input=move |event| name.set(event_target_value(&event)) on:change=rename/>
            </label>
            <button class="button button-small" data-test="pack-delete" on:click=move |_| asking.set(true)>{t!("Delete")}</button>
        </div>
    }
}

/// Asks for confirmation before deleting a pack.
#[component]
fn Confirm(app: App, digest: String, asking: RwSignal<bool>) -> impl IntoView {
    view! {
        <div class="actions" role="group" aria-label=t!("Delete this pack?")>
            <p>{t!("Delete this pack? Records that use it keep their numbers.")}</p>
            <button class="button button-small button-stop" data-test="pack-delete-yes"
                on:click=move |_| app.delete_pack(digest.clone())>{t!("Delete")}</button>
            <button class="button button-small" on:click=move |_| asking.set(false)>{t!("Keep")}</button>
        </div>
    }
}
