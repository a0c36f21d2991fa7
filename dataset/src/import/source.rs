//! The original's APIs out of its Python files: descriptions, and the tables of the planning APIs.

use super::files::Fault;
use super::python::{Class, classes};
use super::{Original, pools};
use apis::search::TOOL_SEARCHER;
use apis::{Suite, registry};
use serde_json::{Map, Value};

/// What API Search returns of an API, and what a class has to say of it.
const DESCRIPTION: [&str; 3] = ["description", "input_parameters", "output_parameters"];

/// What a file held.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// APIs of the benchmark.
    pub(super) apis: usize,
    /// What of them cannot be read.
    pub(super) problems: Vec<Fault>,
}

/// Reads the APIs of a file. Classes that are no API of the benchmark are left alone.
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

/// The suites that a class is an API of. Where the folder does not tell, and two suites have an API
/// of this name, the one with a token is that of the dialogues.
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

/// Takes the description of an API; what it lacks otherwise.
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

/// The lists and dicts that an API holds, by attribute.
fn tables(class: &Class) -> Value {
    let own = class.attributes.iter().filter(|(name, _)| !DESCRIPTION.contains(&name.as_str()));
    let holds = |value: &Value| value.is_array() || value.is_object();
    own.chain(&class.fields)
        .filter(|(_, value)| holds(value))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}
