//! Form fields: a label, a control, and the problem with it.

use crate::session::Form;
use crate::session::field::{FieldName, Problem};
use crate::state::use_app;
use leptos::prelude::*;

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
    test: &'static str,
    /// Reads its text.
    get: fn(&Form) -> String,
    /// Writes its text.
    set: fn(&mut Form, String),
    /// The keyboard type on phones.
    #[prop(default = "text")]
    input_mode: &'static str,
    /// Id of a list of suggestions.
    #[prop(optional)]
    list: Option<&'static str>,
) -> impl IntoView {
    let app = use_app();
    let wrong = move || problems.with(|all| message_of(all, field).is_some());
    view! {
        <div class="field">
            <label>
                <span class="label">{label}</span>
                <input type="text" inputmode=input_mode list=list autocomplete="off" spellcheck="false"
                    autocapitalize="off" data-test=test
                    prop:value=move || app.setup.form.with(get)
                    aria-invalid=move || wrong().then_some("true")
                    aria-describedby=move || wrong().then(|| error_id(field))
                    on:input=move |event| {
                        let text = event_target_value(&event);
                        app.setup.form.update(|form| set(form, text));
                    }/>
            </label>
            <FieldError problems field/>
        </div>
    }
}

/// A checkbox.
#[component]
pub fn Tick(
    /// The label.
    label: &'static str,
    /// The `data-test` attribute.
    test: &'static str,
    /// Whether it is on.
    get: fn(&Form) -> bool,
    /// Sets it.
    set: fn(&mut Form, bool),
) -> impl IntoView {
    let app = use_app();
    view! {
        <label class="check">
            <input type="checkbox" data-test=test prop:checked=move || app.setup.form.with(get)
                on:change=move |event| {
                    let on = event_target_checked(&event);
                    app.setup.form.update(|form| set(form, on));
                }/>
            {label}
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
    problems.iter().find(|problem| problem.field == field).map(|it| it.message.clone())
}

/// The element id of a field's error message.
fn error_id(field: FieldName) -> String {
    format!("error-{field:?}").to_lowercase()
}
