//! Calls as tags: `<function=Name><parameter=key>value</parameter></function>` and its relatives.

use super::names::is_plausible;
use super::spelling::without_entities;
use super::{Known, call, json};
use crate::call::ParsedCall;
use apis::Arguments;
use serde_json::Value;

/// Tags that name a call by a value or an attribute: `<function=Name>`, `<invoke name="Name">`.
const CALLS: [&str; 8] =
    ["function", "invoke", "tool", "tool_call", "call", "api", "function_call", "tool_use"];
/// Tags that name a call by their content: `<tool_name>Name</tool_name>`.
const NAMES: [&str; 7] =
    ["tool_name", "function_name", "name", "tool", "function", "api_name", "recipient_name"];
/// Tags that name a parameter by a value or an attribute.
const PARAMETERS: [&str; 5] = ["parameter", "param", "arg", "argument", "input"];
/// Tags around parameters.
const AROUND: [&str; 9] = [
    "parameters",
    "arguments",
    "args",
    "params",
    "input",
    "tool_input",
    "tool_call",
    "function_call",
    "function_calls",
];

/// The most tags that are read.
const MOST_TAGS: usize = 512;
/// The longest tag, in bytes.
const LONGEST: usize = 160;

/// A tag such as `<parameter name="key">`.
#[derive(Debug, Clone)]
pub(super) struct Tag<'a> {
    pub start: usize,
    pub end: usize,
    /// Its local name, as written.
    pub name: &'a str,
    /// The value: `key`.
    pub value: Option<&'a str>,
    pub closes: bool,
}

/// The tags of a text. Tokens of templates (`<｜DSML｜invoke …>`, `<|x|>`) are tags too.
pub(super) fn tags(text: &str) -> Vec<Tag<'_>> {
    text.match_indices('<').filter_map(|(start, _)| tag(text, start)).take(MOST_TAGS).collect()
}

fn tag(text: &str, start: usize) -> Option<Tag<'_>> {
    let inside = text[start + 1..].split(['>', '<', '\n']).next()?;
    let end = start + 1 + inside.len();
    if inside.len() > LONGEST || !text[end..].starts_with('>') {
        return None;
    }
    let (closes, inside) = match inside.strip_prefix('/') {
        Some(inside) => (true, inside),
        None => (false, inside),
    };
    let head = inside.split([' ', '=', '\t']).next()?;
    let rest = inside[head.len()..].trim().trim_end_matches('/');
    let head = head.trim_matches(['｜', '|', '/']);
    let name = head.rsplit([':', '｜', '|']).next()?;
    let value = match rest.strip_prefix('=') {
        Some(value) => Some(value.trim()),
        None => ["name=", "key="].iter().find_map(|key| {
            let value = rest.split_once(key)?.1.trim_start();
            let quote = value.chars().next().filter(|letter| matches!(letter, '"' | '\''))?;
            value[1..].split(quote).next()
        }),
    };
    let value = value.map(|it| it.trim_matches(['"', '\'', '|', '｜'])).filter(|it| !it.is_empty());
    (!name.is_empty()).then_some(Tag { start, end: end + 1, name, value, closes })
}

/// The calls among the tags of a text.
pub(super) fn calls(text: &str, known: Known<'_>) -> Vec<ParsedCall> {
    let tags = tags(text);
    let heads: Vec<(usize, &str)> = (0..tags.len())
        .filter_map(|index| Some((index, named(text, &tags, index, known)?)))
        .collect();
    let mut calls = Vec::new();
    for (at, (index, name)) in heads.iter().enumerate() {
        let head = &tags[*index];
        let next = heads.get(at + 1).map_or(tags.len(), |(next, _)| *next);
        let inside = &tags[index + 1..next];
        // The closing tag of a name does not end the call.
        let is_name = text.get(head.end..).is_some_and(|it| it.trim_start().starts_with(name));
        let is_name = is_name && inside.first().is_some_and(|it| it.closes);
        let closing = inside.iter().find(|tag| tag.closes && tag.name == head.name && !is_name);
        let end = closing.or_else(|| tags.get(next)).map_or(text.len(), |tag| tag.start);
        let inside: Vec<&Tag<'_>> = inside.iter().filter(|tag| tag.start < end).collect();
        let mut arguments = arguments(text, &inside, end, name);
        let content = text.get(head.end..end).unwrap_or_default();
        if arguments.is_empty() {
            let objects = json::values(content);
            arguments
                .extend(objects.iter().find_map(|(_, it)| json::object(it)).into_iter().flatten());
        }
        calls.push(call(name, arguments, known));
    }
    calls
}

/// The name of the call that a tag begins.
fn named<'a>(text: &'a str, tags: &[Tag<'a>], index: usize, known: Known<'_>) -> Option<&'a str> {
    let tag = tags.get(index)?;
    if tag.closes {
        return None;
    }
    let kind = lower(tag.name);
    if let Some(value) = tag.value {
        return (CALLS.contains(&kind.as_str()) && is_plausible(value)).then_some(value);
    }
    let next = tags.get(index + 1)?;
    let content = text.get(tag.end..next.start)?.trim();
    if NAMES.contains(&kind.as_str()) && next.closes && next.name == tag.name {
        return (is_plausible(content) && known(&super::cleaned(content, known)))
            .then_some(content);
    }
    // `<tool_call>Name`, then keys and values.
    if lower(next.name) == "arg_key" && !next.closes && is_plausible(content) {
        return Some(content);
    }
    known(tag.name).then_some(tag.name)
}

/// The parameters among the tags inside a call.
fn arguments(text: &str, tags: &[&Tag<'_>], end: usize, call: &str) -> Arguments {
    let mut arguments = Arguments::new();
    let mut key: Option<&str> = None;
    let mut at = 0;
    while let Some(tag) = tags.get(at) {
        at += 1;
        let kind = lower(tag.name);
        let named = tag.value.filter(|_| PARAMETERS.contains(&kind.as_str()));
        let content = tags.get(at).and_then(|next| text.get(tag.end..next.start));
        let is_name = NAMES.contains(&kind.as_str()) && content.is_some_and(|it| it.trim() == call);
        let around = AROUND.contains(&kind.as_str()) && named.is_none();
        if tag.closes || tag.name == call || is_name || around {
            continue;
        }
        // A parameter ends at its closing tag, or where the next one begins.
        let next = (at..tags.len()).find(|it| tags.get(*it).is_some_and(|it| it.name == tag.name));
        let ends = next.and_then(|it| tags.get(it));
        let content = text.get(tag.end..ends.map_or(end, |it| it.start)).unwrap_or_default();
        if kind == "arg_key" {
            key = Some(content.trim());
        } else if let Some(name) =
            named.or(key.take()).or(Some(tag.name)).filter(|name| is_plausible(name))
        {
            let value = content.strip_prefix('\n').unwrap_or(content);
            let value = value.strip_suffix('\n').unwrap_or(value);
            arguments.insert(name.to_owned(), Value::from(without_entities(value)));
        }
        at = next.unwrap_or(at);
    }
    arguments
}

fn lower(name: &str) -> String {
    name.to_lowercase()
}
