//! The table of a run: abilities by measures.

use crate::session::format;
use engine::record::{AbilityRow, Rate, Summary};
use leptos::prelude::*;

/// Rows for abilities and their total. `caption` says what the numbers are of.
#[component]
pub fn ScoreTable(
    /// The numbers.
    #[prop(into)]
    summary: Signal<Summary>,
    /// Model, protocol, profile.
    #[prop(into)]
    caption: Signal<String>,
) -> impl IntoView {
    view! {
        <div class="scroll" role="region" tabindex="0" aria-label="Results table">
            <table class="table scores" data-test="results-table">
                <caption>{caption}</caption>
                <thead>
                    <tr>
                        <th scope="col">"Ability"</th>
                        <th scope="col" class="num">"Calls correct"</th>
                        <th scope="col" class="num">"n"</th>
                        <th scope="col" class="num">"95 % interval"</th>
                        <th scope="col" class="plot-head" aria-hidden="true">
                            <span>"0"</span><span>"50"</span><span>"100"</span>
                        </th>
                        <th scope="col" class="num">"Dialogues all right"</th>
                        <th scope="col" class="num">"ROUGE-L"</th>
                        <th scope="col" class="num">"Replies"</th>
                        <th scope="col" class="num">"Not scored"</th>
                    </tr>
                </thead>
                <tbody>{move || summary.get().rows.iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
}

fn row(row: &AbilityRow) -> impl IntoView + use<> {
    let (id, title) = match (row.ability, row.kind) {
        (Some(ability), _) => (ability.as_str(), ability.title()),
        (None, Some(kind)) => (kind.as_str(), kind.title()),
        (None, None) => ("total", "Total"),
    };
    let cell = |name: &str| format!("cell-{id}-{name}");
    view! {
        <tr class:total=id == "total">
            <th scope="row">{title}</th>
            <td class="num strong" data-test=cell("calls")>{format::percent(&row.calls)}</td>
            <td class="num" data-test=cell("n")>{row.calls.n}</td>
            <td class="num" data-test=cell("interval")>{format::interval(&row.calls)}</td>
            <td class="plot" aria-hidden="true">{plot(&row.calls)}</td>
            <td class="num" data-test=cell("dialogues")>{format::fraction(&row.dialogues)}</td>
            <td class="num" data-test=cell("rouge")>{format::rouge(&row.rouge_l)}</td>
            <td class="num" data-test=cell("replies")>{row.rouge_l.n}</td>
            <td class="num" class:warn=(row.failed > 0) data-test=cell("failed")>{row.failed}</td>
        </tr>
    }
}

/// Rate and interval on a line from 0 to 100.
fn plot(rate: &Rate) -> impl IntoView + use<> {
    let (value, interval) = (rate.value()?, rate.interval?);
    let x = |share: f64| format!("{:.1}", 4.0 + 100.0 * share);
    Some(view! {
        <svg class="interval" viewBox="0 0 108 16" width="108" height="16">
            <line class="axis" x1="4" x2="104" y1="8" y2="8"/>
            <line class="range" x1=x(interval.low) x2=x(interval.high) y1="8" y2="8"/>
            <circle class="point" cx=x(value) cy="8" r="3.5"/>
        </svg>
    })
}
