//! Scripted servers, and bytes through a receiver.

use exchange::Answer;
use provider::diagnosis::Place;
use provider::{
    Endpoint, Failure, HttpHead, HttpRequest, Ports, Receiver, Sink, Timeouts, TransportError,
    WireFormat,
};
use serde_json::Value;
use std::cell::{Cell, RefCell};

pub(crate) fn endpoint(format: WireFormat) -> Endpoint {
    Endpoint {
        format,
        base_url: "http://h/v1".to_owned(),
        model: "m".to_owned(),
        ..Endpoint::default()
    }
}

/// Decodes a response whose body arrives in these pieces.
pub(crate) fn received<'a>(
    format: WireFormat,
    status: u16,
    pieces: impl Iterator<Item = &'a [u8]>,
) -> Result<Answer, Failure> {
    let endpoint = endpoint(format);
    let mut receiver = Receiver::new(&endpoint, None);
    receiver.head(HttpHead { status, retry_after: None });
    for piece in pieces {
        if receiver.bytes(piece).is_break() {
            break;
        }
    }
    receiver.finish()
}

pub(crate) fn whole(format: WireFormat, status: u16, body: &str) -> Result<Answer, Failure> {
    received(format, status, std::iter::once(body.as_bytes()))
}

/// Encodes server-sent events, with a comment and `event:` lines.
pub(crate) fn events(events: &[Value], done: bool) -> String {
    let mut text = ": a comment\n\n".to_owned();
    for event in events {
        if let Some(kind) = event.get("type").and_then(Value::as_str) {
            text.push_str(&format!("event: {kind}\n"));
        }
        text.push_str(&format!("data: {event}\n\n"));
    }
    if done {
        text.push_str("data: [DONE]\n\n");
    }
    text
}

pub(crate) fn lines(documents: &[Value]) -> String {
    documents.iter().map(|document| format!("{document}\n")).collect()
}

/// A server with a response function of path and body; `None` means unreachable. The body arrives
/// in pieces of ten bytes, one per millisecond.
pub(crate) struct Scripted<F> {
    respond: F,
    /// The bodies received.
    pub sent: RefCell<Vec<Value>>,
    clock_ms: Cell<u64>,
}

impl<F: Fn(&str, &Value) -> Option<(u16, String)>> Scripted<F> {
    pub fn new(respond: F) -> Self {
        Scripted { respond, sent: RefCell::default(), clock_ms: Cell::default() }
    }
}

impl<F: Fn(&str, &Value) -> Option<(u16, String)>> Ports for Scripted<F> {
    fn now_ms(&self) -> u64 {
        self.clock_ms.get()
    }

    async fn send(
        &self,
        request: HttpRequest,
        _: Timeouts,
        sink: &mut dyn Sink,
    ) -> Result<(), TransportError> {
        let path = request.url.splitn(4, '/').nth(3).unwrap_or_default();
        let body = request.body.map_or(Value::Null, |body| serde_json::from_str(&body).unwrap());
        let answer = (self.respond)(path, &body);
        self.sent.borrow_mut().push(body);
        let Some((status, text)) = answer else {
            return Err(TransportError::Unreachable("nobody there".to_owned()));
        };
        sink.head(HttpHead { status, retry_after: None });
        for piece in text.as_bytes().chunks(10) {
            self.clock_ms.set(self.clock_ms.get() + 1);
            if sink.bytes(piece).is_break() {
                break;
            }
        }
        Ok(())
    }

    async fn wait(&self, _: u32) {}

    fn cancelled(&self) -> bool {
        false
    }

    async fn place(&self) -> Place {
        Place { origin: Some("https://page.example".to_owned()), ..Place::default() }
    }
}
