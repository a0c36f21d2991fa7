//! Measures, differences and groups as tables.

use crate::messages::search_lab::{LabDifference, LabReport, LabRow, LabRun};
use crate::session::format;
use crate::session::search_lab::{estimate, group_title, memory, milliseconds};
use crate::t;
use crate::texts;
use leptos::prelude::*;
use record::table::{ends, p_value, points};

fn heads(measures: &[String]) -> impl IntoView + use<> {
    measures
        .iter()
        .map(|name| view! { <th scope="col" class="num">{name.clone()}</th> })
        .collect_view()
}

fn cells(row: &LabRow, test: Option<usize>) -> impl IntoView + use<> {
    let cell = |(at, (mean, interval)): (usize, &(f64, _))| {
        let (mean, interval) = estimate(*mean, *interval);
        let test = test.map(|run| format!("lab-cell-{run}-{at}"));
        view! {
            <td class="num">
                <span class="strong" data-test=test>{mean}</span>
                <span class="lab-interval">{interval}</span>
            </td>
        }
    };
    row.estimates.iter().enumerate().map(cell).collect_view()
}

/// A row per retriever: measures, time, memory.
pub(super) fn measures(report: &LabReport) -> impl IntoView + use<> {
    let row = |(at, run): (usize, &LabRun)| {
        let all = run.rows.first();
        let time = all.map_or_else(String::new, |row| milliseconds(row.median_ms));
        let name = run.retriever.clone();
        view! {
            <tr data-test="lab-row">
                <th scope="row">{name}</th>
                {all.map(|row| cells(row, Some(at)))}
                <td class="num">{time}</td>
                <td class="num">{memory(run.index_bytes)}</td>
            </tr>
        }
    };
    let rows = report.runs.iter().enumerate().map(row).collect_view();
    view! {
        <div class="scroll" role="region" tabindex="0" aria-label=t!("Measures")>
            <table class="table lab-table" data-test="lab-measures">
                <thead><tr>
                    <th scope="col">{t!("Retriever")}</th>
                    {heads(&report.measures)}
                    <th scope="col" class="num">{t!("Time")}</th>
                    <th scope="col" class="num">{t!("Index")}</th>
                </tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

/// Paired differences from the first retriever.
pub(super) fn differences(report: &LabReport) -> impl IntoView + use<> {
    let name = |run: usize| report.runs.get(run).map(|it| it.retriever.clone()).unwrap_or_default();
    let first = name(0);
    let row = |it: &LabDifference| {
        let (low, high) = ends(it.interval);
        // An interval without 0 is more than noise.
        let is_clear = it.interval.low > 0.0 || it.interval.high < 0.0;
        view! {
            <tr>
                <th scope="row">{name(it.run)}</th>
                <td>{it.measure.clone()}</td>
                <td class="num" class:strong=is_clear>{points(it.difference)}</td>
                <td class="num">{t!("{low} to {high}", low = low, high = high)}</td>
                <td class="num">{format::count(it.only_first)}</td>
                <td class="num">{format::count(it.only_second)}</td>
                <td class="num">{p_value(it.p)}</td>
            </tr>
        }
    };
    let rows = report.differences.iter().map(row).collect_view();
    (!report.differences.is_empty()).then(|| {
        view! {
            <div class="scroll" role="region" tabindex="0" aria-label=t!("Paired differences")>
                <table class="table" data-test="lab-differences">
                    <caption>
                        {t!("Difference from {name} on the same queries, in percentage points; bold where the interval excludes 0", name = first.clone())}
                    </caption>
                    <thead><tr>
                        <th scope="col">{t!("Retriever")}</th>
                        <th scope="col">{t!("Measure")}</th>
                        <th scope="col" class="num">{t!("Difference")}</th>
                        <th scope="col" class="num">{t!("95 % interval")}</th>
                        <th scope="col" class="num">{t!("Queries where {name} is better", name = first)}</th>
                        <th scope="col" class="num">{t!("Where it is worse")}</th>
                        <th scope="col" class="num">"p"</th>
                    </tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        }
    })
}

/// A row per group and retriever.
pub(super) fn groups(report: &LabReport) -> impl IntoView + use<> {
    let texts = texts::current();
    let first = report.runs.first().map(|run| run.rows.as_slice()).unwrap_or_default();
    let row = |(group, at): (usize, usize)| {
        let run = report.runs.get(at)?;
        let row = run.rows.get(group)?;
        let title = (at == 0).then(|| {
            let span = report.runs.len().to_string();
            view! {
                <th scope="rowgroup" rowspan=span.clone()>{group_title(&row.group, texts)}</th>
                <td class="num" rowspan=span>{format::count(row.queries)}</td>
            }
        });
        Some(view! {
            <tr>{title}<th scope="row" class="lab-of">{run.retriever.clone()}</th>{cells(row, None)}</tr>
        })
    };
    // All queries are in the table above.
    let bodies = (1..first.len()).map(|group| {
        let rows = (0..report.runs.len()).filter_map(|at| row((group, at))).collect_view();
        view! { <tbody>{rows}</tbody> }
    });
    if first.len() < 2 {
        return view! { <p class="quiet">{t!("These queries are of one kind and one domain.")}</p> }
            .into_any();
    }
    view! {
        <div class="scroll" role="region" tabindex="0" aria-label=t!("By kind of query and domain")>
            <table class="table lab-table">
                <thead><tr>
                    <th scope="col">{t!("Group")}</th>
                    <th scope="col" class="num">{t!("Queries")}</th>
                    <th scope="col">{t!("Retriever")}</th>
                    {heads(&report.measures)}
                </tr></thead>
                {bodies.collect_view()}
            </table>
        </div>
    }
    .into_any()
}
