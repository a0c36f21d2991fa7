//! The collapsed settings of a run: data, protocol and prompts, requests.

use super::amount::AmountFields;
use super::asking::AskingFields;
use super::endpoint_settings::EndpointSettings;
use super::field::{FieldError, Problems, TextField};
use crate::components::copy_link::CopyLink;
use crate::pages::data::PackChoice;
use crate::platform::page;
use crate::session::field::FieldName;
use crate::session::{Choice, EditionChoice, Form, Route, form_address};
use crate::state::{App, use_app};
use crate::t;
use crate::texts;
use crate::texts::translated;
use dataset::{Ability, Split};
use exchange::shorten;
use leptos::prelude::*;
use record::Retriever;

/// Maximum length of a value in the summary line, in characters.
const REPEATED: usize = 30;

/// A summary of the changed settings, which expands to all of them.
#[component]
pub fn Settings(
    /// Problems with the fields.
    problems: Problems,
    /// Whether the settings are expanded.
    open: RwSignal<bool>,
) -> impl IntoView {
    let app = use_app();
    let changed = move || {
        let mut changed: Vec<String> = app.setup.form.with(|form| {
            let all = form_address::differences(form).into_iter();
            all.map(|(name, value)| format!("{name} {}", shorten(&value, REPEATED))).collect()
        });
        if app.setup.form.with(|form| form.asking.is_custom(form.protocol())) {
            changed.push(t!("custom prompts").to_owned());
        }
        let own = app.setup.form.with(|form| form.retriever());
        if let Some(own @ Retriever::Model(_)) = own {
            changed.push(format!("retriever {}", own.title()));
        }
        changed.extend(app.data.library.with(|library| {
            let digest = library.chosen.as_ref()?;
            // The list is read when somebody needs it.
            let pack = library.packs.iter().find(|pack| pack.digest == *digest);
            Some(pack.map_or_else(|| t!("imported data").to_owned(), |it| it.label.clone()))
        }));
        if changed.is_empty() { t!("defaults").to_owned() } else { changed.join(" · ") }
    };
    // Rendered when first expanded: few visitors need them.
    let wanted = Memo::new(move |wanted: Option<&bool>| open.get() || wanted == Some(&true));
    view! {
        <details class="settings" prop:open=move || open.get()
            on:toggle=move |event| open.set(page::is_open(&event))>
            <summary data-test="settings">
                {t!("Settings")} " " <span class="quiet" data-test="settings-changed">{changed}</span>
            </summary>
            {move || wanted.get().then(|| match app.lazy.module.get() {
                Some(lazy) => (lazy.settings)(problems),
                None => view! { <p class="empty" role="status">{t!("Loading…")}</p> }.into_any(),
            })}
        </details>
    }
}

/// The settings, as an entry point of the lazy-loaded module.
pub fn fields(problems: Problems) -> AnyView {
    view! { <Fields problems/> }.into_any()
}

#[component]
fn Fields(problems: Problems) -> impl IntoView {
    let app = use_app();
    let draft = Memo::new(move |_| app.setup.form.with(Form::draft));
    let standard = move || app.setup.form.with(|form| form.split == Split::Standard);
    let is_endpoint = move || {
        let choice = app.setup.form.with(|form| form.choice);
        matches!(choice, Choice::Endpoint | Choice::InPage)
    };
    view! {
        <div class="settings-groups">
            <fieldset class="group">
                <legend>{t!("Data")}</legend>
                <SplitSelect app/>
                <EditionFields problems/>
                <Show when=standard>
                    <PackChoice/>
                    <AbilityBoxes app problems/>
                </Show>
                <AmountFields draft problems/>
            </fieldset>
            <fieldset class="group">
                <legend>{t!("Protocol and prompts")}</legend>
                <AskingFields draft problems/>
            </fieldset>
            <Show when=is_endpoint>
                <fieldset class="group">
                    <legend>{t!("Requests")}</legend>
                    <EndpointSettings problems/>
                </fieldset>
            </Show>
        </div>
        <CopyLink label=t!("Copy settings link") test="settings-link"
            link=move || Ok(Route::Fill(app.setup.form.with_untracked(form_address::query)).href())/>
    }
}

/// The split: standard or hard.
#[component]
fn SplitSelect(app: App) -> impl IntoView {
    let options = Split::ALL.map(|split| {
        let picked = move || app.setup.form.with(|form| form.split == split);
        view! { <option value=split.as_str() selected=picked>{translated(split.title())}</option> }
    });
    let pick = move |event| {
        let value = event_target_value(&event);
        if let Some(split) = Split::ALL.into_iter().find(|split| split.as_str() == value) {
            app.setup.form.update(|form| form.split = split);
        }
    };
    view! {
        <label class="field">
            <span class="label">{t!("Dialogues")}</span>
            <select data-test="split" on:change=pick>{options.into_iter().collect_view()}</select>
            <span class="hint">{move || translated(app.setup.form.with(|form| form.split.explain()))}</span>
        </label>
    }
}

/// The data of the built-in pack: itself, a variant with its seed, or a language.
#[component]
fn EditionFields(problems: Problems) -> impl IntoView {
    let app = use_app();
    let texts = texts::current();
    let options = EditionChoice::ALL.map(|edition| {
        let picked = move || app.setup.form.with(|form| form.edition == edition);
        view! { <option value=edition.as_str() selected=picked>{edition.title(texts)}</option> }
    });
    let pick = move |event| {
        let value = event_target_value(&event);
        if let Some(edition) = EditionChoice::ALL.into_iter().find(|it| it.as_str() == value) {
            app.setup.form.update(|form| form.edition = edition);
        }
    };
    let variant = move || app.setup.form.with(|form| form.edition == EditionChoice::Variant);
    view! {
        <div class="field-row edition-row">
            <label class="field">
                <span class="label">{t!("Edition")}</span>
                <select data-test="edition" on:change=pick>{options.into_iter().collect_view()}</select>
            </label>
            <Show when=variant>
                <TextField problems field=FieldName::Variant label=t!("Variant seed") test="variant" input_mode="numeric"
                    get=|form| form.variant.clone() set=|form, text| form.variant = text/>
            </Show>
        </div>
        <p class="hint">{move || app.setup.form.with(|form| form.edition.explain(texts))}</p>
    }
}

#[component]
fn AbilityBoxes(app: App, problems: Problems) -> impl IntoView {
    let boxes = Ability::ALL.map(|ability| view! { <AbilityBox app ability/> });
    view! {
        <fieldset class="abilities">
            <legend class="label">{t!("Abilities")}</legend>
            {boxes.into_iter().collect_view()}
            <FieldError problems field=FieldName::Abilities/>
        </fieldset>
    }
}

#[component]
fn AbilityBox(app: App, ability: Ability) -> impl IntoView {
    view! {
        <label class="check">
            <input type="checkbox" data-test=format!("ability-{}", ability.as_str())
                prop:checked=move || app.setup.form.with(|form| form.abilities.contains(&ability))
                on:change=move |event| {
                    let on = event_target_checked(&event);
                    app.setup.form.update(|form| form.toggle(ability, on));
                }/>
            {translated(ability.title())}
        </label>
    }
}
