//! Decodes the bytes of one response into an answer or a complete body.

use super::error_response::or_answer;
use super::stream::StreamDecoder;
use super::{ApiKey, Endpoint, Failure, HttpHead, HttpResponse, Sink};
use exchange::Answer;
use std::ops::ControlFlow;

/// The maximum body size in bytes; no model's answer comes near it.
pub const MAX_BODY: usize = 32 << 20;

/// How long to drain a response after the end of the answer, in milliseconds, so that the
/// connection can be reused.
pub const REST_MS: u32 = 1000;
/// The maximum number of pieces to drain, see [`REST_MS`].
pub const REST_PIECES: usize = 16;

/// Collects a complete response.
#[derive(Debug, Default)]
pub struct Collected {
    head: HttpHead,
    bytes: Vec<u8>,
}

impl Sink for Collected {
    fn head(&mut self, head: HttpHead) {
        self.head = head;
    }

    fn bytes(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        let room = MAX_BODY.saturating_sub(self.bytes.len());
        self.bytes.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        if bytes.len() > room { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Collected {
    /// The response, truncated to [`MAX_BODY`]; invalid UTF-8 is replaced, and the key is redacted.
    pub fn into_response(self, key: Option<&ApiKey>) -> HttpResponse {
        // Drop a byte order mark, as browsers do.
        let body = self.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.bytes);
        HttpResponse {
            status: self.head.status,
            retry_after: self.head.retry_after,
            body: redacted(&String::from_utf8_lossy(body), key),
        }
    }
}

/// Redacts the key from a body. JSON may escape the key, so the decoded strings are searched.
fn redacted(body: &str, key: Option<&ApiKey>) -> String {
    let Some(key) = key else { return body.to_owned() };
    if let Ok(mut value) = super::lenient::parse(body) {
        let before = value.clone();
        key.redact_value(&mut value);
        return if value == before { body.to_owned() } else { value.to_string() };
    }
    key.redact(body).into_owned()
}

/// Receives the response to a prompt, in one piece or streamed: a server may send either, whatever
/// was requested.
pub struct Receiver<'a> {
    endpoint: &'a Endpoint,
    /// The key to redact.
    key: Option<&'a ApiKey>,
    /// The body, while it may still turn out not to be a stream.
    whole: Collected,
    stream: StreamDecoder,
    size: usize,
}

impl<'a> Receiver<'a> {
    /// A receiver for an endpoint's response.
    pub fn new(endpoint: &'a Endpoint, key: Option<&'a ApiKey>) -> Self {
        let stream = StreamDecoder::new(endpoint.format);
        Receiver { endpoint, key, whole: Collected::default(), stream, size: 0 }
    }

    /// Whether the first piece of a streamed answer has arrived.
    pub fn started(&self) -> bool {
        self.stream.started()
    }

    fn is_success(&self) -> bool {
        (200..300).contains(&self.whole.head.status)
    }

    /// Decodes the answer, after the last bytes.
    ///
    /// # Errors
    /// When the response has no answer or is incomplete.
    pub fn finish(self) -> Result<Answer, Failure> {
        let status = self.whole.head.status;
        if self.size > MAX_BODY {
            return Err(Failure {
                status: Some(status),
                ..Failure::infrastructure(format!(
                    "The endpoint's answer is longer than {} MB.",
                    MAX_BODY >> 20
                ))
            });
        }
        let endpoint = self.endpoint;
        if self.is_success()
            && let Some(outcome) = self.stream.finish(endpoint, self.key)
        {
            return outcome.map_err(|failure| Failure { status: Some(status), ..failure });
        }
        or_answer(&self.whole.into_response(self.key), endpoint)
    }
}

impl Sink for Receiver<'_> {
    fn head(&mut self, head: HttpHead) {
        self.whole.head(head);
    }

    fn bytes(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        self.size = self.size.saturating_add(bytes.len());
        if self.size > MAX_BODY {
            return ControlFlow::Break(());
        }
        if self.is_success() {
            self.stream.push(bytes);
        }
        if self.stream.is_stream() {
            // It is a stream: the decoder has the data.
            self.whole.bytes = Vec::new();
            let ended = self.stream.ended();
            return if ended { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        }
        self.whole.bytes(bytes)
    }
}
