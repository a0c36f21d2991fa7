//! State of the Demo page, and completion of a typed call.

use apis::search::{TOOL_SEARCHER, find, needed};
use apis::{Api, Suite, TableName};
use record::demo::{Step, Walkthrough};
use record::{Gold, SampleRecord};
use serde_json::Value;

/// Tables that many APIs read beside the one that they are about.
const AUXILIARY: [TableName; 2] = [TableName::Account, TableName::Synonym];

/// A completion of the typed text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The button's label.
    pub label: String,
    /// The whole text after completion.
    pub text: String,
}

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
    all().find(|it| !AUXILIARY.contains(it)).or_else(|| all().next())
}

/// The table that a gold call changes, else that of its API, or of the API that a search is for.
fn table_of(suite: Suite, sample: &SampleRecord) -> Option<TableName> {
    let Gold::Call(gold) = &sample.gold else { return None };
    let changes = sample.gold_effect.iter().flat_map(|it| &it.changes);
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

/// The form of the call that a text begins, without values.
pub fn form(text: &str, apis: &[&Api]) -> String {
    let name = text.trim_start().trim_start_matches('[').split('(').next().unwrap_or_default();
    match apis.iter().find(|api| api.name == name.trim()) {
        None => "[ApiName(parameter='…')]".to_owned(),
        Some(api) => {
            let params: Vec<String> =
                api.params.iter().map(|it| format!("{}='…'", it.name)).collect();
            format!("[{}({})]", api.name, params.join(", "))
        }
    }
}

/// Completions of a partially typed call: an API's name, then its parameters, then the closing
/// bracket.
pub fn suggestions(text: &str, apis: &[&Api]) -> Vec<Suggestion> {
    let open = text.trim_start();
    let Some((name, arguments)) = open.trim_start_matches('[').split_once('(') else {
        let prefix = open.trim_start_matches('[').to_lowercase();
        return apis
            .iter()
            .filter(|api| api.name.to_lowercase().starts_with(&prefix))
            .map(|api| Suggestion { label: api.name.to_owned(), text: format!("[{}(", api.name) })
            .collect();
    };
    let Some(api) = apis.iter().find(|api| api.name == name.trim()) else { return Vec::new() };
    if quoted(arguments) || arguments.contains(')') {
        return Vec::new();
    }
    let given = |param: &str| arguments.contains(&format!("{param}="));
    let start = text.trim_end().trim_end_matches(',');
    let joint = if start.ends_with('(') { "" } else { ", " };
    let mut found: Vec<Suggestion> = api
        .params
        .iter()
        .filter(|param| !given(param.name))
        .map(|param| Suggestion {
            label: format!("{}=", param.name),
            text: format!("{start}{joint}{}='", param.name),
        })
        .collect();
    if api.params.iter().all(|param| !param.required || given(param.name)) {
        found.insert(0, Suggestion { label: ")]".to_owned(), text: format!("{start})]") });
    }
    found
}

/// Whether a text ends inside single quotes.
fn quoted(text: &str) -> bool {
    let mut open = false;
    let mut escaped = false;
    for c in text.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\'' => open = !open,
            _ => {}
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;
    use apis::Suite;

    fn labels(text: &str) -> Vec<String> {
        let apis: Vec<&Api> = ["GetUserToken", "AddAlarm", "QueryAlarm"]
            .iter()
            .filter_map(|name| find(Suite::Dialogue, name))
            .collect();
        suggestions(text, &apis).into_iter().map(|it| it.label).collect()
    }

    #[test]
    fn a_call_is_completed_in_steps() {
        assert_eq!(labels(""), ["GetUserToken", "AddAlarm", "QueryAlarm"]);
        assert_eq!(labels("[a"), ["AddAlarm"]);
        assert_eq!(labels("[GetUserToken("), ["username=", "password="]);
        assert_eq!(labels("[GetUserToken(username='"), Vec::<String>::new());
        assert_eq!(labels("[GetUserToken(username='a'"), ["password="]);
        assert_eq!(labels("[GetUserToken(username='a', password='b'"), [")]"]);
        assert_eq!(labels("[GetUserToken(username='a', password='b')"), Vec::<String>::new());
        assert_eq!(labels("[Nothing("), Vec::<String>::new());
    }

    #[test]
    fn the_form_of_a_call_has_no_values() {
        let apis = [find(Suite::Dialogue, "GetUserToken").unwrap()];
        assert_eq!(form("", &apis), "[ApiName(parameter='…')]");
        assert_eq!(form("[GetUser", &apis), "[ApiName(parameter='…')]");
        let whole = "[GetUserToken(username='…', password='…')]";
        assert_eq!(form("[GetUserToken", &apis), whole);
        assert_eq!(form("GetUserToken(username='a'", &apis), whole);
    }

    #[test]
    fn an_api_is_about_the_table_that_others_do_not_share() {
        let table = |suite, name| main_table(find(suite, name).unwrap());
        assert_eq!(table(Suite::Planning, "FlightSearch"), Some(TableName::Flight));
        assert_eq!(table(Suite::Dialogue, "QueryAlarm"), Some(TableName::Alarm));
        assert_eq!(table(Suite::Dialogue, "GetUserToken"), Some(TableName::Account));
        assert_eq!(table(Suite::Dialogue, "Calculator"), None);
    }

    #[test]
    fn a_suggestion_has_the_whole_text() {
        let apis = [find(Suite::Dialogue, "GetUserToken").unwrap()];
        let next = &suggestions("[GetUserToken(username='a',", &apis)[0];
        assert_eq!(next.text, "[GetUserToken(username='a', password='");
    }

    #[test]
    fn searched_apis_become_known() {
        let mut names = Vec::new();
        let found = serde_json::json!([{"name": "GetUserToken"}, {"name": "AddAlarm"}, 3]);
        collect_names(&found, &mut names);
        assert_eq!(names, ["GetUserToken", "AddAlarm"]);
    }
}
