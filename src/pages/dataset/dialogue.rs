//! One dialogue as a conversation: calls with results, changes of the databases, and links to the
//! samples of the last run.

use super::load;
use crate::components::effect_view::effect_view;
use crate::messages::browse::ReadDialogue;
use crate::platform::page;
use crate::session::Engine;
use crate::session::{Route, SampleState, format};
use crate::state::{App, Latest, go, use_app};
use crate::t;
use crate::texts::{self, translated};
use apis::Suite;
use apis::effect::Effect as CallEffect;
use dataset::browse::{Event, Reading};
use dataset::{Hard, RecordedCall};
use exchange::call;
use leptos::ev;
use leptos::prelude::*;

/// The page of a dialogue.
#[component]
pub fn DialoguePage(
    /// Its id.
    id: String,
) -> impl IntoView {
    let app = use_app();
    // A deep link skips the Dataset page: load the list for `j` and `k`.
    if app.data.browse.with_untracked(|browse| browse.overview.is_none()) {
        load(app);
    }
    let reading = Latest::new();
    reading.ask(app, ReadDialogue { dialogue: id.clone() });
    let wanted = id.clone();
    let neighbours = Memo::new(move |_| app.data.browse.with(|browse| browse.neighbours(&wanted)));
    keys(neighbours);
    view! {
        <Crumbs app id=id neighbours/>
        {move || match reading.get() {
            Some(Ok(reading)) => conversation(app, &reading).into_any(),
            Some(Err(message)) => view! { <p class="empty" data-test="dialogue-missing">{message}</p> }.into_any(),
            None => waiting(app).into_any(),
        }}
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

/// `j` and `k` go to the next and the previous dialogue of the filtered list.
fn keys(neighbours: Memo<(Option<String>, Option<String>)>) {
    let pressed = window_event_listener(ev::keydown, move |event| {
        if page::is_typing(&event) {
            return;
        }
        let (before, after) = neighbours.get_untracked();
        let to = match event.key().as_str() {
            "j" => after,
            "k" => before,
            _ => return,
        };
        if let Some(id) = to {
            go(&Route::Dialogue(id));
        }
    });
    on_cleanup(move || pressed.remove());
}

#[component]
fn Crumbs(
    app: App,
    id: String,
    neighbours: Memo<(Option<String>, Option<String>)>,
) -> impl IntoView {
    let back =
        app.data.browse.with_untracked(|browse| Route::Dataset(browse.filter.clone()).href());
    let link = |to: Option<String>, text: &'static str, test: &'static str| match to {
        Some(id) => {
            view! { <a class="button" data-test=test href=Route::Dialogue(id).href()>{text}</a> }
                .into_any()
        }
        None => {
            view! { <span class="button button-off" aria-disabled="true">{text}</span> }.into_any()
        }
    };
    view! {
        <nav class="crumbs" aria-label=t!("Dialogue")>
            <a href=back data-test="to-dataset">{t!("Dataset")}</a>
            <span aria-hidden="true">"›"</span>
            <span class="grow">{id}</span>
            {move || link(neighbours.get().0, t!("Previous (k)"), "previous-dialogue")}
            {move || link(neighbours.get().1, t!("Next (j)"), "next-dialogue")}
        </nav>
    }
}

fn conversation(app: App, reading: &Reading) -> impl IntoView + use<> {
    let suite = reading.ability.suite();
    let items = reading
        .events
        .iter()
        .enumerate()
        .map(|(turn, event)| {
            let sample = sample_link(app, &format!("{}#{turn}", reading.id));
            match event {
                Event::User { text } => said(t!("User"), "say say-user", text, sample),
                Event::Assistant { text } => said(t!("Assistant"), "say", text, sample),
                Event::Call { call, changes } => {
                    let result = call.result.clone();
                    let effect = CallEffect { result, changes: changes.clone() };
                    called(suite, call, &effect, sample)
                }
            }
        })
        .collect_view();
    view! {
        <article class="sample">
            <header class="sample-head">
                <h1 data-test="dialogue-title">{reading.id.clone()}</h1>
                <span class="tag">{translated(reading.ability.title())}</span>
                <a href=Route::Demo(Some(reading.id.clone())).href()>{t!("Play in Demo")}</a>
            </header>
            {reading.hard.as_ref().map(hard)}
            <ol class="talk talk-wide" data-test="dialogue-talk">{items}</ol>
        </article>
    }
}

fn hard(hard: &Hard) -> impl IntoView + use<> {
    view! {
        <section class="panel">
            <h2>{t!("Hard: {kind}", kind = translated(hard.kind.title()))}</h2>
            <p>{hard.right.clone()}</p>
        </section>
    }
}

fn said(who: &'static str, class: &'static str, text: &str, sample: Option<AnyView>) -> AnyView {
    view! {
        <li class=class>
            <span class="message-role">{who} {sample}</span>
            <p>{text.to_owned()}</p>
        </li>
    }
    .into_any()
}

fn called(
    suite: Suite,
    call: &RecordedCall,
    effect: &CallEffect,
    sample: Option<AnyView>,
) -> AnyView {
    let api = Route::Api(suite, call.api_name.clone()).href();
    let text = call::format(&call.api_name, &call.param_dict);
    let state = match &call.result.exception {
        Some(_) => ("tag tag-wrong", t!("refused").to_owned()),
        None if effect.changes.is_empty() => ("tag", t!("no change").to_owned()),
        None => (
            "tag tag-right",
            t!("{rows} changed", rows = format::rows(effect.changes.len(), texts::current())),
        ),
    };
    view! {
        <li class="say say-step" data-test="dialogue-call" data-api=call.api_name.clone()>
            <span class="message-role">{t!("Call of ")} <a href=api>{call.api_name.clone()}</a> {sample}</span>
            <code class="say-code">{text}</code>
            <details>
                <summary>{t!("Result and changes ")} <span class=state.0>{state.1}</span></summary>
                {effect_view(effect, None)}
            </details>
        </li>
    }
    .into_any()
}

/// A link to a sample of the last run, with its state.
fn sample_link(app: App, id: &str) -> Option<AnyView> {
    let profile = app.run.profile.get_untracked();
    let (state, href) = app.run.current.with_untracked(|run| {
        let state = SampleState::of(run.sample(id)?, profile);
        Some((state, run.route_of(id).href()))
    })?;
    let class = format!("tag tag-{}", state.as_str());
    let link = view! {
        {t!(" · last run: ")} <a href=href data-test="dialogue-sample"><span class=class>{state.title(texts::current())}</span></a>
    };
    Some(link.into_any())
}
