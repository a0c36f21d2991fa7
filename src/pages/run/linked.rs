//! The notice after a link filled in the form, with undo.

use crate::session::link::LinkReport;
use crate::state::use_app;
use crate::t;
use leptos::prelude::*;

/// The notice; empty without a link.
#[component]
pub fn Linked() -> impl IntoView {
    let app = use_app();
    let message = move |link: LinkReport| {
        let refused = link.refused.into_iter().map(|refused| {
            view! { <li><code>{refused.name}</code> ": " {refused.why}</li> }
        });
        let refused: Vec<_> = refused.collect();
        let some_refused = !refused.is_empty();
        let taken = match link.taken.as_slice() {
            [] => t!("None of the link's settings can be used.").to_owned(),
            names => {
                t!(
                    "Applied: {names}. Other settings are at their defaults.",
                    names = names.join(", ")
                )
            }
        };
        view! {
            <section class="offer" data-test="from-link" aria-label=t!("Settings from a link")>
                <h2>{t!("Settings from a link")}</h2>
                <p role="status" data-test="link-taken">{taken}</p>
                {link.address.map(|address| view! {
                    <p>{t!("Runs send requests to ")} <code>{address}</code> {t!(". Enter a key only if you trust it.")}</p>
                })}
                {move || app.setup.form.with(|form| form.asking.is_custom(form.protocol())).then(|| view! {
                    <p>{t!("Your custom prompts for this protocol stay in effect and mark the run as custom.")}</p>
                })}
                {some_refused.then(|| view! {
                    <div role="alert" data-test="link-refused">
                        <p class="warn">{t!("Rejected:")}</p>
                        <ul class="refused">{refused}</ul>
                    </div>
                })}
                <div class="actions">
                    <button type="button" class="button" data-test="link-keep"
                        on:click=move |_| app.setup.link.set(None)>{t!("Keep")}</button>
                    <button type="button" class="button" data-test="link-undo"
                        on:click=move |_| app.setup.undo_link()>{t!("Restore previous settings")}</button>
                </div>
            </section>
        }
    };
    move || app.setup.link.get().map(message)
}
