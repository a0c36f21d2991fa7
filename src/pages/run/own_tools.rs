//! Of a pack of own tools: which tool is taken for which, and which arguments are missed.

use crate::components::collapsible::Collapsible;
use crate::session::format;
use crate::state::use_app;
use crate::t;
use crate::texts::translated;
use leptos::prelude::*;
use record::metrics::{NO_CALL, OTHER_REASON, ToolReport, ToolRow, UNKNOWN, own_tools};
use record::table::{fraction, interval};

/// The matrix of a finished run.
#[component]
pub fn ToolMatrix() -> impl IntoView {
    let app = use_app();
    let report = Memo::new(move |_| {
        app.run.current.with(|run| {
            let done = !run.phase.is_active();
            done.then(|| own_tools(&run.samples, app.run.profile.get())).flatten()
        })
    });
    view! {
        <Show when=move || report.with(Option::is_some)>
            <Collapsible class="groups" test="tool-matrix" title=t!("Which tool is taken for which")>
                <div class="scroll heat-scroll" role="region" tabindex="0" aria-label=t!("Which tool is taken for which")>
                    {move || report.get().map(|report| table(&report))}
                </div>
            </Collapsible>
        </Show>
    }
}

/// A tool's name, or a placeholder.
fn name(of: &str) -> AnyView {
    match of {
        NO_CALL | UNKNOWN => {
            view! { <em>{translated(if of == NO_CALL { NO_CALL } else { UNKNOWN })}</em> }
                .into_any()
        }
        tool => view! { <code>{tool.to_owned()}</code> }.into_any(),
    }
}

fn table(report: &ToolReport) -> impl IntoView + use<> {
    let heads = report
        .called
        .iter()
        .map(|called| view! { <th scope="col" class="num">{name(called)}</th> })
        .collect_view();
    let rows = report.rows.iter().map(|row| row_of(row, &report.called)).collect_view();
    view! {
        <table class="table heat" data-test="tool-matrix-table">
            <caption>{t!("Rows are expected tools, columns are called tools. Missed arguments are wrong arguments of the right tool.")}</caption>
            <thead><tr>
                <th scope="col">{t!("Expected tool")}</th>
                <th scope="col" class="num">{t!("Right")}</th>
                <th scope="col" class="num">{t!("95 % interval")}</th>
                {heads}
                <th scope="col">{t!("Missed arguments")}</th>
            </tr></thead>
            <tbody>{rows}</tbody>
        </table>
    }
}

fn row_of(row: &ToolRow, called: &[String]) -> impl IntoView + use<> {
    let cells = called
        .iter()
        .zip(&row.called)
        .map(|(called, count)| {
            let class = match (*count > 0, *called == row.due) {
                (false, _) => "num quiet",
                (true, true) => "num",
                (true, false) => "num heat-cell heat-wrong heat-3",
            };
            let shown = if *count == 0 { "·".to_owned() } else { format::count(*count) };
            view! { <td class=class>{shown}</td> }
        })
        .collect_view();
    let missed = row.arguments.iter().map(|(name, count)| {
        let name = if name == OTHER_REASON { translated(OTHER_REASON) } else { name };
        format!("{name} {count}")
    });
    view! {
        <tr>
            <th scope="row">{name(&row.due)}</th>
            <td class="num">{fraction(&row.rate)}</td>
            <td class="num">{interval(&row.rate)}</td>
            {cells}
            <td class="mono">{missed.collect::<Vec<_>>().join(", ")}</td>
        </tr>
    }
}
