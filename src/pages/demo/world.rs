//! The databases at the current step, with changed rows highlighted.

use super::{Player, Stage};
use crate::messages::demo::ReadTable;
use crate::session::demo::{graded, table_at};
use crate::session::format;
use crate::state::Latest;
use crate::t;
use crate::texts;
use apis::TableName;
use apis::store::ChangeKind;
use leptos::prelude::*;
use record::demo::TableView;
use serde_json::Value;
use std::collections::BTreeSet;

/// The tables used by the dialogue's APIs, and one of them in full.
#[component]
pub(super) fn WorldPanel(stage: Stage) -> impl IntoView {
    let app = stage.app;
    let tables = Memo::new(move |_| touched(stage));
    let chosen = RwSignal::new(None::<TableName>);
    let latest = Latest::new();
    let shown = RwSignal::new(None::<TableView>);
    // A table that the reader chose stays open while the steps are about the same one.
    let current = Memo::new(move |_| {
        let step = stage.step.get();
        stage.walk.with(|walk| walk.as_ref().and_then(|walk| table_at(walk, step)))
    });
    Effect::new(move || {
        let all = tables.get();
        let current = current.get().filter(|table| all.contains(table));
        chosen.set(current.or_else(|| all.first().copied()));
    });
    Effect::new(move || {
        let sample = nearest(stage);
        match (sample, chosen.get()) {
            (Some((sample, answered)), Some(table)) => {
                latest.refresh(app, ReadTable { sample, table, answered });
            }
            _ => {
                latest.clear();
                shown.set(None);
            }
        }
    });
    Effect::new(move || {
        if let Some(Ok(table)) = latest.get() {
            shown.set(Some(table));
        }
    });
    let buttons = move || {
        let button = |table: TableName| {
            view! {
                <button type="button" class="tab" aria-pressed=move || (chosen.get() == Some(table)).to_string()
                    on:click=move |_| chosen.set(Some(table))>{table.as_str()}</button>
            }
        };
        tables.get().into_iter().map(button).collect_view()
    };
    view! {
        <section class="panel demo-stack" data-test="demo-world">
            <h2>{t!("Databases")}</h2>
            <div class="tabs" role="group" aria-label=t!("Table")>{buttons}</div>
            {move || match shown.get() {
                Some(table) => rows(&table),
                None => view! { <p class="quiet">{t!("This dialogue's APIs use no tables.")}</p> }.into_any(),
            }}
        </section>
    }
}

/// The tables used by the dialogue's APIs.
fn touched(stage: Stage) -> Vec<TableName> {
    let mut tables = BTreeSet::new();
    stage.walk.with(|walk| {
        let Some(walk) = walk else { return };
        for sample in walk.steps.iter().filter_map(graded) {
            if let record::Gold::Call(gold) = &sample.gold
                && let Some(api) = apis::search::find(walk.ability.suite(), &gold.api_name)
            {
                tables.extend(api.reads.iter().chain(api.writes).copied());
            }
        }
    });
    tables.into_iter().collect()
}

/// The sample whose databases are shown, and whether its gold call has been made: the step's, or that
/// of the last graded step before it, or the dialogue's first. A hidden call has not been made.
fn nearest(stage: Stage) -> Option<(String, bool)> {
    let step = stage.step.get();
    let is_hidden = stage.player.get() != Player::Gold;
    stage.walk.with(|walk| {
        let steps = &walk.as_ref()?.steps;
        let of = |at: usize| Some((at, graded(steps.get(at)?)?.id.clone()));
        let before = (0..=step).rev().find_map(of);
        let (at, id) = before.or_else(|| (step..steps.len()).find_map(of))?;
        Some((id, at < step || at == step && !is_hidden))
    })
}

fn rows(table: &TableView) -> AnyView {
    let mut columns: Vec<String> = Vec::new();
    for (_, row) in &table.rows {
        if let Value::Object(fields) = row {
            for name in fields.keys() {
                if !columns.contains(name) {
                    columns.push(name.clone());
                }
            }
        }
    }
    let plain = columns.is_empty();
    let heads = if plain { vec![t!("value").to_owned()] } else { columns.clone() };
    let body = table.rows.iter().map(|(key, row)| line(table, key, row, &columns)).collect_view();
    let gone = table
        .changes
        .iter()
        .filter(|change| matches!(change.kind, ChangeKind::Deleted { .. }))
        .map(|change| view! { <li><span class="tag tag-wrong">{t!("deleted")}</span> " " <code>{change.key.clone()}</code></li> })
        .collect_view();
    let more = table.total.saturating_sub(table.rows.len());
    view! {
        <ul class="changes">{gone}</ul>
        <div class="scroll world-table" role="region" tabindex="0" aria-label=t!("Rows")>
            <table class="table">
                <thead><tr>
                    <th scope="col">{t!("key")}</th>
                    {heads.into_iter().map(|name| view! { <th scope="col">{name}</th> }).collect_view()}
                </tr></thead>
                <tbody>{body}</tbody>
            </table>
        </div>
        <p class="quiet">
            {format::rows(table.total, texts::current())}
            {(more > 0).then(|| t!(", {n} hidden", n = format::count(more)))}
        </p>
    }
    .into_any()
}

fn line(table: &TableView, key: &str, row: &Value, columns: &[String]) -> AnyView {
    let change = table.changes.iter().find(|change| change.key == key).map(|change| &change.kind);
    let mark = match change {
        Some(ChangeKind::Inserted { .. }) => Some(t!("new")),
        Some(ChangeKind::Changed { .. }) => Some(t!("changed")),
        _ => None,
    };
    let cells = match row {
        Value::Object(fields) => columns
            .iter()
            .map(|name| text(fields.get(name).unwrap_or(&Value::Null)))
            .map(|text| view! { <td>{text}</td> })
            .collect_view()
            .into_any(),
        other => view! { <td>{text(other)}</td> }.into_any(),
    };
    view! {
        <tr class:lit=mark.is_some()>
            <th scope="row">
                {key.to_owned()} " "
                {mark.map(|word| view! { <span class="tag tag-right">{word}</span> })}
            </th>
            {cells}
        </tr>
    }
    .into_any()
}

fn text(value: &Value) -> String {
    let full = match value {
        Value::Null => String::new(),
        other => crate::session::compare::shown(other),
    };
    exchange::shorten(&full, 80)
}
