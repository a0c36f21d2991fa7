//! Rows of instruction, input and output, in the shapes of the original's released files.
//!
//! Levels 1 and 2 (Call, Retrieve+Call) have the descriptions in the instruction and the
//! conversation in the input; level 3 has the description of ToolSearcher in the input's first line
//! and the time directly after the user's text. Instructions are the project's own, or those of an
//! imported file.

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
pub struct InstructionRow {
    /// The task.
    pub instruction: String,
    /// The conversation so far.
    pub input: String,
    /// The expected completion: a call or a reply.
    pub output: String,
}

/// Instructions, to which the APIs' descriptions are appended.
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
    /// The project's own instructions.
    pub fn own() -> &'static Templates {
        &OWN
    }
}

/// The rows of a dialogue: one per call, and at levels 1 and 2 one per reply that directly follows
/// a call.
pub fn rows(item: &Item, tools: &[Tool], templates: &Templates) -> Vec<InstructionRow> {
    match item.ability {
        Ability::Plan => plan_rows(item, tools, &templates.plan, &search_line()),
        _ => dialogue_rows(item, tools, templates),
    }
}

/// The description of ToolSearcher in the shape of level 3.
fn search_line() -> Value {
    let search = search::described(Suite::Planning, SearchResults::One).prompt_json();
    json!({
        "apiCode": search["name"],
        "description": search["description"],
        "parameters": search["input_parameters"],
        "response": search["output_parameters"],
    })
}

/// The rows of a plan; `search` is the description of ToolSearcher.
pub(crate) fn plan_rows(
    item: &Item,
    tools: &[Tool],
    instruction: &str,
    search: &Value,
) -> Vec<InstructionRow> {
    let time = item.time.as_ref().map_or(String::new(), |time| format!("TIME: {time}"));
    let mut input = format!("{}\nUser: {}{time}\n", dumps(search), item.user_text());
    let mut rows = Vec::new();
    for call in item.calls() {
        let request = request(call);
        rows.push(InstructionRow {
            instruction: instruction.to_owned(),
            input: format!("{input}Generate API Request: "),
            output: request.clone(),
        });
        input.push_str(&format!("{request}->{}\n", repr(&call.result(tools))));
    }
    rows
}

fn dialogue_rows(item: &Item, tools: &[Tool], templates: &Templates) -> Vec<InstructionRow> {
    let year = item.time.as_deref().and_then(|time| time.get(..4)).unwrap_or("2026");
    let described = match item.ability {
        Ability::Call => called(item, tools).map(|tool| dumps(&tool.prompt_json())).collect(),
        _ => {
            // A recorded search returns one API.
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
                    rows.push(InstructionRow {
                        instruction: reply.clone(),
                        input: format!("{input}Generate AI Response:\n"),
                        output: text.clone(),
                    });
                }
                input.push_str(&format!("AI: {text}\n"));
            }
            Turn::Api(made) => {
                let request = request(made);
                rows.push(InstructionRow {
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

/// Formats a call as in the released files: strings in single quotes without escaping, other values
/// in Python syntax.
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
