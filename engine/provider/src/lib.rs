//! Endpoints: one file per wire format with pure encoding and decoding, and the pace of requests.
//!
//! Must not know samples, verdicts or records. The platform sends requests through [`Ports`].
//!
//! | file | contents |
//! |---|---|
//! | `endpoint` | an endpoint's settings |
//! | `extra` | extra members of the body, and which are refused |
//! | `request` | builds requests, for an [`Ask`](exchange::protocol::Ask) or the list of models |
//! | `in_page` | a model that runs in the page |
//! | `wire` | the wire formats: how each encodes requests and decodes answers |
//! | `origin` | the scheme, host and port of an address |
//! | `key` | API keys, each sent only to its own origin |
//! | `preset` | known servers, local and hosted |
//! | `fault` | tells errors from answers, in bodies and in events |
//! | `fold` | system messages and tool results as turns of the user |
//! | `lenient` | JSON as endpoints really send it |
//! | `limits` | the limit that a refused request exceeds |
//! | `error_response` | interprets error responses, finds the refused parameter |
//! | `stream` | decodes a byte stream into events |
//! | `retry_after_header` | parses `Retry-After` |
//! | `receive` | decodes the bytes of a response into an answer |
//! | `diagnosis` | why an endpoint does not answer, and the fix |
//! | `preflight` | checks before a run |
//! | `client` | sends one request through the ports and drops refused parameters |
//! | `content` | what wire formats share: members, text, arguments, token counts |
//! | `ports` | the interface to the platform |
//! | `drive`, `pace` | requests in flight, adaptive concurrency |
//! | `retry`, `breaker` | retries with backoff, the circuit breaker |

mod breaker;
mod client;
mod content;
pub mod diagnosis;
mod drive;
mod endpoint;
mod error_response;
pub mod extra;
mod fault;
mod fold;
mod in_page;
pub mod key;
mod lenient;
mod limits;
mod origin;
mod pace;
mod ports;
pub mod preflight;
mod preset;
mod punycode;
mod receive;
mod request;
mod retry;
mod retry_after_header;
mod stream;
mod wire;

pub use client::{Client, Reply};
pub use drive::drive;
pub use endpoint::{Endpoint, ToolChoice};
pub use in_page::{
    BROWSER_MODEL_ADDRESS, Backend, IN_PAGE_ADDRESS, InPageModel, is_browser_model, is_in_page,
};
pub use key::{ApiKey, KeyError, KeyRing};
pub use origin::{AddressError, Origin, Reach};
pub use pace::{Pace, jitter, pause_ms};
pub use ports::Ports;
pub use preset::{KeyNeed, PRESETS, Preset, PresetFacts, Quirks};
pub use receive::{Collected, MAX_BODY, REST_MS, REST_PIECES, Receiver};
pub use request::{ModelFacts, Prepared, decode_models};
pub use retry::{RetryOutcome, RetryPolicy, ask_with_retries, send_with_retries};
pub use wire::{WireFormat, completions_prompt};

use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::time::Duration;
use thiserror::Error;

/// A request for the platform to send. The body is JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// `GET` or `POST`.
    pub method: &'static str,
    /// Absolute address.
    pub url: String,
    /// Names and values; only headers that the vendor documents, because of CORS.
    pub headers: Vec<(&'static str, String)>,
    /// JSON text; `None` for `GET`.
    pub body: Option<String>,
}

/// The head of a response.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HttpHead {
    /// The status code.
    pub status: u16,
    /// The pause that the server asks for; `None` if it asks for none or the header is not
    /// readable.
    pub retry_after: Option<Duration>,
}

impl HttpHead {
    /// Parses the `Retry-After` and `Date` headers, as far as they are readable. `now_ms` is in
    /// milliseconds since 1970.
    pub fn new(status: u16, retry_after: Option<&str>, date: Option<&str>, now_ms: u64) -> Self {
        let retry_after =
            retry_after.and_then(|value| retry_after_header::read(value, date, now_ms));
        HttpHead { status, retry_after }
    }
}

/// A complete response.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HttpResponse {
    /// The status code.
    pub status: u16,
    /// The pause that the server asks for; `None` if it asks for none or the header is not
    /// readable.
    pub retry_after: Option<Duration>,
    /// The body as text.
    pub body: String,
}

/// Receives a response as it arrives: first the head, then the body.
pub trait Sink {
    /// Receives the head; called once.
    fn head(&mut self, head: HttpHead);

    /// Receives the next bytes of the body, split anywhere. `Break` ends the request as if the body
    /// were complete.
    fn bytes(&mut self, bytes: &[u8]) -> ControlFlow<()>;
}

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

/// Why there is no complete response.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TransportError {
    /// No connection, blocked by CORS or permission denied: a browser does not say which. The
    /// platform's message; [`diagnosis`] interprets it.
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
    /// The failure of a request, except for errors that a [`diagnosis`] explains.
    pub fn into_failure(self) -> Failure {
        match self {
            TransportError::Redirected(_) | TransportError::Forbidden(_) => {
                Failure::configuration(self.to_string())
            }
            other => Failure::infrastructure(other.to_string()),
        }
    }
}

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
