//! Verdicts on pairs of records, and the noise floor.

use super::Table;
use crate::session::format;
use crate::t;
use leptos::prelude::*;
use record::compare::{Noise, Pair, Report, Source, Verdict, letter};
use record::table::{count, ends, p_value, points};
use scoring::Interval;

/// Selectable margins, in percentage points.
const MARGINS: [u8; 5] = [1, 2, 3, 5, 10];

/// A row per pair; below the table, the noise floor.
pub(super) fn pairs(table: Table, report: &Report, margin: f64) -> impl IntoView + use<> {
    let rows = report.pairs.iter().map(|pair| row(pair, margin)).collect_view();
    let noise: Vec<String> = report.noise.iter().map(floor).collect();
    let noise = if noise.is_empty() {
        vec![
            t!("Noise floor unknown: add a second run of a model, or a run with trials.")
                .to_owned(),
        ]
    } else {
        noise
    };
    let several = (report.pairs.len() > 1).then(|| {
        t!("Over all pairs, p is adjusted by Holm's method. Differences count at p ≤ 0.05.")
    });
    view! {
        <section class="verdicts">
            <Margin table margin/>
            <div class="scroll" role="region" tabindex="0" aria-label=t!("Pairs")>
                <table class="table" data-test="compare-pairs">
                    <caption>{t!("Verdicts on samples scored in both")}</caption>
                    <thead><tr>
                        <th scope="col">{t!("Pair")}</th>
                        <th scope="col">{t!("Verdict")}</th>
                        <th scope="col" class="num">{t!("Difference (percentage points)")}</th>
                        <th scope="col" class="num">{t!("95 % interval")}</th>
                        <th scope="col" class="num">{t!("Flips")}</th>
                        <th scope="col" class="num">{t!("Dialogues")}</th>
                        <th scope="col" class="num">"p"</th>
                    </tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            <p class="hint">
                {t!("Intervals and tests count dialogues, and each sample once. A flip is a sample that only one record gets right.")}
                " " {several}
            </p>
            {noise.into_iter().map(|text| view! { <p class="quiet" data-test="compare-noise">{text}</p> }).collect_view()}
        </section>
    }
}

/// A menu of margins.
#[component]
fn Margin(table: Table, margin: f64) -> impl IntoView {
    let options = MARGINS.map(|points| {
        let share = f64::from(points) / 100.0;
        let text = t!("± {n} points", n = points);
        view! { <option value=points.to_string() selected=same(share, margin)>{text}</option> }
    });
    let chosen = move |event| {
        if let Ok(points) = event_target_value(&event).parse::<f64>() {
            table.margin.set(points / 100.0);
        }
    };
    view! {
        <label class="field">
            <span class="label">{t!("Equal within")}</span>
            <select data-test="compare-margin" on:change=chosen>{options.collect_view()}</select>
        </label>
    }
}

fn same(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

fn row(pair: &Pair, margin: f64) -> impl IntoView + use<> {
    let paired = pair.paired;
    let (first, second) = (letter(pair.first), letter(pair.second));
    let flips = t!(
        "{a} only {first}, {b} only {second}",
        a = count(paired.only_first),
        first = first,
        b = count(paired.only_second),
        second = second
    );
    let class = match pair.verdict {
        Verdict::FirstBetter | Verdict::SecondBetter => "tag tag-right",
        Verdict::Equal => "tag",
        Verdict::NotShown => "tag tag-warn",
    };
    view! {
        <tr data-verdict=verdict_name(pair.verdict)>
            <th scope="row">{format!("{second}\u{a0}−\u{a0}{first}")}</th>
            <td><span class=class>{verdict(pair, margin)}</span></td>
            <td class="num strong">{points(paired.difference)}</td>
            <td class="num">{interval(paired.interval)}</td>
            <td class="num">{flips}</td>
            <td class="num">{format::count(paired.dialogues)}</td>
            <td class="num">{p_value(pair.adjusted_p)}</td>
        </tr>
    }
}

const fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::FirstBetter => "first-better",
        Verdict::SecondBetter => "second-better",
        Verdict::Equal => "equal",
        Verdict::NotShown => "not-shown",
    }
}

pub(super) fn verdict(pair: &Pair, margin: f64) -> String {
    let n = format!("{:.0}", 100.0 * margin);
    let better = match pair.verdict {
        Verdict::FirstBetter => letter(pair.first),
        Verdict::SecondBetter => letter(pair.second),
        Verdict::Equal => return t!("equal within ± {n} points", n = n),
        Verdict::NotShown => return t!("no difference shown").to_owned(),
    };
    match pair.within_margin {
        true => t!("{record} is better, by less than {n} points", record = better, n = n),
        false => t!("{record} is better", record = better),
    }
}

pub(super) fn floor(noise: &Noise) -> String {
    let source = match noise.source {
        Source::Trials { run } => t!("trials of {record}", record = letter(run)),
        Source::Runs { runs: [first, second] } => {
            t!("{a} and {b}, runs of one model", a = letter(first), b = letter(second))
        }
    };
    t!(
        "Noise floor ({source}): {share} of {n} samples flip. In 95 % of cases, two runs differ by at most {points} points.",
        source = source,
        share = format!("{:.1} %", 100.0 * noise.flips),
        n = format::count(noise.samples),
        points = format!("{:.1}", 100.0 * noise.difference)
    )
}

pub(super) fn interval(it: Interval) -> String {
    let (low, high) = ends(it);
    t!("{low} to {high}", low = low, high = high)
}
