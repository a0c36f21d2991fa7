//! Passes bytes through a receiver.

use exchange::Answer;
use provider::{Endpoint, Failure, HttpHead, Receiver, Sink, WireFormat};
use serde_json::Value;

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
