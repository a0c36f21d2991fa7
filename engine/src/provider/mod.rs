//! Endpoints: one file a wire format, pure encode and decode.
//!
//! Sending is the platform's part, through [`crate::runner::Ports`].

pub mod chat_completions;

use crate::protocol::ToolCall;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A request, ready to be sent by the platform. The body is JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// `GET` or `POST`.
    pub method: &'static str,
    /// Absolute address.
    pub url: String,
    /// Names and values; nothing but what the vendor documents (see CORS).
    pub headers: Vec<(&'static str, String)>,
    /// JSON text; `None` for `GET`.
    pub body: Option<String>,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpResponse {
    /// Status code.
    pub status: u16,
    /// Value of `Retry-After` in seconds, where it can be read.
    pub retry_after: Option<u32>,
    /// The body as text.
    pub body: String,
}

/// Why nothing came back.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TransportError {
    /// No connection, refused by CORS, permission denied: a browser does not say which.
    #[error("{0}")]
    Unreachable(String),
    /// It took longer than the limit.
    #[error("no answer within {0} seconds")]
    TimedOut(u32),
    /// The run was cancelled.
    #[error("cancelled")]
    Cancelled,
}

/// Whose fault a failed request is. None of these is a wrong answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FailureClass {
    /// The network or the server: it may work when tried again.
    Infrastructure,
    /// Address, key or model name: it works once the settings are right.
    Configuration,
}

/// A request that gave no answer to score.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct Failure {
    /// Whose fault it is.
    pub class: FailureClass,
    /// What happened and what to do.
    pub message: String,
    /// Whether another try may help.
    pub retry: bool,
    /// How long the server asks to wait, in seconds.
    pub retry_after: Option<u32>,
    /// Whether the server asks for fewer requests at a time.
    pub throttled: bool,
}

impl Failure {
    /// A failure that another try may mend.
    pub fn infrastructure(message: impl Into<String>) -> Self {
        Failure {
            class: FailureClass::Infrastructure,
            message: message.into(),
            retry: true,
            retry_after: None,
            throttled: false,
        }
    }

    /// A failure that lasts until the settings change.
    pub fn configuration(message: impl Into<String>) -> Self {
        Failure {
            class: FailureClass::Configuration,
            message: message.into(),
            retry: false,
            retry_after: None,
            throttled: false,
        }
    }
}

/// Tokens of one request, as the endpoint counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the prompt.
    pub prompt_tokens: u64,
    /// Tokens of the answer.
    pub completion_tokens: u64,
}

/// What a model said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The text, without reasoning.
    pub text: String,
    /// The calls that it makes in the endpoint's tool format.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    /// The assistant's message as the endpoint wrote it, where it has to be sent back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<serde_json::Value>,
    /// Reasoning that the endpoint reports apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Why the model stopped, in the endpoint's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    /// Tokens, where the endpoint counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// What the failure of a status code means, for any provider.
pub fn status_failure(response: &HttpResponse) -> Failure {
    let told = told(&response.body);
    let status = response.status;
    let mut failure = match status {
        401 | 403 => Failure::configuration(format!(
            "The endpoint refused the key (HTTP {status}). Check the API key and what it may use.{told}"
        )),
        404 => Failure::configuration(format!(
            "The endpoint does not know this address or model (HTTP 404). Check both; the address \
             usually ends in /v1.{told}"
        )),
        429 => Failure::infrastructure(format!(
            "The endpoint asks for fewer requests (HTTP 429). Lower the concurrency or wait.{told}"
        )),
        408 | 409 | 425 | 500..=599 => {
            Failure::infrastructure(format!("The endpoint failed (HTTP {status}).{told}"))
        }
        _ => Failure::configuration(format!(
            "The endpoint refused the request (HTTP {status}). Check address, model and sampling.{told}"
        )),
    };
    failure.retry_after = response.retry_after;
    // 529 is Anthropic's word for an overloaded server.
    failure.throttled = matches!(status, 429 | 529);
    failure
}

/// The message in an error body, shortened, as a further sentence.
fn told(body: &str) -> String {
    let json: Option<serde_json::Value> = serde_json::from_str(body).ok();
    let text = json.as_ref().and_then(|json| {
        let error = json.get("error").unwrap_or(json);
        error.get("message").or(Some(error)).and_then(|message| message.as_str())
    });
    match text {
        Some(text) => format!(" It says: {}", shorten(text, 300)),
        None => String::new(),
    }
}

/// At most `limit` characters of a text, with an ellipsis where it was cut.
pub fn shorten(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
