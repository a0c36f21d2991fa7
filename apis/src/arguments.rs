//! Parses a call's raw arguments into their declared types.

use crate::kind::Kind;
use crate::literal;
use crate::param::Param;
use crate::when::{Date, DateTime, MonthDay};
use serde_json::{Map, Value};
use std::borrow::Cow;
use thiserror::Error;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// Arguments of a call by parameter name, in the order given.
pub type Arguments = Map<String, Value>;

/// Why arguments don't parse.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ArgumentError {
    /// A required parameter is missing.
    #[error("The required parameter {name:?} is missing.")]
    Missing {
        /// The parameter.
        name: &'static str,
    },
    /// The API has no such parameter.
    #[error("{api} has no parameter {name:?}; it takes {known}.")]
    Unknown {
        /// The API.
        api: &'static str,
        /// The unknown name.
        name: String,
        /// Its parameters, separated by commas, or `none`.
        known: String,
    },
    /// A value does not parse as the declared type.
    #[error("The parameter {name:?} takes {expected}, got {got}.")]
    WrongType {
        /// The parameter.
        name: &'static str,
        /// The declared type in words, see [`expected`].
        expected: &'static str,
        /// The value as JSON, truncated to 80 characters.
        got: String,
    },
}

impl ArgumentError {
    /// Whether a parameter is missing rather than wrong.
    pub fn is_missing(&self) -> bool {
        matches!(self, ArgumentError::Missing { .. })
    }
}

/// A text in Unicode's form NFC, in which the databases are: `é` may also be written as two characters.
pub fn composed_text(text: &str) -> Cow<'_, str> {
    match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => Cow::Borrowed(text),
        _ => Cow::Owned(text.nfc().collect()),
    }
}

/// Arguments with their names and texts as [`composed_text`].
pub fn composed(arguments: Arguments) -> Arguments {
    arguments
        .into_iter()
        .map(|(name, value)| (composed_name(name), composed_value(value)))
        .collect()
}

fn composed_name(name: String) -> String {
    match composed_text(&name) {
        Cow::Borrowed(_) => name,
        Cow::Owned(composed) => composed,
    }
}

/// A value with all its texts as [`composed_text`].
pub fn composed_value(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(composed_name(text)),
        Value::Array(items) => items.into_iter().map(composed_value).collect(),
        Value::Object(fields) => Value::Object(composed(fields)),
        other => other,
    }
}

/// Parses the raw arguments of an API, see [`Api::read`](crate::Api::read).
pub(crate) fn read(
    api: &'static str,
    params: &'static [Param],
    raw: &Arguments,
) -> Result<Arguments, Vec<ArgumentError>> {
    let raw = &composed(raw.clone());
    let mut problems: Vec<ArgumentError> = raw
        .keys()
        .filter(|name| params.iter().all(|param| param.name != name.as_str()))
        .map(|name| ArgumentError::Unknown {
            api,
            name: name.clone(),
            known: match params {
                [] => "none".to_owned(),
                params => params.iter().map(|p| p.name).collect::<Vec<_>>().join(", "),
            },
        })
        .collect();
    let mut arguments = Arguments::new();
    for param in params {
        match raw.get(param.name) {
            None | Some(Value::Null) if param.required => {
                problems.push(ArgumentError::Missing { name: param.name });
            }
            None | Some(Value::Null) => {}
            Some(value) => match read_value(param.kind, value) {
                Some(value) => {
                    arguments.insert(param.name.to_owned(), value);
                }
                None => problems.push(wrong_type(param, value)),
            },
        }
    }
    if problems.is_empty() { Ok(arguments) } else { Err(problems) }
}

fn wrong_type(param: &Param, value: &Value) -> ArgumentError {
    let mut got: String = value.to_string().chars().take(80).collect();
    if got.chars().count() == 80 {
        got.push('…');
    }
    ArgumentError::WrongType { name: param.name, expected: expected(param.kind), got }
}

/// The kind in words, for error messages.
pub const fn expected(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "text",
        Kind::Date => "a date like 2023-04-05",
        Kind::DateTime => "a date and time like 2023-04-05 14:30:00",
        Kind::MonthDay => "a day like 04-05",
        Kind::Integer => "a whole number",
        Kind::Number => "a number",
        Kind::Boolean => "true or false",
        Kind::TextList | Kind::UntypedTextList => "a list of texts",
        Kind::RecordList(_) => "a list of records with their text fields",
    }
}

/// Parses one value into the canonical form of its kind.
pub fn read_value(kind: Kind, value: &Value) -> Option<Value> {
    match kind {
        Kind::Text => text(value).map(Value::from),
        Kind::Date => Some(Value::from(text(value)?.parse::<Date>().ok()?.to_string())),
        Kind::DateTime => Some(Value::from(date_time(&text(value)?)?.to_string())),
        Kind::MonthDay => Some(Value::from(text(value)?.parse::<MonthDay>().ok()?.to_string())),
        Kind::Integer => whole(value).map(Value::from),
        Kind::Number => finite(value).map(Value::from),
        Kind::Boolean => boolean(value).map(Value::from),
        Kind::TextList | Kind::UntypedTextList => text_list(value).map(Value::from),
        Kind::RecordList(fields) => record_list(fields, value).map(Value::from),
    }
}

/// Rejects a bare date: any time of day would be a guess.
fn date_time(text: &str) -> Option<DateTime> {
    let read: DateTime = text.parse().ok()?;
    (read.with_time() == read).then_some(read)
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}

fn whole(value: &Value) -> Option<i64> {
    let read = match value {
        Value::String(text) => literal::number(text.trim())?,
        Value::Number(_) => value.clone(),
        _ => return None,
    };
    // A float holds integers exactly up to 2^53.
    read.as_i64().or_else(|| {
        let float = read.as_f64()?;
        (float.fract() == 0.0 && float.abs() < 9_007_199_254_740_992.0).then_some(float as i64)
    })
}

fn finite(value: &Value) -> Option<f64> {
    let read = match value {
        Value::String(text) => literal::number(text.trim())?,
        Value::Number(_) => value.clone(),
        _ => return None,
    };
    read.as_f64().filter(|number| number.is_finite())
}

fn boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(value) => Some(*value),
        Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "on" | "yes" | "1" => Some(true),
            "false" | "off" | "no" | "0" => Some(false),
            _ => None,
        },
        Value::Number(number) => match number.as_i64() {
            Some(1) => Some(true),
            Some(0) => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// The items of a list, or of a string that holds one: a literal, or items separated by commas.
fn items(value: &Value) -> Option<Vec<Value>> {
    match value {
        Value::Array(items) => Some(items.clone()),
        Value::Object(_) => Some(vec![value.clone()]),
        Value::String(text) => match literal::parse(text.trim()) {
            Ok(Value::Array(items)) => Some(items),
            Ok(object @ Value::Object(_)) => Some(vec![object]),
            _ if text.trim_start().starts_with(['[', '{', '(']) => None,
            _ => Some(
                text.split(',')
                    .map(str::trim)
                    .filter(|item| !item.is_empty())
                    .map(Value::from)
                    .collect(),
            ),
        },
        _ => None,
    }
}

fn text_list(value: &Value) -> Option<Vec<String>> {
    items(value)?.iter().map(text).collect()
}

fn record_list(fields: &[&str], value: &Value) -> Option<Vec<Value>> {
    items(value)?
        .into_iter()
        .map(|item| {
            let Value::Object(record) = item else { return None };
            let known = record.len() == fields.len();
            let read: Option<Map<String, Value>> = fields
                .iter()
                .map(|field| Some(((*field).to_owned(), Value::from(text(record.get(*field)?)?))))
                .collect();
            read.filter(|_| known).map(Value::Object)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn texts_are_composed() {
        let apart = "Toma\u{301}s Jose\u{301}";
        assert_eq!(composed_text(apart), "Tomás José");
        let raw = json!({"pl\u{301}a": [apart, {"a\u{308}": apart}], "n": 1});
        let read = composed(raw.as_object().unwrap().clone());
        let expected = json!({"pĺa": ["Tomás José", {"ä": "Tomás José"}], "n": 1});
        assert_eq!(Value::Object(read), expected);
    }

    #[test]
    fn reads_each_kind_from_text_and_from_json() {
        let records = Kind::RecordList(&["name", "value"]);
        let cases = [
            (Kind::Text, json!(42), Some(json!("42"))),
            (Kind::Integer, json!(" 3 "), Some(json!(3))),
            (Kind::Integer, json!("2.0"), Some(json!(2))),
            (Kind::Integer, json!("2.5"), None),
            (Kind::Number, json!("-1.5e2"), Some(json!(-150.0))),
            (Kind::Number, json!("inf"), None),
            (Kind::Boolean, json!("On"), Some(json!(true))),
            (Kind::Boolean, json!("maybe"), None),
            (Kind::Date, json!("2023/4/5"), Some(json!("2023-04-05"))),
            (Kind::DateTime, json!("2023-04-05T09:30"), Some(json!("2023-04-05 09:30:00"))),
            (Kind::DateTime, json!("2023-04-05"), None),
            (Kind::TextList, json!("['Ann', \"Bo\"]"), Some(json!(["Ann", "Bo"]))),
            (Kind::TextList, json!("Ann, Bo"), Some(json!(["Ann", "Bo"]))),
            (Kind::TextList, json!("['Ann'"), None),
            (
                records,
                json!("[{'name': 'pulse', 'value': 80}]"),
                Some(json!([{"name": "pulse", "value": "80"}])),
            ),
            (records, json!([{"name": "pulse"}]), None),
            (records, json!("pulse"), None),
        ];
        for (kind, raw, value) in cases {
            assert_eq!(read_value(kind, &raw), value, "{kind:?} {raw}");
        }
    }
}
