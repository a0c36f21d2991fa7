//! A heat map of calls: gold API by outcome.

use super::samples::list_only;
use crate::components::collapsible::Collapsible;
use crate::session::{Filter, SampleState, format, terms};
use crate::state::{App, use_app};
use crate::t;
use crate::texts;
use leptos::prelude::*;
use record::metrics::{Outcomes, outcomes};
use record::{Gold, SampleRecord};
use scoring::ErrorClass;

/// Number of shades.
const STEPS: usize = 5;

/// A column of the map.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Right,
    Wrong(ErrorClass),
    Failed,
}

impl Column {
    fn title(self) -> &'static str {
        match self {
            Column::Right => t!("Right"),
            Column::Wrong(class) => terms::class(class, texts::current()),
            Column::Failed => t!("Not scored"),
        }
    }

    fn count(self, row: &Outcomes) -> usize {
        match self {
            Column::Right => row.right,
            Column::Wrong(class) => row.errors.get(&class).copied().unwrap_or_default(),
            Column::Failed => row.failed,
        }
    }
}

/// The map of a finished run. A click on a cell lists its samples.
#[component]
pub fn HeatMap() -> impl IntoView {
    let app = use_app();
    let any = Memo::new(move |_| {
        let is_call = |sample: &SampleRecord| matches!(sample.gold, Gold::Call(_));
        app.run.current.with(|run| !run.phase.is_active() && run.samples.iter().any(is_call))
    });
    view! {
        <Show when=move || any.get()>
            <Collapsible class="groups" test="heat" title=t!("API by outcome")>
                <div class="scroll heat-scroll" role="region" tabindex="0" aria-label=t!("API by outcome")>
                    {move || app.run.current.with(|run| table(app, &outcomes(&run.samples, app.run.profile.get())))}
                </div>
            </Collapsible>
        </Show>
    }
}

fn table(app: App, rows: &[Outcomes]) -> impl IntoView + use<> {
    let occurs = |column: &Column| rows.iter().any(|row| column.count(row) > 0);
    let columns: Vec<Column> = std::iter::once(Column::Right)
        .chain(ErrorClass::ALL.into_iter().map(Column::Wrong).filter(occurs))
        .chain(std::iter::once(Column::Failed).filter(occurs))
        .collect();
    let heads = columns
        .iter()
        .map(|column| view! { <th scope="col" class="num">{column.title()}</th> })
        .collect_view();
    let body = rows
        .iter()
        .map(|row| {
            let cells = columns.iter().map(|column| cell(app, row, *column)).collect_view();
            view! { <tr><th scope="row"><code>{row.api.clone()}</code></th>{cells}<td class="num">{format::count(row.n())}</td></tr> }
        })
        .collect_view();
    view! {
        <table class="table heat">
            <caption>{t!("Calls per gold API by outcome. Darker means a larger share of the row; pick a cell to list its samples.")}</caption>
            <thead><tr><th scope="col">"API"</th>{heads}<th scope="col" class="num">"n"</th></tr></thead>
            <tbody>{body}</tbody>
        </table>
    }
}

fn cell(app: App, row: &Outcomes, column: Column) -> AnyView {
    let count = column.count(row);
    if count == 0 {
        return view! { <td class="num quiet">"·"</td> }.into_any();
    }
    // 1 for a single call, up to STEPS for the whole row.
    let shade = (count * STEPS).div_ceil(row.n().max(1));
    let tone = if column == Column::Right { "right" } else { "wrong" };
    let api = row.api.clone();
    let pick = move |_| {
        let (state, class) = match column {
            Column::Right => (SampleState::Right, None),
            Column::Wrong(class) => (SampleState::Wrong, Some(class)),
            Column::Failed => (SampleState::Failed, None),
        };
        let api = Some(api.clone());
        list_only(app, Filter { state: Some(state), class, api, ..Filter::default() });
    };
    view! {
        <td class=format!("num heat-cell heat-{tone} heat-{shade}")>
            <button type="button" class="heat-button" on:click=pick>{format::count(count)}</button>
        </td>
    }
    .into_any()
}
