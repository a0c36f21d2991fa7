//! A chart and a table of horizons: shares of completed tasks by length, and the fitted curves.

use crate::session::format;
use crate::t;
use crate::texts::{self, translated};
use leptos::prelude::*;
use record::metrics::horizon::{COLUMNS, HorizonRow, length};
use record::table::count;
use scoring::statistics::horizon::{Horizon, curve};

/// Size and margins of the chart, in units of its view box.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 70.0;
const BOTTOM: f64 = 52.0;
const TOP: f64 = 12.0;
const RIGHT: f64 = 24.0;
/// The horizontal axis is logarithmic: 8 doublings, from 1 to 256 calls.
const DOUBLINGS: f64 = 8.0;
/// Line segments per curve.
const STEPS: u32 = 64;

/// A curve. Its index in the list determines its line style.
pub struct Curve {
    /// The letter drawn on the curve, if curves need telling apart.
    pub mark: Option<char>,
    /// The name in the legend.
    pub name: String,
    /// Explanation in the legend.
    pub explain: &'static str,
    /// The horizon.
    pub estimate: Horizon,
}

fn x(calls: f64) -> f64 {
    LEFT + (WIDTH - LEFT - RIGHT) * calls.log2() / DOUBLINGS
}

fn y(share: f64) -> f64 {
    TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - share)
}

/// The fitted curves and the measured shares. [`horizon_table`] lists the same figures.
pub fn horizon_chart(label: String, curves: &[Curve]) -> impl IntoView + use<> {
    let legend = curves.iter().enumerate().map(|(style, it)| legend(style, it)).collect_view();
    let several = curves.len();
    let curves = curves.iter().enumerate().map(|(style, it)| line(style, several, it));
    let curves = curves.collect_view();
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

fn line(style: usize, several: usize, of: &Curve) -> impl IntoView + use<> {
    let estimate = &of.estimate;
    let at = |step: u32| {
        let calls = (DOUBLINGS * f64::from(step) / f64::from(STEPS)).exp2();
        format!("{:.1},{:.1}", x(calls), y(curve(estimate, calls)))
    };
    let points: Vec<String> = (0..=STEPS).map(at).collect();
    let dots = estimate.points.iter().filter(|point| point.n > 0).map(|point| {
        let title = t!(
            "{name}, {calls} calls: {completed} of {n}",
            name = of.name,
            calls = point.calls,
            completed = count(point.completed),
            n = point.n
        );
        let share = point.completed / point.n as f64;
        let size = 2.0 + (point.n as f64).sqrt();
        view! { <circle cx=x(f64::from(point.calls)) cy=y(share) r=size><title>{title}</title></circle> }
    });
    let dots = dots.collect_view();
    let mark = of.mark.map(|mark| {
        let (x, y) = place(style, several, estimate);
        view! { <text class="mark" x=x y=y text-anchor="middle" dominant-baseline="central">{mark.to_string()}</text> }
    });
    view! {
        <g class=format!("curve curve-{style}")>
            <polyline points=points.join(" ")/>
            {dots}
            {mark}
        </g>
    }
}

/// The position of a curve's letter. Each curve uses another height, so letters rarely overlap.
fn place(index: usize, several: usize, estimate: &Horizon) -> (f64, f64) {
    let share = 0.9 - 0.8 * (index as f64 + 0.5) / several as f64;
    let doublings = ((1.0 - share) / share).ln() / estimate.slope;
    let calls = (estimate.horizon.log2() + doublings).clamp(0.0, DOUBLINGS).exp2();
    (x(calls), y(curve(estimate, calls)))
}

fn legend(style: usize, of: &Curve) -> impl IntoView + use<> {
    let mark = of.mark.map(|mark| format!("{mark} "));
    view! {
        <li>
            <svg class=format!("curve curve-{style}") viewBox="0 0 28 8" width="28" height="8" aria-hidden="true">
                <polyline points="0,4 28,4"/>
            </svg>
            <span><strong>{mark}<bdi>{of.name.clone()}</bdi></strong>" "<span class="quiet">{of.explain}</span></span>
        </li>
    }
}

/// A table of horizons and prices, one row per name.
pub fn horizon_table(
    label: &'static str,
    first: &'static str,
    rows: &[(String, HorizonRow)],
) -> impl IntoView + use<> {
    let heads = COLUMNS
        .iter()
        .map(|(title, _)| view! { <th scope="col" class="num">{translated(title)}</th> })
        .collect_view();
    let rows = rows.iter().map(|(name, row)| {
        let cells = COLUMNS.iter().map(|(_, cell)| view! { <td class="num">{cell(row)}</td> });
        let horizon = format::horizon(&row.estimate, texts::current());
        view! {
            <tr>
                <th scope="row"><bdi>{name.clone()}</bdi></th>
                <td class="num strong">{horizon}</td>
                {cells.collect_view()}
            </tr>
        }
    });
    let rows = rows.collect_view();
    view! {
        <div class="scroll" role="region" tabindex="0" aria-label=label>
            <table class="table" data-test="horizon-table">
                <caption>{t!("Prices are means over the completed tasks.")}</caption>
                <thead><tr><th scope="col">{first}</th><th scope="col" class="num">{t!("Horizon")}</th>{heads}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}
