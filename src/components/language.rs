//! The language menu; the choice is stored.

use crate::platform::{language, page};
use crate::state::use_app;
use crate::t;
use crate::texts::Language;
use leptos::prelude::*;
use leptos::task::spawn_local;

const MENU: &str = "[data-test=\"language\"]";

/// A select in the footer.
#[component]
pub fn LanguagePicker() -> impl IntoView {
    let app = use_app();
    let options = Language::ALL.map(|language| {
        view! {
            <option value=language.code() lang=language.code() selected=move || app.ui.language.get() == language>{language.name()}</option>
        }
    });
    let pick = move |event| {
        let Some(picked) = Language::of(&event_target_value(&event)) else { return };
        spawn_local(async move {
            match language::speak(picked).await {
                Ok(()) => {
                    language::remember(picked);
                    app.ui.language.set(picked);
                    // The menu was rerendered with the page: restore the focus.
                    request_animation_frame(|| {
                        if let Some(menu) = page::elements(MENU).first() {
                            let _ = menu.focus();
                        }
                    });
                }
                Err(message) => app.ui.notice.set(Some(message)),
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
