//! The nesting limit for values in records.

use serde_json::Value;

/// Maximum levels of lists and objects in an untrusted value. serde_json parses 128 levels, and a
/// record wraps such a value in about a dozen.
pub const MOST_LEVELS: usize = 64;

/// Whether a value is nested deeper than [`MOST_LEVELS`].
pub fn is_too_deep(value: &Value) -> bool {
    is_deeper(value, MOST_LEVELS)
}

fn is_deeper(value: &Value, levels: usize) -> bool {
    let Some(left) = levels.checked_sub(1) else { return value.is_array() || value.is_object() };
    match value {
        Value::Array(items) => items.iter().any(|item| is_deeper(item, left)),
        Value::Object(fields) => fields.values().any(|field| is_deeper(field, left)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn nested(levels: usize) -> Value {
        (0..levels).fold(json!(1), |inner, level| match level % 2 {
            0 => json!([inner]),
            _ => json!({"a": inner}),
        })
    }

    #[test]
    fn levels_are_counted() {
        for (levels, too_deep) in [(0, false), (1, false), (MOST_LEVELS, false), (65, true)] {
            assert_eq!(is_too_deep(&nested(levels)), too_deep, "{levels}");
        }
        assert!(is_too_deep(&json!([1, nested(64)])));
    }
}
