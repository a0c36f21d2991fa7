//! Decoding shared between vendors: text, reasoning, arguments, token counts.

use exchange::Usage;
use serde_json::Value;

/// Token counts under the vendor's names; `None` when one is missing.
pub(super) fn usage(usage: &Value, prompt: &str, completion: &str) -> Option<Usage> {
    Some(Usage {
        prompt_tokens: usage.get(prompt)?.as_u64()?,
        completion_tokens: usage.get(completion)?.as_u64()?,
    })
}

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// Splits the reasoning from a text in which the server left the tags. The chat template may have
/// put the opening tag into the prompt, so a closing tag alone counts too; with no closing tag, the
/// model ran out of tokens before answering.
pub(super) fn split_thinking(text: &str) -> (Option<String>, String) {
    let start = text.trim_start();
    let (thought, rest) = match (start.strip_prefix(OPEN), start.split_once(CLOSE)) {
        (_, Some((thought, rest))) => (thought.strip_prefix(OPEN).unwrap_or(thought), rest),
        (Some(thought), None) => (thought, ""),
        (None, None) => return (None, text.to_owned()),
    };
    let thought = thought.trim();
    ((!thought.is_empty()).then(|| thought.to_owned()), rest.trim_start().to_owned())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinking_between_tags_is_separated() {
        for (text, thought, rest) in [
            ("[GetToday()]", None, "[GetToday()]"),
            ("<think>\nhm\n</think>\n\n[GetToday()]", Some("hm"), "[GetToday()]"),
            ("hm</think>yes", Some("hm"), "yes"),
            ("<think></think>yes", None, "yes"),
            ("  <think>too long", Some("too long"), ""),
            ("a <think> in a sentence", None, "a <think> in a sentence"),
        ] {
            assert_eq!(
                split_thinking(text),
                (thought.map(str::to_owned), rest.to_owned()),
                "{text}"
            );
        }
    }
}
