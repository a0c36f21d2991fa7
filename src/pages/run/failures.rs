//! Failed and retried requests.

use crate::session::{Run, format};
use crate::state::{App, use_app};
use crate::t;
use leptos::prelude::*;
use record::{Outcome, SampleRecord};

/// Maximum number of rows; a run can have thousands.
const SHOWN: usize = 200;

/// A row: sample, last failure, attempts, and earlier failures.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    id: String,
    href: String,
    failed: bool,
    attempts: u32,
    messages: Vec<String>,
}

impl Row {
    fn of(run: &Run, sample: &SampleRecord) -> Self {
        let mut messages = sample.retries.clone();
        let failed = match &sample.outcome {
            Outcome::Failed { message, .. } => {
                messages.push(message.clone());
                true
            }
            _ => false,
        };
        messages.dedup();
        let (id, href) = (sample.id.clone(), run.route_of(&sample.id).href());
        Row { id, href, failed, attempts: sample.attempts, messages }
    }
}

/// The section below the progress; hidden without failures.
#[component]
pub fn Failures() -> impl IntoView {
    let app = use_app();
    let rows = Memo::new(move |_| {
        app.run.current.with(|run| {
            let failed = run.failed().map(|(sample, _)| sample);
            let answered = run.retried().filter(|it| !matches!(it.outcome, Outcome::Failed { .. }));
            failed.chain(answered).map(|sample| Row::of(run, sample)).collect::<Vec<_>>()
        })
    });
    let failed = move || rows.read().iter().filter(|row| row.failed).count();
    let answered = move || rows.read().len() - failed();
    view! {
        <Show when=move || !rows.read().is_empty()>
            <section class="panel failures" aria-labelledby="failures-title">
                <div class="section-head">
                    <h2 id="failures-title">
                        {move || if failed() > 0 { t!("Failed requests") } else { t!("Retried requests") }}
                    </h2>
                    <Again app failed=Signal::derive(failed)/>
                </div>
                <p class="quiet" data-test="failures-count">
                    {move || counted(failed(), answered())}
                </p>
                <details open=move || { failed() > 0 }>
                    <summary>{t!("List")}</summary>
                    <Table rows/>
                </details>
            </section>
        </Show>
    }
}

fn counted(failed: usize, answered: usize) -> String {
    let answered = format::count(answered);
    match failed {
        0 => t!("{answered} answered after a retry.", answered = answered),
        _ => t!(
            "{failed} without an answer, {answered} answered after a retry.",
            failed = format::count(failed),
            answered = answered
        ),
    }
}

/// The button that retries the failed samples, once the run has ended.
#[component]
fn Again(app: App, failed: Signal<usize>) -> impl IntoView {
    let ready = move || failed.get() > 0 && !app.run.current.with(|run| run.phase.is_active());
    view! {
        <Show when=ready>
            <button type="button" class="button" data-test="rerun-failed" on:click=move |_| app.resume_shown(true)>
                {move || t!("Rerun {n} failed", n = format::count(failed.get()))}
            </button>
        </Show>
    }
}

#[component]
fn Table(rows: Memo<Vec<Row>>) -> impl IntoView {
    let body = move || rows.get().into_iter().take(SHOWN).map(row).collect_view();
    let more = move || rows.read().len().saturating_sub(SHOWN);
    view! {
        <div class="scroll" role="region" tabindex="0" aria-label=t!("Failed requests")>
            <table class="table failed-requests" data-test="failures-table">
                <thead><tr>
                    <th scope="col">{t!("Sample")}</th>
                    <th scope="col">{t!("Outcome")}</th>
                    <th scope="col" class="num">{t!("Attempts")}</th>
                    <th scope="col">{t!("Details")}</th>
                </tr></thead>
                <tbody>{body}</tbody>
            </table>
        </div>
        {move || (more() > 0).then(|| view! { <p class="quiet">{t!("and {n} more", n = format::count(more()))}</p> })}
    }
}

fn row(row: Row) -> impl IntoView {
    let (tag, word) =
        if row.failed { ("tag tag-failed", t!("Not scored")) } else { ("tag", t!("Answered")) };
    let messages = row.messages.into_iter().map(|text| view! { <p>{text}</p> }).collect_view();
    view! {
        <tr>
            <th scope="row" class="id-cell"><a href=row.href>{row.id}</a></th>
            <td><span class=tag>{word}</span></td>
            <td class="num">{row.attempts}</td>
            <td class="reason">{messages}</td>
        </tr>
    }
}
