//! Calls as lines with keywords: `Action: Name`, then `Action Input: {…}`.

use super::names::is_plausible;
use super::{Foreign, Known, call, cleaned, json};
use crate::call::{Form, parse};
use apis::Arguments;

/// Keywords before a name; the last ones only if arguments follow.
const NAMES: [&str; 13] = [
    "action",
    "tool call",
    "function call",
    "api call",
    "call",
    "use tool",
    "tool",
    "function",
    "tool name",
    "function name",
    "api",
    "api name",
    "name",
];
/// How many of the keywords need no arguments.
const ALONE: usize = 8;
/// Keywords before arguments.
const ARGUMENTS: [&str; 14] = [
    "action input",
    "tool input",
    "tool arguments",
    "function input",
    "function arguments",
    "input",
    "inputs",
    "arguments",
    "args",
    "parameters",
    "params",
    "api input",
    "action arguments",
    "action parameters",
];

/// How many lines are read.
const MOST_LINES: usize = 2000;

/// The calls in lines. A name alone must be that of an API.
pub(super) fn find(text: &str, known: Known<'_>) -> Option<Foreign> {
    let mut lines = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n').take(MOST_LINES) {
        if let Some((key, value)) = keyword(line) {
            lines.push((key, value, at + line.len()));
        }
        at += line.len();
    }
    let (mut calls, mut first) = (Vec::new(), None);
    for (index, (key, value, _)) in lines.iter().enumerate() {
        let Some(rank) = NAMES.iter().position(|name| name == key) else { continue };
        let written = value.split(['(', '[', '{']).next().unwrap_or_default();
        let written = written.trim().trim_matches(['`', '"', '\'', '*']).trim();
        let name = cleaned(written, known);
        if !is_plausible(&name) {
            continue;
        }
        let next = lines.get(index + 1).filter(|(key, ..)| ARGUMENTS.contains(&key.as_str()));
        if next.is_none() && (rank >= ALONE || !known(&name)) {
            continue;
        }
        first.get_or_insert(name.clone());
        let rest = match next {
            Some((_, value, end)) => format!("{value}\n{}", text.get(*end..).unwrap_or_default()),
            None => value.strip_prefix(written).unwrap_or_default().trim().to_owned(),
        };
        if let Some(arguments) = arguments(&rest, next.is_some()) {
            calls.push(call(&name, arguments, known));
        }
    }
    first.map(|name| Foreign { form: Form::Lines, name, calls })
}

/// The arguments after a keyword, or behind a name.
fn arguments(rest: &str, own_line: bool) -> Option<Arguments> {
    let trimmed = rest.trim();
    let line = trimmed.lines().next().unwrap_or_default().trim();
    let none = ["", "()", "{}", "none", "None", "null", "N/A", "`{}`"].contains(&line);
    if none && !(own_line && trimmed.len() > line.len() && line.is_empty()) {
        return Some(Arguments::new());
    }
    let fence = trimmed.trim_start_matches(['`', '*', ' ']);
    let fence = fence.strip_prefix("json").or(fence.strip_prefix("python")).unwrap_or(fence);
    let begin = fence.trim_start();
    if begin.starts_with('{') {
        return json::values(begin).first().and_then(|(_, value)| json::object(value));
    }
    // `key='value', …`, with or without parentheses.
    let pairs = line.trim_matches(['`', ' ']);
    let pairs = pairs.strip_prefix('(').and_then(|it| it.strip_suffix(')')).unwrap_or(pairs);
    parse(&format!("[Call({pairs})]")).ok().map(|call| call.arguments)
}

/// The keyword of a line and what follows it.
fn keyword(line: &str) -> Option<(String, &str)> {
    let (key, value) = line.split_once(':')?;
    let key = key.trim_matches(|letter: char| !letter.is_alphabetic());
    if key.len() > 24 {
        return None;
    }
    let key = key.to_lowercase().replace('_', " ");
    Some((key, value.trim().trim_start_matches("**").trim()))
}
