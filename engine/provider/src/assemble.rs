//! What a wire format makes of the events of its stream.

use serde_json::Value;

/// What an event brought.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// A piece of text, of reasoning or of a call.
    pub token: bool,
    /// The end: nothing that matters follows.
    pub end: bool,
}

/// A wire format's pieces on their way to a whole body.
pub(super) trait Assemble {
    /// Takes the next event.
    fn event(&mut self, event: &Value) -> Seen;

    /// Takes the mark that ends a stream of OpenAI's formats, `[DONE]`.
    fn done(&mut self) {}

    /// The body as it would have come in one piece; `None` when the stream broke off before its end.
    fn body(&mut self) -> Option<Value>;
}

/// The answer among the choices of a body or an event: the one with index 0. Others were asked for
/// with `n`, and are further answers. Servers that number none send one.
pub(super) fn first_choice(body: &Value) -> Option<&Value> {
    let is_first = |choice: &&Value| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0;
    body.get("choices")?.as_array()?.iter().find(is_first)
}

/// Appends a text of an event to a text so far. Whether there was any.
pub(super) fn append(text: &mut String, piece: Option<&Value>) -> bool {
    let piece = piece.and_then(Value::as_str).unwrap_or_default();
    text.push_str(piece);
    !piece.is_empty()
}
