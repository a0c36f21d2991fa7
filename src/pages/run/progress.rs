//! Progress of the run: abilities, running accuracy, errors, time.

use crate::platform::page;
use crate::session::{Engine, Phase, format, terms};
use crate::state::{App, use_app};
use crate::t;
use crate::texts::{self, translated};
use dataset::Ability;
use leptos::prelude::*;
use record::table::Shape;
use record::{AbilityRow, Rate};
use std::time::Duration;

/// The panel below the form; after the run, without abilities and errors.
#[component]
pub fn ProgressPanel() -> impl IntoView {
    let app = use_app();
    let now = RwSignal::new(page::now_ms());
    let ticking = set_interval_with_handle(
        move || {
            if app.run.current.with_untracked(|run| run.phase.is_active()) {
                now.set(page::now_ms());
            }
        },
        Duration::from_millis(250),
    );
    if let Ok(ticking) = ticking {
        on_cleanup(move || ticking.clear());
    }
    let summary = app.run.summary();
    let total = Memo::new(move |_| summary.read().rows.last().cloned().unwrap_or_default());
    let shape = Memo::new(move |_| summary.with(Shape::of));
    let rate = move || *shape.get().rate(&total.read());
    let active = Memo::new(move |_| app.run.current.with(|run| run.phase.is_active()));
    let phase = move || app.run.current.with(|run| run.phase);
    let elapsed = move || {
        let started = app.run.current.with(|run| run.phase != Phase::Idle);
        started.then(|| format::span(app.run.current.with(|run| run.elapsed_ms(now.get()))))
    };
    let throughput = move || {
        app.run
            .current
            .with(|run| run.throughput(now.get()))
            .map(|rate| format!("{} ", format::throughput(rate, texts::current())))
    };
    view! {
        <section class="panel progress" aria-labelledby="progress-title">
            <div class="progress-head">
                <h2 id="progress-title" tabindex="-1">{t!("Progress")}</h2>
                <p class="status" role="status" data-phase=move || phase().as_str()>
                    <strong data-test="status-text">{move || phase().title(texts::current())}</strong>
                    <span class="quiet">{move || detail(app)}</span>
                </p>
                <p class="elapsed num">
                    <span data-test="throughput" class="quiet">{throughput}</span>
                    <span data-test="elapsed">{elapsed}</span>
                </p>
            </div>
            {move || app.run.current.with(|run| run.stopped.clone()).map(|reason| view! {
                <p class="failure-text" role="status" data-test="stopped">
                    {t!("The run stopped. {reason} Fix the problem, then resume.", reason = reason)}
                </p>
            })}
            {move || app.run.current.with(|run| run.held_ms(now.get())).map(|ms| view! {
                <p class="quiet" data-test="held">
                    {t!("Waiting for the endpoint. Retrying in {time}.", time = format::span(ms))}
                </p>
            })}
            {move || app.run.current.with(|run| run.not_kept.clone()).map(|why| view! {
                <p class="failure-text" role="status" data-test="not-kept">
                    {t!(
                        "Part of this run is not saved in the browser: {why} The run continues; save its file at the end.",
                        why = why
                    )}
                </p>
            })}
            <Show when=move || active.get()>
            <ul class="abilities-progress">
                {Ability::ALL.map(|ability| view! { <AbilityProgress app ability now/> }).into_iter().collect_view()}
            </ul>
            <div class="running">
                <div>
                    <span class="label">{move || translated(shape.get().correct())}</span>
                    <span class="figure num" data-test="running-accuracy">{move || format::percent(&rate())}</span>
                    <span class="quiet">{move || counted(&rate())}</span>
                </div>
                <Errors app total/>
            </div>
            </Show>
            // Loads the font of the samples before they arrive: the first use of a font blocks the
            // page, longer on a busy machine.
            <code class="visually-hidden" aria-hidden="true">"0"</code>
        </section>
    }
}

/// n and interval of the running accuracy.
fn counted(rate: &Rate) -> String {
    if rate.n == 0 {
        return t!("nothing scored yet").to_owned();
    }
    t!(
        "n = {n}, 95 % interval {interval} %",
        n = format::count(rate.n),
        interval = format::interval(rate)
    )
}

/// The detail next to the status.
fn detail(app: App) -> String {
    let (phase, message, model) = app.run.current.with(|run| {
        let model = run
            .settings
            .as_ref()
            .map(|settings| format::model(&settings.model, texts::current()).to_owned());
        (run.phase, run.message.clone(), model.unwrap_or_default())
    });
    match phase {
        Phase::Idle => t!("No run yet. Press Run.").to_owned(),
        Phase::Loading => match app.worker.engine.get() {
            Engine::Loading(bytes) => {
                t!("Loading the search model and databases, {size}", size = format::size(bytes))
            }
            _ => t!("Starting the engine").to_owned(),
        },
        Phase::Failed => message.unwrap_or_default(),
        Phase::Paused => {
            t!("{model}. Requests in flight will finish; no new ones are sent.", model = model)
        }
        Phase::Running | Phase::Finished | Phase::Cancelled => model,
    }
}

#[component]
fn AbilityProgress(app: App, ability: Ability, now: RwSignal<f64>) -> impl IntoView {
    let progress = Memo::new(move |_| app.run.current.with(|run| run.progress(ability)));
    let summary = app.run.summary();
    let row = Memo::new(move |_| {
        let summary = summary.read();
        // The hard split has rows by kind and only Call, so the total is the ability's.
        let hard = summary.rows.iter().any(|row| row.kind.is_some());
        let wanted = if hard { None } else { Some(ability) };
        let own = |row: &AbilityRow| row.ability == wanted && row.kind.is_none();
        summary.rows.iter().find(|row| own(row)).cloned().unwrap_or_default()
    });
    let rate = move || *summary.with(Shape::of).rate(&row.read());
    let done = move || progress.get().unwrap_or_default().done;
    let planned = move || progress.get().unwrap_or_default().planned;
    let in_run = move || {
        progress.get().is_some()
            || app.run.current.with(|run| run.planned.is_empty())
                && app.setup.form.with(|form| form.runs(ability))
    };
    let remaining = move || {
        app.run
            .current
            .with(|run| run.remaining_ms(ability, now.get()))
            .map(|ms| t!("{time} left", time = format::about(ms, texts::current())))
    };
    let name_id = format!("progress-name-{}", ability.as_str());
    view! {
        <li class="ability" class:ability-off=move || !in_run() data-test=format!("progress-{}", ability.as_str())
            data-done=done data-planned=planned>
            <div class="ability-head">
                <h3 id=name_id.clone()>{translated(ability.title())}</h3>
                <span class="quiet" data-test=format!("remaining-{}", ability.as_str())>{remaining}</span>
                <span class="num quiet">
                    {move || progress.get().map(|it| format!("{} / {}", format::count(it.done), format::count(it.planned)))}
                </span>
                <span class="num ability-rate">
                    {move || Some(rate()).filter(|rate| rate.n > 0).map(|it| format::percent(&it))}
                </span>
            </div>
            <progress aria-labelledby=name_id max=move || planned().max(1) prop:value=move || done() as f64></progress>
        </li>
    }
}

/// Wrong answers by class, and separately requests without an answer.
#[component]
fn Errors(app: App, total: Memo<AbilityRow>) -> impl IntoView {
    let classes = move || {
        let errors = total.read().errors.clone();
        errors
            .into_iter()
            .map(|(class, count)| {
                view! { <li class="chip"><span>{terms::class(class, texts::current())}</span> <b class="num">{format::count(count)}</b></li> }
            })
            .collect_view()
    };
    let first =
        move || app.run.current.with(|run| run.failed().next().map(|(_, text)| text.to_owned()));
    view! {
        <div>
            <span class="label">{t!("Wrong calls by class")}</span>
            <ul class="chips" data-test="error-classes">{classes}</ul>
            {move || total.read().errors.is_empty().then(|| view! { <span class="quiet">{t!("none")}</span> })}
        </div>
        <Show when=move || { total.read().failed > 0 }>
            <div>
                <span class="label">{t!("Not scored (no answer)")}</span>
                <span class="num warn" data-test="infrastructure-errors">
                    {move || format::count(total.read().failed)}
                </span>
                {move || first().map(|text| view! { <p class="failure-text">{t!("First: {text}", text = text)}</p> })}
            </div>
        </Show>
    }
}
