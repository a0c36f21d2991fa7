//! Python values: equality, and conversion from and to JSON.

use super::strptime::Moment;
use indexmap::IndexMap;
use serde_json::Value as Json;
use std::sync::Arc;

/// Keys and values of a dict, in insertion order.
pub(super) type Dict = IndexMap<Arc<str>, Py>;

/// A Python value. Lists and dicts are copied on write, so a fresh world costs only what a call
/// changes.
#[derive(Debug, Clone)]
pub(super) enum Py {
    /// `None`.
    None,
    /// `True` and `False`, which equal 1 and 0.
    Bool(bool),
    Int(i128),
    /// A floating-point number; equal to an integer of the same value.
    Float(f64),
    Text(Arc<str>),
    List(Arc<Vec<Py>>),
    /// A dict; the order of its keys does not matter for equality.
    Dict(Arc<Dict>),
    /// A `datetime`, which some planning tables hold.
    Moment(Moment),
}

impl Py {
    pub(super) fn text(text: &str) -> Self {
        Self::Text(Arc::from(text))
    }

    pub(super) fn list(items: impl IntoIterator<Item = Self>) -> Self {
        Self::List(Arc::new(items.into_iter().collect()))
    }

    pub(super) fn dict<'a>(pairs: impl IntoIterator<Item = (&'a str, Self)>) -> Self {
        Self::Dict(Arc::new(pairs.into_iter().map(|(key, value)| (key.into(), value)).collect()))
    }

    pub(super) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn as_dict(&self) -> Option<&Dict> {
        match self {
            Self::Dict(dict) => Some(dict),
            _ => None,
        }
    }

    /// The items of a list; empty for everything else.
    pub(super) fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }

    /// The value at a dict key; `None` if the key is missing or this is not a dict.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.as_dict()?.get(key)
    }

    /// The string at a dict key; empty if there is none.
    pub(super) fn field(&self, key: &str) -> &str {
        self.get(key).and_then(Self::as_text).unwrap_or("")
    }

    /// Whether this is Python's `None`.
    pub(super) fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// A moment as `%Y-%m-%d %H:%M:%S`; everything else unchanged.
    pub(super) fn to_text(&self) -> Self {
        match self {
            Self::Moment(moment) => Self::text(&moment.to_string()),
            other => other.clone(),
        }
    }

    /// A moment as `%Y-%m-%d`; everything else unchanged.
    pub(super) fn to_date(&self) -> Self {
        match self {
            Self::Moment(moment) => Self::text(&moment.date()),
            other => other.clone(),
        }
    }

    /// The numeric value; booleans are 0 and 1.
    fn number(&self) -> Option<Number> {
        match *self {
            Self::Bool(value) => Some(Number::Int(i128::from(value))),
            Self::Int(value) => Some(Number::Int(value)),
            Self::Float(value) => Some(Number::Float(value)),
            _ => None,
        }
    }

    /// JSON for display; numbers that JSON can't represent become strings.
    pub(super) fn to_json(&self) -> Json {
        match self {
            Self::None => Json::Null,
            Self::Bool(value) => Json::Bool(*value),
            Self::Int(value) => {
                i64::try_from(*value).map_or_else(|_| Json::String(value.to_string()), Json::from)
            }
            Self::Float(value) => serde_json::Number::from_f64(*value)
                .map_or_else(|| Json::String(value.to_string()), Json::Number),
            Self::Text(text) => Json::String(text.to_string()),
            Self::List(items) => Json::Array(items.iter().map(Self::to_json).collect()),
            Self::Dict(dict) => Json::Object(
                dict.iter().map(|(key, value)| (key.to_string(), value.to_json())).collect(),
            ),
            Self::Moment(moment) => Json::String(moment.to_string()),
        }
    }
}

impl From<&Json> for Py {
    fn from(json: &Json) -> Self {
        match json {
            Json::Null => Self::None,
            Json::Bool(value) => Self::Bool(*value),
            Json::Number(number) => number
                .as_i64()
                .map(i128::from)
                .or_else(|| number.as_u64().map(i128::from))
                .map_or_else(|| Self::Float(number.as_f64().unwrap_or(f64::NAN)), Self::Int),
            Json::String(text) => Self::text(text),
            Json::Array(items) => Self::list(items.iter().map(Self::from)),
            Json::Object(map) => {
                Self::dict(map.iter().map(|(key, value)| (key.as_str(), Self::from(value))))
            }
        }
    }
}

enum Number {
    Int(i128),
    Float(f64),
}

impl PartialEq for Py {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::None, Self::None) => true,
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::List(a), Self::List(b)) => Arc::ptr_eq(a, b) || a == b,
            (Self::Dict(a), Self::Dict(b)) => Arc::ptr_eq(a, b) || a == b,
            (Self::Moment(a), Self::Moment(b)) => a == b,
            _ => match (self.number(), other.number()) {
                (Some(a), Some(b)) => same_number(&a, &b),
                _ => false,
            },
        }
    }
}

/// `==` across integers and floats; NaN equals nothing.
fn same_number(a: &Number, b: &Number) -> bool {
    match (a, b) {
        (Number::Int(a), Number::Int(b)) => a == b,
        (Number::Float(a), Number::Float(b)) => a == b,
        (Number::Int(int), Number::Float(float)) | (Number::Float(float), Number::Int(int)) => {
            float_equals_int(*float, *int)
        }
    }
}

/// Python compares the exact values, without rounding the integer first.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the cast is exact: the float is a whole number inside the range of i128"
)]
fn float_equals_int(float: f64, int: i128) -> bool {
    const LIMIT: f64 = 1e38;
    float.fract() == 0.0 && float.abs() < LIMIT && float as i128 == int
}

#[cfg(test)]
mod tests {
    use super::*;

    fn py(json: &str) -> Py {
        Py::from(&serde_json::from_str::<Json>(json).unwrap())
    }

    #[test]
    fn numbers_compare_by_value_and_booleans_are_numbers() {
        assert_eq!(py("1"), py("1.0"));
        assert_eq!(py("[true, 0]"), py("[1, false]"));
        assert_ne!(py("1"), py("\"1\""));
        assert_ne!(py("null"), py("0"));
        assert_ne!(Py::Float(f64::NAN), Py::Float(f64::NAN));
        assert_ne!(Py::Float(9_007_199_254_740_992.0), Py::Int(9_007_199_254_740_993));
    }

    #[test]
    fn the_order_of_keys_does_not_matter_that_of_items_does() {
        assert_eq!(py(r#"{"a": 1, "b": [2]}"#), py(r#"{"b": [2.0], "a": 1}"#));
        assert_ne!(py("[1, 2]"), py("[2, 1]"));
        assert_ne!(py(r#"{"a": null}"#), py("{}"));
    }
}
