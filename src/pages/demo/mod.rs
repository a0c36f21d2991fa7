//! `#/demo`: a dialogue step by step. Watch the gold, be the model, or let your model do it.

mod answer;
mod search;
mod world;

use crate::components::talk::talk;
use crate::messages::demo::{ListDialogues, WalkDialogue};
use crate::session::Engine;
use crate::session::Route;
use crate::session::demo::graded;
use crate::state::{App, Latest, go, use_app};
use crate::t;
use crate::texts::translated;
use dataset::Ability;
use leptos::ev;
use leptos::prelude::*;
use record::SampleRecord;
use record::demo::{DialogueSummary, Walkthrough};
use std::time::Duration;

/// Time per step during playback, in milliseconds.
const PLAY_MS: u64 = 1_800;

/// Who answers graded steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Player {
    /// The gold answer is shown.
    #[default]
    Gold,
    /// The visitor types the answer.
    Visitor,
    /// The Run page's endpoint, or its model in the page.
    Endpoint,
}

/// State of the page.
#[derive(Clone, Copy)]
struct Stage {
    app: App,
    ability: RwSignal<Ability>,
    entries: RwSignal<Vec<DialogueSummary>>,
    walk: RwSignal<Option<Walkthrough>>,
    /// Index of the current step.
    step: RwSignal<usize>,
    player: RwSignal<Player>,
    trouble: RwSignal<Option<String>>,
}

impl Stage {
    /// The sample of the current step, if it is graded.
    fn sample(self) -> Option<SampleRecord> {
        self.walk.with(|walk| graded(walk.as_ref()?.steps.get(self.step.get())?).cloned())
    }

    fn last(self) -> usize {
        self.walk.with(|walk| walk.as_ref().map_or(0, |walk| walk.steps.len().saturating_sub(1)))
    }

    fn forward(self) {
        let last = self.last();
        self.step.update(|step| *step = (*step + 1).min(last));
    }

    fn back(self) {
        self.step.update(|step| *step = step.saturating_sub(1));
    }
}

/// The page.
#[component]
pub fn DemoPage(
    /// The dialogue to open; `None` for the first Call dialogue.
    dialogue: Option<String>,
) -> impl IntoView {
    let app = use_app();
    let ability = dialogue
        .as_deref()
        .and_then(|id| Ability::ALL.into_iter().find(|ability| id.starts_with(ability.as_str())))
        .unwrap_or(Ability::Call);
    let stage = Stage {
        app,
        ability: RwSignal::new(ability),
        entries: RwSignal::new(Vec::new()),
        walk: RwSignal::new(None),
        step: RwSignal::new(0),
        player: RwSignal::new(Player::Gold),
        trouble: RwSignal::new(None),
    };
    load(stage, dialogue);
    keys(stage);
    view! {
        <div class="demo-page">
            <div class="intro">
                <h1>{t!("Demo")}</h1>
                <p>
                    {t!("Go through a conversation step by step: what the user asks, which tool call is right, and what it changes.")}
                </p>
            </div>
            <Tabs stage/>
            {move || stage.trouble.get().map(|text| view! { <p class="field-error" role="alert">{text}</p> })}
            {move || match stage.walk.with(Option::is_some) {
                true => view! { <Scene stage/> }.into_any(),
                false => waiting(app).into_any(),
            }}
        </div>
    }
}

fn waiting(app: App) -> impl IntoView {
    let text = move || match app.worker.engine.get() {
        Engine::Ready(_) => t!("Opening the dialogue…"),
        Engine::Broken(_) => t!("The engine stopped."),
        _ => t!("Loading the data and the search model…"),
    };
    view! { <p class="empty" role="status">{text}</p> }
}

/// Requests the list of the ability and the dialogue.
fn load(stage: Stage, dialogue: Option<String>) {
    let app = stage.app;
    let listing = Latest::<Vec<DialogueSummary>>::new();
    let opening = Latest::<Walkthrough>::new();
    let mut wanted = dialogue;
    Effect::new(move || listing.ask(app, ListDialogues { ability: stage.ability.get() }));
    Effect::new(move || match listing.get() {
        Some(Ok(entries)) => {
            let first = wanted.take().or_else(|| entries.first().map(|entry| entry.id.clone()));
            stage.trouble.set(None);
            match first {
                Some(dialogue) => opening.ask(app, WalkDialogue { dialogue }),
                None => stage.trouble.set(Some(t!("This data has no such dialogue.").to_owned())),
            }
            stage.entries.set(entries);
        }
        Some(Err(message)) => stage.trouble.set(Some(message)),
        None => {}
    });
    Effect::new(move || match opening.get() {
        Some(Ok(walk)) => {
            stage.step.set(0);
            stage.walk.set(Some(walk));
        }
        Some(Err(message)) => stage.trouble.set(Some(message)),
        None => {}
    });
}

/// Arrow keys step forward and back, except in form fields and in areas that they scroll.
fn keys(stage: Stage) {
    let pressed = window_event_listener(ev::keydown, move |event| {
        use wasm_bindgen::JsCast;
        let typing = event
            .target()
            .and_then(|target| target.dyn_into::<web_sys::Element>().ok())
            .is_some_and(|element| {
                matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT")
                    || element.get_attribute("tabindex").as_deref() == Some("0")
            });
        if typing || event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        match event.key().as_str() {
            "ArrowRight" => stage.forward(),
            "ArrowLeft" => stage.back(),
            _ => {}
        }
    });
    on_cleanup(move || pressed.remove());
}

/// The tabs of the abilities.
#[component]
fn Tabs(stage: Stage) -> impl IntoView {
    let tab = move |ability: Ability| {
        let here = move || stage.ability.get() == ability;
        let choose = move |_| {
            stage.walk.set(None);
            stage.ability.set(ability);
        };
        view! {
            <button type="button" class="tab" data-test=format!("demo-{}", ability.as_str())
                aria-pressed=move || here().to_string() on:click=choose>
                {translated(ability.title())}
            </button>
        }
    };
    view! {
        <div class="demo-ability">
            <div class="tabs" role="group" aria-label=t!("Ability")>
                {Ability::ALL.map(tab).into_iter().collect_view()}
            </div>
            <p class="hint">{move || explain(stage.ability.get())}</p>
        </div>
    }
}

fn explain(ability: Ability) -> &'static str {
    match ability {
        Ability::Call => t!("The needed APIs are described. The model must make the correct call."),
        Ability::Retrieve => {
            t!(
                "Only API Search is described. The model must find the API by keywords, then call it."
            )
        }
        Ability::Plan => {
            t!(
                "One requirement, only API Search described. The model must chain searches and calls."
            )
        }
    }
}

#[component]
fn Scene(stage: Stage) -> impl IntoView {
    let conversation = move || {
        let (step, hidden) = (stage.step.get(), stage.player.get() != Player::Gold);
        stage.walk.with(|walk| walk.as_ref().map(|walk| talk(walk, step, hidden)))
    };
    view! {
        <Controls stage/>
        <div class="demo">
            <div class="demo-main">
                <ol class="talk" data-test="demo-talk" aria-live="polite">{conversation}</ol>
                <answer::AnswerPanel stage/>
            </div>
            <aside class="demo-side" aria-label=t!("Databases and search")>
                <world::WorldPanel stage/>
                <search::SearchPanel stage/>
            </aside>
        </div>
    }
}

/// The choice of dialogue, step and player.
#[component]
fn Controls(stage: Stage) -> impl IntoView {
    let playing = RwSignal::new(None::<IntervalHandle>);
    let stop = move || {
        if let Some(handle) = playing.get_untracked() {
            handle.clear();
            playing.set(None);
        }
    };
    let play = move |_| {
        if playing.get_untracked().is_some() {
            return stop();
        }
        let tick = move || match stage.step.get_untracked() < stage.last() {
            true => stage.forward(),
            false => stop(),
        };
        playing.set(set_interval_with_handle(tick, Duration::from_millis(PLAY_MS)).ok());
    };
    on_cleanup(stop);
    let options = move || {
        let shown = stage.walk.with(|walk| walk.as_ref().map(|walk| walk.dialogue.clone()));
        let option = |entry: DialogueSummary| {
            let selected = shown.as_ref() == Some(&entry.id);
            let opening: String = entry.opening.chars().take(60).collect();
            let text = format!("{}: {opening}", entry.id);
            view! { <option value=entry.id selected=selected>{text}</option> }
        };
        stage.entries.get().into_iter().map(option).collect_view()
    };
    let at_end = move || stage.step.get() >= stage.last();
    let choose = move |event| go(&Route::Demo(Some(event_target_value(&event))));
    view! {
        <div class="demo-controls">
            <label class="field demo-choice">
                <span class="label">{t!("Dialogue")}</span>
                <select data-test="demo-dialogue" on:change=choose>{options}</select>
            </label>
            <div class="actions">
                <button type="button" class="button" data-test="demo-back" disabled=move || stage.step.get() == 0
                    on:click=move |_| stage.back()>{t!("Back")}</button>
                <button type="button" class="button button-primary" data-test="demo-next"
                    disabled=at_end on:click=move |_| stage.forward()>{t!("Next")}</button>
                <button type="button" class="button" aria-pressed=move || playing.get().is_some().to_string()
                    on:click=play>{move || if playing.get().is_some() { t!("Stop") } else { t!("Play") }}</button>
                <span class="quiet num" role="status" data-test="demo-step">
                    {move || t!("Step {n} of {all}", n = stage.step.get() + 1, all = stage.last() + 1)}
                </span>
            </div>
        </div>
    }
}
