//! Finds and parses the call in a model's text.

use super::Form;
use apis::Arguments;
use apis::literal::Reader;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// How a call was found. Stored in records, because it can decide a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// In square brackets, as requested.
    Bracket,
    /// Without square brackets: `ApiName(key='value')`.
    Bare,
    /// As a native tool call of the endpoint.
    Native,
    /// In another form, which the sample names.
    Other,
}

/// A call found in an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ParsedCall {
    /// The API's name as written.
    pub name: String,
    /// Arguments in the order written; of a repeated one, the last.
    pub arguments: Arguments,
    /// How the parser found it.
    pub tier: Tier,
}

/// Why there is no call.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CallProblem {
    /// Nothing looks like a call.
    #[error("the answer contains no API call")]
    NoCall,
    /// The answer contains a call in another form than the protocol's.
    #[error("{name} is called in another form, {}; expected {expected}", form.title())]
    OtherForm {
        /// The API.
        name: String,
        /// The form.
        form: Form,
        /// The protocol's form.
        expected: &'static str,
    },
    /// Something looks like a call but cannot be parsed.
    #[error("the call {name}(… cannot be read: {reason} (byte {at} of the answer)")]
    Malformed {
        /// The name before the opening parenthesis.
        name: String,
        /// Byte offset at which parsing stopped.
        at: usize,
        /// What was expected there.
        reason: &'static str,
    },
}

/// Parses the first call in `answer`: the first valid one in square brackets, otherwise the first
/// valid bare one.
///
/// # Errors
/// [`CallProblem::NoCall`] when nothing looks like a call, otherwise the problem of the first
/// candidate.
pub fn parse(answer: &str) -> Result<ParsedCall, CallProblem> {
    parse_all(answer).map(|(first, _)| first)
}

/// The call that [`parse`] finds, and every further call of the same [`Tier`]. Drops duplicates: in
/// text, models restate a call without making it again.
///
/// # Errors
/// As for [`parse`].
pub fn parse_all(answer: &str) -> Result<(ParsedCall, Vec<ParsedCall>), CallProblem> {
    let mut first_problem = None;
    for tier in [Tier::Bracket, Tier::Bare] {
        let mut calls: Vec<ParsedCall> = Vec::new();
        let mut done = 0;
        for start in candidates(answer, tier) {
            if start < done {
                continue;
            }
            match read(answer, start, tier) {
                Ok((group, end)) => {
                    done = end;
                    for call in group {
                        if !calls.contains(&call) {
                            calls.push(call);
                        }
                    }
                }
                Err(problem) => {
                    first_problem.get_or_insert(problem);
                }
            }
        }
        let mut calls = calls.into_iter();
        if let Some(first) = calls.next() {
            return Ok((first, calls.collect()));
        }
    }
    Err(first_problem.unwrap_or(CallProblem::NoCall))
}

/// Maximum number of candidates to try.
const MAX_CANDIDATES: usize = 64;

/// Byte offsets of names followed by an opening parenthesis.
fn candidates(answer: &str, tier: Tier) -> impl Iterator<Item = usize> + '_ {
    answer
        .match_indices('(')
        .filter_map(move |(open, _)| {
            let before = answer[..open].trim_end();
            let name = before
                .char_indices()
                .rev()
                .take_while(|(_, c)| c.is_alphanumeric() || *c == '_')
                .last()
                .map(|(start, _)| start)?;
            let bracketed = answer[..name].trim_end().ends_with('[');
            // Prose has parentheses too: a bare call has no space before its own.
            let bare = before.len() == open && is_call_name(&before[name..]);
            match tier {
                Tier::Bracket => bracketed.then_some(name),
                _ => (bare && !bracketed).then_some(name),
            }
        })
        .take(MAX_CANDIDATES)
}

/// API names start with a capital: `AddAlarm(` looks like a call, `alarm(s)` does not.
fn is_call_name(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

/// Parses a call, or all calls in one pair of square brackets. Also returns the end offset in
/// bytes.
fn read(answer: &str, start: usize, tier: Tier) -> Result<(Vec<ParsedCall>, usize), CallProblem> {
    let mut reader = Reader::new(answer, start);
    let mut calls = vec![read_one(&mut reader, tier)?];
    if tier != Tier::Bracket {
        return Ok((calls, reader.at));
    }
    loop {
        reader.skip_blanks();
        if reader.eat(']') {
            return Ok((calls, reader.at));
        }
        if !reader.eat(',') {
            return Err(CallProblem::Malformed {
                name: calls.pop().map(|call| call.name).unwrap_or_default(),
                at: reader.at,
                reason: "expected ']' after the call",
            });
        }
        reader.skip_blanks();
        calls.push(read_one(&mut reader, tier)?);
    }
}

/// Parses `Name(key=value, …)`.
fn read_one(reader: &mut Reader<'_>, tier: Tier) -> Result<ParsedCall, CallProblem> {
    let start = reader.at;
    let malformed = |name: &str, at: usize, reason: &'static str| CallProblem::Malformed {
        name: name.to_owned(),
        at,
        reason,
    };
    let Some(name) = reader.word() else {
        return Err(malformed("", start, "expected the name of an API"));
    };
    reader.skip_blanks();
    if !reader.eat('(') {
        return Err(malformed(name, reader.at, "expected '(' after the name of an API"));
    }
    let arguments = arguments(reader).map_err(|(at, reason)| malformed(name, at, reason))?;
    Ok(ParsedCall { name: name.to_owned(), arguments, tier })
}

/// Parses `key=value, …)`, including the closing parenthesis.
fn arguments(reader: &mut Reader<'_>) -> Result<Arguments, (usize, &'static str)> {
    let mut arguments = Arguments::new();
    loop {
        reader.skip_blanks();
        if reader.eat(')') {
            return Ok(arguments);
        }
        let quoted_key = reader.eat('\'') || reader.eat('"');
        let key = reader.word().ok_or((reader.at, "expected a parameter name or ')'"))?;
        if quoted_key && !(reader.eat('\'') || reader.eat('"')) {
            return Err((reader.at, "expected the end of the quoted parameter name"));
        }
        reader.skip_blanks();
        if !(reader.eat('=') || reader.eat(':')) {
            return Err((reader.at, "expected '=' after the parameter name"));
        }
        reader.skip_blanks();
        let value = match reader.peek() {
            Some('\'' | '"') => reader.quoted(ends_argument).map(Into::into),
            _ => reader.value(0),
        }
        .map_err(|error| (error.at, error.reason))?;
        arguments.insert(key.to_owned(), value);
        reader.skip_blanks();
        if !reader.eat(',') && reader.peek() != Some(')') {
            return Err((reader.at, "expected ',' or ')' after a value"));
        }
    }
}

/// Whether `ahead` may follow a quoted argument: the end of the call, or a comma and the next
/// parameter. A comma alone is not enough: `'Yes', he said'`.
fn ends_argument(ahead: &str) -> bool {
    if ahead.starts_with(')') {
        return true;
    }
    let Some(rest) = ahead.strip_prefix(',') else { return false };
    let mut reader = Reader::new(rest, 0);
    reader.skip_blanks();
    if reader.peek() == Some(')') {
        return true;
    }
    let quoted = reader.eat('\'') || reader.eat('"');
    if reader.word().is_none() || (quoted && !(reader.eat('\'') || reader.eat('"'))) {
        return false;
    }
    reader.skip_blanks();
    matches!(reader.peek(), Some('=' | ':'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn check(answer: &str, name: &str, arguments: Value, tier: Tier) {
        let call = parse(answer).unwrap_or_else(|problem| panic!("{answer}: {problem}"));
        assert_eq!(call.name, name, "{answer}");
        assert_eq!(Value::Object(call.arguments), arguments, "{answer}");
        assert_eq!(call.tier, tier, "{answer}");
    }

    #[test]
    fn calls_are_parsed_as_models_write_them() {
        use Tier::{Bare, Bracket};
        check("API-Request: [Wiki(keyword='tea')]", "Wiki", json!({"keyword": "tea"}), Bracket);
        check("[GetToday()]", "GetToday", json!({}), Bracket);
        check(
            "Sure!\n```\n[ AddMeeting( attendees=['Ann', 'Bo'], n = 3, ok=True ) ]\n```",
            "AddMeeting",
            json!({"attendees": ["Ann", "Bo"], "n": 3, "ok": true}),
            Bracket,
        );
        check(
            r#"[AddReminder(content='Pick up Grandma's aid', time="2024-05-24 15:30:00")]"#,
            "AddReminder",
            json!({"content": "Pick up Grandma's aid", "time": "2024-05-24 15:30:00"}),
            Bracket,
        );
        check("[Say(text='Yes', he said')]", "Say", json!({"text": "Yes', he said"}), Bracket);
        check("I call Wiki(keyword=\"tea\") now.", "Wiki", json!({"keyword": "tea"}), Bare);
        check("A(x=1) or better [B(y=2)]", "B", json!({"y": 2}), Bracket);
        check("[Add(time=)] then [Add(time='x')]", "Add", json!({"time": "x"}), Bracket);
    }

    #[test]
    fn prose_is_distinguished_from_malformed_calls() {
        assert_eq!(parse(""), Err(CallProblem::NoCall));
        assert_eq!(parse("I need your alarm(s) (all of them)."), Err(CallProblem::NoCall));
        for broken in ["[AddAlarm(time=2024-05-24 15:30)]", "[AddAlarm(time='x'", "[A(token tok)]"]
        {
            assert!(matches!(parse(broken), Err(CallProblem::Malformed { .. })), "{broken}");
        }
    }

    #[test]
    fn every_call_of_an_answer_is_found_once() {
        let names = |answer: &str| {
            let (first, further) = parse_all(answer).unwrap();
            let further = further.into_iter().map(|call| call.name);
            [first.name].into_iter().chain(further).collect::<Vec<_>>()
        };
        assert_eq!(names("[A(x=1), B(y=2)]"), ["A", "B"]);
        assert_eq!(names("[A(x=1)]\nthen [B(y=')[C()]')] and A(x=1)"), ["A", "B"]);
        assert_eq!(names("[A(x=1)] I repeat: [A(x=1)]"), ["A"]);
        assert_eq!(names("[A(x=1)] and [B(y="), ["A"]);
        assert_eq!(names("A(x=1), B(y=2)"), ["A", "B"]);
        assert_eq!(parse("[A(x=1), B(y=2)]").unwrap().tier, Tier::Bracket);
    }

    proptest! {
        #[test]
        fn never_panics(answer in "\\PC{0,200}") {
            let _ = parse(&answer);
        }

        #[test]
        fn never_panics_near_calls(answer in "[\\[\\](){}=,:'\"\\\\ A-Ca-c0-9\u{e9}]{0,80}") {
            let _ = parse(&answer);
        }
    }
}
