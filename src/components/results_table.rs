//! The score table of a run: abilities by metrics.

use crate::session::{format, terms};
use crate::t;
use crate::texts::{self, translated};
use leptos::prelude::*;
use record::table::{self, Shape};
use record::{AbilityRow, Rate, Summary};

/// The column that the plot follows.
const PLOTTED: &str = "interval";

/// Rows for abilities, the total, and the total with forms forgiven.
#[component]
pub fn ResultsTable(
    /// The summary.
    #[prop(into)]
    summary: Signal<Summary>,
    /// The caption: model, protocol, profile.
    #[prop(into)]
    caption: Signal<String>,
) -> impl IntoView {
    let shape = Memo::new(move |_| summary.with(Shape::of));
    view! {
        <div class="scroll" role="region" tabindex="0" aria-label=t!("Results table")>
            <table class="table scores" data-test="results-table">
                <caption>{caption}</caption>
                <thead>{move || head(shape.get())}</thead>
                <tbody>
                    {move || {
                        let shape = shape.get();
                        summary.with(|all| {
                            let rows = table::rows(all).into_iter();
                            rows.map(|(id, title, it)| row(id, title, it, shape)).collect_view()
                        })
                    }}
                </tbody>
            </table>
        </div>
    }
}

fn head(shape: Shape) -> impl IntoView {
    let heads = shape.columns().into_iter().map(|column| {
        let scale = (column.key == PLOTTED).then(|| {
            view! {
                <th scope="col" class="plot-head" aria-hidden="true">
                    <span>"0"</span><span>"50"</span><span>"100"</span>
                </th>
            }
        });
        let metric = column.secondary();
        let meaning = metric.map(|metric| terms::metric_meaning(metric, texts::current()));
        view! { <th scope="col" class="num" class:whole=metric.is_some() title=meaning>{translated(column.title)}</th> {scale} }
    });
    view! { <tr><th scope="col">{translated(shape.first())}</th>{heads.collect_view()}</tr> }
}

fn row(
    id: &'static str,
    title: &'static str,
    row: AbilityRow,
    shape: Shape,
) -> impl IntoView + use<> {
    let cells = shape.columns().into_iter().map(|column| {
        let plot = (column.key == PLOTTED)
            .then(|| view! { <td class="plot" aria-hidden="true">{plot(shape.rate(&row))}</td> });
        let test = format!("cell-{id}-{}", column.key);
        let first = column.key == "calls";
        let failed = column.key == "failed" && row.failed > 0;
        let metric = column.secondary();
        let text = match metric {
            Some(metric) => format::whole(metric.rate(&row), texts::current()),
            None => column.cell(&row),
        };
        view! {
            <td class="num" class:strong=first class:warn=failed class:whole=metric.is_some() data-test=test>
                {cell(&text)}
            </td>
            {plot}
        }
    });
    view! {
        <tr class:total=id == "total"><th scope="row">{translated(title)}</th>{cells.collect_view()}</tr>
    }
}

/// A cell's text, which may break before its interval alone.
fn cell(text: &str) -> impl IntoView + use<> {
    let (figure, interval) = match text.split_once(" (") {
        Some((figure, interval)) => (figure.to_owned(), Some(format!("({interval}"))),
        None => (text.to_owned(), None),
    };
    let interval = interval.map(|text| view! { " " <span class="nowrap">{text}</span> });
    view! { <span class="nowrap">{figure}</span>{interval} }
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
