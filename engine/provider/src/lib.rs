//! Endpoints: one file per wire format, pure encode and decode, and the pace of requests.
//!
//! Must not know samples, verdicts or records. The platform sends requests, through [`Ports`].
//!
//! | file | what is there |
//! |---|---|
//! | `endpoint` | an endpoint's settings |
//! | `request` | the requests that they make, of an [`Ask`](exchange::protocol::Ask) or for the list of models |
//! | `wire_format` | the wire formats by name |
//! | `origin` | where requests go: scheme, host, port |
//! | `key` | API keys, each given to its own origin alone |
//! | `preset` | servers that people run or rent |
//! | `chat_completions`, `responses`, `messages`, `ollama`, `completions` | a wire format each: body, answer, stream |
//! | `refusal` | what a refused request means, and which parameter it names |
//! | `stream` | events out of bytes as they come |
//! | `assemble` | what a wire format makes of its events |
//! | `retry_after` | how long a server asks to wait |
//! | `receive` | the bytes of one response, to an answer |
//! | `diagnosis` | why an endpoint does not answer, and what to do |
//! | `preflight` | the checks before a run |
//! | `client` | one request sent through the ports, refused parameters dropped |
//! | `content` | text, thinking and arguments, which several vendors write alike |
//! | `ports` | what sending needs of the platform |
//! | `drive`, `pace`, `breaker` | requests in flight, retries with backoff, the circuit breaker |

mod assemble;
mod breaker;
mod chat_completions;
mod client;
mod completions;
mod content;
pub mod diagnosis;
mod drive;
mod endpoint;
pub mod key;
mod messages;
mod ollama;
mod origin;
mod pace;
mod ports;
pub mod preflight;
mod preset;
mod punycode;
mod receive;
mod refusal;
mod request;
mod responses;
mod retry_after;
mod stream;
mod wire_format;

pub use client::{Client, Reply};
pub use completions::prompt as completions_prompt;
pub use drive::{Patience, Tried, drive, persist};
pub use endpoint::{Endpoint, ToolChoice};
pub use key::{ApiKey, KeyError, KeyRing};
pub use origin::{AddressError, Origin, Reach};
pub use pace::{Pace, luck, pause_ms};
pub use ports::Ports;
pub use preset::{KeyNeed, PRESETS, Preset, PresetFacts, Quirks};
pub use receive::{Collected, MAX_BODY, REST_MS, REST_PIECES, Receiver};
pub use request::{ModelFacts, Prepared, decode_models};
pub use wire_format::WireFormat;

use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::time::Duration;
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

/// What comes before the body of a response.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HttpHead {
    /// Status code.
    pub status: u16,
    /// How long the server asks to wait, where it does and the header can be read.
    pub retry_after: Option<Duration>,
}

impl HttpHead {
    /// The head of a response with the texts of its headers `Retry-After` and `Date`, as far as they
    /// can be read. `now_ms` is the time in milliseconds since 1970.
    pub fn new(status: u16, retry_after: Option<&str>, date: Option<&str>, now_ms: u64) -> Self {
        let retry_after = retry_after.and_then(|value| retry_after::read(value, date, now_ms));
        HttpHead { status, retry_after }
    }
}

/// A whole response.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HttpResponse {
    /// Status code.
    pub status: u16,
    /// How long the server asks to wait, where it does and the header can be read.
    pub retry_after: Option<Duration>,
    /// The body as text.
    pub body: String,
}

/// Where the platform puts a response while it comes in: the head once, then the body.
pub trait Sink {
    /// The head has come.
    fn head(&mut self, head: HttpHead);

    /// The next bytes of the body, cut anywhere. After `Break` none come any more, and the request
    /// ends as if the body were complete.
    fn bytes(&mut self, bytes: &[u8]) -> ControlFlow<()>;
}

/// How long a request may take, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeouts {
    /// Until the head of the response is there. A server may have to load the model first, and
    /// without streaming it answers only when the whole text is written.
    pub headers_s: u32,
    /// From the head to the end of the body.
    pub body_s: u32,
}

impl Default for Timeouts {
    fn default() -> Self {
        Timeouts { headers_s: 120, body_s: 300 }
    }
}

/// Why nothing came back.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TransportError {
    /// No connection, refused by CORS, permission denied: a browser does not say which. The
    /// platform's words; [`diagnosis`] makes sense of them.
    #[error("{0}")]
    Unreachable(String),
    /// The platform may not send to this address; why, and the way out. Nothing was sent.
    #[error("{0}")]
    Forbidden(String),
    /// The endpoint points at another address, which is not followed: it would get the key and the
    /// question. The target, where the platform tells it (browsers do not).
    #[error("{}", redirected(.0.as_deref()))]
    Redirected(Option<String>),
    /// The connection ended before the body did.
    #[error("the connection broke off in the middle of the answer ({0})")]
    BrokenOff(String),
    /// It took longer than the limit.
    #[error("no answer within {0} seconds")]
    TimedOut(u32),
    /// The run was cancelled.
    #[error("cancelled")]
    Cancelled,
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

impl TransportError {
    /// What it means for a request, but for those that a [`diagnosis`] explains.
    pub fn into_failure(self) -> Failure {
        match self {
            TransportError::Redirected(_) | TransportError::Forbidden(_) => {
                Failure::configuration(self.to_string())
            }
            other => Failure::infrastructure(other.to_string()),
        }
    }
}

/// Whose fault a failed request is. None of these is a wrong answer: what the model itself does
/// wrong is an [`Answer`](exchange::Answer) and scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// How long the server asks to wait.
    pub retry_after: Option<Duration>,
    /// Whether the server asks for fewer requests at a time.
    pub throttled: bool,
    /// The status code; `None` when no response came, which a browser tells no reason of.
    pub status: Option<u16>,
    /// What the endpoint's error says of the request, where it has an error body: the text that a
    /// refused parameter is looked for in. Never shown as it is.
    pub(crate) detail: Option<Box<refusal::Detail>>,
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
            status: None,
            detail: None,
        }
    }

    /// A failure as a record has it.
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
