//! The errors of all records side by side.

use crate::messages::compare::Column;
use crate::session::{format, terms};
use crate::t;
use crate::texts;
use leptos::prelude::*;
use record::compare::letter;
use scoring::ErrorClass;

/// A row per error class that any record has, with a bar per record. The bars share one scale.
pub(super) fn errors(records: &[Column]) -> Option<impl IntoView + use<>> {
    let of = |record: &Column, class: ErrorClass| {
        record.errors.iter().find(|(it, _)| *it == class).map_or(0, |(_, count)| *count)
    };
    let share = |record: &Column, class| of(record, class) as f64 / record.decisions.max(1) as f64;
    let classes: Vec<ErrorClass> = ErrorClass::ALL
        .into_iter()
        .filter(|class| records.iter().any(|record| of(record, *class) > 0))
        .collect();
    let most = classes
        .iter()
        .flat_map(|class| records.iter().map(|record| share(record, *class)))
        .fold(0.0, f64::max);
    let heads = records
        .iter()
        .enumerate()
        .map(|(index, it)| view! { <th scope="col">{letter(index)} " " {it.title.clone()}</th> })
        .collect_view();
    let rows = classes
        .iter()
        .map(|class| {
            let cells = records
                .iter()
                .map(|record| {
                    let share = share(record, *class);
                    let width = format!("{:.1}", 100.0 * share / most.max(f64::EPSILON));
                    view! {
                        <td class="num">
                            {format!("{:.1} %", 100.0 * share)} " "
                            <span class="quiet">"(" {format::count(of(record, *class))} ")"</span>
                            <svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                                <rect width=width height="8"/>
                            </svg>
                        </td>
                    }
                })
                .collect_view();
            let meaning = terms::class_meaning(*class, texts::current());
            view! {
                <tr>
                    <th scope="row" title=meaning>{terms::class(*class, texts::current())}</th>
                    {cells}
                </tr>
            }
        })
        .collect_view();
    (!classes.is_empty()).then(|| {
        view! {
            <div class="scroll" role="region" tabindex="0" aria-label=t!("Errors")>
                <table class="table" data-test="compare-errors">
                    <caption>{t!("What went wrong, as a share of all judged steps")}</caption>
                    <thead><tr><th scope="col">{t!("Class")}</th>{heads}</tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        }
    })
}
