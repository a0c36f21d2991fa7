//! Records the results of calls in a world, for APIs that lack its data.

use crate::arguments::Arguments;
use crate::registry;
use crate::result::ApiResult;
use crate::store::{Call, Recorded, TableName, World};
use crate::suite::Suite;

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

/// Keeps results in a world, for APIs that lack data there.
pub fn record<'a>(world: &mut World, calls: impl IntoIterator<Item = RecordedResult<'a>>) {
    let with_data = TableName::ALL.iter().copied().filter(|table| world.rows(*table) > 0).collect();
    let calls = calls.into_iter().map(|recorded| {
        let named = registry::find(recorded.suite, recorded.name)
            .map(|api| api.recorded_call(recorded.arguments));
        let call = named.unwrap_or_else(|| {
            Call::new(recorded.suite, recorded.name, recorded.arguments.clone())
        });
        (call, recorded.result.clone())
    });
    world.recorded = Recorded::new(with_data, calls);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

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
        record(&mut world, [call]);
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
        record(&mut world, []);
        let keyword = json!({"keyword": "Coral reef"}).as_object().unwrap().clone();
        let wiki = registry::find(Suite::Dialogue, "Wiki").unwrap();
        assert_eq!(wiki.call(&keyword, &mut world).exception, None);
    }

    #[test]
    fn a_world_of_its_own_has_no_book() {
        let stock = registry::find(Suite::Dialogue, "QueryStock").unwrap();
        assert!(!World::empty(1).recorded.stands_in_for(stock.reads));
    }
}
