//! A cursor over Python source: blanks, names, statements.

use super::MAX_VALUES;

/// Why no value was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stop {
    /// An expression other than a literal.
    NoLiteral,
    /// The source is broken at a byte, or exceeds a limit.
    Broken(usize, String),
}

/// A cursor over Python source.
#[derive(Debug, Default)]
pub(super) struct Cursor<'a> {
    source: &'a str,
    /// Byte offset, always on a character boundary.
    pub(super) at: usize,
    /// Values read so far.
    spent: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        Cursor { source, at: 0, spent: 0 }
    }

    /// The remaining source.
    pub(super) fn rest(&self) -> &'a str {
        self.source.get(self.at..).unwrap_or_default()
    }

    /// The source up to a byte.
    pub(super) fn upto(&self, end: usize) -> &'a str {
        self.source.get(..end).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Consumes the next character.
    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Skips `expected` if it is next, and returns whether it was.
    pub(super) fn eat(&mut self, expected: char) -> bool {
        let found = self.peek() == Some(expected);
        if found {
            self.at += expected.len_utf8();
        }
        found
    }

    /// A name: letters, digits and `_`, not starting with a digit.
    pub(super) fn word(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let word = rest.get(..end).filter(|word| !word.is_empty())?;
        if word.starts_with(|c: char| c.is_numeric()) {
            return None;
        }
        self.at += end;
        Some(word)
    }

    /// The number of line ends between two bytes.
    pub(super) fn lines_between(&self, from: usize, to: usize) -> usize {
        let between = self.source.get(from..to).unwrap_or_default();
        between.bytes().filter(|byte| *byte == b'\n').count()
    }

    /// Counts values against the limit.
    pub(super) fn spend(&mut self, values: usize) -> Result<(), Stop> {
        self.spent = self.spent.saturating_add(values);
        if self.spent > MAX_VALUES {
            let reason = format!("expected at most {MAX_VALUES} values in a file");
            return Err(Stop::Broken(self.at, reason));
        }
        Ok(())
    }

    /// Skips blanks, comments and line continuations; inside brackets also line ends.
    pub(super) fn blanks(&mut self, in_brackets: bool) {
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\u{c}' => self.at += 1,
                '\n' | '\r' if in_brackets => self.at += 1,
                '#' => self.comment(),
                '\\' if self.continued() => {}
                _ => return,
            }
        }
    }

    fn comment(&mut self) {
        let rest = self.rest();
        self.at += rest.find(['\n', '\r']).unwrap_or(rest.len());
    }

    /// Skips a backslash and the line end after it.
    fn continued(&mut self) -> bool {
        let length = ["\\\r\n", "\\\n", "\\\r"].into_iter().find(|it| self.rest().starts_with(it));
        self.at += length.map_or(0, str::len);
        length.is_some()
    }

    /// Moves to the next statement and returns its indent in columns, with tab stops every 8.
    pub(super) fn next_statement(&mut self) -> Option<usize> {
        let mut indent = 0;
        while let Some(c) = self.peek() {
            match c {
                ' ' => indent += 1,
                '\t' => indent = (indent / 8 + 1) * 8,
                '\n' | '\r' | '\u{c}' | '\u{feff}' => indent = 0,
                '#' => {
                    self.comment();
                    continue;
                }
                _ => return Some(indent),
            }
            self.at += c.len_utf8();
        }
        None
    }

    /// Whether an assignment is next, with or without an annotation. If so, moves past its `=`.
    pub(super) fn assigns(&mut self) -> bool {
        self.blanks(false);
        if self.eat(':') {
            let rest = self.rest();
            let end = rest.find(['=', '\n', '#', '\'', '"']).unwrap_or(rest.len());
            self.at += end;
        }
        let assigns = self.eat('=') && self.peek() != Some('=');
        self.blanks(false);
        assigns
    }

    /// Whether the statement ends here.
    pub(super) fn ends_statement(&mut self) -> bool {
        self.blanks(false);
        matches!(self.peek(), None | Some('\n' | '\r' | ';'))
    }

    /// Skips a statement to the end of its last line.
    pub(super) fn skip_statement(&mut self) -> Result<(), (usize, String)> {
        let (mut depth, mut outermost) = (0_usize, 0);
        loop {
            self.blanks(depth > 0);
            let at = self.at;
            match self.peek() {
                None => break,
                Some('\'' | '"') => skip(self)?,
                Some('(' | '[' | '{') => {
                    outermost = if depth == 0 { at } else { outermost };
                    depth += 1;
                }
                Some(')' | ']' | '}') => depth = depth.saturating_sub(1),
                Some('\n' | '\r') => return Ok(()),
                Some(_) => {}
            }
            if self.at == at {
                self.next();
            }
        }
        match depth {
            0 => Ok(()),
            _ => Err((outermost, "expected the end of the bracket that opens here".to_owned())),
        }
    }
}

/// Skips one string literal.
pub(super) fn skip(cursor: &mut Cursor<'_>) -> Result<(), (usize, String)> {
    let (start, mark) = (cursor.at, mark(cursor));
    cursor.at += mark.len();
    while !cursor.rest().starts_with(mark) {
        let end_of_line = mark.len() == 1 && matches!(cursor.peek(), Some('\n' | '\r'));
        if end_of_line || cursor.peek().is_none() {
            return Err((start, unclosed()));
        }
        if cursor.eat('\\') && cursor.rest().starts_with("\r\n") {
            cursor.next();
        }
        cursor.next();
    }
    cursor.at += mark.len();
    Ok(())
}

pub(super) fn unclosed() -> String {
    "expected the end of the quoted text that starts here".to_owned()
}

/// The next quote mark, single or triple.
pub(super) fn mark(cursor: &Cursor<'_>) -> &'static str {
    ["'''", "\"\"\"", "'"].into_iter().find(|it| cursor.rest().starts_with(it)).unwrap_or("\"")
}
