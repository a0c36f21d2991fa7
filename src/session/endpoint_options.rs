//! Options of an endpoint that few people change, as typed.

use super::field::{FieldName, Problem, optional};
use crate::t;
use crate::texts::Texts;
use provider::Timeouts;
use serde::{Deserialize, Serialize};

/// Longest wait for a response that can be asked for, in seconds.
const LONGEST_WAIT_S: u32 = 3600;

/// Options of an endpoint that few people change, as typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EndpointOptions {
    /// Share of the probability that is sampled from; empty leaves it to the endpoint.
    pub top_p: String,
    /// Seed of the sampling; empty leaves it to the endpoint.
    pub seed: String,
    /// Length of the context; empty leaves it to the server.
    pub num_ctx: String,
    /// Seconds until the head of a response has to be there; empty for the usual.
    pub headers_s: String,
    /// Seconds from the head to the end of the body; empty for the usual.
    pub body_s: String,
    /// Further members of a request's body, a JSON object; empty for none.
    pub extra: String,
    /// Whether answers stream.
    pub streaming: bool,
    /// Whether a model has to call a tool where tools are described.
    pub must_call: bool,
    /// Whether answers are held to a schema where a protocol has one.
    pub constrained: bool,
}

impl Default for EndpointOptions {
    fn default() -> Self {
        EndpointOptions {
            top_p: String::new(),
            seed: String::new(),
            num_ctx: "8192".to_owned(),
            headers_s: Timeouts::default().headers_s.to_string(),
            body_s: Timeouts::default().body_s.to_string(),
            extra: String::new(),
            streaming: true,
            must_call: false,
            constrained: false,
        }
    }
}

impl EndpointOptions {
    /// How long a request may take.
    pub(super) fn timeouts(&self, problems: &mut Vec<Problem>, texts: Texts) -> Timeouts {
        let usual = Timeouts::default();
        let seconds = |value: &u32| (1..=LONGEST_WAIT_S).contains(value);
        Timeouts {
            headers_s: optional(
                &self.headers_s,
                seconds,
                FieldName::HeadersTimeout,
                t!(texts, "Header timeout: expected whole seconds from 1 to 3600, or empty"),
                problems,
                texts,
            )
            .unwrap_or(usual.headers_s),
            body_s: optional(
                &self.body_s,
                seconds,
                FieldName::BodyTimeout,
                t!(texts, "Body timeout: expected whole seconds from 1 to 3600, or empty"),
                problems,
                texts,
            )
            .unwrap_or(usual.body_s),
        }
    }
}
