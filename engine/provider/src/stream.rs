//! Decodes streamed answers: bytes to lines, lines to events, events to the equivalent non-streamed
//! body.
//!
//! The result is decoded by the same code as a complete body, so both give the same answer. Total:
//! any bytes, split anywhere, give an answer or a failure.

use super::error_response::{told_failure, with_partial};
use super::fault::{Reported, as_error, reported};
use super::lenient::{Parsed, join_halves, parse_piece};
use super::wire::{Assemble, Seen, WireFormat};
use super::{ApiKey, Endpoint, Failure};
use exchange::Answer;
use serde_json::Value;

/// Splits bytes into lines, which end with LF, CR or both. Bytes are buffered until the line is complete, so split characters
/// survive; invalid UTF-8 is replaced.
#[derive(Debug, Default)]
struct Lines {
    held: Vec<u8>,
    /// Whether the last line ended with CR, which LF may follow.
    after_cr: bool,
}

impl Lines {
    fn push(&mut self, mut bytes: &[u8], mut each: impl FnMut(&str)) {
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, rest) = bytes.split_at(end);
            let is_second = self.after_cr && line.is_empty() && rest.first() == Some(&b'\n');
            self.held.extend_from_slice(line);
            self.after_cr = rest.first() == Some(&b'\r');
            if !is_second {
                each(&String::from_utf8_lossy(&self.held));
                self.held.clear();
            }
            bytes = rest.get(1..).unwrap_or_default();
        }
        self.after_cr &= bytes.is_empty();
        self.held.extend_from_slice(bytes);
    }
}

/// How lines encode events.
#[derive(Debug)]
enum Framing {
    /// Server-sent events, ended by an empty line. Buffers the current one.
    Events(ServerEvent),
    /// One JSON document per line.
    Lines,
}

/// The lines of a server-sent event.
#[derive(Debug, Default)]
struct ServerEvent {
    name: String,
    data: Vec<String>,
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
    error: Option<Reported>,
    broken: Option<String>,
    has_halves: bool,
}

impl StreamDecoder {
    pub(super) fn new(format: WireFormat) -> Self {
        let framing = match format.facts().streams_lines {
            true => Framing::Lines,
            false => Framing::Events(ServerEvent::default()),
        };
        let pieces = Pieces {
            assembly: format.wire().stream(),
            events: 0,
            seen: Seen::default(),
            error: None,
            broken: None,
            has_halves: false,
        };
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
        let is_complete = pieces.assembly.is_complete();
        let mut body = pieces.assembly.body();
        if pieces.has_halves {
            join_halves(&mut body);
        }
        redact(&mut body, key);
        if let Some(error) = pieces.error.take() {
            let error = redacted(error, key);
            return Some(match error.answer() {
                Some(answer) => Ok(with_partial(answer, endpoint.decode_parts(&body).ok())),
                None => Err(told_failure(&error)),
            });
        }
        if let Some(broken) = &pieces.broken {
            let broken = key.map_or(broken.into(), |key| key.redact(broken));
            return Some(Err(Failure::infrastructure(format!(
                "The endpoint's stream holds an event that is no JSON: {}",
                exchange::shorten(&broken, 120)
            ))));
        }
        Some(match is_complete {
            true => endpoint.decode_body(&body),
            false => Err(Failure::infrastructure(
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
        Framing::Events(event) if line.is_empty() => pieces.event(&std::mem::take(event)),
        Framing::Events(event) => {
            // Comments (`:`) and ids add nothing to the data.
            let (name, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match name {
                "data" => event.data.push(value.to_owned()),
                "event" => value.clone_into(&mut event.name),
                _ => {}
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
    fn event(&mut self, event: &ServerEvent) {
        let data = event.data.join("\n");
        if event.name == "error" && !event.data.is_empty() && !self.ended() {
            let body = parse_piece(&data).map_or_else(|_| data.into(), |parsed| parsed.value);
            self.events += 1;
            self.error = Some(as_error(&body));
            return;
        }
        match event.data.as_slice() {
            [] => {}
            [one] => self.document(one),
            many => match parse_piece(&data) {
                Ok(parsed) => self.take(parsed),
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
        match parse_piece(text) {
            Ok(parsed) => self.take(parsed),
            // Ignore lines of something that is not a stream, such as a web page.
            Err(_) if self.events == 0 && !text.starts_with('{') => {}
            Err(_) => {
                self.broken.get_or_insert_with(|| text.to_owned());
            }
        }
    }

    fn take(&mut self, Parsed { value, has_halves }: Parsed) {
        // A number or a lone `}` is a line of a pretty-printed document. Anything after the end is
        // ignored, or the answer would depend on where the bytes were split.
        let is_error_list = || matches!(&value, Value::Array(_)) && reported(&value).is_some();
        if self.ended() || !(value.is_object() || is_error_list()) {
            return;
        }
        self.events += 1;
        self.has_halves |= has_halves;
        self.error = reported(&value);
        if self.error.is_some() {
            // What came with the error may be the beginning of an answer.
            self.assembly.event(&value);
            return;
        }
        let seen = self.assembly.event(&value);
        self.seen.token |= seen.token;
        self.seen.end |= seen.end;
    }
}

fn redacted(mut error: Reported, key: Option<&ApiKey>) -> Reported {
    if let Some(key) = key {
        error.text = key.redact(&error.text).into_owned();
        error.malformed = error.malformed.map(|text| key.redact(&text).into_owned());
    }
    error
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
