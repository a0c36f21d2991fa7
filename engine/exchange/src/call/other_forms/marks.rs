//! Marks that announce a call.

use super::names::{in_name, is_plausible};
use super::{Foreign, Known, body, cleaned};
use crate::call::Form;

/// Words in a tag or token, in lower-case letters alone, and the form they announce.
const MARKS: [(&str, Form); 24] = [
    ("pythontag", Form::PythonTag),
    ("dsml", Form::Deepseek),
    ("toolcode", Form::ToolCode),
    ("toolcall", Form::ToolCallTag),
    ("functioncall", Form::ToolCallTag),
    ("functionscall", Form::ToolCallTag),
    ("toolrequest", Form::ToolCallTag),
    ("tooluse", Form::ToolCallTag),
    ("toolinvocation", Form::ToolCallTag),
    ("usetool", Form::ToolCallTag),
    ("calltool", Form::ToolCallTag),
    ("apicall", Form::ToolCallTag),
    ("apirequest", Form::ToolCallTag),
    ("startaction", Form::ToolCallTag),
    ("actionstart", Form::ToolCallTag),
    ("beginaction", Form::ToolCallTag),
    ("plugin", Form::ToolCallTag),
    ("functools", Form::ToolCallTag),
    ("toolname", Form::Xml),
    ("functionname", Form::Xml),
    ("invoke", Form::Xml),
    ("function", Form::FunctionTag),
    ("tool", Form::ToolCallTag),
    ("action", Form::ToolCallTag),
];
/// Marks that need a value, or to be the whole tag: ordinary words otherwise.
const WHOLE: [&str; 4] = ["function", "tool", "action", "plugin"];
/// Languages of fences with calls.
const FENCES: [&str; 7] =
    ["tool_code", "tool_call", "tool_calls", "function_call", "tool_use", "tool", "tool-call"];

/// The longest mark, in bytes.
const LONGEST: usize = 160;
/// How many marks are tried.
const MOST_MARKS: usize = 16;

/// The calls behind the first mark that announces one.
pub(super) fn find(text: &str, known: Known<'_>) -> Option<Foreign> {
    let mut marks: Vec<(usize, usize, Form)> = text
        .match_indices(['<', '['])
        .filter_map(|(start, _)| token(text, start))
        .take(MOST_MARKS)
        .collect();
    marks.extend(recipient(text));
    marks.extend(fence(text));
    marks.extend(own_tag(text, known));
    marks.sort_by_key(|(start, ..)| *start);
    marks.into_iter().find_map(|(start, end, form)| behind(text, start, end, form, known))
}

/// The mark at `start`, if it is one: start, end and form.
fn token(text: &str, start: usize) -> Option<(usize, usize, Form)> {
    let (close, inside) = match text[start..].strip_prefix('<') {
        Some(inside) => ('>', inside),
        None => (']', &text[start + 1..]),
    };
    let inside = inside.split([close, '<', '[', '\n', '{', '(']).next()?;
    let end = start + 1 + inside.len();
    if inside.len() > LONGEST || !text[end..].starts_with(close) || inside.starts_with('/') {
        return None;
    }
    let head = inside.split([' ', '=']).next()?;
    let local = head.rsplit(':').next()?;
    let plain: String =
        local.chars().filter(|it| it.is_alphabetic()).flat_map(char::to_lowercase).collect();
    if plain.starts_with("end") || plain.ends_with("end") || plain.contains("response") {
        return None;
    }
    let valued = inside.len() > head.len();
    let fits = |word: &str| match WHOLE.contains(&word) {
        true => plain == word && (valued || close == '>'),
        false => plain.contains(word),
    };
    let form = MARKS.iter().find(|(word, _)| fits(word)).map(|(_, form)| *form)?;
    let form = match form {
        _ if inside.contains(['｜', '▁']) => Form::Deepseek,
        Form::ToolCallTag if close == ']' && plain.starts_with("toolcall") => Form::ToolCalls,
        Form::FunctionTag if inside.contains("name=") => Form::Xml,
        form => form,
    };
    Some((start, end + 1, form))
}

/// Harmony names the tool as the recipient of a message, with or without its tokens.
fn recipient(text: &str) -> Option<(usize, usize, Form)> {
    text.match_indices("to=").take(MOST_MARKS).find_map(|(start, mark)| {
        let before = text[..start].trim_end();
        let framed = ["commentary", "analysis", "assistant", "final", "|>"];
        let named = text[start + mark.len()..].starts_with("functions.");
        (named || framed.iter().any(|mark| before.ends_with(mark))).then_some((
            start,
            start + mark.len(),
            Form::Harmony,
        ))
    })
}

/// A fence for calls.
fn fence(text: &str) -> Option<(usize, usize, Form)> {
    text.match_indices("```").take(MOST_MARKS).find_map(|(start, mark)| {
        let from = start + mark.len();
        let language = text[from..].split('\n').next()?.trim();
        let named = FENCES.contains(&language);
        named.then_some((start, from + language.len(), Form::ToolCode))
    })
}

/// A tag with the name of an API.
fn own_tag(text: &str, known: Known<'_>) -> Option<(usize, usize, Form)> {
    text.match_indices('<').take(4 * MOST_MARKS).find_map(|(start, _)| {
        let inside = text[start + 1..].split(|letter| !in_name(letter)).next()?;
        let end = start + 1 + inside.len();
        let tag = text[end..].starts_with(['>', '/']) && !inside.is_empty() && known(inside);
        tag.then_some((start, end + 1, Form::Xml))
    })
}

/// The calls behind a mark. A mark in a sentence announces none.
fn behind(text: &str, start: usize, end: usize, form: Form, known: Known<'_>) -> Option<Foreign> {
    let (calls, tagged) = body::calls(&text[start..], &text[end..], known);
    // A tag per parameter says more than the tag around them.
    let form = match form {
        Form::ToolCallTag | Form::FunctionTag if tagged => Form::Xml,
        form => form,
    };
    if let Some(found) = Foreign::read(form, calls) {
        return Some(found);
    }
    let name = guess(&text[start..], known);
    let rest = text[end..].trim_start();
    let opens = rest.is_empty() || rest.starts_with(['{', '[', '<', '(']);
    (opens || name.is_some()).then(|| Foreign {
        form,
        name: name.unwrap_or_else(|| "A tool".to_owned()),
        calls: Vec::new(),
    })
}

/// The first API that a text names, or the name in a call that breaks off.
fn guess(text: &str, known: Known<'_>) -> Option<String> {
    let words = || text.split(|letter| !in_name(letter)).filter(|part| !part.is_empty()).take(64);
    if let Some(name) = words().find(|word| known(word)) {
        return Some(name.to_owned());
    }
    let (_, rest) = text.split_once("\"name\"")?;
    let name = rest.trim_start_matches([' ', ':', '"']).split('"').next()?;
    is_plausible(name).then(|| cleaned(name, known))
}
