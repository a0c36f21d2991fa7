//! What stands behind a mark.

use super::names::{in_name, is_plausible};
use super::{Known, call, cleaned, json, tags};
use crate::call::{ParsedCall, Tier, parse_all};
use std::borrow::Cow;

/// Words between a name and its arguments.
const NOISE: [&str; 22] = [
    "json",
    "python",
    "xml",
    "code",
    "function",
    "functions",
    "tool",
    "call",
    "args",
    "arguments",
    "parameters",
    "input",
    "commentary",
    "analysis",
    "constrain",
    "message",
    "channel",
    "type",
    "with",
    "and",
    "to",
    "the",
];
/// How far a name may be from its arguments, in characters.
const FAR: usize = 200;

/// The calls in a text that a mark begins; `from` starts with the mark, `after` behind it. Also whether
/// they have a tag per parameter.
pub(super) fn calls(from: &str, after: &str, known: Known<'_>) -> (Vec<ParsedCall>, bool) {
    let tagged = tags::calls(from, known);
    if !tagged.is_empty() {
        let each = from.contains("parameter") || from.contains("arg_key") || !from.contains('{');
        return (tagged, each);
    }
    let after = plain_quotes(after);
    let mut calls = json::calls(&after, known);
    if calls.is_empty() {
        calls = named(&after, known, true);
    }
    if calls.is_empty() {
        calls = python(&after);
    }
    (calls, false)
}

/// Calls in Python.
fn python(text: &str) -> Vec<ParsedCall> {
    let calls = parse_all(text).map(|(first, more)| [vec![first], more].concat());
    let other = |call| ParsedCall { tier: Tier::Other, ..call };
    calls.unwrap_or_default().into_iter().map(other).collect()
}

/// Names before objects with their arguments: `Name{…}`, `functions.Name:0<|…|>{…}`. Without a mark
/// only the names of APIs count.
pub(super) fn named(text: &str, known: Known<'_>, marked: bool) -> Vec<ParsedCall> {
    let quoted = quoted_keys(text);
    let mut calls = Vec::new();
    let mut from = 0;
    for (at, value) in json::values(&quoted) {
        let Some(arguments) = value.as_object() else { continue };
        let before = quoted.get(from..at).unwrap_or_default();
        if let Some(name) = name_before(before, known, marked) {
            calls.push(call(&name, arguments.clone(), known));
            from = at + 1;
        }
    }
    calls
}

/// The last name in a text.
fn name_before(before: &str, known: Known<'_>, marked: bool) -> Option<String> {
    let near = before.char_indices().rev().map(|(at, _)| at).take(FAR).last().unwrap_or(0);
    let letter = |it: char| in_name(it) || matches!(it, '.' | ':' | '-' | '/');
    let words =
        before[near..].split(|it| !letter(it)).map(|part| part.trim_matches([':', '.', '-', '/']));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let found = words.iter().rev().map(|word| cleaned(word, known)).find(|word| known(word));
    if !marked {
        // In a sentence the name must be next to the object.
        let last = words.last().map(|word| cleaned(word, known)).filter(|word| known(word));
        return last.filter(|_| !before.trim_end().ends_with(['.', ',', ';', '?', '!']));
    }
    let other = words.iter().rev().find(|word| !NOISE.contains(&word.to_lowercase().as_str()));
    found.or_else(|| other.filter(|name| is_plausible(name)).map(|name| (*name).to_owned()))
}

/// A text with the quotation marks of Gemma's tokens as plain ones.
fn plain_quotes(text: &str) -> Cow<'_, str> {
    match text.contains("<|\"|>") {
        true => Cow::Owned(text.replace("<|\"|>", "\"")),
        false => Cow::Borrowed(text),
    }
}

/// A text with quotes around the bare keys of objects: `{key: 1}`.
fn quoted_keys(text: &str) -> Cow<'_, str> {
    let bare = |(at, _): (usize, &str)| {
        let rest = text[at + 1..].trim_start();
        let key = rest.split(|letter| !in_name(letter)).next().filter(|part| !part.is_empty())?;
        let start = text.len() - rest.len();
        rest[key.len()..].trim_start().starts_with(':').then_some((start, start + key.len()))
    };
    let keys: Vec<(usize, usize)> = text.match_indices(['{', ',']).filter_map(bare).collect();
    if !text.contains('{') || keys.is_empty() {
        return Cow::Borrowed(text);
    }
    // Only where the object opens with a bare key: a comma may be in a text.
    let opens = |(start, _): &(usize, usize)| text[..*start].trim_end().ends_with('{');
    if !keys.iter().any(opens) {
        return Cow::Borrowed(text);
    }
    let (mut out, mut copied) = (String::with_capacity(text.len() + 2 * keys.len()), 0);
    for (start, end) in keys {
        out.push_str(&text[copied..start]);
        out.push('"');
        out.push_str(&text[start..end]);
        out.push('"');
        copied = end;
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}
