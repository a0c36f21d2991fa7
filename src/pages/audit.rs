//! The Audit page: a pack's gold calls judged under every profile.

use crate::messages::Count;
use crate::pages::data::PackChoice;
use crate::session::library::AuditState;
use crate::session::{format, terms};
use crate::state::use_app;
use crate::t;
use crate::texts::{self, translated};
use leptos::prelude::*;
use scoring::audit::{Audit, AuditFailure, AuditRow};

/// The choice of data, the button, and the result.
#[component]
pub fn AuditPage() -> impl IntoView {
    let app = use_app();
    let state = Memo::new(move |_| app.data.library.with(|library| library.audit.clone()));
    let busy = move || matches!(*state.read(), AuditState::Running(..));
    view! {
        <div class="intro">
            <h1>{t!("Gold audit")}</h1>
            <p>
                {t!("Checks the answer key: does the scoring accept the answers that the data calls right?")} " "
                {t!("Scores every gold call under every profile, as if a model had answered it. If a profile \
                rejects a gold call, no model can pass it: the data or the profile is defective.")}
            </p>
        </div>
        <section class="panel audit-form">
            <PackChoice/>
            <div class="actions">
                <button class="button button-primary" data-test="audit-button" disabled=busy
                    on:click=move |_| app.audit()>{t!("Run the audit")}</button>
                <p class="quiet" role="status">{move || progress(&state.read())}</p>
            </div>
        </section>
        {move || match state.get() {
            AuditState::Done(audit) => view! { <Outcome audit=*audit/> }.into_any(),
            _ => ().into_any(),
        }}
    }
}

fn progress(state: &AuditState) -> String {
    match state {
        AuditState::Idle => String::new(),
        AuditState::Running(Count { of: 0, .. }) => t!("Loading").to_owned(),
        AuditState::Running(Count { done, of }) => {
            t!("{done} of {total} calls", done = format::count(*done), total = format::count(*of))
        }
        AuditState::Done(audit) => t!("Failures: {n}", n = format::count(audit.failures.len())),
    }
}

#[component]
fn Outcome(audit: Audit) -> impl IntoView {
    let Audit { pack, rows, failures, corrections, original_lacks } = audit;
    let rows: Vec<_> = rows.into_iter().map(counts).collect();
    view! {
        <section class="results" aria-labelledby="audit-title">
            <h2 id="audit-title">{t!("Gold of {pack}", pack = pack.name)}</h2>
            <div class="scroll" role="region" tabindex="0" aria-label=t!("Audit")>
                <table class="table" data-test="audit-table">
                    <caption>
                        {t!("n counts scored calls. As in the original, a call directly after another call \
                        counts twice (repeats). Calls excluded by the errata are not counted, except under \
                        profile original.")}
                    </caption>
                    <thead><tr>
                        <th scope="col">{t!("Ability")}</th>
                        <th scope="col">{t!("Profile")}</th>
                        <th scope="col" class="num">"n"</th>
                        <th scope="col" class="num">{t!("Right")}</th>
                        <th scope="col" class="num">{t!("Dialogues")}</th>
                        <th scope="col" class="num">{t!("Calls")}</th>
                        <th scope="col" class="num">{t!("Repeats")}</th>
                        <th scope="col" class="num">{t!("Corrected")}</th>
                        <th scope="col" class="num">{t!("Excluded")}</th>
                    </tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            {(!original_lacks.is_empty()).then(|| view! {
                <p class="quiet note" data-test="audit-original">
                    {t!("Profile original is unavailable: {why}.", why = original_lacks.join("; "))}
                </p>
            })}
            <Failures failures/>
            {(!corrections.is_empty()).then(|| view! {
                <details class="missing">
                    <summary>{t!("Errata: {n}", n = format::count(corrections.len()))}</summary>
                    <ul class="bullets" data-test="audit-errata">
                        {corrections.into_iter().map(|(id, it)| {
                            let excluded = if it.excluded { t!("Excluded. ") } else { "" };
                            view! { <li><code>{id}</code> " " {translated(it.class.title())} ". " {excluded} {it.what}</li> }
                        }).collect_view()}
                    </ul>
                </details>
            })}
        </section>
    }
}

/// The rows of an ability, one per profile.
fn counts(row: AuditRow) -> impl IntoView {
    let AuditRow { ability, calls, repeats, dialogues, corrected, excluded, profiles } = row;
    profiles
        .into_iter()
        .map(|count| {
            let class = if count.right < count.n { "warn num" } else { "num" };
            view! {
                <tr>
                    <th scope="row">{translated(ability.title())}</th>
                    <td>{count.profile.as_str()}</td>
                    <td class="num">{format::count(count.n)}</td>
                    <td class=class>{format::count(count.right)}</td>
                    <td class="num">{format!("{} / {}", format::count(count.dialogues), format::count(dialogues))}</td>
                    <td class="num">{format::count(calls)}</td>
                    <td class="num">{format::count(repeats)}</td>
                    <td class="num">{format::count(corrected)}</td>
                    <td class="num">{format::count(excluded)}</td>
                </tr>
            }
        })
        .collect_view()
}

#[component]
fn Failures(failures: Vec<AuditFailure>) -> impl IntoView {
    if failures.is_empty() {
        return view! { <p class="connection-text good" data-test="audit-clean">{t!("Every gold call passes every profile.")}</p> }.into_any();
    }
    let rows = failures
        .into_iter()
        .map(|failure| {
            let class = failure.class.map_or("", |class| terms::class(class, texts::current()));
            view! {
                <tr data-test="audit-failure">
                    <td>{failure.profile.as_str()}</td>
                    <th scope="row" class="id-cell">{failure.sample}</th>
                    <td class="text-cell"><code>{failure.gold}</code></td>
                    <td>{class} ". " {failure.why}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <div class="scroll" role="region" tabindex="0" aria-label=t!("Failures")>
            <table class="table">
                <caption>{t!("Rejected gold calls")}</caption>
                <thead><tr>
                    <th scope="col">{t!("Profile")}</th>
                    <th scope="col">{t!("Sample")}</th>
                    <th scope="col">{t!("Gold call")}</th>
                    <th scope="col">{t!("Explanation")}</th>
                </tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}
