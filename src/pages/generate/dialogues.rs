//! The generated dialogues, and their traces through the five agents.

use super::trace;
use crate::messages::generate::{Step, StepState};
use crate::session::format;
use crate::session::generation::Dialogue;
use crate::state::{App, use_app};
use crate::t;
use crate::texts::translated;
use generator::Agent;
use leptos::prelude::*;

/// Maximum number of listed dialogues, newest first.
const LISTED: usize = 200;

/// The list.
#[component]
pub fn Dialogues() -> impl IntoView {
    let app = use_app();
    let begun = Memo::new(move |_| app.generation.current.with(|it| it.dialogues.len()));
    let listed = Memo::new(move |_| {
        app.generation.current.with(|current| {
            let newest = current.dialogues.iter().rev().take(LISTED);
            newest.map(|(slot, dialogue)| (*slot, dialogue.clone())).collect::<Vec<_>>()
        })
    });
    view! {
        <section class="samples" aria-labelledby="dialogues-title">
            <div class="section-head">
                <h2 id="dialogues-title">{t!("Dialogues")}</h2>
                <span class="quiet num" role="status">{move || t!("{n} started", n = format::count(begun.get()))}</span>
            </div>
            <p class="empty" hidden=move || begun.with(|count| *count != 0)>{t!("The first dialogue starts once a domain has APIs.")}</p>
            <ol class="ways" data-test="dialogues" hidden=move || begun.get() == 0>
                <For each=move || listed.get() key=|(slot, dialogue)| {
                    (*slot, dialogue.agent.as_str(), dialogue.state.as_str(), dialogue.refused)
                } children=move |(place, dialogue)| view! { <DialogueRow app place dialogue/> }/>
            </ol>
        </section>
    }
}

#[component]
fn DialogueRow(app: App, place: usize, dialogue: Dialogue) -> impl IntoView {
    let open = move || {
        app.generation.current.with(|it| it.trace.as_ref().is_some_and(|trace| trace.0 == place))
    };
    let toggle = move |_| {
        if open() {
            app.generation.current.update(|current| current.trace = None);
        } else {
            trace(app, place);
        }
    };
    let refused = (dialogue.refused > 0).then(|| t!("{n} rejected", n = dialogue.refused));
    let state = dialogue.state;
    view! {
        <li class="way" data-test="dialogue" data-slot=place.to_string() data-fate=state.as_str()>
            <button type="button" class="way-head" aria-expanded=move || open().to_string() on:click=toggle>
                <span class="dots" aria-hidden="true">{dots(dialogue.agent, state)}</span>
                <span class=tag(state)>{word(dialogue.agent, state)}</span>
                <span class="way-text">
                    <span>{if dialogue.query.is_empty() { "…".to_owned() } else { dialogue.query }}</span>
                    <span class="quiet">{dialogue.domain} " · " {translated(dialogue.ability.title())}</span>
                </span>
                <span class="quiet num">{refused}</span>
            </button>
            {move || open().then(|| view! { <Way app/> })}
        </li>
    }
}

/// Five dots: passed, active, pending.
fn dots(at: Agent, state: StepState) -> impl IntoView {
    Agent::ALL
        .map(|agent| {
            let class = match (agent.cmp(&at), state) {
                (std::cmp::Ordering::Less, _) | (_, StepState::Accepted) => "dot dot-done",
                (std::cmp::Ordering::Equal, StepState::Passed) => "dot dot-done",
                (std::cmp::Ordering::Equal, _) => "dot dot-refused",
                (std::cmp::Ordering::Greater, _) => "dot",
            };
            view! { <span class=class></span> }
        })
        .into_iter()
        .collect_view()
}

pub(super) const fn tag(state: StepState) -> &'static str {
    match state {
        StepState::Accepted => "tag tag-right",
        StepState::Passed => "tag",
        StepState::Refused => "tag tag-wrong",
        StepState::Failed => "tag tag-warn",
    }
}

/// The state of a dialogue, in a word or two.
fn word(agent: Agent, state: StepState) -> &'static str {
    match (state, agent) {
        (StepState::Accepted, _) => t!("Accepted"),
        (StepState::Refused, _) => t!("Rejected"),
        (StepState::Failed, _) => t!("No answer"),
        (StepState::Passed, Agent::Query) => t!("Generating calls"),
        (StepState::Passed, _) => t!("Testing"),
    }
}

/// The trace of a dialogue.
#[component]
fn Way(app: App) -> impl IntoView {
    let steps = move || {
        app.generation.current.with(|it| it.trace.clone().map_or(Vec::new(), |trace| trace.1))
    };
    view! {
        <ol class="timeline" data-test="way">
            {move || steps().into_iter().map(step).collect_view()}
        </ol>
    }
}

fn step(step: Step) -> impl IntoView {
    let reasons = step.reasons.iter().map(|reason| {
        let says = translated(reason.code.explain());
        view! { <li><strong title=says>{reason.code.as_str()}</strong> " " {reason.detail.clone()}</li> }
    });
    let attempt = (step.attempt > 0).then(|| t!("attempt {n}", n = step.attempt + 1));
    let reasons = reasons.collect_view();
    view! {
        <li class="timeline-step" data-agent=step.agent.as_str()>
            <p class="timeline-head">
                <strong>{translated(step.agent.title())}</strong>
                <span class=tag(step.state)>{state_word(step.state)}</span>
                <span class="quiet">{attempt}</span>
            </p>
            <ul class="reason-list">{reasons}</ul>
            {(!step.detail.is_empty()).then(|| view! { <pre class="timeline-text">{step.detail}</pre> })}
        </li>
    }
}

pub(super) fn state_word(state: StepState) -> &'static str {
    match state {
        StepState::Passed => t!("Passed"),
        StepState::Accepted => t!("Accepted"),
        StepState::Refused => t!("Rejected"),
        StepState::Failed => t!("No answer"),
    }
}
