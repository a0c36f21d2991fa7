//! The horizon of a run: the curves of its tiers, and their figures.

use crate::components::horizon_chart::{Curve, horizon_chart, horizon_table};
use crate::session::format;
use crate::state::{App, use_app};
use crate::t;
use crate::texts::{self, translated};
use leptos::prelude::*;
use record::metrics::horizon::{HorizonRow, horizons};
use record::table::count;

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

/// The curves of the tiers.
fn picture(rows: &[HorizonRow]) -> impl IntoView + use<> {
    let label = rows.first().map(|all| {
        t!(
            "Share of tasks completed by length. Half are completed at {horizon}.",
            horizon = format::horizon(&all.estimate, texts::current())
        )
    });
    let curve = |row: &HorizonRow| {
        let tier = row.tier?;
        let (name, explain) = (translated(tier.title()).to_owned(), translated(tier.explain()));
        Some(Curve { mark: None, name, explain, estimate: row.estimate.clone() })
    };
    let curves: Vec<Curve> = rows.iter().filter_map(curve).collect();
    horizon_chart(label.unwrap_or_default(), &curves)
}

/// The figures by tier.
fn figures(rows: &[HorizonRow]) -> impl IntoView + use<> {
    let named = |row: &HorizonRow| (translated(row.title()).to_owned(), row.clone());
    let rows: Vec<(String, HorizonRow)> = rows.iter().map(named).collect();
    horizon_table(t!("Horizon by tier"), t!("Tasks"), &rows)
}

/// Completed tasks by length, as a table for those who can't see the picture.
fn lengths(rows: &[HorizonRow]) -> Option<impl IntoView + use<>> {
    let points = rows.first()?.estimate.points.clone();
    let heads = points.iter().map(|point| view! { <th scope="col" class="num">{point.calls}</th> });
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
