//! Decoding shared between vendors: text, arguments, token counts.

use exchange::Usage;
use serde_json::Value;

/// Token counts under the vendor's names; `None` when one is missing.
pub(super) fn usage(usage: &Value, prompt: &str, completion: &str) -> Option<Usage> {
    Some(Usage {
        prompt_tokens: usage.get(prompt)?.as_u64()?,
        completion_tokens: usage.get(completion)?.as_u64()?,
    })
}

/// Text from JSON: a string, or the text parts of a list.
pub(super) fn content_text(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            Some(parts.iter().filter_map(|part| part.get("text")?.as_str()).collect())
        }
        _ => None,
    }
}

/// Arguments as JSON text: most vendors send a string, some an object.
pub(super) fn arguments_text(arguments: Option<&Value>) -> String {
    match arguments {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// Arguments as a JSON object, for vendors that reject text. Anything else becomes an empty object:
/// the history must be well-formed.
pub(super) fn arguments_object(arguments: &str) -> Value {
    match serde_json::from_str(arguments) {
        Ok(Value::Object(object)) => Value::Object(object),
        _ => Value::Object(serde_json::Map::new()),
    }
}
