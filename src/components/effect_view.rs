//! A call's result and its changes to the databases.

use super::json_block::json_block;
use super::search_view::{found_apis, is_found};
use crate::session::compare::shown;
use crate::t;
use apis::Change;
use apis::effect::Effect;
use apis::store::{ChangeKind, FieldChange};
use leptos::prelude::*;
use serde_json::Value;

/// Result and changes of a call. `needed` is the API that a search is for.
pub fn effect_view(effect: &Effect, needed: Option<&str>) -> impl IntoView + use<> {
    let result = match (&effect.result.output, &effect.result.exception) {
        (_, Some(message)) => view! {
            <p class="result-line"><span class="tag tag-wrong">{t!("refused")}</span> " " {message.clone()}</p>
        }
        .into_any(),
        (Some(_), None) if is_found(&effect.result) => {
            found_apis(&effect.result, needed).into_any()
        }
        (Some(output), None) => json_block(output).into_any(),
        (None, None) => view! { <p class="quiet">{t!("No return value.")}</p> }.into_any(),
    };
    view! {
        <p class="subhead">{t!("Result")}</p>
        {result}
        <p class="subhead">{t!("Database changes")}</p>
        {change_list(&effect.changes)}
    }
}

/// Rows that were inserted, changed or deleted.
pub fn change_list(changes: &[Change]) -> AnyView {
    if changes.is_empty() {
        return view! { <p class="quiet">{t!("None.")}</p> }.into_any();
    }
    let items = changes.iter().map(item).collect_view();
    view! { <ul class="changes">{items}</ul> }.into_any()
}

fn item(change: &Change) -> impl IntoView + use<> {
    let (word, class, detail) = match &change.kind {
        ChangeKind::Inserted { row } => (t!("inserted"), "tag tag-right", fields_of(row)),
        ChangeKind::Deleted { row } => (t!("deleted"), "tag tag-wrong", fields_of(row)),
        ChangeKind::Changed { fields } => (t!("changed"), "tag tag-warn", changed(fields)),
    };
    view! {
        <li>
            <span class=class>{word}</span>
            " " <code>{change.table.as_str()} "[" {change.key.clone()} "]"</code>
            {detail}
        </li>
    }
}

fn fields_of(row: &Value) -> AnyView {
    let pairs: Vec<(String, String)> = match row {
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), shown(value))).collect()
        }
        other => vec![(t!("value").to_owned(), shown(other))],
    };
    let pairs = pairs
        .into_iter()
        .map(|(name, value)| view! { <dt>{name}</dt><dd>{value}</dd> })
        .collect_view();
    view! { <dl class="pairs">{pairs}</dl> }.into_any()
}

fn changed(fields: &[FieldChange]) -> AnyView {
    let pairs = fields
        .iter()
        .map(|change| {
            view! {
                <dt>{change.field.clone()}</dt>
                <dd><del>{shown(&change.before)}</del> " → " <ins>{shown(&change.after)}</ins></dd>
            }
        })
        .collect_view();
    view! { <dl class="pairs">{pairs}</dl> }.into_any()
}
