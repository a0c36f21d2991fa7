//! The estimated size of a run.

use serde::{Deserialize, Serialize};

/// The estimated size of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Estimate {
    /// Samples, or dialogues under `agent`.
    pub samples: usize,
    /// Requests, without retries. Under `agent`: one for each call and reply of the gold dialogue,
    /// which the model may exceed.
    pub requests: usize,
    /// Characters in all prompts, including tool definitions.
    pub prompt_chars: u64,
    /// Characters in all answers, assuming the gold ones.
    pub answer_chars: u64,
}
