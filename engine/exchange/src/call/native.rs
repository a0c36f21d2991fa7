//! Parses native tool calls, whose arguments are JSON text.

use super::{CallProblem, ParsedCall, Tier, parse};
use crate::message::ToolCall;
use apis::Arguments;
use apis::nesting::is_too_deep;
use serde_json::Value;

/// Parses a tool call. Accepts empty arguments as an empty object, and an object that was encoded
/// twice: both are common and unambiguous.
///
/// # Errors
/// [`CallProblem::Malformed`] when the arguments are not a JSON object, or nest deeper than
/// [`MOST_LEVELS`](apis::nesting::MOST_LEVELS), the limit for values in records.
pub fn native(call: &ToolCall) -> Result<ParsedCall, CallProblem> {
    let malformed = |at: usize, reason: &'static str| CallProblem::Malformed {
        name: call.name.clone(),
        at,
        reason,
    };
    let text = call.arguments.trim();
    let mut value = match text {
        "" | "null" => Value::Object(Arguments::new()),
        _ => serde_json::from_str(text)
            .map_err(|error| malformed(error.column(), "the arguments are no JSON"))?,
    };
    if let Value::String(inner) = &value {
        value = serde_json::from_str(inner)
            .map_err(|_| malformed(0, "expected a JSON object of arguments, got a text"))?;
    }
    if is_too_deep(&value) {
        return Err(malformed(0, "the arguments are nested deeper than 64 levels"));
    }
    match value {
        Value::Object(arguments) => {
            Ok(ParsedCall { name: call.name.clone(), arguments, tier: Tier::Native })
        }
        _ => Err(malformed(0, "expected a JSON object of arguments")),
    }
}

/// The first call of an answer under a protocol that accepts only native tool calls.
///
/// # Errors
/// Why no call counts. A call in the text is [`CallProblem::AsText`]: the model decided to call, but
/// in the wrong format.
pub fn first_native(calls: &[ToolCall], text: &str) -> Result<ParsedCall, CallProblem> {
    all_native(calls, text).map(|(first, _)| first)
}

/// The call of [`first_native`], and every further call that can be parsed. Keeps duplicates,
/// because the model makes every native call that it sends.
///
/// # Errors
/// As for [`first_native`].
pub fn all_native(
    calls: &[ToolCall],
    text: &str,
) -> Result<(ParsedCall, Vec<ParsedCall>), CallProblem> {
    match calls.split_first() {
        Some((first, further)) => {
            Ok((native(first)?, further.iter().filter_map(|call| native(call).ok()).collect()))
        }
        None => Err(match parse(text) {
            Ok(call) => CallProblem::AsText { name: call.name, tier: call.tier },
            Err(_) => CallProblem::NoCall,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(arguments: &str) -> ToolCall {
        ToolCall { id: "1".to_owned(), name: "Wiki".to_owned(), arguments: arguments.to_owned() }
    }

    #[test]
    fn arguments_are_an_object_or_the_call_is_malformed() {
        for (text, expected) in [
            (r#"{"keyword": "tea"}"#, json!({"keyword": "tea"})),
            ("", json!({})),
            (" null ", json!({})),
            (r#""{\"keyword\": \"tea\"}""#, json!({"keyword": "tea"})),
        ] {
            let read = native(&call(text)).unwrap();
            assert_eq!((Value::Object(read.arguments), read.tier), (expected, Tier::Native));
        }
        let deep = "[".repeat(100_000);
        for text in ["{\"keyword\": ", "[1]", "3", "\"tea\"", deep.as_str()] {
            assert!(matches!(native(&call(text)), Err(CallProblem::Malformed { .. })));
        }
    }

    #[test]
    fn a_call_in_the_text_is_reported_and_does_not_count() {
        let text = "[Wiki(keyword='tea')]";
        let problem = first_native(&[], text).unwrap_err();
        assert_eq!(problem, CallProblem::AsText { name: "Wiki".to_owned(), tier: Tier::Bracket });
        assert_eq!(first_native(&[], "Which one?"), Err(CallProblem::NoCall));
        assert_eq!(first_native(&[call("{}"), call("[")], text).unwrap().tier, Tier::Native);
    }
}
