//! Why there is no complete response.

use crate::Failure;
use thiserror::Error;

/// Why there is no complete response.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TransportError {
    /// No connection, blocked by CORS or permission denied: a browser does not say which. The
    /// platform's message; [`diagnosis`](crate::diagnosis) interprets it.
    #[error("{0}")]
    Unreachable(String),
    /// The platform may not send to this address, with the reason and the workaround. Nothing was sent.
    #[error("{0}")]
    Forbidden(String),
    /// The endpoint redirects, which is not followed: the target would get the key and the prompt.
    /// The target, if the platform reveals it (browsers don't).
    #[error("{}", redirected(.0.as_deref()))]
    Redirected(Option<String>),
    /// The connection closed before the body was complete.
    #[error("the connection broke off in the middle of the answer ({0})")]
    BrokenOff(String),
    /// The request timed out after this many seconds.
    #[error("no answer within {0} seconds")]
    TimedOut(u32),
    /// The run was cancelled.
    #[error("cancelled")]
    Cancelled,
}

impl TransportError {
    /// The failure of a request, except for errors that a [`diagnosis`](crate::diagnosis) explains.
    pub fn into_failure(self) -> Failure {
        match self {
            TransportError::Redirected(_) | TransportError::Forbidden(_) => {
                Failure::configuration(self.to_string())
            }
            other => Failure::infrastructure(other.to_string()),
        }
    }
}

fn redirected(target: Option<&str>) -> String {
    match target {
        Some(target) => format!(
            "The endpoint redirects to {target}, which is not followed. If you trust that server, \
             enter its address."
        ),
        None => "The endpoint redirects to another address, which is not followed; the browser \
                 does not say where. Check the address: its scheme, its port, a slash too many"
            .to_owned(),
    }
}
