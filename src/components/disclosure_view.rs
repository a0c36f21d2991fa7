//! Warnings and facts about a verified record.

use crate::session::disclosure;
use crate::t;
use crate::texts;
use leptos::prelude::*;
use record::Disclosure;

/// The warnings and facts of a record.
pub fn disclosure_view(of: &Disclosure) -> impl IntoView + use<> {
    let warnings = of.warnings.iter().map(|warning| {
        view! { <li data-code=warning.code()>{disclosure::warning(warning, texts::current())}</li> }
    });
    let warnings = (!of.warnings.is_empty()).then(|| {
        view! {
            <ul class="warnings" data-test="verify-warnings" aria-label=t!("Warnings")>
                {warnings.collect_view()}
            </ul>
        }
    });
    let facts = disclosure::facts(of, texts::current()).into_iter().map(|(name, value)| {
        view! { <dt>{name}</dt><dd class="wrap">{value}</dd> }
    });
    view! {
        {warnings}
        <dl class="terms" data-test="verify-facts">{facts.collect_view()}</dl>
    }
}
