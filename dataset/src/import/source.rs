//! Reads the original's Python files: API descriptions, and the tables of the planning APIs.

use super::fault::Fault;
use super::python::{Class, classes};
use super::{Original, pools};
use apis::search::TOOL_SEARCHER;
use apis::{Suite, registry};
use serde_json::{Map, Value};

/// The attributes that API Search returns; every API class must have them.
const DESCRIPTION: [&str; 3] = ["description", "input_parameters", "output_parameters"];

/// The outcome of reading a file.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// Number of APIs of the benchmark.
    pub(super) apis: usize,
    /// Missing or invalid descriptions.
    pub(super) problems: Vec<Fault>,
}

/// Reads the APIs of a file; ignores classes that are not APIs of the benchmark.
pub(super) fn read(
    suite: Option<Suite>,
    text: &str,
    original: &mut Original,
) -> Result<Notes, Fault> {
    let mut notes = Notes::default();
    for class in classes(text).map_err(|error| (Some(error.line), error.reason))? {
        if class.name == TOOL_SEARCHER {
            continue;
        }
        for suite in suites(suite, &class) {
            notes.apis += 1;
            notes.problems.extend(described(suite, &class, original));
            if suite == Suite::Planning {
                original.planning_tables.insert(class.name.clone(), tables(&class));
            }
        }
    }
    Ok(notes)
}

/// The suites whose API a class is. If both suites have an API of this name and the folder does not
/// decide, the presence of a token parameter does.
fn suites(folder: Option<Suite>, class: &Class) -> Vec<Suite> {
    let token = class.attributes.get("input_parameters").and_then(|it| it.get("token")).is_some();
    let named: Vec<Suite> = Suite::ALL
        .into_iter()
        .filter(|suite| folder.is_none_or(|folder| folder == *suite))
        .filter(|suite| registry::find(*suite, &class.name).is_some())
        .collect();
    match named.len() {
        0 | 1 => named,
        _ => {
            let takes_token = |suite: &Suite| {
                registry::find(*suite, &class.name).is_some_and(|api| api.param("token").is_some())
            };
            named.into_iter().filter(|suite| takes_token(suite) == token).collect()
        }
    }
}

/// Adds an API's description, or returns what is missing.
fn described(suite: Suite, class: &Class, original: &mut Original) -> Option<Fault> {
    let lacks = DESCRIPTION.into_iter().find(|name| match class.attributes.get(*name) {
        Some(Value::String(_)) => *name != "description",
        Some(Value::Object(_)) => *name == "description",
        _ => true,
    });
    if let Some(name) = lacks {
        let kind = if name == "description" { "a text" } else { "a dict" };
        let reason = format!("expected {kind} under {name} of the class {}", class.name);
        return Some((Some(class.line), reason));
    }
    let mut tool = Map::new();
    tool.insert("name".to_owned(), Value::from(class.name.as_str()));
    tool.extend(
        DESCRIPTION
            .into_iter()
            .filter_map(|name| Some((name.to_owned(), class.attributes.get(name)?.clone()))),
    );
    pools::describe(suite, &Value::Object(tool), original);
    None
}

/// An API's list and dict attributes, other than its description.
fn tables(class: &Class) -> Value {
    let own = class.attributes.iter().filter(|(name, _)| !DESCRIPTION.contains(&name.as_str()));
    let holds = |value: &Value| value.is_array() || value.is_object();
    own.chain(&class.fields)
        .filter(|(_, value)| holds(value))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}
