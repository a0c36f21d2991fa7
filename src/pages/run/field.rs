//! The fields of the form: a label, a control, and what is wrong with it.

use crate::session::Form;
use crate::session::field::{FieldName, Problem};
use crate::state::use_app;
use leptos::prelude::*;

/// What is wrong with the form; empty until the first attempt to run it.
pub type Problems = Memo<Vec<Problem>>;

/// A text field with its message. Numbers are texts too: an empty field means something.
#[component]
pub fn TextField(
    /// What is wrong with the form.
    problems: Problems,
    /// Which field it is.
    field: FieldName,
    /// What it is called.
    label: &'static str,
    /// Its hook.
    test: &'static str,
    /// Reads its text.
    get: fn(&Form) -> String,
    /// Writes its text.
    set: fn(&mut Form, String),
    /// The keyboard that a phone shows.
    #[prop(default = "text")]
    input_mode: &'static str,
    /// Id of the list of proposals.
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

/// A setting that is on or off.
#[component]
pub fn Tick(
    /// What it is called.
    label: &'static str,
    /// Its hook.
    test: &'static str,
    /// Whether it is on.
    get: fn(&Form) -> bool,
    /// Turns it on or off.
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

/// The message of a field, where it has one.
#[component]
pub fn FieldError(
    /// What is wrong with the form.
    problems: Problems,
    /// Which field it is.
    field: FieldName,
) -> impl IntoView {
    let message = move || problems.with(|all| message_of(all, field));
    view! {
        <p class="field-error" role="alert" id=error_id(field) hidden=move || message().is_none()>
            {message}
        </p>
    }
}

/// The message of a field.
fn message_of(problems: &[Problem], field: FieldName) -> Option<String> {
    problems.iter().find(|problem| problem.field == field).map(|it| it.message.clone())
}

/// The id of a field's message.
fn error_id(field: FieldName) -> String {
    format!("error-{field:?}").to_lowercase()
}
