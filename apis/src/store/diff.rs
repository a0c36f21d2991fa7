//! The changes of a call to the tables: rows inserted, updated and deleted.

use super::TableName;
use super::table::{Table, row_json};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

/// A changed row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Change {
    /// The table.
    pub table: TableName,
    /// The row's key.
    pub key: String,
    /// What happened to the row.
    #[serde(flatten)]
    pub kind: ChangeKind,
}

/// What happened to a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "change", rename_all = "lowercase")]
pub enum ChangeKind {
    /// The row was added.
    Inserted {
        /// The row.
        row: Value,
    },
    /// The row was removed.
    Deleted {
        /// The row before its removal.
        row: Value,
    },
    /// Fields of the row were changed.
    Changed {
        /// The changed fields, in the row's order.
        fields: Vec<FieldChange>,
    },
}

/// A changed field. A row that is not a record has one field, `value`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FieldChange {
    /// The field.
    pub field: String,
    /// Value before; null if absent.
    pub before: Value,
    /// Value after; null if absent.
    pub after: Value,
}

/// Appends the differences of one table to `changes`, sorted by key.
pub(super) fn table<R: Serialize>(
    name: TableName,
    before: &Table<R>,
    after: &Table<R>,
    changes: &mut Vec<Change>,
) {
    if before.is_shared_with(after) {
        return;
    }
    let start = changes.len();
    for (key, row) in after.iter() {
        match (before.handle(key), after.handle(key)) {
            (Some(old), Some(new)) if Arc::ptr_eq(old, new) => {}
            (Some(old), _) => {
                let fields = fields(row_json(old.as_ref()), row_json(row));
                if !fields.is_empty() {
                    changes.push(change(name, key, ChangeKind::Changed { fields }));
                }
            }
            (None, _) => {
                changes.push(change(name, key, ChangeKind::Inserted { row: row_json(row) }));
            }
        }
    }
    for (key, row) in before.iter().filter(|(key, _)| !after.contains(key)) {
        changes.push(change(name, key, ChangeKind::Deleted { row: row_json(row) }));
    }
    changes[start..].sort_by(|a, b| a.key.cmp(&b.key));
}

fn change(table: TableName, key: &str, kind: ChangeKind) -> Change {
    Change { table, key: key.to_owned(), kind }
}

fn fields(before: Value, after: Value) -> Vec<FieldChange> {
    let mut before = record(before);
    let mut out = Vec::new();
    for (field, after) in record(after) {
        let before = before.shift_remove(&field).unwrap_or(Value::Null);
        if before != after {
            out.push(FieldChange { field, before, after });
        }
    }
    for (field, before) in before {
        out.push(FieldChange { field, before, after: Value::Null });
    }
    out
}

fn record(row: Value) -> Map<String, Value> {
    match row {
        Value::Object(fields) => fields,
        other => Map::from_iter([("value".to_owned(), other)]),
    }
}

/// Changes in a canonical form that is independent of the order of the calls: without the keys of
/// new rows that are numbered in the order of insertion.
pub fn unordered(changes: &[Change]) -> Vec<String> {
    let mut texts: Vec<String> = changes
        .iter()
        .map(|change| match &change.kind {
            ChangeKind::Inserted { row } if change.table.numbers_rows() => {
                format!("{} inserted {row}", change.table.as_str())
            }
            kind => format!(
                "{} {} {}",
                change.table.as_str(),
                serde_json::Value::from(change.key.as_str()),
                serde_json::to_string(kind).unwrap_or_default()
            ),
        })
        .collect();
    texts.sort_unstable();
    texts
}

#[cfg(test)]
mod tests {
    use crate::store::{Account, World};
    use serde_json::json;

    #[test]
    fn lists_what_was_inserted_changed_and_deleted() {
        let account = |password: &str| Account {
            password: password.to_owned(),
            token: "t".to_owned(),
            email: "e".to_owned(),
        };
        let mut before = World::empty(1);
        before.account.insert("ann", account("a"));
        before.account.insert("bo", account("b"));
        let mut after = before.clone();
        assert!(after.changes_since(&before).is_empty());
        after.account.remove("ann");
        after.account.update("bo", |row| row.password = "c".to_owned());
        after.account.insert("cy", account("d"));
        assert_eq!(
            serde_json::to_value(after.changes_since(&before)).unwrap(),
            json!([
                {"table": "Account", "key": "ann", "change": "deleted",
                 "row": {"password": "a", "token": "t", "email": "e"}},
                {"table": "Account", "key": "bo", "change": "changed",
                 "fields": [{"field": "password", "before": "b", "after": "c"}]},
                {"table": "Account", "key": "cy", "change": "inserted",
                 "row": {"password": "d", "token": "t", "email": "e"}},
            ])
        );
        assert_ne!(before.digest(), after.digest());
    }
}
