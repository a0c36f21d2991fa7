//! A chart of score against tokens per answer.

use crate::session::format;
use crate::session::leaderboard::{Cost, costs};
use crate::t;
use leptos::prelude::*;
use record::compare::letter;
use record::leaderboard::{LeaderboardRow, Scores};

/// Width and height of the plot, and the margin for its axes, in units of its view box.
const PLOT: (f64, f64) = (560.0, 200.0);
const LEFT: f64 = 48.0;
const BOTTOM: f64 = 28.0;

/// The picture, and the same as a table; `None` without a row whose endpoint counted tokens.
pub(super) fn chart(rows: &[(&LeaderboardRow, &Scores)]) -> Option<impl IntoView + use<>> {
    let costs = costs(rows);
    if costs.is_empty() {
        return None;
    }
    let most = costs.iter().map(|cost| cost.tokens).fold(0.0, f64::max);
    let (width, height) = PLOT;
    let x = |tokens: f64| LEFT + (width - 20.0) * tokens / most;
    let y = |share: f64| 8.0 + height * (1.0 - share);
    let lines = [0.0, 0.5, 1.0].map(|share| {
        let at = format!("{:.1}", y(share));
        view! {
            <line class="grid" x1=LEFT x2=LEFT + width y1=at.clone() y2=at.clone()/>
            <text x=LEFT - 6.0 y=at dy="4" text-anchor="end">{format!("{:.0}", 100.0 * share)}</text>
        }
    });
    let points = costs.iter().enumerate().map(|(index, it)| {
        let (x, y) = (x(it.tokens), y(it.share));
        view! {
            <circle class="cost-point" cx=format!("{x:.1}") cy=format!("{y:.1}") r="5"/>
            <text x=format!("{x:.1}") y=format!("{:.1}", y - 9.0) text-anchor="middle">{letter(index)}</text>
        }
    });
    let axis = t!("tokens per answer, 0 to {n}", n = format::count(most.round() as usize));
    let table = costs.iter().enumerate().map(|(index, it)| row(index, it));
    Some(view! {
        <figure class="costs" data-test="board-costs">
            <figcaption>{t!("What a score costs: calls right, in %, against tokens per answer")}</figcaption>
            <svg viewBox=format!("0 0 {} {}", LEFT + width + 8.0, height + BOTTOM + 8.0) aria-hidden="true">
                {lines} {points.collect_view()}
                <text x=LEFT + width y=height + BOTTOM text-anchor="end">{axis}</text>
            </svg>
            <div class="scroll" role="region" tabindex="0" aria-label=t!("What a score costs")>
                <table class="table">
                    <thead><tr>
                        <th scope="col">{t!("Model")}</th>
                        <th scope="col" class="num">{t!("Calls right")}</th>
                        <th scope="col" class="num">{t!("Tokens per answer")}</th>
                        <th scope="col" class="num">{t!("Median latency, as claimed")}</th>
                        <th scope="col" class="num">{t!("Answer tokens per second")}</th>
                        <th scope="col">{t!("Hardware, as claimed")}</th>
                    </tr></thead>
                    <tbody>{table.collect_view()}</tbody>
                </table>
            </div>
        </figure>
    })
}

fn row(index: usize, cost: &Cost) -> impl IntoView + use<> {
    let none = || format::NONE.to_owned();
    let latency = cost.latency_ms.map_or_else(none, |ms| format::span(ms as f64));
    let speed = cost.tokens_per_second.map_or_else(none, |it| format!("{it:.1}"));
    let hardware = cost.hardware.clone().unwrap_or_else(none);
    view! {
        <tr>
            <th scope="row">{letter(index)} " " <bdi>{cost.model.clone()}</bdi></th>
            <td class="num">{format!("{:.1} %", 100.0 * cost.share)}</td>
            <td class="num">{format::count(cost.tokens.round() as usize)}</td>
            <td class="num">{latency}</td>
            <td class="num">{speed}</td>
            <td class="wrap">{hardware}</td>
        </tr>
    }
}
