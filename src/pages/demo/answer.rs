//! The current step: question, answer and verdict.

use super::{Player, Stage};
use crate::components::answer_form::AnswerForm;
use crate::components::call_view::call_comparison;
use crate::components::effect_view::effect_view;
use crate::components::search_view::needed_api;
use crate::components::transcript::transcript;
use crate::messages::demo::{AskModel, JudgeAnswer};
use crate::platform::fetch;
use crate::session::answer::Draft;
use crate::session::demo::known;
use crate::session::{Choice, Form, Route, format, terms};
use crate::state::{App, Latest};
use crate::texts::reasons::reason;
use crate::texts::{self, translated};
use crate::{english, t};
use exchange::protocol::Protocol;
use leptos::ev;
use leptos::prelude::*;
use record::{Gold, Outcome, RunSettings, SampleRecord};
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
        <section class="panel demo-stack" aria-label=t!("This step")>
            <div class="tabs" role="group" aria-label=t!("Answered by")>
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

/// The visitor answers with the game's form; words after a call are typed.
#[component]
fn Visitor(stage: Stage, sample: SampleRecord) -> impl IntoView {
    let app = stage.app;
    let answer = Latest::new();
    let id = sample.id;
    let check =
        move |text: String| answer.ask(app, JudgeAnswer { sample: id.clone(), answer: text });
    let form = if sample.kind.is_decision() {
        let apis = stage.walk.with_untracked(|walk| {
            walk.as_ref().map(|walk| known(walk, stage.step.get_untracked())).unwrap_or_default()
        });
        view! { <AnswerForm apis draft=RwSignal::new(Draft::default()) answer=check/> }.into_any()
    } else {
        reply(check).into_any()
    };
    view! {
        {form}
        <div class="demo-stack" role="status" data-test="demo-verdict">{move || judged(answer.get(), true)}</div>
    }
}

fn reply(check: impl Fn(String) + 'static) -> impl IntoView {
    let typed = RwSignal::new(String::new());
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        check(typed.get_untracked());
    };
    view! {
        <form class="demo-stack" on:submit=submit>
            <label class="field">
                <span class="label">{t!("Your reply to the user")}</span>
                <textarea rows="3" autocomplete="off" data-test="demo-typed"
                    prop:value=move || typed.get()
                    on:input=move |event| typed.set(event_target_value(&event))></textarea>
            </label>
            <div class="actions">
                <button type="submit" class="button button-primary" data-test="demo-check">{t!("Check")}</button>
            </div>
        </form>
    }
}

/// Settings that ask a form's model, in the text protocol, which the Demo shows.
fn settings_of(mut form: Form) -> Option<RunSettings> {
    form.choose_protocol(Protocol::Bracket);
    let mut settings = form.settings(&fetch::origin(), texts::current()).ok()?;
    settings.custom_prompts = None;
    Some(settings)
}

/// The settings of the Run page's endpoint, or of its model in the page, if it has one.
fn own_settings(app: App) -> Option<RunSettings> {
    let mut form = app.setup.form.get_untracked();
    if !form.runs_in_page() {
        form.choice = Choice::Endpoint;
    }
    settings_of(form)
}

/// Says that no model is set up, and where to do so.
fn no_model(app: App) -> impl IntoView {
    let choose = move |_| app.setup.form.update(|form| form.choice = Choice::Endpoint);
    view! {
        <p data-test="demo-no-model">
            {t!("No model is set up. The keyword baseline, which is no language model, can answer instead.")} " "
            <a href=Route::Run.href() on:click=choose>{t!("Set up an endpoint")}</a>
        </p>
    }
}

/// The Run page's model answers; without one, the keyword baseline.
#[component]
fn Endpoint(stage: Stage, sample: SampleRecord) -> impl IntoView {
    let app = stage.app;
    let answer = Latest::new();
    let own = own_settings(app);
    let missing = own.is_none().then(|| no_model(app));
    // The default model is the keyword baseline.
    let Some(settings) = own.or_else(|| settings_of(Form::default())) else {
        return ().into_any();
    };
    let title = format::model(&settings.model, texts::current()).to_owned();
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
        (_, answer) => judged(answer, false),
    };
    view! {
        {missing}
        <div class="actions">
            <button type="button" class="button button-primary" data-test="demo-ask" on:click=ask>
                {t!("Ask {model}", model = title)}
            </button>
        </div>
        <div class="demo-stack" role="status" data-test="demo-verdict">{verdict}</div>
    }
    .into_any()
}

/// The verdict on an answer, its call next to the gold call, and its effect. `hidden` folds the gold
/// call away while the answer is wrong.
fn judged(answer: Option<Result<SampleRecord, String>>, hidden: bool) -> AnyView {
    match answer {
        None => ().into_any(),
        Some(Ok(sample)) => verdict(&sample, hidden),
        Some(Err(message)) => view! { <p class="field-error">{message}</p> }.into_any(),
    }
}

fn verdict(sample: &SampleRecord, hidden: bool) -> AnyView {
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
            let title = t!("Wrong: {class}", class = terms::class(error, texts::current()));
            (title, "verdict verdict-wrong")
        }
        (false, None) => (t!("Wrong").to_owned(), "verdict verdict-wrong"),
    };
    let calls = match &sample.gold {
        Gold::Call(gold) => Some(call_comparison(gold, sample.parsed.as_ref())),
        Gold::Reply(_) | Gold::NoCall(_) | Gold::Episode(_) => None,
    };
    let calls = match (calls, hidden && !verdict.correct) {
        (Some(calls), true) => view! {
            <details class="fold">
                <summary data-test="demo-reveal">{t!("Show the answer")}</summary>
                {calls}
            </details>
        }
        .into_any(),
        (calls, _) => calls.into_any(),
    };
    let searched = needed_api(sample).filter(|_| !hidden || verdict.correct);
    let text = match &sample.outcome {
        Outcome::Answered(answer) => answer.text.clone(),
        Outcome::Failed { .. } => String::new(),
    };
    view! {
        <div class=class>
            <h3>{title}</h3>
            <p>{reason(&verdict.explanation, texts::current())}</p>
        </div>
        {calls}
        {sample.effect.as_deref().map(|effect| effect_view(effect, searched.as_deref()))}
        <details class="fold"><summary>{t!("Raw answer")}</summary><pre class="code">{text}</pre></details>
    }
    .into_any()
}
