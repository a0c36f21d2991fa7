//! Request settings of a generation, and why a generation stopped.

use super::End;
use provider::{Endpoint, Timeouts};
use serde::{Deserialize, Serialize};

/// The endpoint and its request settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asking {
    /// The endpoint.
    pub endpoint: Endpoint,
    /// Maximum number of requests in flight, 1 to 100.
    pub concurrency: usize,
    /// Retries per failed request.
    pub retries: u32,
    /// Backoff before the first retry, in milliseconds.
    pub backoff_ms: u32,
    /// When a request times out.
    pub timeouts: Timeouts,
}

/// Replaces a temperature of 0, at which the agents would repeat themselves.
const WARM: f64 = 0.9;
/// Lower limit of `max_tokens`: lists of APIs and whole dialogues are long.
const ROOM: u32 = 4096;

impl Asking {
    /// Adapts an endpoint's temperature and `max_tokens` to the agents; one request in flight.
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

/// Why [`generate`](super::generate) returned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "stop", rename_all = "lowercase")]
pub enum Stop {
    /// It ended without being cancelled.
    Ended(End),
    /// It was cancelled and can be resumed from its journal.
    Cancelled,
}
