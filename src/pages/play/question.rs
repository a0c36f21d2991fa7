//! One question: the conversation, the form, and the verdict in the form's place.

use super::Play;
use crate::components::answer_form::AnswerForm;
use crate::components::call_view::call_comparison;
use crate::components::effect_view::change_list;
use crate::components::talk::talk;
use crate::messages::demo::WalkDialogue;
use crate::platform::page;
use crate::session::Route;
use crate::session::answer::{Draft, step_of};
use crate::session::demo::known;
use crate::session::game::dialogue;
use crate::state::Latest;
use crate::t;
use crate::texts::reasons::reason;
use crate::texts::{self, translated};
use gloo_timers::callback::Timeout;
use leptos::ev;
use leptos::prelude::*;
use record::demo::Walkthrough;
use record::{Gold, SampleRecord};
use scoring::Profile;

#[component]
pub(super) fn Question(play: Play) -> impl IntoView {
    let at = Memo::new(move |_| play.progress.with(|progress| progress.current()));
    let walk = Latest::<Walkthrough>::new();
    Effect::new(move || {
        let sample = play.ids.with_value(|ids| ids.get(at.get()).cloned());
        if let Some(sample) = sample {
            walk.ask(play.app, WalkDialogue { dialogue: dialogue(&sample).to_owned() });
        }
    });
    let scene = move || match walk.get() {
        None => {
            view! { <p class="empty" role="status">{t!("Opening the dialogue…")}</p> }.into_any()
        }
        Some(Err(reason)) => view! {
            <p class="field-error" role="alert">{reason}</p>
            <p>
                {t!("The game needs the built-in dialogues.")} " "
                <a href=Route::Data.href()>{t!("Choose the data")}</a>
            </p>
        }
        .into_any(),
        Some(Ok(walk)) => view! { <Scene play walk at=at.get_untracked()/> }.into_any(),
    };
    let count = move || t!("Question {n} of {all}", n = at.get() + 1, all = play.count());
    view! {
        <h2 class="play-count" tabindex="-1" data-test="play-count">{count}</h2>
        {scene}
    }
}

#[component]
fn Scene(play: Play, walk: Walkthrough, at: usize) -> impl IntoView {
    let sample = play.ids.with_value(|ids| ids.get(at).cloned()).unwrap_or_default();
    let step = step_of(&walk, &sample).unwrap_or_default();
    let apis = known(&walk, step);
    let walk = StoredValue::new(walk);
    let reviewing = Memo::new(move |_| play.progress.with(|progress| progress.reviewing));
    let panel = move || match reviewing.get() {
        true => view! { <Review play at/> }.into_any(),
        false => view! { <Ask play apis=apis.clone()/> }.into_any(),
    };
    view! {
        <div class="demo">
            <ol class="talk" data-test="play-talk">
                {move || walk.with_value(|walk| talk(walk, step, !reviewing.get()))}
            </ol>
            <section class="panel" aria-label=t!("Your answer")>{panel}</section>
        </div>
    }
}

#[component]
fn Ask(play: Play, apis: Vec<&'static apis::Api>) -> impl IntoView {
    let draft = RwSignal::new(play.progress.with_untracked(|progress| progress.draft.clone()));
    Effect::new(move || {
        let draft: Draft = draft.get();
        play.progress.update(|progress| progress.draft = draft);
    });
    let answer = move |text: String| play.progress.update(|progress| progress.answer(text));
    view! { <AnswerForm apis draft answer/> }
}

#[component]
fn Review(play: Play, at: usize) -> impl IntoView {
    let shown = move || match play.judged.get() {
        Some(Err(reason)) => view! { <p class="field-error" role="alert">{reason}</p> }.into_any(),
        Some(Ok(samples)) if samples.len() > at => {
            Timeout::new(0, || page::focus("[data-test=\"play-verdict\"]")).forget();
            samples.get(at).map(|sample| review(play, at, sample)).into_any()
        }
        _ => view! { <p class="quiet" role="status">{t!("Judging…")}</p> }.into_any(),
    };
    view! { <div class="demo-stack">{shown}</div> }
}

fn review(play: Play, at: usize, sample: &SampleRecord) -> Option<impl IntoView + use<>> {
    let verdict = sample.verdict(Profile::Execution)?;
    let title = match (verdict.correct, verdict.error_class) {
        (true, _) => t!("Right").to_owned(),
        (false, Some(error)) => t!("Wrong: {class}", class = translated(error.title())),
        (false, None) => t!("Wrong").to_owned(),
    };
    let class = if verdict.correct { "verdict verdict-right" } else { "verdict verdict-wrong" };
    let last = at + 1 == play.count();
    let enter = move |event: ev::KeyboardEvent| {
        if event.key() == "Enter" {
            event.prevent_default();
            play.next();
        }
    };
    Some(view! {
        <div class=class tabindex="-1" data-test="play-verdict" on:keydown=enter>
            <h3>{title}</h3>
            <p>{reason(&verdict.explanation, texts::current())}</p>
        </div>
        <div class="actions">
            <button type="button" class="button button-primary" data-test="play-next" on:click=move |_| play.next()>
                {if last { t!("See the result") } else { t!("Next question") }}
            </button>
        </div>
        {gold(sample)}
        <p class="hint">{rivals(play, &sample.id)}</p>
    })
}

/// The right answer and its changes.
fn gold(sample: &SampleRecord) -> AnyView {
    match &sample.gold {
        Gold::Call(gold) => view! {
            {call_comparison(gold, sample.parsed.as_ref())}
            <p class="subhead">{t!("What the right call changes in the databases")}</p>
            {change_list(sample.gold_effect.as_ref().map_or(&[], |it| it.changes.as_slice()))}
        }
        .into_any(),
        Gold::Reply(text) | Gold::NoCall(text) => view! {
            <p class="subhead">{t!("A right answer in words, for example")}</p>
            <p>{text.clone()}</p>
        }
        .into_any(),
        Gold::Episode(_) => ().into_any(),
    }
}

/// Who else was right.
fn rivals(play: Play, id: &str) -> String {
    play.game.with_value(|game| {
        let right = game.right(id).unwrap_or_default();
        let line = |(rival, right): (&record::leaderboard::Rival, bool)| {
            let verdict = if right { t!("right") } else { t!("wrong") };
            format!("{}: {verdict}", translated_name(&rival.model))
        };
        game.rivals.iter().zip(right).map(line).collect::<Vec<_>>().join(" · ")
    })
}

/// A rival's name in the language of the page: only built-in models have one.
pub(super) fn translated_name(model: &str) -> String {
    let builtin = record::Baseline::ALL.into_iter().find(|baseline| baseline.title() == model);
    builtin.map_or_else(|| model.to_owned(), |it| translated(it.title()).to_owned())
}
