//! Parses native tool calls, whose arguments are JSON text.

use super::{CallProblem, ParsedCall, Tier};
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
}
