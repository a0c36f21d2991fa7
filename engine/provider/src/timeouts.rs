//! The timeouts of a request.

use serde::{Deserialize, Serialize};

/// Timeouts of a request, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeouts {
    /// Until the response head arrives. A server may have to load the model first, and without
    /// streaming it answers only once the text is complete.
    pub headers_s: u32,
    /// From the head to the end of the body.
    pub body_s: u32,
}

impl Default for Timeouts {
    fn default() -> Self {
        Timeouts { headers_s: 120, body_s: 300 }
    }
}
