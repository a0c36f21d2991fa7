//! Form fields: how a model is prompted.

use super::field::{FieldError, OptionField, Problems};
use super::retriever_controls::RetrieverField;
use crate::session::Form;
use crate::session::field::FieldName;
use crate::state::{App, use_app};
use crate::t;
use crate::texts::translated;
use exchange::protocol::prompts::parts;
use exchange::protocol::{Part, Prompts, Protocol};
use leptos::prelude::*;
use record::RunSettings;
use record::options::{Group, OPTIONS, SEED};

/// Prompt options, retriever and prompt texts. The seed is in the amount fields.
#[component]
pub fn AskingFields(
    /// The run's settings, as far as they are valid.
    draft: Memo<RunSettings>,
    /// Problems with the fields.
    problems: Problems,
) -> impl IntoView {
    let app = use_app();
    let protocol = Memo::new(move |_| app.setup.form.with(Form::run_protocol));
    let options =
        OPTIONS.into_iter().filter(|it| it.group == Group::Prompts && it.name != SEED.name);
    view! {
        <Show when=move || app.setup.form.with(|form| form.run_protocol() != form.protocol())>
            <p class="hint" data-test="horizon-protocol">
                {move || t!("Horizon tasks are played under {protocol}.", protocol = protocol.get().as_str())}
            </p>
        </Show>
        {options.map(|option| view! { <OptionField option draft problems/> }).collect_view()}
        <Show when=move || app.setup.form.with(Form::searches)>
            <RetrieverField app/>
        </Show>
        <PromptTexts app problems protocol/>
    }
}

/// The prompt texts of the protocol: shown, and editable for a run.
#[component]
fn PromptTexts(app: App, problems: Problems, protocol: Memo<Protocol>) -> impl IntoView {
    let custom =
        Memo::new(move |_| app.setup.form.with(|form| form.asking.is_custom(protocol.get())));
    let version = move || match custom.get() {
        true => t!("custom").to_owned(),
        false => Prompts::builtin(protocol.get()).version.clone(),
    };
    let fields = move || {
        let protocol = protocol.get();
        let parts = parts(protocol).iter();
        parts.map(|part| view! { <PartFields app protocol part=*part/> }).collect_view()
    };
    view! {
        <details class="prompts" data-test="prompts">
            <summary>{t!("Prompts: ")} <span data-test="prompts-version">{version}</span></summary>
            <p class="hint">
                {t!("Instructions for the model. Changes apply to later runs in this browser and mark their \
                     records as custom. ")}
                {move || match protocol.get() {
                    Protocol::Bracket | Protocol::Paper => t!("Slots: {year}, {apis}, {history}."),
                    _ => t!("Slot: {year}. The dialogue follows as separate messages."),
                }}
            </p>
            {fields}
            <FieldError problems field=FieldName::Prompts/>
            <Show when=move || custom.get()>
                <button type="button" class="button" data-test="prompts-reset"
                    on:click=move |_| app.setup.form.update(|form| form.asking.reset(protocol.get_untracked()))>
                    {t!("Restore original prompts")}
                </button>
            </Show>
        </details>
    }
}

/// The system text of a part, and under `bracket` its user text.
#[component]
fn PartFields(app: App, protocol: Protocol, part: Part) -> impl IntoView {
    let id = part.as_str();
    let user = protocol.has_user_text().then(|| {
        view! {
            <label class="field">
                <span class="label">{t!("{part}, user message", part = translated(part.title()))}</span>
                <textarea rows="3" spellcheck="false" data-test=format!("prompt-{id}-user")
                    prop:value=move || app.setup.form.with(|form| form.asking.text(protocol, part).user)
                    on:input=move |event| {
                        let value = event_target_value(&event);
                        app.setup.form.update(|form| form.asking.edit(protocol, part, |text| text.user = value));
                    }/>
            </label>
        }
    });
    view! {
        <label class="field">
            <span class="label">{t!("{part}, system message", part = translated(part.title()))}</span>
            <textarea rows="7" spellcheck="false" data-test=format!("prompt-{id}-system")
                prop:value=move || app.setup.form.with(|form| form.asking.text(protocol, part).system)
                on:input=move |event| {
                    let value = event_target_value(&event);
                    app.setup.form.update(|form| form.asking.edit(protocol, part, |text| text.system = value));
                }/>
        </label>
        {user}
    }
}
