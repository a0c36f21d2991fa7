//! The theme menu: system, light or dark; the choice is stored.

use crate::platform::page;
use crate::t;
use leptos::prelude::*;

const THEME: &str = "api-bank.theme";

/// A select in the header.
#[component]
pub fn ThemePicker() -> impl IntoView {
    let theme = RwSignal::new(page::stored::<String>(THEME).unwrap_or_else(|| "auto".to_owned()));
    Effect::new(move || {
        page::apply_theme(&theme.read());
        page::store(THEME, &*theme.read());
    });
    let themes = [("auto", t!("Auto")), ("light", t!("Light")), ("dark", t!("Dark"))];
    let options = themes.map(|(value, title)| {
        view! { <option value=value selected=move || *theme.read() == value>{title}</option> }
    });
    view! {
        <label class="theme">
            <span class="quiet">{t!("Theme")}</span>
            <select data-test="theme" on:change=move |event| theme.set(event_target_value(&event))>
                {options.into_iter().collect_view()}
            </select>
        </label>
    }
}
