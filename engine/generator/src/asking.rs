//! How an endpoint is asked, and how a generation left off.

use super::End;
use provider::{Endpoint, Timeouts};
use serde::{Deserialize, Serialize};

/// How an endpoint is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asking {
    /// The endpoint.
    pub endpoint: Endpoint,
    /// Requests in flight at most, 1 to 100.
    pub concurrency: usize,
    /// How often a failed request is tried again.
    pub retries: u32,
    /// The first pause before another try, in milliseconds.
    pub backoff_ms: u32,
    /// When a request is given up.
    pub timeouts: Timeouts,
}

/// Temperature of agents where the endpoint's is 0: they are to think of something new.
const WARM: f64 = 0.9;
/// Tokens that an answer needs at least: APIs and dialogues are long.
const ROOM: u32 = 4096;

impl Asking {
    /// An endpoint for agents: warm, with room for long answers, one request at a time.
    pub fn new(endpoint: Endpoint) -> Self {
        let temperature = endpoint.temperature.map(|it| if it == 0.0 { WARM } else { it });
        let max_tokens = endpoint.max_tokens.map(|it| it.max(ROOM));
        Asking {
            endpoint: Endpoint { temperature, max_tokens, ..endpoint },
            concurrency: 1,
            retries: 2,
            backoff_ms: 1000,
            timeouts: Timeouts::default(),
        }
    }
}

/// How a generation left off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "stop", rename_all = "lowercase")]
pub enum Stop {
    /// It ended by itself.
    Ended(End),
    /// It was cancelled; it can go on from its journal.
    Cancelled,
}
