//! What a step of a dialogue is about: its table, and the APIs that are known there.

use apis::search::{TOOL_SEARCHER, find, needed};
use apis::{Api, Suite, TableName};
use record::demo::{Step, Walkthrough};
use record::{Gold, SampleRecord};
use serde_json::Value;

/// Tables that many APIs read beside the one that they are about.
const AUXILIARY: [TableName; 2] = [TableName::Account, TableName::Synonym];

/// The sample of a step, if it is graded.
pub fn graded(step: &Step) -> Option<&SampleRecord> {
    match step {
        Step::Graded(sample) => Some(sample),
        Step::Said { .. } => None,
    }
}

/// The table that an API is about: one that it changes, else one that it reads.
fn main_table(api: &Api) -> Option<TableName> {
    let all = || api.writes.iter().chain(api.reads).copied();
    all().find(|name| !AUXILIARY.contains(name)).or_else(|| all().next())
}

/// The table that a gold call changes, else that of its API, or of the API that a search is for.
fn table_of(suite: Suite, sample: &SampleRecord) -> Option<TableName> {
    let Gold::Call(gold) = &sample.gold else { return None };
    let changes = sample.gold_effect.iter().flat_map(|effect| &effect.changes);
    let searched = (gold.api_name == TOOL_SEARCHER).then(|| needed(&gold.result)).flatten();
    let name = searched.as_deref().unwrap_or(&gold.api_name);
    changes.map(|it| it.table).next().or_else(|| main_table(find(suite, name)?))
}

/// The table to open at a step: the step's, else that of the nearest one before it, else of the next.
pub fn table_at(walk: &Walkthrough, step: usize) -> Option<TableName> {
    let table = |step: &Step| table_of(walk.ability.suite(), graded(step)?);
    let (past, ahead) = walk.steps.split_at((step + 1).min(walk.steps.len()));
    past.iter().rev().find_map(table).or_else(|| ahead.iter().find_map(table))
}

/// The APIs known to a model before a step: those described, and those found by earlier searches.
pub fn known(walk: &Walkthrough, step: usize) -> Vec<&'static Api> {
    let suite = walk.ability.suite();
    let mut names: Vec<String> = walk.described.clone();
    for sample in walk.steps.iter().take(step).filter_map(graded) {
        if let Some(output) = sample.gold_effect.as_ref().and_then(|it| it.result.output.as_ref()) {
            collect_names(output, &mut names);
        }
    }
    let mut apis: Vec<&'static Api> = Vec::new();
    for name in names {
        if let Some(api) = find(suite, &name)
            && !apis.iter().any(|known| known.name == api.name)
        {
            apis.push(api);
        }
    }
    apis
}

/// The strings under `name` at any depth: API Search returns one description or several.
fn collect_names(value: &Value, names: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(name)) = fields.get("name") {
                names.push(name.clone());
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect_names(item, names)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use apis::Suite;

    #[test]
    fn an_api_is_about_the_table_that_others_do_not_share() {
        let table = |suite, name| main_table(find(suite, name).unwrap());
        assert_eq!(table(Suite::Planning, "FlightSearch"), Some(TableName::Flight));
        assert_eq!(table(Suite::Dialogue, "QueryAlarm"), Some(TableName::Alarm));
        assert_eq!(table(Suite::Dialogue, "GetUserToken"), Some(TableName::Account));
        assert_eq!(table(Suite::Dialogue, "Calculator"), None);
    }

    #[test]
    fn searched_apis_become_known() {
        let mut names = Vec::new();
        let found = serde_json::json!([{"name": "GetUserToken"}, {"name": "AddAlarm"}, 3]);
        collect_names(&found, &mut names);
        assert_eq!(names, ["GetUserToken", "AddAlarm"]);
    }
}
