//! How much of the data is run, and from which seed.

use super::setup::{FieldError, Problems, error_id, message_of};
use crate::app::use_app;
use crate::session::Amount;
use crate::session::Form;
use crate::session::settings::FieldName;
use leptos::prelude::*;

/// Subset and seed.
#[component]
pub fn AmountFields(
    /// What is wrong with the fields.
    problems: Problems,
) -> impl IntoView {
    let app = use_app();
    let options = Amount::ALL.map(|amount| {
        let picked = move || app.form.with(|form| form.amount == amount);
        view! { <option value=amount.as_str() selected=picked>{amount.title()}</option> }
    });
    let pick = move |event| {
        let value = event_target_value(&event);
        if let Some(amount) = Amount::ALL.into_iter().find(|it| it.as_str() == value) {
            app.form.update(|form| form.amount = amount);
        }
    };
    let counted = move || app.form.with(|form| form.amount == Amount::Count);
    view! {
        <fieldset class="amount">
            <legend>"Data"</legend>
            <div class="field-row">
                <label class="field">
                    <span class="label">"How much"</span>
                    <select data-test="amount" on:change=pick>{options.into_iter().collect_view()}</select>
                </label>
                <Show when=counted>
                    <Number problems field=FieldName::PerAbility label="Dialogues of each" test="per-ability"
                        get=|form| form.per_ability.clone() set=|form, text| form.per_ability = text/>
                </Show>
                <Number problems field=FieldName::Seed label="Seed" test="seed"
                    get=|form| form.seed.clone() set=|form, text| form.seed = text/>
            </div>
            <p class="hint">
                "Whole dialogues, drawn and shuffled by the seed: the same seed gives the same part in the same order."
            </p>
        </fieldset>
    }
}

#[component]
fn Number(
    problems: Problems,
    field: FieldName,
    label: &'static str,
    test: &'static str,
    get: fn(&Form) -> String,
    set: fn(&mut Form, String),
) -> impl IntoView {
    let app = use_app();
    let wrong = move || problems.with(|all| message_of(all, field).is_some());
    view! {
        <div class="field">
            <label>
                <span class="label">{label}</span>
                <input type="text" inputmode="numeric" autocomplete="off" data-test=test
                    prop:value=move || app.form.with(get)
                    aria-invalid=move || wrong().then_some("true")
                    aria-describedby=move || wrong().then(|| error_id(field))
                    on:input=move |event| {
                        let text = event_target_value(&event);
                        app.form.update(|form| set(form, text));
                    }/>
            </label>
            <FieldError problems field/>
        </div>
    }
}
