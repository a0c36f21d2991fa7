//! Reads and writes level 3 of the original's released training set: rows of instruction, input and
//! output, one per call of a dialogue.
//!
//! Source of the format: `lv3-train.json` of API-Bank (arXiv 2304.08244). Its strings often lack
//! quotes (`city=San Francisco`) and some results are not valid Python; the reader accepts both,
//! and the writer produces valid Python.

use crate::export::instructions::{InstructionRow, plan_rows};
use crate::set::{Domain, TrainingSet};
use crate::{Call, Item, Tool, Turn};
use apis::search::TOOL_SEARCHER;
use apis::{Arguments, literal};
use dataset::Ability;
use exchange::shorten;
use serde_json::Value;
use thiserror::Error;

/// A dialogue of the released set.
#[derive(Debug, Clone, PartialEq)]
pub struct Released {
    /// The instruction, unchanged.
    pub instruction: String,
    /// The description of ToolSearcher, unchanged.
    pub search: Value,
    /// The dialogue: a plan without a reply, whose last call has no result.
    pub item: Item,
    /// The APIs that its searches find.
    pub tools: Vec<Tool>,
}

/// Why a row cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("row {row}: expected {expected}, got {got:?}")]
pub struct ReleasedError {
    /// Number of the row, from 0.
    pub row: usize,
    /// What was expected.
    pub expected: &'static str,
    /// What was found, shortened.
    pub got: String,
}

/// The parts of a row.
struct Parts<'a> {
    search: &'a str,
    user: &'a str,
    /// Calls made so far, with their results.
    steps: Vec<(&'a str, &'a str)>,
    /// The call that the row trains.
    next: &'a str,
}

/// Reads rows; a row that continues the previous one belongs to the same dialogue.
///
/// # Errors
/// When a row has another shape; names the first such row.
pub fn read(rows: &[InstructionRow]) -> Result<Vec<Released>, ReleasedError> {
    let mut dialogues: Vec<Released> = Vec::new();
    let mut before: Option<Parts<'_>> = None;
    for (number, row) in rows.iter().enumerate() {
        let parts = take_apart(number, row)?;
        let goes_on = before.as_ref().is_some_and(|before| {
            before.user == parts.user
                && parts.steps.len() == before.steps.len() + 1
                && parts.steps.last().is_some_and(|(call, _)| *call == before.next)
        });
        match dialogues.last_mut() {
            Some(dialogue) if goes_on => {
                let result = parts.steps.last().map_or("", |(_, result)| result);
                add_result(number, dialogue, result)?;
                add_call(number, dialogue, parts.next)?;
            }
            _ => dialogues.push(begin(number, dialogues.len(), row, &parts)?),
        }
        before = Some(parts);
    }
    Ok(dialogues)
}

/// The rows of a dialogue, in the shape that [`read`] accepts.
pub fn write(dialogue: &Released) -> Vec<InstructionRow> {
    plan_rows(&dialogue.item, &dialogue.tools, &dialogue.instruction, &dialogue.search)
}

/// The dialogues as a set, one domain per dialogue: rows name no domains.
pub fn set(dialogues: Vec<Released>) -> TrainingSet {
    TrainingSet::of(dialogues.into_iter().map(|dialogue| Domain {
        domain: dialogue.item.id.clone(),
        apis: dialogue.tools,
        dialogues: vec![dialogue.item],
    }))
}

fn wrong(row: usize, expected: &'static str, got: &str) -> ReleasedError {
    ReleasedError { row, expected, got: shorten(got, 80) }
}

fn take_apart<'a>(number: usize, row: &'a InstructionRow) -> Result<Parts<'a>, ReleasedError> {
    let mut lines = row.input.split('\n');
    let search = lines.next().unwrap_or_default();
    let user = lines.next().unwrap_or_default();
    let user = user
        .strip_prefix("User: ")
        .ok_or_else(|| wrong(number, "User: and a text in the input's second line", user))?;
    let mut steps = Vec::new();
    for line in lines {
        if line.trim_end() == "Generate API Request:" {
            break;
        }
        steps.push(
            line.strip_prefix("API-Request: ")
                .and_then(|line| line.split_once("]->"))
                .ok_or_else(|| wrong(number, "API-Request: [...]-> and a result", line))?,
        );
    }
    let next = row
        .output
        .trim_end()
        .strip_prefix("API-Request: ")
        .and_then(|call| call.strip_suffix(']'))
        .ok_or_else(|| wrong(number, "API-Request: [...] in the output", &row.output))?;
    Ok(Parts { search, user, steps, next })
}

fn begin(
    number: usize,
    count: usize,
    row: &InstructionRow,
    parts: &Parts<'_>,
) -> Result<Released, ReleasedError> {
    let search = serde_json::from_str(parts.search)
        .map_err(|_| wrong(number, "the search's description in the first line", parts.search))?;
    let (text, time) = match parts.user.rsplit_once("TIME: ") {
        Some((text, time)) => (text, Some(time.to_owned())),
        None => (parts.user, None),
    };
    let mut dialogue = Released {
        instruction: row.instruction.clone(),
        search,
        item: Item {
            id: format!("released-{count:04}"),
            ability: Ability::Plan,
            time,
            turns: vec![Turn::User { text: text.to_owned() }],
        },
        tools: Vec::new(),
    };
    for (call, result) in &parts.steps {
        add_call(number, &mut dialogue, call)?;
        add_result(number, &mut dialogue, result)?;
    }
    add_call(number, &mut dialogue, parts.next)?;
    Ok(dialogue)
}

fn add_call(number: usize, dialogue: &mut Released, text: &str) -> Result<(), ReleasedError> {
    let (api_name, param_dict) =
        call(text).ok_or_else(|| wrong(number, "[ApiName(key='value', ...)]", text))?;
    dialogue.item.turns.push(Turn::Api(Call { api_name, param_dict, ..Call::default() }));
    Ok(())
}

fn add_result(number: usize, dialogue: &mut Released, text: &str) -> Result<(), ReleasedError> {
    let value = value(text).ok_or_else(|| wrong(number, "a Python value", text))?;
    let Some(Turn::Api(call)) = dialogue.item.turns.last_mut() else { return Ok(()) };
    let tool = (call.api_name == TOOL_SEARCHER)
        .then(|| serde_json::from_value::<Tool>(value.clone()).ok())
        .flatten();
    match tool {
        Some(tool) => {
            call.finds = Some(tool.name.clone());
            if !dialogue.tools.contains(&tool) {
                dialogue.tools.push(tool);
            }
        }
        None => call.output = Some(value),
    }
    Ok(())
}

/// Parses a result. Some have unquoted types (`'type': str`) or unescaped apostrophes
/// (`'the user's name'`), which are not valid Python.
fn value(text: &str) -> Option<Value> {
    if let Ok(value) = literal::parse(text) {
        return Some(value);
    }
    // A Python set, here for "no parameters".
    let text = text.replace("{'none'}", "{}");
    let letters: Vec<char> = text.chars().collect();
    let mut quoted = String::with_capacity(text.len() + 8);
    for (at, letter) in letters.iter().enumerate() {
        let inside = |at: usize| letters.get(at).is_some_and(|letter| letter.is_alphabetic());
        if *letter == '\'' && at > 0 && inside(at - 1) && inside(at + 1) {
            quoted.push('\\');
        }
        quoted.push(*letter);
    }
    for label in ["str", "int", "float", "bool", "list", "dict"] {
        for end in [',', '}'] {
            let bare = format!("'type': {label}{end}");
            quoted = quoted.replace(&bare, &format!("'type': '{label}'{end}"));
        }
    }
    literal::parse(&quoted).ok()
}

/// Parses a call without its closing bracket: `[Name(key='value', other=plain text)`.
fn call(text: &str) -> Option<(String, Arguments)> {
    let (name, rest) = text.trim().strip_prefix('[')?.split_once('(')?;
    let arguments = rest.trim_end().strip_suffix(')')?;
    let mut read = Arguments::new();
    for pair in pairs(arguments) {
        let (key, value) = pair.split_once('=')?;
        let value = value.trim();
        let plain = value.strip_prefix('\'').and_then(|value| value.strip_suffix('\''));
        let value = match (plain, literal::parse(value)) {
            (Some(text), _) => Value::from(text),
            (None, Ok(value)) => value,
            (None, Err(_)) => Value::from(value),
        };
        read.insert(key.trim().to_owned(), value);
    }
    Some((name.trim().to_owned(), read))
}

/// Splits arguments at commas followed by `name=`; other commas belong to a value.
fn pairs(text: &str) -> Vec<&str> {
    let mut pairs = Vec::new();
    let mut start = 0;
    for (comma, _) in text.match_indices(", ") {
        let after = &text[comma + 2..];
        let name = after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let named = name.is_some_and(|end| end > 0 && after[end..].starts_with('='));
        if named {
            pairs.push(&text[start..comma]);
            start = comma + 2;
        }
    }
    if !text.trim().is_empty() {
        pairs.push(&text[start..]);
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn calls_are_read_with_and_without_quotes() {
        for (text, name, arguments) in [
            ("[Now()", "Now", json!({})),
            ("[A(x='it's, b', y=2.5)", "A", json!({"x": "it's, b", "y": 2.5})),
            (
                "[A(city=San Francisco, n=[1, 2])",
                "A",
                json!({"city": "San Francisco", "n": [1, 2]}),
            ),
        ] {
            let (read, found) = call(text).unwrap();
            assert_eq!((read.as_str(), Value::Object(found)), (name, arguments), "{text}");
        }
        assert_eq!(call("no call"), None);
    }
}
