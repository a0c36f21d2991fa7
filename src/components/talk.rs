//! A dialogue up to a step.

use super::search_view::is_found;
use crate::t;
use apis::search::found;
use exchange::call;
use leptos::prelude::*;
use record::Gold;
use record::demo::{Step, Walkthrough};

/// The steps up to `current`, from 0; `hidden` hides what is right there.
pub fn talk(walk: &Walkthrough, current: usize, hidden: bool) -> impl IntoView + use<> {
    let steps = walk.steps.iter().take(current + 1).enumerate();
    steps
        .map(|(index, step)| item(step, index == current, hidden && index == current))
        .collect_view()
}

fn item(step: &Step, current: bool, hidden: bool) -> AnyView {
    let here = current.then_some("step");
    match step {
        Step::Said { text, .. } => {
            let (who, class) = match step {
                Step::Said { user: true, .. } => (t!("User"), "say say-user"),
                _ => (t!("Assistant"), "say"),
            };
            said(who, class, text.clone(), here)
        }
        Step::Graded(_) if hidden => said(
            t!("Assistant"),
            "say say-open",
            t!("What is the correct next step?").to_owned(),
            here,
        ),
        Step::Graded(sample) => match &sample.gold {
            Gold::Call(gold) => {
                let text = call::format(&gold.api_name, &gold.param_dict);
                let outcome = sample.gold_effect.as_ref().map(|effect| {
                    match (&effect.result.exception, &effect.result.output) {
                        (Some(message), _) => t!("refused: {message}", message = message),
                        (None, Some(_)) if is_found(&effect.result) => found(&effect.result),
                        (None, Some(output)) => output.to_string(),
                        (None, None) => t!("nothing").to_owned(),
                    }
                });
                view! {
                    <li class="say say-call" aria-current=here>
                        <span class="message-role">{t!("Call")}</span>
                        <code class="say-code">{text}</code>
                        {outcome.map(|text| view! { <p class="say-result">"→ " {text}</p> })}
                    </li>
                }
                .into_any()
            }
            Gold::Reply(text) | Gold::NoCall(text) => {
                said(t!("Assistant"), "say", text.clone(), here)
            }
            // Episodes have no steps.
            Gold::Episode(_) => ().into_any(),
        },
    }
}

fn said(
    who: &'static str,
    class: &'static str,
    text: String,
    here: Option<&'static str>,
) -> AnyView {
    view! {
        <li class=class aria-current=here>
            <span class="message-role">{who}</span>
            <p>{text}</p>
        </li>
    }
    .into_any()
}
