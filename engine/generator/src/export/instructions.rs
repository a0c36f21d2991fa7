//! Rows of instruction, input and output, in the shapes of the original's released files.
//!
//! Levels 1 and 2 (Call, Retrieve+Call) put the descriptions into the instruction and the
//! conversation into the input; level 3 puts the description of the search into the input's first
//! line and the time right behind the user's words. Instructions are the project's own sentences,
//! or those of an imported file.

use super::python::{dumps, repr};
use crate::{Call, Item, Tool, Turn};
use apis::search::{self, SearchResults};
use apis::{Arguments, Suite};
use dataset::Ability;
use exchange::slots::fill;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::LazyLock;

/// One row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// What to do.
    pub instruction: String,
    /// What it is to be done with.
    pub input: String,
    /// What is expected.
    pub output: String,
}

/// Instructions, up to the descriptions.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Templates {
    /// For a call of level 1 or 2; `{year}` is a slot.
    pub call: String,
    /// For a reply; `{year}` is a slot.
    pub reply: String,
    /// For a call of level 3.
    pub plan: String,
}

#[expect(clippy::expect_used, reason = "the embedded file is checked by a test")]
static OWN: LazyLock<Templates> = LazyLock::new(|| {
    serde_json::from_str(include_str!("templates.json")).expect("the embedded templates are valid")
});

impl Templates {
    /// The project's own.
    pub fn own() -> &'static Templates {
        &OWN
    }
}

/// The rows of a dialogue: each call, and at levels 1 and 2 each reply right after one.
pub fn rows(item: &Item, tools: &[Tool], templates: &Templates) -> Vec<Row> {
    match item.ability {
        Ability::Plan => plan_rows(item, tools, &templates.plan, &search_line()),
        _ => dialogue_rows(item, tools, templates),
    }
}

/// The description of the search as level 3 has it.
fn search_line() -> Value {
    let search = search::described(Suite::Planning, SearchResults::One).prompt_json();
    json!({
        "apiCode": search["name"],
        "description": search["description"],
        "parameters": search["input_parameters"],
        "response": search["output_parameters"],
    })
}

/// Rows of level 3; `search` is the description of the search.
pub(crate) fn plan_rows(
    item: &Item,
    tools: &[Tool],
    instruction: &str,
    search: &Value,
) -> Vec<Row> {
    let time = item.time.as_ref().map_or(String::new(), |time| format!("TIME: {time}"));
    let mut input = format!("{}\nUser: {}{time}\n", dumps(search), item.user_text());
    let mut rows = Vec::new();
    for call in item.calls() {
        let request = request(call);
        rows.push(Row {
            instruction: instruction.to_owned(),
            input: format!("{input}Generate API Request: "),
            output: request.clone(),
        });
        input.push_str(&format!("{request}->{}\n", repr(&call.result(tools))));
    }
    rows
}

fn dialogue_rows(item: &Item, tools: &[Tool], templates: &Templates) -> Vec<Row> {
    let year = item.time.as_deref().and_then(|time| time.get(..4)).unwrap_or("2026");
    let described = match item.ability {
        Ability::Call => called(item, tools).map(|tool| dumps(&tool.prompt_json())).collect(),
        _ => {
            // A written search finds one API.
            let search = search::described(Suite::Dialogue, SearchResults::One);
            vec![dumps(&search.prompt_json())]
        }
    };
    let described = described.join("\n");
    let instruction = |template: &str| fill(template, &[("year", year)]) + &described;
    let (call, reply) = (instruction(&templates.call), instruction(&templates.reply));
    let mut input = String::new();
    let mut rows = Vec::new();
    let mut after_call = false;
    for turn in &item.turns {
        match turn {
            Turn::User { text } => input.push_str(&format!("User: {text}\n")),
            Turn::Assistant { text } => {
                if after_call {
                    rows.push(Row {
                        instruction: reply.clone(),
                        input: format!("{input}Generate AI Response:\n"),
                        output: text.clone(),
                    });
                }
                input.push_str(&format!("AI: {text}\n"));
            }
            Turn::Api(made) => {
                let request = request(made);
                rows.push(Row {
                    instruction: call.clone(),
                    input: format!("{input}Generate API Request:\n"),
                    output: request.clone(),
                });
                input.push_str(&format!("{request}->{}\n", repr(&made.result(tools))));
            }
        }
        after_call = matches!(turn, Turn::Api(_));
    }
    rows
}

/// The APIs that a dialogue calls, in the order of the domain.
pub(super) fn called<'a>(item: &'a Item, tools: &'a [Tool]) -> impl Iterator<Item = &'a Tool> {
    tools.iter().filter(|tool| item.calls().any(|call| call.api_name == tool.name))
}

fn request(call: &Call) -> String {
    format!("API-Request: {}", call_text(&call.api_name, &call.param_dict))
}

/// A call as the released files write it: texts in single quotes as they are, the rest as Python.
pub(crate) fn call_text(name: &str, arguments: &Arguments) -> String {
    let pairs: Vec<String> = arguments
        .iter()
        .map(|(key, value)| match value {
            Value::String(text) => format!("{key}='{text}'"),
            other => format!("{key}={}", repr(other)),
        })
        .collect();
    format!("[{name}({})]", pairs.join(", "))
}
