//! A model's answer, independent of the wire format.

use crate::message::ToolCall;
use crate::reasoning;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Token counts of one request, as the endpoint reports them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Usage {
    /// Prompt tokens.
    pub prompt_tokens: u64,
    /// Completion tokens.
    pub completion_tokens: u64,
}

impl Usage {
    /// All tokens. Endpoints may claim any count, so no sum of counts overflows.
    pub const fn total(self) -> u64 {
        self.prompt_tokens.saturating_add(self.completion_tokens)
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Usage) {
        self.prompt_tokens = self.prompt_tokens.saturating_add(other.prompt_tokens);
        self.completion_tokens = self.completion_tokens.saturating_add(other.completion_tokens);
    }
}

impl std::iter::Sum for Usage {
    fn sum<I: Iterator<Item = Usage>>(usages: I) -> Usage {
        usages.fold(Usage::default(), |mut sum, usage| {
            sum += usage;
            sum
        })
    }
}

/// A model's answer to one request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Answer {
    /// The text, without reasoning.
    pub text: String,
    /// Native tool calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    /// The assistant's message in the endpoint's own form, if it must be sent back unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<Value>,
    /// Reasoning that the endpoint reports separately, or that was in the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Whether reasoning was in the text, between marks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reasoning_in_text: bool,
    /// Why the model stopped, in the endpoint's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    /// Token counts, if the endpoint reports them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The endpoint's report of a mistake of the model, such as a call that it could not parse. The
    /// answer is scored like any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// Finish reasons for reaching the token limit, in order: Chat Completions, Ollama and legacy
/// Completions; Messages; Responses, with and without a reason; Gemini's OpenAI-compatible API.
const CUT_OFF: [&str; 5] =
    ["length", "max_tokens", "max_output_tokens", "incomplete", "MAX_TOKENS"];

impl Answer {
    /// Whether the model said nothing at all: no text, no call, no reasoning, no mistake.
    pub fn is_empty(&self) -> bool {
        let reasoning = self.reasoning.as_deref().unwrap_or_default();
        self.calls.is_empty()
            && self.fault.is_none()
            && self.text.trim().is_empty()
            && reasoning.trim().is_empty()
    }

    /// Whether the answer was cut off at the token limit.
    pub fn is_cut_off(&self) -> bool {
        self.finish_reason.as_deref().is_some_and(|reason| CUT_OFF.contains(&reason))
    }

    /// Moves reasoning from the text to where it belongs.
    #[must_use]
    pub fn without_reasoning_in_text(mut self) -> Self {
        let (found, text) = reasoning::split(&self.text);
        self.text = text;
        if let Some(found) = found {
            let known = self.reasoning.take().map(|known| known + "\n\n").unwrap_or_default();
            self.reasoning = Some(known + &found);
            self.reasoning_in_text = true;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_of_claimed_counts_does_not_wrap() {
        let most = Usage { prompt_tokens: u64::MAX, completion_tokens: 3 };
        let sum: Usage = [most, most].into_iter().sum();
        assert_eq!(sum, Usage { prompt_tokens: u64::MAX, completion_tokens: 6 });
        assert_eq!(most.total(), u64::MAX);
    }

    #[test]
    fn cut_off_answers_are_recognized_by_the_finish_reason() {
        let ended = |reason: Option<&str>| Answer {
            finish_reason: reason.map(str::to_owned),
            ..Answer::default()
        };
        assert!(CUT_OFF.iter().all(|reason| ended(Some(reason)).is_cut_off()));
        let whole = [None, Some("stop"), Some("tool_calls"), Some("end_turn"), Some("completed")];
        assert!(whole.iter().all(|reason| !ended(*reason).is_cut_off()));
    }
}
