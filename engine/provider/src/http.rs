//! Requests and responses, as the platform sends and receives them.

use crate::retry_after_header;
use std::ops::ControlFlow;
use std::time::Duration;

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
