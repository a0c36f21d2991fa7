//! What a model said, in no vendor's format.

use crate::message::ToolCall;
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
}
