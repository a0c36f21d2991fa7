//! Advanced options of an endpoint, as typed.

use super::field::{FieldName, Problem, optional};
use crate::t;
use crate::texts::Texts;
use provider::Timeouts;
use serde::{Deserialize, Serialize};

/// Maximum timeout, in seconds.
const LONGEST_WAIT_S: u32 = 3600;

/// Advanced options of an endpoint, as typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EndpointOptions {
    /// Nucleus sampling; empty leaves it to the endpoint.
    pub top_p: String,
    /// Sampling seed; empty leaves it to the endpoint.
    pub seed: String,
    /// Context length; empty leaves it to the server.
    pub num_ctx: String,
    /// Timeout of the response head, in seconds; empty for the default.
    pub headers_s: String,
    /// Timeout from the head to the end of the body, in seconds; empty for the default.
    pub body_s: String,
    /// Additional members of the request body, a JSON object; empty for none.
    pub extra: String,
    /// Whether answers stream.
    pub streaming: bool,
    /// Whether the model must call a tool if tools are described.
    pub must_call: bool,
    /// Whether to constrain answers to a JSON Schema, for protocols that have one.
    pub constrained: bool,
    /// Whether to fold system messages and tool results into the user's turns.
    pub fold_roles: bool,
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
            fold_roles: false,
        }
    }
}

impl EndpointOptions {
    /// Parses the timeouts.
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
