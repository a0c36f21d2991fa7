//! The dialogues, and the way of each through the five agents.

use crate::protocol::Command;
use crate::protocol::generate::{Fate, Step, Wish};
use crate::session::format;
use crate::session::generation::Dialogue;
use crate::state::{App, use_app};
use crate::t;
use crate::texts::translated;
use generator::Agent;
use leptos::prelude::*;

/// Dialogues that are listed: the newest.
const LISTED: usize = 200;

/// The list.
#[component]
pub fn Dialogues() -> impl IntoView {
    let app = use_app();
    let begun = Memo::new(move |_| app.generation.current.with(|it| it.dialogues.len()));
    let listed = Memo::new(move |_| {
        app.generation.current.with(|it| {
            let newest = it.dialogues.iter().rev().take(LISTED);
            newest.map(|(slot, dialogue)| (*slot, dialogue.clone())).collect::<Vec<_>>()
        })
    });
    view! {
        <section class="samples" aria-labelledby="dialogues-title">
            <div class="section-head">
                <h2 id="dialogues-title">{t!("Dialogues")}</h2>
                <span class="quiet num" role="status">{move || t!("{n} begun", n = format::count(begun.get()))}</span>
            </div>
            <p class="empty" hidden=move || begun.with(|it| *it != 0)>{t!("The first dialogue begins once a domain has its APIs.")}</p>
            <ol class="ways" data-test="dialogues" hidden=move || begun.get() == 0>
                <For each=move || listed.get() key=|(slot, dialogue)| {
                    (*slot, dialogue.agent.as_str(), dialogue.fate.as_str(), dialogue.refused)
                } children=move |(place, dialogue)| view! { <DialogueRow app place dialogue/> }/>
            </ol>
        </section>
    }
}

#[component]
fn DialogueRow(app: App, place: usize, dialogue: Dialogue) -> impl IntoView {
    let open =
        move || app.generation.current.with(|it| it.way.as_ref().is_some_and(|way| way.0 == place));
    let toggle = move |_| {
        if open() {
            app.generation.current.update(|it| it.way = None);
        } else {
            app.send(Command::Generate { wish: Wish::Way { slot: place } });
        }
    };
    let refused = (dialogue.refused > 0).then(|| t!("{n} refused", n = dialogue.refused));
    let fate = dialogue.fate;
    view! {
        <li class="way" data-test="dialogue" data-slot=place.to_string() data-fate=fate.as_str()>
            <button type="button" class="way-head" aria-expanded=move || open().to_string() on:click=toggle>
                <span class="dots" aria-hidden="true">{dots(dialogue.agent, fate)}</span>
                <span class=tag(fate)>{word(dialogue.agent, fate)}</span>
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

/// Five dots: passed, at work, still to come.
fn dots(at: Agent, fate: Fate) -> impl IntoView {
    Agent::ALL
        .map(|agent| {
            let class = match (agent.cmp(&at), fate) {
                (std::cmp::Ordering::Less, _) | (_, Fate::Accepted) => "dot dot-done",
                (std::cmp::Ordering::Equal, Fate::Passed) => "dot dot-done",
                (std::cmp::Ordering::Equal, _) => "dot dot-refused",
                (std::cmp::Ordering::Greater, _) => "dot",
            };
            view! { <span class=class></span> }
        })
        .into_iter()
        .collect_view()
}

pub(super) const fn tag(fate: Fate) -> &'static str {
    match fate {
        Fate::Accepted => "tag tag-right",
        Fate::Passed => "tag",
        Fate::Refused => "tag tag-wrong",
        Fate::Failed => "tag tag-warn",
    }
}

/// Where a dialogue stands, in a word or two.
fn word(agent: Agent, fate: Fate) -> &'static str {
    match (fate, agent) {
        (Fate::Accepted, _) => t!("Accepted"),
        (Fate::Refused, _) => t!("Refused"),
        (Fate::Failed, _) => t!("No answer"),
        (Fate::Passed, Agent::Query) => t!("At the calls"),
        (Fate::Passed, _) => t!("At the tester"),
    }
}

/// The answers that made a dialogue, in order.
#[component]
fn Way(app: App) -> impl IntoView {
    let steps =
        move || app.generation.current.with(|it| it.way.clone().map_or(Vec::new(), |way| way.1));
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
                <span class=tag(step.fate)>{fate_word(step.fate)}</span>
                <span class="quiet">{attempt}</span>
            </p>
            <ul class="reason-list">{reasons}</ul>
            {(!step.detail.is_empty()).then(|| view! { <pre class="timeline-text">{step.detail}</pre> })}
        </li>
    }
}

pub(super) fn fate_word(fate: Fate) -> &'static str {
    match fate {
        Fate::Passed => t!("Passed"),
        Fate::Accepted => t!("Accepted"),
        Fate::Refused => t!("Refused"),
        Fate::Failed => t!("No answer"),
    }
}
