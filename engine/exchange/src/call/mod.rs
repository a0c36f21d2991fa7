//! Parses and formats call text: `[ApiName(key='value', …)]`.
//!
//! The parser is total: it returns a call and how it was found, or why there is none.

mod form;
mod lists;
mod native;
mod other_forms;
mod parse_bracket;
mod read_answer;

pub use form::Form;
pub use lists::unquoted_lists;
pub use native::native;
pub use other_forms::Known;
pub use parse_bracket::{CallProblem, ParsedCall, Tier, parse, parse_all};
pub use read_answer::{Calls, OtherForm, Reading, read_native, read_text};

use apis::Arguments;
use serde_json::Value;

/// Formats a call as prompts show it and request it.
pub fn format(name: &str, arguments: &Arguments) -> String {
    let pairs: Vec<String> =
        arguments.iter().map(|(key, value)| format!("{key}={}", literal(value))).collect();
    format!("[{name}({})]", pairs.join(", "))
}

/// A value as a Python literal, strings in single quotes.
fn literal(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Null => "None".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(literal).collect::<Vec<_>>().join(", "))
        }
        Value::Object(fields) => {
            let pairs: Vec<String> = fields
                .iter()
                .map(|(key, value)| format!("{}: {}", quoted(key), literal(value)))
                .collect();
            format!("{{{}}}", pairs.join(", "))
        }
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('\'');
    for c in text.chars() {
        match c {
            '\'' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            other => out.push(other),
        }
    }
    out.push('\'');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Map, json};

    #[test]
    fn formats_every_kind_of_value() {
        let arguments = json!({"a": "it's", "b": 2, "c": true, "d": [1.5, null], "e": {"k": "v"}});
        assert_eq!(
            format("Do", arguments.as_object().unwrap()),
            "[Do(a='it\\'s', b=2, c=True, d=[1.5, None], e={'k': 'v'})]"
        );
    }

    proptest! {
        #[test]
        fn formatted_calls_round_trip(
            texts in proptest::collection::vec("\\PC{0,20}", 1..4),
            number in any::<i64>(),
            items in proptest::collection::vec("[\\w '\"\\\\,()=\\[\\]-]{0,12}", 0..4),
        ) {
            let mut arguments = Map::new();
            for (index, text) in texts.into_iter().enumerate() {
                arguments.insert(format!("text{index}"), Value::from(text));
            }
            arguments.insert("number".to_owned(), Value::from(number));
            arguments.insert("items".to_owned(), Value::from(items));
            let written = format("SomeApi", &arguments);
            let read = parse(&format!("Sure: {written} That is it."));
            prop_assert_eq!(read.map(|call| call.arguments), Ok(arguments));
        }
    }
}
