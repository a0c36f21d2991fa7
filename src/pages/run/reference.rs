//! Published results next to a run: comparable ones, and others with the reason they are not.

use crate::components::collapsible::Collapsible;
use crate::session::format;
use crate::state::use_app;
use crate::t;
use exchange::protocol::{Protocol, Steps};
use leptos::prelude::*;
use record::reference::{Measured, Reference, published};

/// The collapsed tables below the results.
#[component]
pub fn References() -> impl IntoView {
    let app = use_app();
    let summary = app.run.summary();
    let measured = Memo::new(move |_| {
        let profile = app.run.profile.get();
        app.run.current.with(|run| {
            let settings = run.settings.as_ref();
            let original_data = run.samples.iter().any(|sample| sample.origin.is_some());
            Measured {
                original_data,
                protocol: settings.map_or(Protocol::Bracket, |settings| settings.protocol),
                steps: settings.map_or(Steps::All, |settings| settings.steps),
                profile,
                counts: summary
                    .read()
                    .rows
                    .iter()
                    .filter_map(|row| Some((row.ability?, row.calls.n, row.dialogues.n)))
                    .collect(),
            }
        })
    });
    let tables = move || {
        let measured = measured.get();
        let (same, other): (Vec<_>, Vec<_>) = published()
            .unwrap_or_default()
            .into_iter()
            .map(|table| (table.differs(&measured), table))
            .partition(|(reasons, _)| reasons.is_empty());
        let count = same.len();
        view! {
            <p class="quiet">{match count {
                0 => t!("No published result is comparable with this run; each table gives the reason.").to_owned(),
                count => t!("{n} comparable with this run, listed first.", n = count),
            }}</p>
            {same.into_iter().chain(other).map(|(reasons, table)| view! { <Published table reasons/> }).collect_view()}
        }
    };
    view! {
        <Collapsible class="references" test="references" title=t!("Published results")>{tables}</Collapsible>
    }
}

#[component]
fn Published(table: Reference, reasons: Vec<String>) -> impl IntoView {
    let Reference { source, cite, protocol, unit, columns, rows, .. } = table;
    let comparable = reasons.is_empty();
    let mark = if comparable {
        t!("Comparable.").to_owned()
    } else {
        t!("Not comparable: {reasons}.", reasons = reasons.join("; "))
    };
    let head = columns
        .into_iter()
        .map(|column| {
            let n = column.n.map(|n| format!(" (n = {})", format::count(n))).unwrap_or_default();
            view! { <th scope="col" class="num">{column.title} {n}</th> }
        })
        .collect_view();
    let body = rows
        .into_iter()
        .map(|row| {
            let cells = row
                .values
                .into_iter()
                .map(|value| view! { <td class="num">{value.map_or_else(|| "–".to_owned(), |it| it.to_string())}</td> })
                .collect_view();
            view! { <tr><th scope="row">{row.model}</th>{cells}</tr> }
        })
        .collect_view();
    view! {
        <div class="scroll" role="region" tabindex="0" aria-label=source.clone()>
            <table class="table" data-test="reference" data-comparable=comparable.to_string()>
                <caption>
                    <strong>{source.clone()}</strong> ", " {cite} ". " {protocol} "; " {unit} ". "
                    <span class=if comparable { "quiet" } else { "warn" }>{mark}</span>
                </caption>
                <thead><tr><th scope="col">{t!("Model")}</th>{head}</tr></thead>
                <tbody>{body}</tbody>
            </table>
        </div>
    }
}
