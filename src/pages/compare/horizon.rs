//! The horizons of the compared runs in one picture.

use crate::components::horizon_chart::{Curve, horizon_chart, horizon_table};
use crate::messages::compare::Column;
use crate::session::format;
use crate::t;
use crate::texts;
use leptos::prelude::*;
use record::compare::letter;
use record::metrics::horizon::HorizonRow;

/// The horizons; `None` if no record has one.
pub(super) fn horizons(records: &[Column]) -> Option<impl IntoView + use<>> {
    let found: Vec<(char, &str, &HorizonRow)> = records
        .iter()
        .enumerate()
        .filter_map(|(index, it)| Some((letter(index), it.title.as_str(), it.horizon.as_ref()?)))
        .collect();
    if found.is_empty() {
        return None;
    }
    let curve = |(mark, name, row): &(char, &str, &HorizonRow)| Curve {
        mark: Some(*mark),
        name: (*name).to_owned(),
        explain: "",
        estimate: row.estimate.clone(),
    };
    let curves: Vec<Curve> = found.iter().map(curve).collect();
    let rows: Vec<(String, HorizonRow)> =
        found.iter().map(|(mark, name, row)| (format!("{mark} {name}"), (*row).clone())).collect();
    let said = found.iter().map(|(mark, _, row)| {
        format!("{mark}: {}", format::horizon(&row.estimate, texts::current()))
    });
    let label = t!(
        "Share of tasks completed by length. {horizons}",
        horizons = said.collect::<Vec<_>>().join(", ")
    );
    Some(view! {
        <section class="panel horizon" data-test="compare-horizons" aria-labelledby="horizons-title">
            <h2 id="horizons-title">{t!("Horizon")}</h2>
            {horizon_chart(label, &curves)}
            {horizon_table(t!("Horizon by record"), t!("Record"), &rows)}
        </section>
    })
}
