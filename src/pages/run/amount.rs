//! Form fields: subset and seed.

use super::field::{OptionField, Problems, TextField};
use crate::session::Amount;
use crate::session::field::FieldName;
use crate::state::use_app;
use crate::t;
use crate::texts;
use leptos::prelude::*;
use record::RunSettings;
use record::options::SEED;

/// Subset and seed.
#[component]
pub fn AmountFields(
    /// The run's settings, as far as they are valid.
    draft: Memo<RunSettings>,
    /// Problems with the fields.
    problems: Problems,
) -> impl IntoView {
    let app = use_app();
    let options = Amount::ALL.map(|amount| {
        let picked = move || app.setup.form.with(|form| form.amount == amount);
        view! { <option value=amount.as_str() selected=picked>{amount.share(texts::current())}</option> }
    });
    let pick = move |event| {
        let value = event_target_value(&event);
        if let Some(amount) = Amount::ALL.into_iter().find(|amount| amount.as_str() == value) {
            app.setup.form.update(|form| form.choose_amount(amount));
        }
    };
    let counted = move || app.setup.form.with(|form| form.amount == Amount::Count);
    view! {
        <div class="amount">
            <div class="field-row">
                <label class="field">
                    <span class="label">{t!("Amount")}</span>
                    <select data-test="amount" on:change=pick>{options.into_iter().collect_view()}</select>
                </label>
                <Show when=counted>
                    <TextField problems field=FieldName::PerAbility label=t!("Dialogues per ability") test="per-ability"
                        input_mode="numeric"
                        get=|form| form.per_ability.clone() set=|form, text| form.per_ability = text/>
                </Show>
                <OptionField option=&SEED draft problems/>
            </div>
        </div>
    }
}
