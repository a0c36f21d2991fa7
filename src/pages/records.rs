//! The Records page: stored runs, to open, save or delete.

use crate::components::confirm::Confirm;
use crate::messages::MakeFile;
use crate::platform::page;
use crate::session::{Route, format};
use crate::state::{App, go, use_app};
use crate::stored_runs::StoredRun;
use crate::t;
use crate::texts;
use leptos::prelude::*;
use record::table::Shape;
use scoring::Profile;

/// The list.
#[component]
pub fn RecordsPage() -> impl IntoView {
    let app = use_app();
    app.refresh_runs();
    let trouble = move || app.records.stored.with(|kept| kept.as_ref().err().cloned());
    let runs = move || {
        app.records.stored.with(|kept| kept.as_ref().map(|it| it.runs.clone()).unwrap_or_default())
    };
    let damaged = move || {
        app.records
            .stored
            .with(|kept| kept.as_ref().map(|kept| kept.damaged.clone()).unwrap_or_default())
    };
    let going_on = move |id: &str| {
        app.records.stored.with_untracked(|kept| {
            kept.as_ref().is_ok_and(|kept| kept.going_on.iter().any(|on| on == id))
        })
    };
    view! {
        <div class="intro">
            <h1>{t!("Records")}</h1>
            <p>{t!("This browser stores every run until you delete it. Save important runs as files: browsers may clear their storage.")}</p>
            <div class="deeds">
                <a href=Route::Verify.href()>{t!("Verify a record file")}</a>
                {move || (!runs().is_empty()).then(|| view! {
                    <button type="button" class="button button-small" data-test="export-all"
                        on:click=move |_| app.export_all_runs()>{t!("Save all as an archive")}</button>
                })}
            </div>
        </div>
        {move || trouble().map(|text| view! { <p class="notice" role="status" data-test="kept-trouble">{text}</p> })}
        <section class="records" aria-label=t!("Saved runs")>
            {move || if runs().is_empty() {
                view! { <p class="panel empty" data-test="no-records">{t!("No saved runs. ")} <a href=Route::Run.href()>{t!("Start a run")}</a></p> }.into_any()
            } else {
                let rows = runs().into_iter().map(|run| {
                    let on = going_on(&run.id);
                    row(app, &run, on)
                }).collect_view();
                table(rows).into_any()
            }}
            {move || damaged().into_iter().map(|id| unreadable(app, id)).collect_view()}
        </section>
    }
}

fn table(rows: impl IntoView) -> impl IntoView {
    view! {
        <div class="scroll" role="region" tabindex="0" aria-label=t!("Saved runs table")>
            <table class="table kept-runs">
                <caption class="visually-hidden">{t!("Runs saved in this browser")}</caption>
                <thead><tr>
                    <th scope="col">{t!("Run")}</th>
                    <th scope="col">{t!("Started")}</th>
                    <th scope="col">{t!("State")}</th>
                    <th scope="col" class="num">{t!("Samples")}</th>
                    <th scope="col" class="num">{t!("Calls right")}</th>
                    <th scope="col" class="num">{t!("Size")}</th>
                    <th scope="col"><span class="visually-hidden">{t!("Actions")}</span></th>
                </tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

/// The state of a run: class and label.
fn state(run: &StoredRun, going_on: bool) -> (&'static str, &'static str) {
    match (run.over, going_on, run.is_short()) {
        (false, true, _) => ("tag", t!("Running")),
        (false, false, _) => ("tag tag-warn", t!("Unfinished")),
        (true, _, true) => ("tag tag-warn", t!("Stopped early")),
        (true, _, false) => ("tag tag-right", t!("Finished")),
    }
}

fn row(app: App, run: &StoredRun, going_on: bool) -> impl IntoView + use<> {
    let (class, word) = state(run, going_on);
    let shape = Shape::of(&run.head.summary);
    let total = run.head.summary.rows.last().map(|row| format::percent(shape.rate(row)));
    let rate = total.filter(|_| run.over).unwrap_or_else(|| format::NONE.to_owned());
    let id = run.id.clone();
    let signed = (!run.head.signatures.is_empty()).then(|| {
        view! { <span class="quiet kept-detail" data-test="kept-signed">{t!("signed")}</span> }
    });
    let failed = (run.failed > 0).then(|| t!("{n} not scored", n = format::count(run.failed)));
    view! {
        <tr data-test="kept-run" data-id=run.id.clone()>
            <th scope="row">
                {format::model(&run.settings.model, texts::current()).to_owned()}
                <span class="quiet kept-detail" data-test="kept-what">{what(run)}</span>
                <input type="text" class="kept-label" data-test="kept-label" placeholder=t!("Add a label")
                    aria-label=t!("Label for the run of {time}", time = started(run))
                    prop:value=run.label.clone() disabled=going_on maxlength="200"
                    on:change=move |event| app.name_run(id.clone(), event_target_value(&event))/>
            </th>
            <td class="num-start">{started(run)}</td>
            <td><span class=class>{word}</span> {signed}</td>
            <td class="num">
                {format!("{} / {}", format::count(run.done), format::count(run.head.planned))}
                <span class="quiet kept-detail">{failed}</span>
            </td>
            <td class="num" title=t!("profile {profile}", profile = Profile::Execution.as_str())>{rate}</td>
            <td class="num">{format::size(run.bytes)}</td>
            <td>{(!going_on).then(|| actions(app, run))}</td>
        </tr>
    }
}

/// Actions on an inactive run.
fn actions(app: App, run: &StoredRun) -> impl IntoView + use<> {
    let size = format::size(run.bytes);
    let (open, resume) = (run.clone(), run.clone());
    let (file, gone) = (run.id.clone(), run.id.clone());
    let busy = move || app.run.current.with(|run| run.phase.is_active());
    view! {
        <div class="deeds">
            <button type="button" class="button button-small" data-test="open-run" disabled=busy
                on:click=move |_| { app.open_run(&open, false); go(&Route::Results); }>{t!("Open")}</button>
            {run.is_short().then(|| view! {
                <button type="button" class="button button-small" data-test="go-on" disabled=busy
                    on:click=move |_| { app.resume_run(&resume, false); go(&Route::Run); }>{t!("Resume")}</button>
            })}
            <button type="button" class="button button-small" data-test="export-run"
                on:click=move |_| app.save(MakeFile::StoredRun(file.clone()))>{t!("Save as file")}</button>
            <Confirm label=t!("Delete") question=Signal::derive(move || t!("Delete {size}?", size = size))
                yes=t!("Delete") test="delete-run" act=move || app.forget_run(gone.clone())/>
        </div>
    }
}

fn unreadable(app: App, id: String) -> impl IntoView {
    let gone = id.clone();
    view! {
        <p class="notice">
            <span>{t!("The run ")} <code>{id}</code> {t!(" was saved by another version of this app and can't be read.")}</span>
            <Confirm label=t!("Delete") question=Signal::derive(|| t!("Delete this run?").to_owned())
                yes=t!("Delete") test="delete-damaged" act=move || app.forget_run(gone.clone())/>
        </p>
    }
}

/// Protocol, part of the dialogues, and seed.
fn what(run: &StoredRun) -> String {
    t!(
        "{protocol}, {subset}, seed {seed}",
        protocol = run.head.protocol.as_str(),
        subset = format::subset(&run.settings.subset, texts::current()),
        seed = run.settings.seed
    )
}

/// A run on one line: model, label, settings, start.
pub(super) fn title(run: &StoredRun) -> String {
    let model = format::model(&run.settings.model, texts::current());
    let parts = [model, &run.label, &what(run), &started(run)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}

/// Start of a run in the local time zone, from its id.
fn started(run: &StoredRun) -> String {
    let ms: f64 = run.id.split('-').next().and_then(|ms| ms.parse().ok()).unwrap_or_default();
    page::date_and_time(ms)
}
