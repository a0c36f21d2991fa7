//! Reassembles the events of a stream into a response body.

use serde_json::Value;

/// The relevant contents of an event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// A piece of text, reasoning or a tool call.
    pub token: bool,
    /// The end: nothing relevant follows.
    pub end: bool,
}

/// Accumulates a wire format's events into a complete body.
pub(super) trait Assemble {
    /// Adds the next event.
    fn event(&mut self, event: &Value) -> Seen;

    /// Handles `[DONE]`, which ends a stream in OpenAI's formats.
    fn done(&mut self) {}

    /// Whether the stream reached the end of the answer.
    fn is_complete(&self) -> bool;

    /// The equivalent non-streamed body of the events so far.
    fn body(&mut self) -> Value;
}

/// The choice with index 0 in a body or event; others are extra answers requested with `n`. Servers
/// that send a single choice may omit the index.
pub(super) fn first_choice(body: &Value) -> Option<&Value> {
    let is_first = |choice: &&Value| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0;
    body.get("choices")?.as_array()?.iter().find(is_first)
}

/// Appends an event's text; whether there was any.
pub(super) fn append(text: &mut String, piece: Option<&Value>) -> bool {
    let piece = piece.and_then(Value::as_str).unwrap_or_default();
    text.push_str(piece);
    !piece.is_empty()
}
