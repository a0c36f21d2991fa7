//! Decodes streamed answers: bytes to lines, lines to events, events to the equivalent non-streamed
//! body.
//!
//! The result is decoded by the same code as a complete body, so both give the same answer. Total:
//! any bytes, split anywhere, give an answer or a failure.

use super::assemble::{Assemble, Seen};
use super::error_response::{model_failure, told_failure};
use super::{
    ApiKey, Endpoint, Failure, WireFormat, chat_completions, completions, messages, ollama,
    responses,
};
use exchange::Answer;
use serde_json::Value;

/// Splits bytes into lines. Bytes are buffered until the line is complete, so split characters
/// survive; invalid UTF-8 is replaced.
#[derive(Debug, Default)]
struct Lines {
    held: Vec<u8>,
}

impl Lines {
    fn push(&mut self, mut bytes: &[u8], mut each: impl FnMut(&str)) {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            let (line, rest) = bytes.split_at(end);
            self.held.extend_from_slice(line);
            self.line(&mut each);
            bytes = rest.get(1..).unwrap_or_default();
        }
        self.held.extend_from_slice(bytes);
    }

    fn line(&mut self, each: &mut impl FnMut(&str)) {
        let line = self.held.strip_suffix(b"\r").unwrap_or(&self.held);
        each(&String::from_utf8_lossy(line));
        self.held.clear();
    }
}

/// How lines encode events.
#[derive(Debug)]
enum Framing {
    /// Server-sent events: `data:` lines, ended by an empty line. Buffers the lines of the current
    /// event.
    Events(Vec<String>),
    /// One JSON document per line.
    Lines,
}

/// Decodes a stream.
pub(super) struct StreamDecoder {
    lines: Lines,
    framing: Framing,
    pieces: Pieces,
}

/// The contents of the events so far.
struct Pieces {
    assembly: Box<dyn Assemble>,
    events: usize,
    seen: Seen,
    error: Option<Value>,
    broken: Option<String>,
}

impl StreamDecoder {
    pub(super) fn new(format: WireFormat) -> Self {
        let (framing, assembly): (Framing, Box<dyn Assemble>) = match format {
            WireFormat::ChatCompletions => {
                (Framing::Events(Vec::new()), Box::<chat_completions::Stream>::default())
            }
            WireFormat::Responses => {
                (Framing::Events(Vec::new()), Box::<responses::Stream>::default())
            }
            WireFormat::Messages => {
                (Framing::Events(Vec::new()), Box::<messages::Stream>::default())
            }
            WireFormat::Completions => {
                (Framing::Events(Vec::new()), Box::<completions::Stream>::default())
            }
            WireFormat::Ollama => (Framing::Lines, Box::<ollama::Stream>::default()),
        };
        let pieces =
            Pieces { assembly, events: 0, seen: Seen::default(), error: None, broken: None };
        StreamDecoder { lines: Lines::default(), framing, pieces }
    }

    /// Adds bytes, split anywhere.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let (framing, pieces) = (&mut self.framing, &mut self.pieces);
        self.lines.push(bytes, |line| read_line(framing, pieces, line));
    }

    /// Whether the bytes look like a stream.
    pub(super) fn is_stream(&self) -> bool {
        self.pieces.events > 0
    }

    /// Whether the first piece of the answer has arrived.
    pub(super) fn started(&self) -> bool {
        self.pieces.seen.token
    }

    /// Whether nothing relevant can follow.
    pub(super) fn ended(&self) -> bool {
        self.pieces.ended()
    }

    /// The answer, after the last bytes; `None` when there was no event. The key is redacted at the
    /// end, because the stream may split it anywhere.
    pub(super) fn finish(
        mut self,
        endpoint: &Endpoint,
        key: Option<&ApiKey>,
    ) -> Option<Result<Answer, Failure>> {
        // The last line may lack its line feed, and the last event its empty line.
        self.push(b"\n\n");
        let pieces = &mut self.pieces;
        if pieces.events == 0 {
            return None;
        }
        if let Some(error) = &mut pieces.error {
            redact(error, key);
            return Some(model_failure(error).ok_or_else(|| told_failure(error)));
        }
        if let Some(broken) = &pieces.broken {
            let broken = key.map_or(broken.into(), |key| key.redact(broken));
            return Some(Err(Failure::infrastructure(format!(
                "The endpoint's stream holds an event that is no JSON: {}",
                exchange::shorten(&broken, 120)
            ))));
        }
        Some(match pieces.assembly.body() {
            Some(mut body) => {
                redact(&mut body, key);
                endpoint.decode_body(&body)
            }
            None => Err(Failure::infrastructure(
                "The endpoint's stream broke off before the end of the answer.",
            )),
        })
    }
}

fn read_line(framing: &mut Framing, pieces: &mut Pieces, line: &str) {
    // The stream may start with a byte order mark.
    let line = line.strip_prefix('\u{feff}').unwrap_or(line);
    match framing {
        Framing::Lines => pieces.document(line.trim()),
        Framing::Events(data) if line.is_empty() => {
            let data = std::mem::take(data);
            pieces.event(&data);
        }
        Framing::Events(data) => {
            // Comments (`:`), event names and ids add nothing to the data.
            if let Some(text) = line.strip_prefix("data:") {
                data.push(text.strip_prefix(' ').unwrap_or(text).to_owned());
            }
        }
    }
}

impl Pieces {
    fn ended(&self) -> bool {
        self.seen.end || self.error.is_some()
    }

    /// Handles an event, whose lines form one document. Servers that omit the empty line between
    /// events write one document per line.
    fn event(&mut self, data: &[String]) {
        match data {
            [] => {}
            [one] => self.document(one),
            many => match serde_json::from_str(&many.join("\n")) {
                Ok(value) => self.take(&value),
                Err(_) => many.iter().for_each(|line| self.document(line)),
            },
        }
    }

    fn document(&mut self, text: &str) {
        if text.is_empty() || self.ended() {
            return;
        }
        if text.trim() == "[DONE]" {
            self.events += 1;
            self.assembly.done();
            self.seen.end = true;
            return;
        }
        match serde_json::from_str(text) {
            Ok(value) => self.take(&value),
            // Ignore lines of something that is not a stream, such as a web page.
            Err(_) if self.events == 0 && !text.starts_with('{') => {}
            Err(_) => {
                self.broken.get_or_insert_with(|| text.to_owned());
            }
        }
    }

    fn take(&mut self, value: &Value) {
        // A number or a lone `}` is a line of a pretty-printed document. Anything after the end is
        // ignored, or the answer would depend on where the bytes were split.
        if !value.is_object() || self.ended() {
            return;
        }
        self.events += 1;
        let is_error = value.get("error").is_some_and(|error| !error.is_null())
            || value.get("type").and_then(Value::as_str) == Some("error");
        if is_error {
            self.error = Some(value.clone());
            return;
        }
        let seen = self.assembly.event(value);
        self.seen.token |= seen.token;
        self.seen.end |= seen.end;
    }
}

fn redact(value: &mut Value, key: Option<&ApiKey>) {
    if let Some(key) = key {
        key.redact_value(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_reassembled_wherever_they_are_split() {
        let text = "data: grüße\r\n\nlast \u{1F600}\nrest";
        let whole: Vec<String> = text.lines().take(3).map(str::to_owned).collect();
        for size in 1..=text.len() {
            let (mut lines, mut seen) = (Lines::default(), Vec::new());
            for chunk in text.as_bytes().chunks(size) {
                lines.push(chunk, |line| seen.push(line.to_owned()));
            }
            assert_eq!(seen, whole, "in pieces of {size}");
            assert_eq!(lines.held, b"rest");
        }
        let mut broken = String::new();
        Lines::default().push(b"a\xffb\n", |line| broken.push_str(line));
        assert_eq!(broken, "a\u{fffd}b");
    }
}
