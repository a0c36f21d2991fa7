//! What a model said, in no vendor's format.

use crate::protocol::ToolCall;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Tokens of one request, as the endpoint counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Usage {
    /// Tokens of the prompt.
    pub prompt_tokens: u64,
    /// Tokens of the answer.
    pub completion_tokens: u64,
}

impl Usage {
    /// Reads two counts under their vendor's names; `None` when one is missing.
    pub(super) fn read(usage: &Value, prompt: &str, completion: &str) -> Option<Self> {
        Some(Usage {
            prompt_tokens: usage.get(prompt)?.as_u64()?,
            completion_tokens: usage.get(completion)?.as_u64()?,
        })
    }
}

/// What a model said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Answer {
    /// The text, without reasoning.
    pub text: String,
    /// The calls that it makes in the endpoint's tool format.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    /// The assistant's message as the endpoint wrote it, where it has to be sent back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<Value>,
    /// Reasoning that the endpoint reports apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Why the model stopped, in the endpoint's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    /// Tokens, where the endpoint counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// What the endpoint says that the model did wrong, such as a call that it could not read. It
    /// is the model's failure, so the answer is scored like any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// What endpoints say when the longest answer was reached: Chat Completions, Ollama and legacy
/// Completions; Messages; Responses, with and without a reason; Gemini's layer for OpenAI's clients.
const CUT_OFF: [&str; 5] =
    ["length", "max_tokens", "max_output_tokens", "incomplete", "MAX_TOKENS"];

impl Answer {
    /// Whether the answer ended at the longest length that was asked for, not at its own end.
    pub fn is_cut_off(&self) -> bool {
        self.finish_reason.as_deref().is_some_and(|reason| CUT_OFF.contains(&reason))
    }
}

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// Reasoning and answer of a text in which a server left the reasoning between its tags. A chat
/// template may have written the opening tag into the prompt, so the closing one alone counts too;
/// without a closing one the model ran out of tokens before it answered.
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

/// A text out of JSON: a string, or parts of which some are texts.
pub(super) fn content_text(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            Some(parts.iter().filter_map(|part| part.get("text")?.as_str()).collect())
        }
        _ => None,
    }
}

/// Arguments as JSON text: most vendors send a string, some the object itself.
pub(super) fn arguments_text(arguments: Option<&Value>) -> String {
    match arguments {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// Arguments as a JSON object, for vendors that take no text. What is no object becomes an empty
/// one: the history that is sent back has to be well-formed.
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
    fn an_answer_that_was_cut_off_is_told_from_a_whole_one() {
        let ended = |reason: Option<&str>| Answer {
            finish_reason: reason.map(str::to_owned),
            ..Answer::default()
        };
        assert!(CUT_OFF.iter().all(|reason| ended(Some(reason)).is_cut_off()));
        let whole = [None, Some("stop"), Some("tool_calls"), Some("end_turn"), Some("completed")];
        assert!(whole.iter().all(|reason| !ended(*reason).is_cut_off()));
    }

    #[test]
    fn thinking_between_tags_is_kept_apart() {
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
