//! Parses a call and its parameters as the original does.
//!
//! The original uses two regular expressions, whose quirks decide many verdicts: a call extends
//! from the first `[Name(` to the last `)]` of its line; a quoted value ends at the next quote mark
//! of either kind; nothing is unescaped. This hand-written parser gives the same result in linear
//! time.

use super::text::{is_space, is_word};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// A call parsed from a prediction.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParsedCall {
    /// The name between `[` and `(`.
    pub api_name: String,
    /// Parameters in order of first appearance; a repeated one has its last value.
    pub params: IndexMap<String, String>,
}

/// Parses the first call of a prediction; `None` if there is no match.
#[must_use]
pub fn parse(prediction: &str) -> Option<ParsedCall> {
    prediction.split('\n').find_map(call_in_line).map(|(name, arguments)| ParsedCall {
        api_name: name.to_owned(),
        params: parameters(arguments),
    })
}

/// Name and argument text of the first call on a line. The original's pattern can't match across
/// lines: a name has no white space, and the dot excludes line feeds.
fn call_in_line(line: &str) -> Option<(&str, &str)> {
    let close = line.rfind(")]")?;
    line.match_indices('[').find_map(|(bracket, _)| {
        let after = &line[bracket + 1..];
        let name = leading(after, is_word);
        let open = bracket + 1 + name.len();
        let is_call = !name.is_empty() && line[open..].starts_with('(') && open < close;
        is_call.then(|| (name, &line[open + 1..close]))
    })
}

/// Parses every `name = value` of an argument text, from left to right.
fn parameters(text: &str) -> IndexMap<String, String> {
    let mut found = IndexMap::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        rest = &rest[start..];
        let name = leading(rest, is_word);
        rest = &rest[name.len()..];
        if let Some((value, after)) = value_after(rest) {
            found.insert(name.to_owned(), value.to_owned());
            rest = after;
        }
    }
    found
}

/// Parses `= value` after a name and returns the value and the remaining text. Tries quoted text,
/// then a bracketed list, then a word.
fn value_after(text: &str) -> Option<(&str, &str)> {
    let text = skip_space(skip_space(text).strip_prefix('=')?);
    quoted(text).or_else(|| bracketed(text)).or_else(|| word(text))
}

/// Text up to the next quote mark of either kind; its first character may itself be a quote mark.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let body = text.strip_prefix(['\'', '"'])?;
    let first = body.chars().next()?.len_utf8();
    let end = first + body[first..].find(['\'', '"'])?;
    Some((&body[..end], &body[end + 1..]))
}

/// From `[` to the last `]` of the argument text, brackets included.
fn bracketed(text: &str) -> Option<(&str, &str)> {
    text.starts_with('[').then_some(())?;
    Some(text.split_at(text.rfind(']')? + 1))
}

fn word(text: &str) -> Option<(&str, &str)> {
    let word = leading(text, is_word);
    (!word.is_empty()).then(|| text.split_at(word.len()))
}

fn skip_space(text: &str) -> &str {
    text.trim_start_matches(is_space)
}

/// The longest prefix whose characters all pass.
fn leading(text: &str, pass: fn(char) -> bool) -> &str {
    &text[..text.find(|c| !pass(c)).unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Option<(&str, &[(&str, &str)])>) {
        let got = parse(text);
        let want = expect.map(|(name, params)| ParsedCall {
            api_name: name.to_owned(),
            params: params.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect(),
        });
        assert_eq!(got, want, "{text}");
    }

    #[test]
    fn the_call_is_the_first_of_its_line_to_the_last_close() {
        check("API-Request: [A(x='1')]", Some(("A", &[("x", "1")])));
        check("[A(x='1')] [B(y='2')]", Some(("A", &[("x", "1"), ("y", "2")])));
        check("[A(x='1'\n)] [B(y='2')]", Some(("B", &[("y", "2")])));
        check("[[A()]]", Some(("A", &[])));
        check("[A(x='a)] b')]", Some(("A", &[("x", "a)] b")])));
        check("[a.B(x='1')]", None);
        check("[ A(x='1')]", None);
        check("[A (x='1')]", None);
        check("[A(x='1') ]", None);
        check("[Ünï_1(x='1')]", Some(("Ünï_1", &[("x", "1")])));
        check("[A(]", None);
    }

    #[test]
    fn values_are_quoted_bracketed_or_words_in_this_order() {
        check("[A(x='it's', y=\"b')]", Some(("A", &[("x", "it"), ("y", "b")])));
        check("[A(x='', y='2')]", Some(("A", &[("x", "', y=")])));
        check("[A(x='')]", Some(("A", &[])));
        check("[A(x='''v''')]", Some(("A", &[("x", "'")])));
        check("[A(x='['a', 'b']')]", Some(("A", &[("x", "[")])));
        check("[A(x=['a', 'b'], y='c]')]", Some(("A", &[("x", "['a', 'b'], y='c]")])));
        check("[A(x=2023-01-02)]", Some(("A", &[("x", "2023")])));
        check("[A(x = \u{a0}'v' ;y='w')]", Some(("A", &[("x", "v"), ("y", "w")])));
        check("[A(x: 'v', 'w')]", Some(("A", &[])));
        check("[A(x='1', y='2', x='3')]", Some(("A", &[("x", "3"), ("y", "2")])));
        check("[A(x=‘v’)]", Some(("A", &[])));
        check("[A(x==y)]", Some(("A", &[])));
    }
}
