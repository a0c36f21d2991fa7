//! Python's `repr` and `json.dumps`, which the released training rows use for results and for
//! descriptions.

use serde_json::Value;

/// Formats a value like `repr`.
pub(super) fn repr(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => quoted(text),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(repr).collect::<Vec<_>>().join(", "))
        }
        Value::Object(fields) => {
            let pairs =
                fields.iter().map(|(key, value)| format!("{}: {}", quoted(key), repr(value)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
    }
}

/// A string literal, in double quotes only if it contains single quotes and no double ones.
fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            c if c == quote => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

/// Formats a value like `json.dumps` by default: spaces after commas and colons, ASCII only.
pub(super) fn dumps(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            format!("[{}]", items.iter().map(dumps).collect::<Vec<_>>().join(", "))
        }
        Value::Object(fields) => {
            let pairs =
                fields.iter().map(|(key, value)| format!("{}: {}", ascii(key), dumps(value)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
        Value::String(text) => ascii(text),
        other => other.to_string(),
    }
}

fn ascii(text: &str) -> String {
    let json = Value::from(text).to_string();
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_ascii() {
            out.push(c);
            continue;
        }
        let mut units = [0; 2];
        for unit in c.encode_utf16(&mut units) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_look_as_python_prints_them() {
        let value =
            json!({"a": "it's", "b": "say \"it's\"", "c": [1, 2.0, true, null], "d": "é\n"});
        assert_eq!(
            repr(&value),
            r#"{'a': "it's", 'b': 'say "it\'s"', 'c': [1, 2.0, True, None], 'd': 'é\n'}"#
        );
        assert_eq!(
            dumps(&json!({"a": ["é", "😀"], "b": 1.5})),
            r#"{"a": ["\u00e9", "\ud83d\ude00"], "b": 1.5}"#
        );
    }
}
