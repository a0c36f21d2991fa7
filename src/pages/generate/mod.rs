//! The Generate page: a training set from five agents on the Run page's endpoint.

mod dialogues;
mod figures;
mod refused;
mod setup;

use crate::messages::generate::{File, GenerationProgress, ShowGeneration, TraceDialogue};
use crate::messages::{MakeFile, Request};
use crate::session::Route;
use crate::session::generation::Phase;
use crate::state::{App, use_app};
use crate::t;
use crate::texts::translated;
use generator::Stop;
use leptos::prelude::*;
use leptos::task::spawn_local;

/// Shows the progress of a generation, and its end.
fn follow<R: Request<Progress = GenerationProgress>>(app: App, request: R)
where
    R::Answer: Into<Option<Stop>>,
{
    let stop = app.follow(request, None, move |progress| {
        app.generation.current.update(|current| current.fold(progress));
    });
    spawn_local(async move {
        let stop = stop.await.map(Into::into);
        app.generation.current.update(|current| current.finish(stop));
    });
}

/// Shows every answer of a dialogue.
fn trace(app: App, slot: usize) {
    let steps = app.ask(TraceDialogue { slot });
    spawn_local(async move {
        let steps = steps.await;
        app.generation.current.update(|current| current.show(slot, steps));
    });
}

/// Form and figures side by side, results below.
#[component]
pub fn GeneratePage() -> impl IntoView {
    let app = use_app();
    if app.generation.current.with_untracked(|current| current.phase == Phase::Unknown) {
        follow(app, ShowGeneration {});
    }
    let begun = Memo::new(move |_| app.generation.current.with(|it| it.settings.is_some()));
    view! {
        <div class="intro">
            <h1>{t!("Generate training dialogues")}</h1>
            <p>
                {t!("Writes example conversations with tool calls, from which other models can learn to use tools.")} " "
                {t!("Your model plays five agents: they propose domains, define APIs, ask as the user, \
                make calls with simulated results and reply, and test the dialogue. Automatic checks run \
                first and cost no requests.")}
            </p>
        </div>
        <div class="bench">
            <setup::Setup/>
            <figures::FiguresPanel/>
        </div>
        <Show when=move || begun.get()>
            <figures::SetTable/>
            <figures::Yields/>
            <Domains/>
            <dialogues::Dialogues/>
            <refused::RefusedList/>
            <Downloads/>
        </Show>
    }
}

/// The domains, in order.
#[component]
fn Domains() -> impl IntoView {
    let app = use_app();
    let count = Memo::new(move |_| app.generation.current.with(|current| current.domains.len()));
    let names = move || {
        let count = count.get();
        let names = app.generation.current.with_untracked(|current| current.domains.clone());
        names.into_iter().take(count).enumerate()
    };
    view! {
        <section class="results" aria-labelledby="domains-title">
            <div class="section-head">
                <h2 id="domains-title">{t!("Domains")}</h2>
                <span class="quiet num" role="status" data-test="domain-count">{move || count.get()}</span>
            </div>
            <ul class="chips domain-list" data-test="domains">
                <For each=names key=|(at, _)| *at children=|(_, name)| view! { <li class="chip">{name}</li> }/>
            </ul>
        </section>
    }
}

/// The downloads.
#[component]
fn Downloads() -> impl IntoView {
    let app = use_app();
    let some = Memo::new(move |_| app.generation.current.with(|it| it.tally.figures.total() > 0));
    let files = File::ALL
        .map(|file| {
            let save = move |_| app.save(MakeFile::Generation(file));
            // The recipe and the journal are useful even without dialogues.
            let needs = !matches!(file, File::Journal | File::Recipe);
            view! {
                <li>
                    <button type="button" class="button" data-test=format!("save-{}", file.name())
                        disabled=move || needs && !some.get() on:click=save>{file.name()}</button>
                    <span class="quiet">{translated(file.explain())}</span>
                </li>
            }
        })
        .into_iter()
        .collect_view();
    view! {
        <section class="results" aria-labelledby="downloads-title">
            <div class="section-head"><h2 id="downloads-title">{t!("Downloads")}</h2></div>
            <ul class="downloads">{files}</ul>
            <p hidden=move || !some.get()>
                <a class="button" data-test="generated-import" href=Route::Data.href()
                    on:click=move |_| app.import_generated()>{t!("Save as a data pack")}</a>
                <span class="quiet">{t!(" Lets you run models on the dialogues or audit them; calls return their recorded results.")}</span>
            </p>
        </section>
    }
}
