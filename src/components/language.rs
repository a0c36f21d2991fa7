//! The choice of the language; remembered.

use crate::app::use_app;
use crate::platform::language;
use crate::t;
use crate::texts::Language;
use leptos::prelude::*;
use leptos::task::spawn_local;

/// A small select in the footer.
#[component]
pub fn LanguagePicker() -> impl IntoView {
    let app = use_app();
    let options = Language::ALL.map(|it| {
        view! {
            <option value=it.code() lang=it.code() selected=move || app.language.get() == it>{it.name()}</option>
        }
    });
    let pick = move |event| {
        let Some(picked) = Language::of(&event_target_value(&event)) else { return };
        spawn_local(async move {
            match language::speak(picked).await {
                Ok(()) => {
                    language::remember(picked);
                    app.language.set(picked);
                }
                Err(message) => app.notice.set(Some(message)),
            }
        });
    };
    view! {
        <label class="language">
            <span class="quiet">{t!("Language")}</span>
            <select data-test="language" on:change=pick>{options.into_iter().collect_view()}</select>
        </label>
    }
}
