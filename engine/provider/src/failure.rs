//! A request without an answer to score.

use crate::error_response;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use thiserror::Error;

/// Whose fault a failed request is. A failure is never a wrong answer: a model's own mistakes are
/// part of its [`Answer`](exchange::Answer) and scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum FailureClass {
    /// The network or the server: a retry may work.
    Infrastructure,
    /// Address, key or model name: only a change of settings helps.
    Configuration,
}

/// Why a server gives no answer to anyone for now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absence {
    /// No connection.
    Unreachable,
    /// It answers that it is not ready.
    NotReady,
    /// It answers that it is loading the model.
    Loading,
}

/// A request without an answer to score.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct Failure {
    /// Who is at fault.
    pub class: FailureClass,
    /// The cause and the fix.
    pub message: String,
    /// Whether a retry may help.
    pub retry: bool,
    /// The pause that the server asks for.
    pub retry_after: Option<Duration>,
    /// Whether the server throttles.
    pub throttled: bool,
    /// How the server is absent, if it is.
    pub absence: Option<Absence>,
    /// Whether the model answered, but with nothing: it is asked once more.
    pub is_empty_answer: bool,
    /// The status code; `None` if there was no response.
    pub status: Option<u16>,
    /// The endpoint's error message, if any, to find a refused parameter. Never displayed verbatim.
    pub(crate) detail: Option<Box<error_response::Detail>>,
}

impl Failure {
    /// A transient failure that a retry may fix.
    pub fn infrastructure(message: impl Into<String>) -> Self {
        Failure {
            class: FailureClass::Infrastructure,
            message: message.into(),
            retry: true,
            retry_after: None,
            throttled: false,
            absence: None,
            is_empty_answer: false,
            status: None,
            detail: None,
        }
    }

    /// A transient failure without a connection.
    pub fn unreachable(message: impl Into<String>) -> Self {
        Failure { absence: Some(Absence::Unreachable), ..Failure::infrastructure(message) }
    }

    /// An answer without text, call and reasoning, which may be the server's fault.
    pub fn empty_answer() -> Self {
        Failure {
            is_empty_answer: true,
            ..Failure::infrastructure("The answer is empty: no text, no call, no reasoning.")
        }
    }

    /// A failure as stored in a record.
    pub fn recorded(class: FailureClass, message: impl Into<String>) -> Self {
        Failure { class, ..Failure::infrastructure(message) }
    }

    /// A failure that lasts until the settings change.
    pub fn configuration(message: impl Into<String>) -> Self {
        Failure {
            class: FailureClass::Configuration,
            retry: false,
            ..Failure::infrastructure(message)
        }
    }
}
