//! The horizon of a run: the curve of completed tasks by length, and its figures.

use crate::session::format;
use crate::state::{App, use_app};
use crate::t;
use crate::texts::{self, translated};
use dataset::Tier;
use leptos::prelude::*;
use record::metrics::horizon::{COLUMNS, HorizonRow, horizons, length};
use record::table::count;
use scoring::statistics::horizon::{Horizon, curve};

/// The picture's size, and the room for labels, in units of its view box.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 70.0;
const BOTTOM: f64 = 52.0;
const TOP: f64 = 12.0;
const RIGHT: f64 = 24.0;
/// Doublings of the length, 1 to 256 calls.
const DOUBLINGS: f64 = 8.0;
/// Points of a curve.
const STEPS: u32 = 64;

/// The horizon; empty for other runs.
#[component]
pub fn HorizonPanel() -> impl IntoView {
    let app = use_app();
    let rows = rows(app);
    view! {
        <Show when=move || !rows.read().is_empty()>
            <section class="panel horizon" data-test="horizon" aria-labelledby="horizon-title">
                <h3 id="horizon-title">{t!("Horizon")}</h3>
                <p class="figure num" data-test="horizon-words">{move || headline(&rows.read())}</p>
                <p class="quiet">
                    {t!("The number of calls in a row at which the model completes half of the tasks, with the 95 % interval. A task is completed if the databases end as they should and the last words tell what was asked.")}
                    " " <a href="#/method">{t!("About the method")}</a>
                </p>
                {move || picture(&rows.read())}
                {move || figures(&rows.read())}
                {move || lengths(&rows.read())}
            </section>
        </Show>
    }
}

/// The horizons of the displayed run, as far as it is.
fn rows(app: App) -> Memo<Vec<HorizonRow>> {
    Memo::new(move |_| app.run.current.with(|run| horizons(&run.samples)))
}

fn headline(rows: &[HorizonRow]) -> Option<String> {
    rows.first().map(|all| format::horizon(&all.estimate, texts::current()))
}

fn x(calls: f64) -> f64 {
    LEFT + (WIDTH - LEFT - RIGHT) * calls.log2() / DOUBLINGS
}

fn y(share: f64) -> f64 {
    TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - share)
}

/// The curves of the tiers with the shares that were measured. A table below has the figures.
fn picture(rows: &[HorizonRow]) -> impl IntoView + use<> {
    let label = match rows.first() {
        Some(all) => t!(
            "Share of tasks completed by length. Half are completed at {horizon}.",
            horizon = format::horizon(&all.estimate, texts::current())
        ),
        None => String::new(),
    };
    let tiers: Vec<(Tier, Horizon)> =
        rows.iter().filter_map(|row| Some((row.tier?, row.estimate.clone()))).collect();
    let legend = tiers.iter().map(|(tier, _)| legend(*tier)).collect_view();
    let curves = tiers.iter().map(|(tier, it)| line(*tier, it)).collect_view();
    view! {
        <figure class="horizon-figure">
            <svg viewBox=format!("0 0 {WIDTH} {HEIGHT}") role="img" aria-label=label>
                {axes()}
                {curves}
            </svg>
            <figcaption><ul class="horizon-legend">{legend}</ul></figcaption>
        </figure>
    }
}

fn axes() -> impl IntoView {
    let lengths = (0..=DOUBLINGS as u32).map(|doublings| {
        let calls = f64::from(1_u32 << doublings);
        view! {
            <line class="grid" x1=x(calls) x2=x(calls) y1=y(1.0) y2=y(0.0)/>
            <text x=x(calls) y=y(0.0) + 20.0 text-anchor="middle">{length(calls).trim_end_matches(".0").to_owned()}</text>
        }
    });
    let shares = [0.0, 0.5, 1.0].map(|share| {
        view! {
            <line class=if share == 0.5 { "grid half" } else { "grid" } x1=x(1.0) x2=x(256.0) y1=y(share) y2=y(share)/>
            <text x=LEFT - 8.0 y=y(share) + 4.0 text-anchor="end">{format!("{:.0} %", 100.0 * share)}</text>
        }
    });
    view! {
        {lengths.collect_view()}
        {shares.into_iter().collect_view()}
        <text x=(LEFT + WIDTH - RIGHT) / 2.0 y=HEIGHT - 4.0 text-anchor="middle">{t!("Calls of the shortest solution")}</text>
    }
}

fn line(tier: Tier, estimate: &Horizon) -> impl IntoView + use<> {
    let at = |step: u32| {
        let calls = (DOUBLINGS * f64::from(step) / f64::from(STEPS)).exp2();
        format!("{:.1},{:.1}", x(calls), y(curve(estimate, calls)))
    };
    let points: Vec<String> = (0..=STEPS).map(at).collect();
    let marks = estimate.points.iter().filter(|it| it.n > 0).map(|it| {
        let calls = f64::from(it.calls);
        let share = it.completed / it.n as f64;
        let title = t!(
            "{tier}, {calls} calls: {completed} of {n}",
            tier = translated(tier.title()),
            calls = it.calls,
            completed = count(it.completed),
            n = it.n
        );
        view! { <circle cx=x(calls) cy=y(share) r=2.0 + (it.n as f64).sqrt()><title>{title}</title></circle> }
    });
    view! {
        <g class=format!("tier tier-{}", tier.as_str())>
            <polyline points=points.join(" ")/>
            {marks.collect_view()}
        </g>
    }
}

fn legend(tier: Tier) -> impl IntoView {
    view! {
        <li>
            <svg class=format!("tier tier-{}", tier.as_str()) viewBox="0 0 28 8" width="28" height="8" aria-hidden="true">
                <polyline points="0,4 28,4"/>
            </svg>
            <span><strong>{translated(tier.title())}</strong>" "<span class="quiet">{translated(tier.explain())}</span></span>
        </li>
    }
}

/// The figures by tier.
fn figures(rows: &[HorizonRow]) -> impl IntoView + use<> {
    let heads = COLUMNS
        .iter()
        .map(|(title, _)| view! { <th scope="col" class="num">{translated(title)}</th> })
        .collect_view();
    let rows = rows.iter().map(|row| {
        let cells = COLUMNS.iter().map(|(_, cell)| view! { <td class="num">{cell(row)}</td> });
        let horizon = format::horizon(&row.estimate, texts::current());
        view! {
            <tr>
                <th scope="row">{translated(row.title())}</th>
                <td class="num strong">{horizon}</td>
                {cells.collect_view()}
            </tr>
        }
    });
    let rows = rows.collect_view();
    view! {
        <div class="scroll" role="region" tabindex="0" aria-label=t!("Horizon by tier")>
            <table class="table" data-test="horizon-table">
                <caption>{t!("Prices are means over the completed tasks.")}</caption>
                <thead><tr><th scope="col">{t!("Tasks")}</th><th scope="col" class="num">{t!("Horizon")}</th>{heads}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

/// Completed tasks by length, as a table for those who can't see the picture.
fn lengths(rows: &[HorizonRow]) -> Option<impl IntoView + use<>> {
    let points = rows.first()?.estimate.points.clone();
    let heads = points.iter().map(|it| view! { <th scope="col" class="num">{it.calls}</th> });
    let heads = heads.collect_view();
    let cells = points
        .iter()
        .map(|it| view! { <td class="num">{format!("{} / {}", count(it.completed), it.n)}</td> });
    let cells = cells.collect_view();
    Some(view! {
        <div class="scroll" role="region" tabindex="0" aria-label=t!("Completed tasks by length")>
            <table class="table" data-test="horizon-lengths">
                <thead><tr><th scope="col">{t!("Calls of the shortest solution")}</th>{heads}</tr></thead>
                <tbody><tr><th scope="row">{t!("Completed")}</th>{cells}</tr></tbody>
            </table>
        </div>
    })
}
