//! A table: rows by key in insertion order, copied on write.

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;

/// Rows by key. Clones share the rows.
#[derive(Debug)]
pub struct Table<R> {
    rows: Arc<IndexMap<String, Arc<R>>>,
}

impl<R> Clone for Table<R> {
    fn clone(&self) -> Self {
        Table { rows: Arc::clone(&self.rows) }
    }
}

impl<R> Default for Table<R> {
    fn default() -> Self {
        Table { rows: Arc::default() }
    }
}

impl<R> FromIterator<(String, R)> for Table<R> {
    fn from_iter<I: IntoIterator<Item = (String, R)>>(rows: I) -> Self {
        Table { rows: Arc::new(rows.into_iter().map(|(key, row)| (key, Arc::new(row))).collect()) }
    }
}

impl<R> Table<R> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether the table has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The row of a key.
    pub fn get(&self, key: &str) -> Option<&R> {
        self.rows.get(key).map(AsRef::as_ref)
    }

    /// Whether a key has a row.
    pub fn contains(&self, key: &str) -> bool {
        self.rows.contains_key(key)
    }

    /// Keys and rows in insertion order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &R)> {
        self.rows.iter().map(|(key, row)| (key.as_str(), row.as_ref()))
    }

    /// The first row that passes, with its key.
    pub fn find(&self, mut passes: impl FnMut(&R) -> bool) -> Option<(&str, &R)> {
        self.iter().find(|(_, row)| passes(row))
    }

    /// Adds a row, or replaces the row of this key in place.
    pub fn insert(&mut self, key: impl Into<String>, row: R) {
        Arc::make_mut(&mut self.rows).insert(key.into(), Arc::new(row));
    }

    /// Removes a row and returns whether it existed.
    pub fn remove(&mut self, key: &str) -> bool {
        self.contains(key) && Arc::make_mut(&mut self.rows).shift_remove(key).is_some()
    }

    /// A key for a new row: the highest numeric key plus one, or `1`.
    pub fn next_key(&self) -> String {
        let highest = self.rows.keys().filter_map(|key| key.parse::<u64>().ok()).max();
        highest.map_or(1, |key| key.saturating_add(1)).to_string()
    }

    /// Whether two tables share their rows, and so are equal.
    pub(super) fn is_shared_with(&self, other: &Table<R>) -> bool {
        Arc::ptr_eq(&self.rows, &other.rows)
    }

    /// For comparing rows by pointer.
    pub(super) fn handle(&self, key: &str) -> Option<&Arc<R>> {
        self.rows.get(key)
    }
}

impl<R: Clone> Table<R> {
    /// Updates a row in place and returns whether it existed.
    pub fn update(&mut self, key: &str, change: impl FnOnce(&mut R)) -> bool {
        match Arc::make_mut(&mut self.rows).get_mut(key) {
            Some(row) => {
                change(Arc::make_mut(row));
                true
            }
            None => false,
        }
    }
}

impl<R: Serialize> Table<R> {
    /// The table as a JSON object.
    pub fn to_json(&self) -> Value {
        self.iter().map(|(key, row)| (key.to_owned(), row_json(row))).collect()
    }
}

/// A row as JSON. Cannot fail: rows hold only strings, finite numbers and lists.
pub(super) fn row_json<R: Serialize>(row: &R) -> Value {
    serde_json::to_value(row).unwrap_or(Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_shares_until_it_is_written() {
        let base: Table<String> = [("1".to_owned(), "a".to_owned())].into_iter().collect();
        let mut copy = base.clone();
        assert!(copy.is_shared_with(&base));
        copy.insert(copy.next_key(), "b".to_owned());
        assert!(copy.update("1", |row| row.push('!')));
        assert_eq!((base.len(), copy.len()), (1, 2));
        assert_eq!(base.get("1").map(String::as_str), Some("a"));
        assert!(copy.remove("1") && !copy.remove("1"));
        assert_eq!(copy.next_key(), "3");
    }
}
