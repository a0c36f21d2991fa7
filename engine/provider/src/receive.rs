//! The bytes of one response: to an answer, or to a whole body.

use super::refusal::or_answer;
use super::stream::StreamDecoder;
use super::{ApiKey, Endpoint, Failure, HttpHead, HttpResponse, Sink};
use exchange::Answer;
use serde_json::Value;
use std::ops::ControlFlow;

/// Longer bodies are refused, in bytes: no answer of a model comes near it.
pub const MAX_BODY: usize = 32 << 20;

/// What a server sends after the end of its answer is read for so long, in milliseconds, and for so
/// many pieces at most: the connection can be used again then.
pub const REST_MS: u32 = 1000;
/// See [`REST_MS`].
pub const REST_PIECES: usize = 16;

/// Takes a response in whole.
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
    /// The response, cut at [`MAX_BODY`]; broken UTF-8 is replaced, and the key that was sent is taken
    /// out of whatever the server wrote.
    pub fn into_response(self, key: Option<&ApiKey>) -> HttpResponse {
        // As a browser reads a text: without a mark in front.
        let body = self.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.bytes);
        HttpResponse {
            status: self.head.status,
            retry_after: self.head.retry_after,
            body: redacted(&String::from_utf8_lossy(body), key),
        }
    }
}

/// A body without the key. In JSON the key may be written with escapes, so texts are looked at as they
/// are read.
fn redacted(body: &str, key: Option<&ApiKey>) -> String {
    let Some(key) = key else { return body.to_owned() };
    if let Ok(mut value) = serde_json::from_str::<Value>(body) {
        let before = value.clone();
        key.redact_value(&mut value);
        return if value == before { body.to_owned() } else { value.to_string() };
    }
    key.redact(body).into_owned()
}

/// Takes the response to a question, in one piece or streamed: a server may do either, whatever it
/// was asked for.
pub struct Receiver<'a> {
    endpoint: &'a Endpoint,
    /// Never to be seen in what comes back.
    key: Option<&'a ApiKey>,
    /// The body, as long as it may be one in a single piece.
    whole: Collected,
    stream: StreamDecoder,
    size: usize,
}

impl<'a> Receiver<'a> {
    /// For a response of an endpoint.
    pub fn new(endpoint: &'a Endpoint, key: Option<&'a ApiKey>) -> Self {
        let stream = StreamDecoder::new(endpoint.format);
        Receiver { endpoint, key, whole: Collected::default(), stream, size: 0 }
    }

    /// Whether a first piece of a streamed answer has come.
    pub fn started(&self) -> bool {
        self.stream.started()
    }

    fn is_success(&self) -> bool {
        (200..300).contains(&self.whole.head.status)
    }

    /// The answer, after the last bytes.
    ///
    /// # Errors
    /// When the response is none, or not whole.
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
        or_answer(&self.whole.into_response(self.key), |body| endpoint.decode_body(body))
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
            // Decided: what came in so far is in the stream's pieces.
            self.whole.bytes = Vec::new();
            let ended = self.stream.ended();
            return if ended { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        }
        self.whole.bytes(bytes)
    }
}
