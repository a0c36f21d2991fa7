//! Recorded results for APIs whose databases are missing from a pack.
//!
//! An API cannot run if an imported pack lacks a database that it reads. Calls equal to a recorded
//! one then return the recorded result; all others fail as "not recorded".

use super::TableName;
use crate::arguments::Arguments;
use crate::result::ApiResult;
use crate::suite::Suite;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Tables that an API can do without: most start empty, as in the original, and names have synonyms
/// only in this project's data. Their absence does not mean missing data.
const OPTIONAL: [TableName; 6] = [
    TableName::BankAccount,
    TableName::Email,
    TableName::EmailReminder,
    TableName::PasswordReset,
    TableName::PlannedMeeting,
    TableName::Synonym,
];

/// A call: suite, API, canonical arguments sorted by name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Call(Suite, String, String);

impl Call {
    pub(crate) fn new(suite: Suite, name: &str, arguments: Arguments) -> Self {
        let sorted: BTreeMap<String, Value> = arguments.into_iter().collect();
        Call(suite, name.to_owned(), json!(sorted).to_string())
    }
}

/// Recorded results. Empty if the pack has all its databases.
#[derive(Debug, Clone, Default)]
pub struct Recorded(Option<Arc<Book>>);

#[derive(Debug)]
struct Book {
    with_data: BTreeSet<TableName>,
    results: BTreeMap<Call, ApiResult>,
}

impl Recorded {
    /// The results of calls, for APIs that read another table than those with data. The first of equal
    /// calls wins.
    pub(crate) fn new(
        with_data: BTreeSet<TableName>,
        calls: impl IntoIterator<Item = (Call, ApiResult)>,
    ) -> Self {
        let mut results = BTreeMap::new();
        for (call, result) in calls {
            results.entry(call).or_insert(result);
        }
        Recorded(Some(Arc::new(Book { with_data, results })))
    }

    /// Whether an API that reads these tables lacks data and falls back to recorded results.
    pub(crate) fn stands_in_for(&self, reads: &[TableName]) -> bool {
        self.0.as_ref().is_some_and(|book| {
            let has = |table| OPTIONAL.contains(table) || book.with_data.contains(table);
            !reads.iter().all(has)
        })
    }

    /// The recorded result of a call, even if its API can run.
    pub(crate) fn find(&self, call: &Call) -> Option<&ApiResult> {
        self.0.as_ref()?.results.get(call)
    }
}
