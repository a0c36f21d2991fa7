//! Calls as JSON objects.

use super::names::is_plausible;
use super::{Known, call};
use crate::call::ParsedCall;
use apis::Arguments;
use apis::literal::Reader;
use apis::nesting::is_too_deep;
use serde_json::Value;

/// Members that name the tool, by preference.
const NAMES: [&str; 11] = [
    "name",
    "tool_name",
    "function_name",
    "api_name",
    "recipient_name",
    "tool",
    "function",
    "action",
    "api",
    "toolName",
    "method",
];
/// Members that hold the arguments.
const ARGUMENTS: [&str; 15] = [
    "arguments",
    "parameters",
    "args",
    "params",
    "input",
    "tool_input",
    "action_input",
    "tool_args",
    "kwargs",
    "param_dict",
    "parameter",
    "argument",
    "tool_parameters",
    "input_parameters",
    "toolInput",
];
/// Members that hold calls.
const WRAPPERS: [&str; 8] = [
    "tool_calls",
    "tool_call",
    "function_call",
    "function_calls",
    "calls",
    "tool_uses",
    "actions",
    "function",
];
/// Members that a call does not have, but the description or the result of a tool does.
const NO_CALL: [&str; 7] =
    ["description", "output", "exception", "result", "results", "output_parameters", "error"];
/// Members beside name and arguments.
const OTHER: [&str; 8] =
    ["id", "call_id", "type", "index", "thought", "thoughts", "reasoning", "explanation"];

/// How many openings of objects and lists are tried.
const MOST_OPENINGS: usize = 32;

/// The calls among the objects in a text.
pub(super) fn calls(text: &str, known: Known<'_>) -> Vec<ParsedCall> {
    values(text).into_iter().flat_map(|(_, value)| in_value(&value, known)).collect()
}

/// The API that a JSON object calls which breaks off or is malformed.
pub(super) fn broken(text: &str, known: Known<'_>) -> Option<String> {
    text.match_indices('{').take(MOST_OPENINGS).find_map(|(at, _)| {
        if value(text, at).is_some() {
            return None;
        }
        let near = text[at + 1..].trim_start();
        let (key, rest) = near.strip_prefix(['"', '\''])?.split_once(['"', '\''])?;
        let rest = rest.trim_start().strip_prefix(':')?.trim_start();
        let name = rest.strip_prefix(['"', '\''])?.split(['"', '\'']).next()?;
        let name = super::cleaned(name, known);
        let first = NAMES.contains(&key) && known(&name);
        let key = super::cleaned(key, known);
        if first { Some(name) } else { known(&key).then_some(key) }
    })
}

/// The outermost objects and lists in a text, each with its offset.
pub(super) fn values(text: &str) -> Vec<(usize, Value)> {
    let (mut values, mut done, mut tried) = (Vec::new(), 0, 0);
    for (at, _) in text.match_indices(['{', '[']) {
        if at < done {
            continue;
        }
        tried += 1;
        if tried > MOST_OPENINGS {
            break;
        }
        if let Some((value, end)) = value(text, at) {
            done = end;
            values.push((at, value));
        }
    }
    values
}

/// The JSON value or Python literal at `at`, and where it ends.
fn value(text: &str, at: usize) -> Option<(Value, usize)> {
    let mut json = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
    let (value, end) = match json.next() {
        Some(Ok(value)) => (value, at + json.byte_offset()),
        _ => {
            let mut reader = Reader::new(text, at);
            (reader.value(0).ok()?, reader.at)
        }
    };
    (!is_too_deep(&value)).then_some((value, end))
}

fn in_value(value: &Value, known: Known<'_>) -> Vec<ParsedCall> {
    let fields = match value {
        Value::Array(items) => return items.iter().flat_map(|it| in_value(it, known)).collect(),
        Value::Object(fields) => fields,
        _ => return Vec::new(),
    };
    let inner = WRAPPERS.iter().filter_map(|key| fields.get(*key));
    let inner: Vec<ParsedCall> = inner.flat_map(|item| in_value(item, known)).collect();
    if !inner.is_empty() {
        return inner;
    }
    if NO_CALL.iter().any(|key| fields.contains_key(*key)) {
        return Vec::new();
    }
    let names = NAMES.iter().filter_map(|key| Some((*key, fields.get(*key)?.as_str()?)));
    let Some((key, name)) = names.into_iter().find(|(_, name)| is_plausible(name.trim())) else {
        return by_key(fields, known);
    };
    let name = name.trim();
    let held = ARGUMENTS.iter().filter(|name| **name != key).find_map(|key| fields.get(*key));
    match held.map(object) {
        Some(Some(arguments)) if !arguments.contains_key("properties") => {
            vec![call(name, arguments, known)]
        }
        None if known(&super::cleaned(name, known)) => {
            let rest = fields.iter().filter(|(it, _)| *it != key && !OTHER.contains(&it.as_str()));
            vec![call(name, rest.map(|(key, value)| (key.clone(), value.clone())).collect(), known)]
        }
        _ => Vec::new(),
    }
}

/// `{"Name": {…}}`.
fn by_key(fields: &Arguments, known: Known<'_>) -> Vec<ParsedCall> {
    let named = fields.iter().map(|(name, value)| {
        let arguments = object(value).filter(|_| known(&super::cleaned(name, known)))?;
        Some(call(name, arguments, known))
    });
    named.collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// Arguments as an object, or as a text with one.
pub(super) fn object(value: &Value) -> Option<Arguments> {
    match value {
        Value::Object(fields) => Some(fields.clone()),
        Value::Null => Some(Arguments::new()),
        Value::String(text) if text.trim().is_empty() => Some(Arguments::new()),
        Value::String(text) => {
            let at = text.len() - text.trim_start().len();
            match self::value(text, at)?.0 {
                Value::Object(fields) => Some(fields),
                _ => None,
            }
        }
        _ => None,
    }
}
