//! Form fields: a label, a control, and the problem with it.

use crate::session::Form;
use crate::session::field::{FieldName, Problem};
use crate::state::use_app;
use crate::texts::translated;
use leptos::prelude::*;
use record::RunSettings;
use record::options::{Group, Name, RunOption, Values};

/// Problems with the form; empty until the first attempt to run.
pub type Problems = Memo<Vec<Problem>>;

/// A text field with its error message. Numbers are text fields too, because empty has a meaning.
#[component]
pub fn TextField(
    /// Problems with the form.
    problems: Problems,
    /// The field.
    field: FieldName,
    /// The label.
    label: &'static str,
    /// The `data-test` attribute.
    #[prop(into)]
    test: String,
    /// Reads its text.
    get: impl Fn(&Form) -> String + Send + Sync + 'static,
    /// Writes its text.
    set: impl Fn(&mut Form, String) + Send + Sync + 'static,
    /// The keyboard type on phones.
    #[prop(default = "text")]
    input_mode: &'static str,
    /// Id of a list of suggestions.
    #[prop(optional)]
    list: Option<&'static str>,
    /// The hint.
    #[prop(optional)]
    hint: Option<&'static str>,
) -> impl IntoView {
    let app = use_app();
    let wrong = move || problems.with(|all| message_of(all, field).is_some());
    view! {
        <div class="field">
            <label>
                <span class="label">{label}</span>
                <input type="text" inputmode=input_mode list=list autocomplete="off" spellcheck="false"
                    autocapitalize="off" data-test=test
                    prop:value=move || app.setup.form.with(&get)
                    aria-invalid=move || wrong().then_some("true")
                    aria-describedby=move || wrong().then(|| error_id(field))
                    on:input=move |event| {
                        let text = event_target_value(&event);
                        app.setup.form.update(|form| set(form, text));
                    }/>
                {hint.map(|hint| view! { <span class="hint">{hint}</span> })}
            </label>
            <FieldError problems field/>
        </div>
    }
}

/// An option of the run, where it counts.
#[component]
pub fn OptionField(
    /// The option.
    option: &'static RunOption,
    /// The run's settings, as far as they are valid.
    draft: Memo<RunSettings>,
    /// Problems with the form.
    problems: Problems,
) -> impl IntoView {
    let test = match option.group {
        Group::Prompts => String::new(),
        Group::Sampling | Group::Requests | Group::Claims => "endpoint-".to_owned(),
    } + &option.name.replace('_', "-");
    let label = translated(option.label);
    let field = move || match &option.values {
        Values::Names(names) => view! { <Select option names test=test.clone()/> }.into_any(),
        Values::Switch => view! { <Switch option test=test.clone()/> }.into_any(),
        Values::Whole { .. } | Values::Decimal { .. } | Values::Object | Values::Text { .. } => {
            let input_mode = match option.values {
                Values::Whole { .. } => "numeric",
                Values::Decimal { .. } => "decimal",
                _ => "text",
            };
            view! {
                <TextField problems field=FieldName::Option(option.name) label test=test.clone() input_mode
                    hint=translated(option.help)
                    get=|form| form.option(option) set=|form, text| form.type_option(option, &text)/>
            }
            .into_any()
        }
    };
    let counts = Memo::new(move |_| draft.with(option.counts));
    move || counts.get().then(|| field.clone()())
}

/// An option with named values; the chosen one is explained.
#[component]
fn Select(option: &'static RunOption, names: &'static [Name], test: String) -> impl IntoView {
    let form = use_app().setup.form;
    let chosen = Memo::new(move |_| form.with(|form| form.option(option)));
    let options = names.iter().map(|name| {
        let picked = move || chosen.get() == name.id;
        view! { <option value=name.id selected=picked>{translated(name.title)}</option> }
    });
    let hint = move || {
        let named = names.iter().find(|name| name.id == chosen.get() && !name.help.is_empty());
        translated(named.map_or(option.help, |option| option.help))
    };
    view! {
        <label class="field">
            <span class="label">{translated(option.label)}</span>
            <select data-test=test on:change=move |event| {
                let value = event_target_value(&event);
                form.update(|form| form.type_option(option, &value));
            }>{options.collect_view()}</select>
            <span class="hint">{hint}</span>
        </label>
    }
}

/// An option that is on or off.
#[component]
fn Switch(option: &'static RunOption, test: String) -> impl IntoView {
    let form = use_app().setup.form;
    view! {
        <label class="check">
            <input type="checkbox" data-test=test prop:checked=move || form.with(|form| form.is_on(option))
                on:change=move |event| {
                    let on = event_target_checked(&event).to_string();
                    form.update(|form| form.type_option(option, &on));
                }/>
            <span>{translated(option.label)} <span class="hint">{translated(option.help)}</span></span>
        </label>
    }
}

/// The error message of a field, if any.
#[component]
pub fn FieldError(
    /// Problems with the form.
    problems: Problems,
    /// The field.
    field: FieldName,
) -> impl IntoView {
    let message = move || problems.with(|all| message_of(all, field));
    view! {
        <p class="field-error" role="alert" id=error_id(field) hidden=move || message().is_none()>
            {message}
        </p>
    }
}

/// The error message of a field.
fn message_of(problems: &[Problem], field: FieldName) -> Option<String> {
    problems.iter().find(|problem| problem.field == field).map(|problem| problem.message.clone())
}

/// The element id of a field's error message.
fn error_id(field: FieldName) -> String {
    match field {
        FieldName::Option(name) => format!("error-{name}"),
        field => format!("error-{field:?}").to_lowercase(),
    }
}
