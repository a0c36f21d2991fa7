//! The estimated size of a run.

use serde::{Deserialize, Serialize};

/// Characters per token, a rule of thumb for English text.
const CHARS_A_TOKEN: f64 = 4.0;

/// The estimated size of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct RunSize {
    /// Samples, or dialogues under `agent`.
    pub samples: usize,
    /// Dialogues.
    pub dialogues: usize,
    /// The smallest detectable difference between two models, 0 to 1; `None` if none is detectable.
    pub smallest_difference: Option<f64>,
    /// Requests, without retries. Under `agent`: one for each call and reply of the gold dialogue,
    /// which the model may exceed.
    pub requests: usize,
    /// Characters in all prompts, including tool definitions.
    pub prompt_chars: u64,
    /// Characters in all answers, assuming the gold ones.
    pub answer_chars: u64,
}

impl RunSize {
    /// Tokens in all prompts.
    pub fn prompt_tokens(&self) -> f64 {
        self.prompt_chars as f64 / CHARS_A_TOKEN
    }

    /// Tokens in all answers, assuming the gold ones.
    pub fn answer_tokens(&self) -> f64 {
        self.answer_chars as f64 / CHARS_A_TOKEN
    }
}
