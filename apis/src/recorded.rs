//! Recorded results for APIs whose databases a pack lacks.
//!
//! An API cannot run if an imported pack lacks a database that it reads. Calls equal to a recorded
//! one then return the recorded result; all others fail as "not recorded".

use crate::api::{Api, ApiResult, Suite};
use crate::arguments::{self, Arguments};
use crate::registry;
use crate::store::{TableName, World};
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

/// Identifies a call: suite, API, canonical arguments sorted by name.
type Key = (Suite, String, String);

/// Recorded results and the APIs that use them. Empty if the pack has all its databases.
#[derive(Debug, Clone, Default)]
pub struct Recorded(Option<Arc<Book>>);

#[derive(Debug)]
struct Book {
    lacking: BTreeSet<(Suite, &'static str)>,
    results: BTreeMap<Key, ApiResult>,
}

/// One recorded call.
#[derive(Debug, Clone, Copy)]
pub struct RecordedResult<'a> {
    /// The pool of the API.
    pub suite: Suite,
    /// The API.
    pub name: &'a str,
    /// Its arguments.
    pub arguments: &'a Arguments,
    /// Its result.
    pub result: &'a ApiResult,
}

impl Recorded {
    /// The results for APIs that lack data in `world`. The first of equal calls wins.
    pub fn new<'a>(world: &World, calls: impl IntoIterator<Item = RecordedResult<'a>>) -> Self {
        let has = |table: &TableName| OPTIONAL.contains(table) || world.rows(*table) > 0;
        let lacking = registry::all()
            .filter(|api| !api.reads.iter().all(has))
            .map(|api| (api.suite, api.name))
            .collect();
        let mut results = BTreeMap::new();
        for call in calls {
            results
                .entry(key(call.suite, call.name, call.arguments))
                .or_insert_with(|| call.result.clone());
        }
        Recorded(Some(Arc::new(Book { lacking, results })))
    }

    /// Whether an API lacks data, so that only its recorded calls have a result.
    pub fn stands_in_for(&self, suite: Suite, name: &str) -> bool {
        let known = registry::find(suite, name);
        self.0
            .as_ref()
            .is_some_and(|book| known.is_some_and(|api| book.lacking.contains(&(suite, api.name))))
    }

    /// The recorded result of a call, even if its API can run.
    pub fn find(&self, suite: Suite, name: &str, raw: &Arguments) -> Option<&ApiResult> {
        self.0.as_ref()?.results.get(&key(suite, name, raw))
    }

    /// The result of a call if its API lacks data; `None` if the API can run.
    pub(crate) fn answer(&self, api: &Api, raw: &Arguments) -> Option<ApiResult> {
        if !self.stands_in_for(api.suite, api.name) {
            return None;
        }
        Some(self.find(api.suite, api.name, raw).cloned().unwrap_or_else(|| {
            ApiResult::failure(api.name, Value::Object(raw.clone()), not_recorded(api.name))
        }))
    }
}

/// The error message for a call without a recorded result.
pub fn not_recorded(name: &str) -> String {
    format!("Not recorded: the pack has no data for {name}, and the call is no recorded one.")
}

fn key(suite: Suite, name: &str, raw: &Arguments) -> Key {
    let read = registry::find(suite, name).and_then(|api| arguments::read(api, raw).ok());
    let sorted: BTreeMap<String, Value> = read.unwrap_or_else(|| raw.clone()).into_iter().collect();
    (suite, name.to_owned(), json!(sorted).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stock(code: &str, date: &str) -> Arguments {
        json!({"date": date, "stock_code": code}).as_object().unwrap().clone()
    }

    #[test]
    fn without_data_only_recorded_calls_have_a_result() {
        let mut world = World::empty(1);
        let arguments = stock("ABC", "2023-1-2");
        let result = ApiResult {
            api_name: "QueryStock".to_owned(),
            input: Value::Null,
            output: Some(json!(12.5)),
            exception: None,
        };
        let suite = Suite::Dialogue;
        let call =
            RecordedResult { suite, name: "QueryStock", arguments: &arguments, result: &result };
        world.recorded = Recorded::new(&world, [call]);
        let api = registry::find(suite, "QueryStock").unwrap();
        // The same date in another format is the same call.
        assert_eq!(api.call(&stock("ABC", "2023-01-02"), &mut world).output, Some(json!(12.5)));
        let other = api.call(&stock("ABC", "2023-01-03"), &mut world);
        assert!(other.exception.unwrap().starts_with("Not recorded"));
        // A calculator reads no table: it runs.
        let sum = json!({"formula": "1+1"}).as_object().unwrap().clone();
        let calculator = registry::find(suite, "Calculator").unwrap();
        assert_eq!(calculator.call(&sum, &mut world).output, Some(json!(2.0)));
    }

    #[test]
    fn an_api_runs_on_imported_data_without_synonyms() {
        let mut world = World::empty(1);
        let articles = json!({"coral reef": {"url": "reef", "summary": "A reef of corals."}});
        world.load_table(TableName::Wiki, "Wiki.json", &articles).unwrap();
        world.recorded = Recorded::new(&world, []);
        let keyword = json!({"keyword": "Coral reef"}).as_object().unwrap().clone();
        let wiki = registry::find(Suite::Dialogue, "Wiki").unwrap();
        assert_eq!(wiki.call(&keyword, &mut world).exception, None);
    }

    #[test]
    fn a_world_of_its_own_has_no_book() {
        assert!(!World::empty(1).recorded.stands_in_for(Suite::Dialogue, "QueryStock"));
    }
}
