//! Parses a literal as models write it: JSON, Python, or a mixture of both.
//!
//! Never panics: any text yields a value or an error. Nesting is limited.

use serde_json::{Map, Number, Value};
use thiserror::Error;

/// Maximum nesting of containers.
pub const MAX_DEPTH: usize = 32;

/// Why a text is not a literal.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{reason} at byte {at}")]
pub struct LiteralError {
    /// Byte offset in the text.
    pub at: usize,
    /// What was expected.
    pub reason: &'static str,
}

/// Parses a whole text as one literal.
///
/// # Errors
/// If the text is not a literal, or if anything follows it.
pub fn parse(text: &str) -> Result<Value, LiteralError> {
    let mut reader = Reader::new(text, 0);
    let value = reader.value(0)?;
    reader.skip_blanks();
    if reader.at < text.len() {
        return Err(reader.error("expected the end of the value"));
    }
    Ok(value)
}

/// A cursor over text with literals, shared with the call parser.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    text: &'a str,
    /// Byte offset of the cursor, always on a character boundary.
    pub at: usize,
}

impl<'a> Reader<'a> {
    /// A cursor at byte `at`, which must lie on a character boundary.
    pub fn new(text: &'a str, at: usize) -> Self {
        Reader { text, at }
    }

    /// The remaining text.
    pub fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// The next character.
    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Skips white space.
    pub fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Skips `expected` if it is next, and returns whether it was.
    pub fn eat(&mut self, expected: char) -> bool {
        let found = self.peek() == Some(expected);
        if found {
            self.at += expected.len_utf8();
        }
        found
    }

    /// A name: letters, digits and `_`, not starting with a digit.
    pub fn word(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let end = rest
            .char_indices()
            .find(|(_, c)| !(c.is_alphanumeric() || *c == '_'))
            .map_or(rest.len(), |(index, _)| index);
        let word = &rest[..end];
        if word.is_empty() || word.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        self.at += end;
        Some(word)
    }

    /// An error at the cursor.
    pub fn error(&self, reason: &'static str) -> LiteralError {
        LiteralError { at: self.at, reason }
    }

    /// Parses one value: a string, number, list, tuple, dictionary or constant.
    ///
    /// # Errors
    /// If none of these is next, or containers are nested too deeply.
    pub fn value(&mut self, depth: usize) -> Result<Value, LiteralError> {
        self.skip_blanks();
        if depth > MAX_DEPTH {
            return Err(self.error("expected no deeper nesting"));
        }
        match self.peek() {
            Some('\'' | '"') => self
                .quoted(|ahead| ahead.is_empty() || ahead.starts_with([',', ')', ']', '}', ':']))
                .map(Value::String),
            Some('[') => self.list(']', depth),
            Some('(') => self.list(')', depth),
            Some('{') => self.dictionary(depth),
            Some(c) if c.is_ascii_digit() || matches!(c, '-' | '+' | '.') => self.number(),
            Some(_) => self.constant(),
            None => Err(self.error("expected a value")),
        }
    }

    /// Parses a quoted string. A quote mark closes it only if `closes` accepts the text after it
    /// (whitespace skipped), so that `'John's car'` parses.
    ///
    /// # Errors
    /// If no quote mark closes it.
    pub fn quoted(&mut self, closes: impl Fn(&str) -> bool) -> Result<String, LiteralError> {
        let start = self.error("expected the end of the quoted text that starts here");
        let Some(mark @ ('\'' | '"')) = self.peek() else {
            return Err(self.error("expected a quote mark"));
        };
        self.eat(mark);
        let mut out = String::new();
        while let Some(c) = self.peek() {
            self.at += c.len_utf8();
            if c == mark {
                if closes(self.rest().trim_start()) {
                    return Ok(out);
                }
                out.push(c);
            } else if c == '\\' {
                self.escape(&mut out);
            } else {
                out.push(c);
            }
        }
        Err(start)
    }

    fn escape(&mut self, out: &mut String) {
        let Some(c) = self.peek() else { return out.push('\\') };
        self.at += c.len_utf8();
        match c {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            '\'' | '"' | '\\' | '/' => out.push(c),
            'u' => match self.unicode() {
                Some(read) => out.push(read),
                None => out.push_str("\\u"),
            },
            // Like Python, keep unknown escapes.
            other => out.extend(['\\', other]),
        }
    }

    /// Parses `\uXXXX`, surrogate pairs included; on failure the cursor does not move.
    fn unicode(&mut self) -> Option<char> {
        let start = self.at;
        let read = self.unicode_unit().and_then(|unit| {
            if !(0xD800..0xDC00).contains(&unit) {
                return char::from_u32(unit);
            }
            let low = (self.eat('\\') && self.eat('u')).then(|| self.unicode_unit()).flatten()?;
            let low = low.checked_sub(0xDC00).filter(|low| *low < 0x400)?;
            char::from_u32(0x1_0000 + ((unit - 0xD800) << 10) + low)
        });
        if read.is_none() {
            self.at = start;
        }
        read
    }

    fn unicode_unit(&mut self) -> Option<u32> {
        let digits = self.rest().get(..4)?;
        let unit = u32::from_str_radix(digits, 16).ok()?;
        self.at += 4;
        Some(unit)
    }

    fn list(&mut self, close: char, depth: usize) -> Result<Value, LiteralError> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.skip_blanks();
            if self.eat(close) {
                return Ok(Value::Array(items));
            }
            items.push(self.value(depth + 1)?);
            self.skip_blanks();
            if !self.eat(',') && self.peek() != Some(close) {
                return Err(self.error("expected ',' or the end of the list"));
            }
        }
    }

    fn dictionary(&mut self, depth: usize) -> Result<Value, LiteralError> {
        self.at += 1;
        let mut fields = Map::new();
        loop {
            self.skip_blanks();
            if self.eat('}') {
                return Ok(Value::Object(fields));
            }
            let key = match self.peek() {
                Some('\'' | '"') => self.quoted(|ahead| ahead.starts_with(':'))?,
                _ => match self.value(depth + 1)? {
                    Value::String(key) => key,
                    other => other.to_string(),
                },
            };
            self.skip_blanks();
            if !self.eat(':') {
                return Err(self.error("expected ':' after a key"));
            }
            let value = self.value(depth + 1)?;
            fields.insert(key, value);
            self.skip_blanks();
            if !self.eat(',') && self.peek() != Some('}') {
                return Err(self.error("expected ',' or the end of the dictionary"));
            }
        }
    }

    fn number(&mut self) -> Result<Value, LiteralError> {
        let rest = self.rest();
        let end = rest
            .find(|c: char| !(c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E' | '_')))
            .unwrap_or(rest.len());
        let plain = rest[..end].replace('_', "");
        let read = number(&plain).ok_or(self.error("expected a number"))?;
        self.at += end;
        Ok(read)
    }

    fn constant(&mut self) -> Result<Value, LiteralError> {
        let start = self.at;
        let value = match self.word() {
            Some("True" | "true") => Value::Bool(true),
            Some("False" | "false") => Value::Bool(false),
            Some("None" | "null") => Value::Null,
            _ => {
                self.at = start;
                return Err(self.error("expected a quoted text, a number, a list or a dictionary"));
            }
        };
        Ok(value)
    }
}

/// Parses a finite number: an integer if written without point and exponent.
pub fn number(text: &str) -> Option<Value> {
    let text = text.strip_prefix('+').unwrap_or(text);
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '.')) {
        return None;
    }
    if let Ok(whole) = text.parse::<i64>() {
        return Some(Value::from(whole));
    }
    let read: f64 = text.parse().ok()?;
    Number::from_f64(read).map(Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn reads_json_and_python() {
        let cases = [
            (r#"["a", 'b']"#, json!(["a", "b"])),
            (
                "{'name': 'lamp', 'on': True, 'level': 0.5, 'x': None}",
                json!({"name": "lamp", "on": true, "level": 0.5, "x": null}),
            ),
            ("('a', 'b',)", json!(["a", "b"])),
            ("-3", json!(-3)),
            ("1e3", json!(1000.0)),
            (r"'caf\u00e9 \ud83d\ude00 it\'s'", json!("café 😀 it's")),
            ("['Ann's mother', 'Bo']", json!(["Ann's mother", "Bo"])),
        ];
        for (text, value) in cases {
            assert_eq!(parse(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn says_where_it_stops() {
        assert_eq!(parse("['a' 'b'").unwrap_err().at, 8);
        assert!(parse("tomorrow").is_err());
        assert!(parse("1 2").is_err());
        assert!(parse(&"[".repeat(10_000)).is_err());
    }

    proptest! {
        #[test]
        fn never_panics(text in "\\PC*") {
            let _ = parse(&text);
        }

        #[test]
        fn never_panics_near_literals(text in "[\\[\\]{}(),:'\"\\\\ua0-9d8e. -]{0,60}") {
            let _ = parse(&text);
        }

        #[test]
        fn reads_what_json_writes(texts in proptest::collection::vec("[^\"]*", 0..5)) {
            let value = Value::from(texts);
            prop_assert_eq!(parse(&value.to_string()), Ok(value));
        }
    }
}
