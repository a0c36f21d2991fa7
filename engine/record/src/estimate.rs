//! The size of a run before it is started.

use serde::{Deserialize, Serialize};

/// The size of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Estimate {
    /// Samples, or whole dialogues under `agent`.
    pub samples: usize,
    /// Requests, when none has to be sent again. Under `agent`: when the model goes as the dialogue
    /// does, a request for each of its calls and replies.
    pub requests: usize,
    /// Characters of all prompts, descriptions of tools included.
    pub prompt_chars: u64,
    /// Characters of all answers, were they the gold ones.
    pub answer_chars: u64,
}
