//! Statistics of the data: by ability, next to the original's, and by domain.

use crate::session::format;
use crate::state::App;
use crate::t;
use crate::texts::translated;
use dataset::Split;
use dataset::statistics::{Counts, DomainRow, Statistics, published};
use leptos::prelude::*;

/// Tables of each split; the standard one is open.
#[component]
pub(super) fn StatisticsPanel(app: App) -> impl IntoView {
    let splits = move || {
        app.data.browse.with(|browse| {
            let overview = browse.overview.as_ref()?;
            let own = overview.own;
            let views = overview.statistics.iter().map(|(split, it)| panel(*split, it, own));
            Some(views.collect_view())
        })
    };
    view! { {splits} }
}

fn panel(split: Split, statistics: &Statistics, own: bool) -> impl IntoView + use<> {
    let standard = split == Split::Standard;
    let compared = own && standard;
    let title = if standard { t!("Statistics") } else { t!("Hard split statistics") };
    view! {
        <details class="panel" open=standard data-test=format!("dataset-statistics-{}", split.as_str())>
            <summary>{title}</summary>
            <div class="dataset-tables">
                {abilities(statistics, compared)}
                {domains(statistics)}
            </div>
            {compared.then(|| view! {
                <p class="hint">{t!("Original: {source}, {n} APIs.", source = translated(published::SOURCE), n = format::count(published::APIS))}</p>
            })}
        </details>
    }
}

fn abilities(statistics: &Statistics, compared: bool) -> impl IntoView + use<> {
    let original = |text: String| compared.then(|| view! { <td class="num quiet">{text}</td> });
    let head = |text: &'static str| {
        compared.then(|| view! { <th scope="col" class="num quiet">{text}</th> })
    };
    let mut sum = (0, 0);
    let mut rows = Vec::new();
    for row in &statistics.abilities {
        let paper = published::size(row.ability);
        sum = (sum.0 + paper.dialogues, sum.1 + paper.calls);
        let originals = [paper.dialogues, paper.calls].map(|count| original(format::count(count)));
        rows.push(counts(
            translated(row.ability.title()),
            row.ability.as_str(),
            &row.counts,
            originals,
        ));
    }
    let originals = [sum.0, sum.1].map(|count| original(format::count(count)));
    rows.push(counts(t!("All"), "total", &statistics.total, originals));
    view! {
        <div class="scroll" role="region" tabindex="0" aria-label=t!("By ability")>
            <table class="table">
                <caption>{t!("By ability")}</caption>
                <thead><tr>
                    <th scope="col">{t!("Ability")}</th>
                    <th scope="col" class="num">{t!("Dialogues")}</th>
                    {head(t!("original"))}
                    <th scope="col" class="num">{t!("Calls")}</th>
                    {head(t!("original"))}
                    <th scope="col" class="num">{t!("Utterances")}</th>
                    <th scope="col" class="num">{t!("APIs")}</th>
                    <th scope="col" class="num">{t!("Domains")}</th>
                    <th scope="col" class="num">{t!("Calls per dialogue")}</th>
                    <th scope="col" class="num">{t!("Utterances per dialogue")}</th>
                </tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

fn counts<V: IntoView>(
    title: &'static str,
    id: &'static str,
    counts: &Counts,
    [dialogues, calls]: [V; 2],
) -> impl IntoView + use<V> {
    view! {
        <tr data-test=format!("dataset-row-{id}")>
            <th scope="row">{title}</th>
            <td class="num">{format::count(counts.dialogues)}</td>
            {dialogues}
            <td class="num">{format::count(counts.calls)}</td>
            {calls}
            <td class="num">{format::count(counts.turns)}</td>
            <td class="num">{counts.apis}</td>
            <td class="num">{counts.domains}</td>
            <td class="num">{format!("{:.2}", counts.calls_a_dialogue())}</td>
            <td class="num">{format!("{:.2}", counts.turns_a_dialogue())}</td>
        </tr>
    }
}

fn domains(statistics: &Statistics) -> impl IntoView + use<> {
    let largest = statistics.domains.iter().map(|row| row.share).fold(0.0, f64::max);
    let rows = statistics.domains.iter().map(|row| domain(row, largest)).collect_view();
    view! {
        <div class="scroll" role="region" tabindex="0" aria-label=t!("By domain")>
            <table class="table">
                <caption>{t!("By domain, excluding API Search calls")}</caption>
                <thead><tr>
                    <th scope="col">{t!("Domain")}</th>
                    <th scope="col" class="num">{t!("Dialogues")}</th>
                    <th scope="col" class="num">{t!("Calls")}</th>
                    <th scope="col" class="num">{t!("Share")}</th>
                    // The bars.
                    <td></td>
                    <th scope="col" class="num">{t!("APIs used")}</th>
                </tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

fn domain(row: &DomainRow, largest: f64) -> impl IntoView + use<> {
    let width = if largest > 0.0 { 100.0 * row.share / largest } else { 0.0 };
    view! {
        <tr>
            <th scope="row">{translated(row.domain.title())}</th>
            <td class="num">{format::count(row.dialogues)}</td>
            <td class="num">{format::count(row.calls)}</td>
            <td class="num">{format!("{:.1} %", 100.0 * row.share)}</td>
            <td>
                <svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                    <rect width=format!("{width:.1}") height="8"/>
                </svg>
            </td>
            <td class="num">{t!("{n} of {all}", n = row.apis, all = row.pool)}</td>
        </tr>
    }
}
