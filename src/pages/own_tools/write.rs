//! The panel in which a model writes tasks: settings, estimate and progress.

use super::Mine;
use crate::messages::Cancel;
use crate::messages::own_tools::{EstimateTasks, WriteTasks};
use crate::pages::run::agents_model::{AgentsModel, with_agents_model};
use crate::session::format;
use crate::state::App;
use crate::t;
use crate::texts;
use generator::own::{MOST_TASKS, TaskSettings};
use generator::{Budget, Spent};
use leptos::prelude::*;
use leptos::task::spawn_local;

/// Default number of tasks.
const USUAL: &str = "30";
/// Rejected answers per task before it is abandoned.
const TRIES: u32 = 4;

/// The panel.
#[component]
pub(super) fn Write(mine: Mine) -> impl IntoView {
    let app = mine.app;
    let (count, limit) = (RwSignal::new(USUAL.to_owned()), RwSignal::new(String::new()));
    let attempted = RwSignal::new(false);
    let settings = Memo::new(move |_| settings(&count.read(), &limit.read()));
    let wrong = move || settings.with(|settings| settings.as_ref().err().cloned());
    let active = Memo::new(move |_| app.writing.with(|writing| writing.active));
    let start = move |_| {
        attempted.set(true);
        begin(mine, settings.get_untracked());
    };
    view! {
        <details class="panel stack" data-test="tools-write">
            <summary>{t!("Write tasks with a model")}</summary>
            <p class="hint">
                {t!("The model plays the user, the assistant and a tester. Every task passes the checks and the tester.")} " "
                {t!("They become drafts for you to review.")}
            </p>
            <div class="field-row">
                <Number label=t!("Tasks") test="tools-write-count" value=count/>
                <Number label=t!("Request limit (empty: none)") test="tools-write-limit" value=limit/>
            </div>
            <p class="field-error" role="alert" data-test="tools-write-wrong" hidden=move || wrong().is_none()>{wrong}</p>
            <AgentsModel attempted/>
            <Estimate mine settings/>
            <div class="actions">
                <Show when=move || active.get() fallback=move || view! {
                    <button type="button" class="button button-primary" data-test="tools-write-start"
                        disabled=move || mine.is_busy() on:click=start>{t!("Write tasks")}</button>
                }>
                    <button type="button" class="button button-stop" data-test="tools-write-cancel"
                        on:click=move |_| app.send(Cancel {})>{t!("Cancel")}</button>
                </Show>
            </div>
            <Progress app/>
        </details>
    }
}

fn settings(count: &str, limit: &str) -> Result<TaskSettings, String> {
    let range = 1..=MOST_TASKS;
    let count: Option<usize> = count.trim().parse().ok().filter(|count| range.contains(count));
    let Some(count) = count else {
        let most = format::count(MOST_TASKS);
        return Err(t!("Tasks: expected a number from 1 to {most}.", most = most));
    };
    let requests = match limit.trim() {
        "" => None,
        limit => match limit.parse() {
            Ok(limit) => Some(limit),
            Err(_) => return Err(t!("Request limit: expected a number or nothing.").to_owned()),
        },
    };
    Ok(TaskSettings {
        count,
        budget: Budget { requests, ..Budget::default() },
        seed: 1,
        tries: TRIES,
    })
}

/// Writes tasks, once the user agrees to the endpoint.
fn begin(mine: Mine, settings: Result<TaskSettings, String>) {
    let app = mine.app;
    let Ok(settings) = settings else { return };
    with_agents_model(app, move |asking, key| {
        app.writing.update(|writing| writing.begin(settings.count));
        let request = WriteTasks { settings, asking, key };
        let answer = app.follow(request, None, move |progress| {
            app.writing.update(|writing| writing.fold(&progress));
            if let Some(pack) = progress.pack {
                app.own_tools.set(Some(pack));
            }
        });
        // The app's signals outlive the page.
        spawn_local(async move {
            let ending = answer.await;
            app.writing.update(|writing| writing.end(ending));
        });
    });
}

/// A number field.
#[component]
fn Number(label: &'static str, test: &'static str, value: RwSignal<String>) -> impl IntoView {
    view! {
        <label class="field">
            <span class="label">{label}</span>
            <input type="text" inputmode="numeric" autocomplete="off" data-test=test
                prop:value=value on:input=move |event| value.set(event_target_value(&event))/>
        </label>
    }
}

/// The estimate of requests and tokens.
#[component]
fn Estimate(mine: Mine, settings: Memo<Result<TaskSettings, String>>) -> impl IntoView {
    let described = Memo::new(move |_| mine.pack.with(|it| it.as_ref().map(|it| it.rows.clone())));
    let spent = LocalResource::new(move || {
        let count = settings.with(|settings| settings.as_ref().ok().map(|settings| settings.count));
        // The estimate depends on the tools.
        described.track();
        let request = count.map(|count| EstimateTasks { count });
        async move { mine.app.ask(request?).await.ok() }
    });
    view! {
        <p class="quiet" data-test="tools-write-estimate">
            {move || spent.get().flatten().map(|spent: Spent| t!(
                "About {requests} requests, {prompt} tokens of prompts and {answer} of answers; more if answers are rejected.",
                requests = format::count(spent.requests as usize),
                prompt = format::count(spent.prompt_tokens as usize),
                answer = format::count(spent.completion_tokens as usize)
            ))}
        </p>
    }
}

/// Progress, and the reasons of rejected answers.
#[component]
fn Progress(app: App) -> impl IntoView {
    let so_far = move || {
        app.writing.with(|writing| {
            (writing.wanted > 0).then(|| {
                t!(
                    "{n} of {all} tasks, {requests} requests, {tokens} tokens.",
                    n = format::count(writing.accepted),
                    all = format::count(writing.wanted),
                    requests = format::count(writing.spent.requests as usize),
                    tokens = format::count(
                        writing.spent.prompt_tokens.saturating_add(writing.spent.completion_tokens)
                            as usize
                    )
                )
            })
        })
    };
    let refused = move || {
        let reasons = app.writing.with(|writing| writing.refused.clone());
        let count = reasons.len();
        let items = reasons.into_iter().map(|reason| view! { <li>{reason}</li> }).collect_view();
        (count > 0).then(|| {
            view! {
                <details data-test="tools-write-refused">
                    <summary>{t!("Rejected answers")}</summary>
                    <ul>{items}</ul>
                </details>
            }
        })
    };
    view! {
        <p role="status" data-test="tools-write-progress">
            {so_far} " " {move || app.writing.with(|writing| writing.ending_text(texts::current()))}
        </p>
        {refused}
    }
}
