//! The current step: question, answer and verdict.

use super::{Player, Stage};
use crate::components::call_view::call_comparison;
use crate::components::effect_view::effect_view;
use crate::components::search_view::needed_api;
use crate::components::transcript::transcript;
use crate::platform::fetch;
use crate::protocol::demo::{AskModel, JudgeAnswer};
use crate::session::Choice;
use crate::session::demo::{Suggestion, known, suggestions};
use crate::state::Latest;
use crate::texts::{self, translated};
use crate::{english, t};
use exchange::protocol::{Protocol, SampleKind};
use leptos::ev;
use leptos::prelude::*;
use record::{Gold, Outcome, SampleRecord};
use scoring::Profile;

const PLAYERS: [(Player, &str, &str); 3] = [
    (Player::Gold, "gold", english!("Show gold")),
    (Player::Visitor, "visitor", english!("Be the model")),
    (Player::Endpoint, "endpoint", english!("Ask my model")),
];

/// The panel below the conversation.
#[component]
pub(super) fn AnswerPanel(stage: Stage) -> impl IntoView {
    let sample = Memo::new(move |_| stage.sample());
    let choice = move |(player, name, title): (Player, &'static str, &'static str)| {
        view! {
            <button type="button" class="tab" data-test=format!("demo-player-{name}")
                aria-pressed=move || (stage.player.get() == player).to_string()
                on:click=move |_| stage.player.set(player)>{translated(title)}</button>
        }
    };
    let body = move || match (sample.get(), stage.player.get()) {
        (None, _) => {
            view! { <p class="quiet">{t!("This step isn't scored. Press Next.")}</p> }.into_any()
        }
        (Some(sample), Player::Gold) => gold(&sample).into_any(),
        (Some(sample), Player::Visitor) => view! { <Visitor stage sample/> }.into_any(),
        (Some(sample), Player::Endpoint) => view! { <Endpoint stage sample/> }.into_any(),
    };
    view! {
        <section class="panel" aria-label=t!("This step")>
            <div class="tabs tabs-small" role="group" aria-label=t!("Answered by")>
                {PLAYERS.map(choice).into_iter().collect_view()}
            </div>
            {body}
            {move || sample.get().map(|sample| view! {
                <details class="fold">
                    <summary>{t!("Model input")}</summary>
                    {transcript(&sample.messages)}
                </details>
            })}
        </section>
    }
}

fn gold(sample: &SampleRecord) -> AnyView {
    match (&sample.gold, &sample.gold_effect) {
        (Gold::Call(_), Some(effect)) => {
            effect_view(effect, needed_api(sample).as_deref()).into_any()
        }
        (Gold::Call(_), None) => view! { <p class="quiet">{t!("Returns nothing.")}</p> }.into_any(),
        (Gold::Reply(_) | Gold::NoCall(_) | Gold::Episode(_), _) => view! {
            <p class="quiet">{t!("A reply after a call, compared with the gold reply by ROUGE-L.")}</p>
        }
        .into_any(),
    }
}

/// The visitor types the answer, with suggestions.
#[component]
fn Visitor(stage: Stage, sample: SampleRecord) -> impl IntoView {
    let app = stage.app;
    let typed = RwSignal::new(String::new());
    let answer = Latest::new();
    let is_call = sample.kind == SampleKind::Call;
    let apis = stage.walk.with_untracked(|walk| {
        walk.as_ref().map(|walk| known(walk, stage.step.get_untracked())).unwrap_or_default()
    });
    let id = sample.id;
    let check = move |event: ev::SubmitEvent| {
        event.prevent_default();
        answer.ask(app, JudgeAnswer { sample: id.clone(), answer: typed.get_untracked() });
    };
    let offers = move || {
        let offered = if is_call { suggestions(&typed.read(), &apis) } else { Vec::new() };
        offered.into_iter().map(|it| offer(typed, it)).collect_view()
    };
    let hint = if is_call {
        t!("Type the call, e.g. [GetUserToken(username='…', password='…')].")
    } else {
        t!("Type the reply to the user.")
    };
    view! {
        <form class="demo-form" on:submit=check>
            <label class="field">
                <span class="label">{hint}</span>
                <textarea class="mono" rows="3" spellcheck="false" autocomplete="off" data-test="demo-typed"
                    prop:value=move || typed.get()
                    on:input=move |event| typed.set(event_target_value(&event))></textarea>
            </label>
            <div class="offers" aria-label=t!("Suggestions")>{offers}</div>
            <div class="actions">
                <button type="submit" class="button button-primary" data-test="demo-check">{t!("Check")}</button>
            </div>
        </form>
        <div role="status" data-test="demo-verdict">{move || judged(answer.get())}</div>
    }
}

fn offer(typed: RwSignal<String>, suggestion: Suggestion) -> impl IntoView {
    let text = suggestion.text;
    view! {
        <button type="button" class="button button-small mono"
            on:click=move |_| typed.set(text.clone())>{suggestion.label}</button>
    }
}

/// The Run page's endpoint answers, or its model in the page.
#[component]
fn Endpoint(stage: Stage, sample: SampleRecord) -> impl IntoView {
    let app = stage.app;
    let answer = Latest::new();
    let settings = app.setup.form.with_untracked(|form| {
        let mut form = form.clone();
        if !form.runs_in_page() {
            form.choice = Choice::Endpoint;
        }
        // The Demo shows the text protocol.
        form.asking.protocol = Protocol::Bracket;
        form.settings(&fetch::origin(), texts::current())
    });
    let Ok(mut settings) = settings else {
        return view! {
            <p class="empty">
                {t!("First set an endpoint, or load a model, on ")} <a href="#/run">{t!("Run")}</a> {t!(".")}
            </p>
        }
        .into_any();
    };
    settings.custom_prompts = None;
    let title = settings.model.title().to_owned();
    let id = sample.id;
    let ask = move |_| {
        let (sample, settings) = (id.clone(), Box::new(settings.clone()));
        app.once_agreed(
            &settings.model.clone(),
            app.setup.form.with_untracked(|form| form.source()),
            move || {
                let key = app.sending.key_for(&settings.model);
                answer.ask(app, AskModel { sample, settings, key });
            },
        );
    };
    let verdict = move || match (answer.is_asked(), answer.get()) {
        (true, None) => view! { <p class="quiet">{t!("Waiting for the answer…")}</p> }.into_any(),
        (_, answer) => judged(answer),
    };
    view! {
        <div class="actions">
            <button type="button" class="button button-primary" data-test="demo-ask" on:click=ask>
                {t!("Ask {model}", model = title)}
            </button>
        </div>
        <div role="status" data-test="demo-verdict">{verdict}</div>
    }
    .into_any()
}

/// The verdict on an answer, its call next to the gold call, and its effect.
fn judged(answer: Option<Result<SampleRecord, String>>) -> AnyView {
    match answer {
        None => ().into_any(),
        Some(Ok(sample)) => verdict(&sample),
        Some(Err(message)) => view! { <p class="field-error">{message}</p> }.into_any(),
    }
}

fn verdict(sample: &SampleRecord) -> AnyView {
    if let Outcome::Failed { message, .. } = &sample.outcome {
        return view! { <p class="field-error">{message.clone()}</p> }.into_any();
    }
    if let Some(score) = sample.rouge_l {
        return view! { <p>{t!("ROUGE-L against the gold reply: ")} <strong>{format!("{score:.3}")}</strong></p> }
            .into_any();
    }
    let Some(verdict) = sample.verdict(Profile::Execution) else { return ().into_any() };
    let (title, class) = match (verdict.correct, verdict.error_class) {
        (true, _) => (t!("Right").to_owned(), "verdict verdict-right"),
        (false, Some(error)) => {
            let title = t!("Wrong: {class}", class = translated(error.title()));
            (title, "verdict verdict-wrong")
        }
        (false, None) => (t!("Wrong").to_owned(), "verdict verdict-wrong"),
    };
    let calls = match &sample.gold {
        Gold::Call(gold) => Some(call_comparison(gold, sample.parsed.as_ref())),
        Gold::Reply(_) | Gold::NoCall(_) | Gold::Episode(_) => None,
    };
    let text = match &sample.outcome {
        Outcome::Answered(answer) => answer.text.clone(),
        Outcome::Failed { .. } => String::new(),
    };
    view! {
        <div class=class>
            <h3>{title}</h3>
            <p>{verdict.explanation.clone()}</p>
        </div>
        <details class="fold"><summary>{t!("Raw answer")}</summary><pre class="code">{text}</pre></details>
        {calls}
        {sample.effect.as_ref().map(|effect| effect_view(effect, needed_api(sample).as_deref()))}
    }
    .into_any()
}
