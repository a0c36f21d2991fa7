//! The score table of a run: abilities by metrics.

use crate::session::format;
use crate::t;
use crate::texts::translated;
use leptos::prelude::*;
use record::{AbilityRow, Rate, Summary};

/// Rows for abilities and the total.
#[component]
pub fn ResultsTable(
    /// The summary.
    #[prop(into)]
    summary: Signal<Summary>,
    /// The caption: model, protocol, profile.
    #[prop(into)]
    caption: Signal<String>,
) -> impl IntoView {
    let of = Memo::new(move |_| summary.with(Columns::of));
    view! {
        <div class="scroll" role="region" tabindex="0" aria-label=t!("Results table")>
            <table class="table scores" data-test="results-table">
                <caption>{caption}</caption>
                <thead>
                    <tr>
                        <th scope="col">{move || of.get().first()}</th>
                        <th scope="col" class="num">{move || of.get().correct()}</th>
                        <th scope="col" class="num">"n"</th>
                        <th scope="col" class="num">{t!("95 % interval")}</th>
                        <th scope="col" class="plot-head" aria-hidden="true">
                            <span>"0"</span><span>"50"</span><span>"100"</span>
                        </th>
                        <Show when=move || of.get().hard>
                            <th scope="col" class="num">{t!("Of which no-call steps")}</th>
                        </Show>
                        <th scope="col" class="num">{t!("Dialogues fully correct")}</th>
                        <Show when=move || of.get().searches>
                            <th scope="col" class="num">{t!("Searches right")}</th>
                        </Show>
                        <th scope="col" class="num">"ROUGE-L"</th>
                        <th scope="col" class="num">{t!("Replies")}</th>
                        <th scope="col" class="num">{t!("Not scored")}</th>
                    </tr>
                </thead>
                <tbody>
                    {move || {
                        let of = of.get();
                        summary.get().rows.iter().map(|it| row(it, of)).collect_view()
                    }}
                </tbody>
            </table>
        </div>
    }
}

/// Which columns the table has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Columns {
    /// The hard split: rows by kind, and a column for no-call steps.
    hard: bool,
    /// Episodes: whole dialogues instead of single calls.
    episodes: bool,
    /// There are gold searches.
    searches: bool,
}

impl Columns {
    fn of(summary: &Summary) -> Self {
        let total = summary.rows.last();
        Columns {
            hard: summary.rows.iter().any(|row| row.kind.is_some()),
            episodes: total.is_some_and(|it| it.calls.n == 0 && it.dialogues.n > 0),
            searches: total.is_some_and(|it| it.searches.n > 0),
        }
    }

    fn first(self) -> &'static str {
        if self.hard { t!("Kind") } else { t!("Ability") }
    }

    fn correct(self) -> &'static str {
        match self {
            Columns { episodes: true, .. } => t!("Dialogues correct"),
            Columns { hard: true, .. } => t!("Decisions correct"),
            _ => t!("Calls correct"),
        }
    }

    const fn rate(self, row: &AbilityRow) -> &Rate {
        if self.episodes { &row.dialogues } else { &row.calls }
    }
}

fn row(row: &AbilityRow, of: Columns) -> impl IntoView + use<> {
    let (id, title) = match (row.ability, row.kind) {
        (Some(ability), _) => (ability.as_str(), translated(ability.title())),
        (None, Some(kind)) => (kind.as_str(), translated(kind.title())),
        (None, None) => ("total", t!("Total")),
    };
    let rate = of.rate(row);
    let searches = of.searches.then(|| {
        view! {
            <td class="num" data-test=format!("cell-{id}-searches")>{format::percent(&row.searches)}</td>
        }
    });
    let cell = |name: &str| format!("cell-{id}-{name}");
    view! {
        <tr class:total=id == "total">
            <th scope="row">{title}</th>
            <td class="num strong" data-test=cell("calls")>{format::percent(rate)}</td>
            <td class="num" data-test=cell("n")>{rate.n}</td>
            <td class="num" data-test=cell("interval")>{format::interval(rate)}</td>
            <td class="plot" aria-hidden="true">{plot(rate)}</td>
            {of.hard.then(|| view! {
                <td class="num" data-test=format!("restraint-{id}")>{format::fraction(&row.restraint)}</td>
            })}
            <td class="num" data-test=cell("dialogues")>{format::fraction(&row.dialogues)}</td>
            {searches}
            <td class="num" data-test=cell("rouge")>{format::rouge(&row.rouge_l)}</td>
            <td class="num" data-test=cell("replies")>{row.rouge_l.n}</td>
            <td class="num" class:warn=(row.failed > 0) data-test=cell("failed")>{row.failed}</td>
        </tr>
    }
}

/// A plot of rate and interval from 0 to 100 %.
pub fn plot(rate: &Rate) -> impl IntoView + use<> {
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
