//! The databases at the current step, with changed rows highlighted.

use super::Stage;
use crate::protocol::demo::ReadTable;
use crate::session::demo::graded;
use crate::state::Latest;
use crate::t;
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
    // Switch to a table that this step changes; otherwise keep the current one.
    Effect::new(move || {
        let changed = stage.sample().and_then(|sample| {
            sample.gold_effect.and_then(|effect| effect.changes.first().map(|it| it.table))
        });
        let all = tables.get();
        let kept = chosen.get_untracked().filter(|table| all.contains(table));
        chosen.set(changed.or(kept).or_else(|| all.first().copied()));
    });
    Effect::new(move || {
        let sample = nearest(stage);
        match (sample, chosen.get()) {
            (Some(sample), Some(table)) => {
                latest.refresh(app, ReadTable { sample, table });
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
        <section class="panel" data-test="demo-world">
            <h2>{t!("Databases")}</h2>
            <div class="tabs tabs-small" role="group" aria-label=t!("Table")>{buttons}</div>
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

/// The sample whose databases are shown: the step's, or that of the last graded step before it, or
/// the dialogue's first.
fn nearest(stage: Stage) -> Option<String> {
    let step = stage.step.get();
    stage.walk.with(|walk| {
        let steps = &walk.as_ref()?.steps;
        let before = steps.iter().take(step + 1).rev().find_map(graded);
        before.or_else(|| steps.iter().find_map(graded)).map(|sample| sample.id.clone())
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
            {t!("{n} rows", n = table.total)}
            {(more > 0).then(|| t!(", {n} hidden", n = more))}
        </p>
    }
    .into_any()
}

fn line(table: &TableView, key: &str, row: &Value, columns: &[String]) -> AnyView {
    let change = table.changes.iter().find(|change| change.key == key).map(|it| &it.kind);
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
