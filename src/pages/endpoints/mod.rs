//! `#/endpoints`: one model behind several endpoints, asked side by side.

mod report;

use super::run::{Problems, settings::Settings, size::SizeChoice};
use crate::messages::endpoints::CompareEndpoints;
use crate::messages::{Cancel, MakeFile};
use crate::platform::fetch;
use crate::session::endpoints::{Compared, ComparisonPhase, Endpoints, MOST};
use crate::session::{Choice, Form, Route, format};
use crate::state::{App, use_app};
use crate::t;
use crate::texts;
use leptos::prelude::*;
use leptos::task::spawn_local;
use report::Report;

/// The page.
#[component]
pub fn EndpointsPage() -> impl IntoView {
    let app = use_app();
    view! {
        <div class="intro">
            <h1>{t!("One model, many servers")}</h1>
            <p>
                {t!("Finds out whether a model answers the same on every server that offers it.")} " "
                {t!("Asks one model behind two to six endpoints (vendors, quantizations, engines, chat templates) the same samples side by side. The first runs twice: what differs less than its two runs do is noise.")}
            </p>
        </div>
        <List app/>
        <Progress app/>
        {move || app.endpoints.with(|endpoints| endpoints.report.clone().map(|report| view! {
            <Report titles=endpoints.titles.clone() report/>
        }))}
        <Show when=move || !app.endpoints.read().is_running()><Add app/></Show>
        <Start app/>
    }
}

/// The endpoints so far.
#[component]
fn List(app: App) -> impl IntoView {
    let items = move || {
        let entries = app.endpoints.with(|endpoints| endpoints.entries.clone());
        let items = entries.into_iter().enumerate();
        items.map(|(index, entry)| view! { <Item app index entry/> }).collect_view()
    };
    let empty = move || app.endpoints.with(|endpoints| endpoints.entries.is_empty());
    view! {
        <section aria-labelledby="endpoints-title">
            <h2 id="endpoints-title">{t!("Endpoints")}</h2>
            <Show when=empty>
                <p class="empty" data-test="endpoints-empty">
                    {t!("None yet. Fill in the first below and add it; it is the reference.")}
                </p>
            </Show>
            <ol class="compared" data-test="endpoints-list">{items}</ol>
        </section>
    }
}

#[component]
fn Item(app: App, index: usize, entry: Compared) -> impl IntoView {
    let origin = entry.endpoint.origin().ok();
    let has_key =
        origin.as_ref().is_some_and(|it| app.sending.keys.read_untracked().has_key_for(it));
    let key = if has_key { t!("with a key") } else { t!("without a key") };
    let wire = entry.endpoint.format.as_str();
    let facts = format!("{} · {wire} · {key}", entry.endpoint.base_url);
    let running = move || app.endpoints.read().is_running();
    let change = move |change: fn(&mut Endpoints, usize)| {
        move |_| app.endpoints.update(|endpoints| change(endpoints, index))
    };
    view! {
        <li>
            <span class="strong">{entry.name}</span>
            <span class="quiet">{facts}</span>
            <span class="actions">
                {if index == 0 {
                    view! { <span class="tag">{t!("reference")}</span> }.into_any()
                } else {
                    view! {
                        <button type="button" class="button button-small" disabled=running
                            on:click=change(Endpoints::make_reference)>{t!("Make the reference")}</button>
                    }.into_any()
                }}
                <button type="button" class="button button-small" disabled=running
                    data-test="endpoints-remove" on:click=change(Endpoints::remove)>{t!("Remove")}</button>
            </span>
        </li>
    }
}

/// The form of an endpoint, which is that of the Run page, and the button that adds it.
#[component]
fn Add(app: App) -> impl IntoView {
    let attempted = RwSignal::new(false);
    let errors = RwSignal::new(Vec::<String>::new());
    let problems: Problems = Memo::new(move |_| {
        let found = app.setup.form.with(|form| {
            let form = Form { choice: Choice::Endpoint, ..form.clone() };
            form.settings(&fetch::origin(), texts::current()).err()
        });
        if attempted.get() { found.unwrap_or_default() } else { Vec::new() }
    });
    let add = move |_| {
        attempted.set(true);
        let form = app.setup.form.get_untracked();
        let Ok(endpoint) = form.endpoint(&fetch::origin(), texts::current()) else { return };
        // The address may be a link's: nothing is sent there before the user has agreed.
        app.once_agreed_to(&endpoint, form.source(), move || {
            let form = app.setup.form.get_untracked();
            let added =
                app.endpoints.try_update(|it| it.add(&form, &fetch::origin(), texts::current()));
            match added {
                Some(Err(messages)) => errors.set(messages),
                _ => {
                    errors.set(Vec::new());
                    attempted.set(false);
                }
            }
        });
    };
    let full = move || app.endpoints.with(|endpoints| endpoints.entries.len() >= MOST);
    view! {
        <form class="panel stack" aria-label=t!("Endpoint") on:submit=|event| event.prevent_default()>
            {move || app.lazy.module.get().map(|lazy| (lazy.endpoint_fields)(problems, attempted))}
            <div class="actions">
                <button type="button" class="button" data-test="endpoints-add" disabled=full on:click=add>
                    {t!("Add to the comparison")}
                </button>
                <span class="hint">{t!("Up to {n}. Keys stay with the host that they were entered for.", n = MOST)}</span>
            </div>
            {move || errors.get().into_iter().map(|text| view! { <p class="field-error" role="alert">{text}</p> }).collect_view()}
        </form>
    }
}

/// Size, settings and the buttons.
#[component]
fn Start(app: App) -> impl IntoView {
    let errors = RwSignal::new(Vec::<String>::new());
    let settings_open = RwSignal::new(false);
    let problems: Problems = Memo::new(move |_| {
        let shared = |form: &Form| {
            let form = Form { choice: Choice::GoldReplay, ..form.clone() };
            form.settings(&fetch::origin(), texts::current()).err()
        };
        if errors.read().is_empty() {
            Vec::new()
        } else {
            app.setup.form.with(shared).unwrap_or_default()
        }
    });
    let start = move |_| {
        let form = app.setup.form.get_untracked();
        let keys = app.sending.keys.get_untracked();
        let started = app.endpoints.try_update(|endpoints| {
            endpoints.start(
                &form,
                &fetch::origin(),
                |endpoint| keys.key_for(endpoint),
                texts::current(),
            )
        });
        match started {
            Some(Ok(runs)) => {
                errors.set(Vec::new());
                let compared = app.follow(CompareEndpoints { runs }, None, move |progress| {
                    app.endpoints.update(|endpoints| endpoints.fold(progress));
                });
                spawn_local(async move {
                    let compared = compared.await;
                    app.endpoints.update(|endpoints| endpoints.end(compared));
                    app.refresh_runs();
                });
            }
            Some(Err(messages)) => {
                settings_open
                    .update(|open| *open |= app.endpoints.read_untracked().entries.len() > 1);
                errors.set(messages);
            }
            None => {}
        }
    };
    // Another endpoint may be the remedy.
    let count = Memo::new(move |_| app.endpoints.with(|endpoints| endpoints.entries.len()));
    Effect::new(move || {
        count.track();
        errors.set(Vec::new());
    });
    let running = Memo::new(move |_| app.endpoints.read().is_running());
    view! {
        <form class="panel stack" aria-label=t!("What to ask") on:submit=|event| event.prevent_default()>
            <Show when=move || !running.get()>
                <SizeChoice/>
                <Settings problems open=settings_open/>
            </Show>
            <div class="actions">
                {move || if running.get() {
                    view! {
                        <button type="button" class="button button-stop" data-test="endpoints-cancel"
                            on:click=move |_| app.send(Cancel {})>{t!("Cancel")}</button>
                    }.into_any()
                } else {
                    view! {
                        <button type="button" class="button button-primary" data-test="endpoints-start"
                            on:click=start>{t!("Compare")}</button>
                        <span class="hint">
                            {t!("One request at a time to each endpoint, in step, so that a slow hour hits all of them.")}
                        </span>
                    }.into_any()
                }}
            </div>
            {move || errors.get().into_iter().map(|text| view! {
                <p class="field-error" role="alert" data-test="endpoints-trouble">{text}</p>
            }).collect_view()}
        </form>
    }
}

/// A bar per run, and how the comparison ended.
#[component]
fn Progress(app: App) -> impl IntoView {
    let bars = move || {
        app.endpoints.with(|endpoints| {
            let planned = endpoints.planned;
            let runs = endpoints.titles.clone().into_iter().zip(endpoints.done.clone());
            runs.map(|(title, (done, failed))| bar(title, done, failed, planned)).collect_view()
        })
    };
    let status = move || {
        app.endpoints.with(|endpoints| match endpoints.phase {
            ComparisonPhase::Idle => "",
            ComparisonPhase::Running if endpoints.planned == 0 => t!("Starting…"),
            ComparisonPhase::Running => t!("Running"),
            ComparisonPhase::Ended { cancelled: true } => t!("Cancelled"),
            ComparisonPhase::Ended { .. } if endpoints.report.is_none() => t!("Not started"),
            ComparisonPhase::Ended { .. } => t!("Finished"),
        })
    };
    let notes = move || {
        app.endpoints.with(|it| it.message.iter().chain(&it.stopped).cloned().collect::<Vec<_>>())
    };
    let begun = move || app.endpoints.with(|endpoints| endpoints.phase != ComparisonPhase::Idle);
    let ended = move || app.endpoints.with(|endpoints| endpoints.report.is_some());
    view! {
        <Show when=begun>
            <section class="panel stack" aria-labelledby="endpoints-progress">
                <div class="progress-head">
                    <h2 id="endpoints-progress">{t!("Progress")}</h2>
                    <p class="status" role="status"><strong data-test="endpoints-status">{status}</strong></p>
                </div>
                {move || notes().into_iter().map(|text| view! { <p class="field-error" role="alert">{text}</p> }).collect_view()}
                <ul class="endpoint-bars">{bars}</ul>
                <Show when=ended>
                    <div class="actions">
                        <button type="button" class="button" data-test="endpoints-save"
                            on:click=move |_| app.save(MakeFile::Compared)>{t!("Download all records")}</button>
                        <a class="button" href=Route::Compare.href() data-test="endpoints-samples">
                            {t!("Open the samples in Compare")}
                        </a>
                    </div>
                </Show>
            </section>
        </Show>
    }
}

fn bar(title: String, done: usize, failed: usize, planned: usize) -> impl IntoView {
    let failed = (failed > 0).then(|| t!(", {n} without an answer", n = format::count(failed)));
    view! {
        <li>
            <span class="strong">{title.clone()}</span>
            <progress max=planned.max(1) value=done aria-label=title></progress>
            <span class="num quiet">{format::count(done)} " / " {format::count(planned)} {failed}</span>
        </li>
    }
}
