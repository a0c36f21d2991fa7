//! The three abilities in a sentence each, for first-time visitors.

use crate::session::Route;
use crate::t;
use crate::texts::translated;
use dataset::Ability;
use leptos::prelude::*;

/// The task of an ability.
fn explain(ability: Ability) -> &'static str {
    match ability {
        Ability::Call => {
            t!("Several APIs are described; call the right one with the correct arguments.")
        }
        Ability::Retrieve => {
            t!("Only API Search is described; find an API by keywords, then call it.")
        }
        Ability::Plan => t!("One requirement, several steps; plan the searches and calls."),
    }
}

/// The list of abilities.
#[component]
pub fn Abilities() -> impl IntoView {
    let ability = |ability: Ability| {
        view! {
            <li>
                <h3>{translated(ability.title())}</h3>
                <p class="quiet">{explain(ability)}</p>
            </li>
        }
    };
    view! {
        <section class="measured" aria-labelledby="measured-title">
            <h2 id="measured-title">{t!("What is measured")}</h2>
            <ul>{Ability::ALL.map(ability).into_iter().collect_view()}</ul>
            <p class="play-offer">
                <a class="button" href=Route::Play(String::new()).href() data-test="play-offer">{t!("Can you beat the model?")}</a>
                <span class="quiet">{t!("Answer ten steps yourself. You are judged like a model.")}</span>
            </p>
        </section>
    }
}
