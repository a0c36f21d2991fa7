//! Decodes text files: UTF-8 with or without a byte order mark, and UTF-16, as PowerShell's `>` and
//! Excel write it. The one place that does: every reader of a user's file goes through it.

use std::borrow::Cow;
use std::io::{self, Read};

/// How a file encodes its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Utf8,
    Utf16 { is_little: bool },
}

/// Why a file is no text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotText {
    /// A byte that no UTF-8 text has here.
    #[error(
        "expected UTF-8 or UTF-16, found byte 0x{byte:02x} at offset {at}: save the file as UTF-8"
    )]
    Byte {
        /// The byte.
        byte: u8,
        /// Its offset in the file.
        at: usize,
    },
    /// UTF-32.
    #[error("expected UTF-8 or UTF-16, found UTF-32: save the file as UTF-8")]
    Utf32,
}

/// The encoding and the length of the byte order mark; from at most the first four bytes.
fn encoding(start: &[u8]) -> Result<(Encoding, usize), NotText> {
    let utf16 = |is_little| Encoding::Utf16 { is_little };
    match start {
        [0xff, 0xfe, 0, 0] | [0, 0, 0xfe, 0xff] => Err(NotText::Utf32),
        [0xef, 0xbb, 0xbf, ..] => Ok((Encoding::Utf8, 3)),
        [0xff, 0xfe, ..] => Ok((utf16(true), 2)),
        [0xfe, 0xff, ..] => Ok((utf16(false), 2)),
        // These files start with an ASCII character, so a zero next to it means UTF-16.
        [1..=0x7f, 0, ..] => Ok((utf16(true), 0)),
        [0, 1..=0x7f, ..] => Ok((utf16(false), 0)),
        _ => Ok((Encoding::Utf8, 0)),
    }
}

/// A file's text as UTF-8 without a byte order mark. Binary data is
/// returned unchanged, so that compressed files pass.
///
/// # Errors
/// UTF-32.
pub fn utf8(bytes: &[u8]) -> Result<Cow<'_, [u8]>, NotText> {
    let (encoding, mark) = encoding(bytes.get(..4).unwrap_or(bytes))?;
    let rest = bytes.get(mark..).unwrap_or_default();
    Ok(match encoding {
        Encoding::Utf8 => Cow::Borrowed(rest),
        Encoding::Utf16 { is_little } => {
            let mut text = String::new();
            transcode(rest, is_little, true, &mut text);
            Cow::Owned(text.into_bytes())
        }
    })
}

/// A file's text.
///
/// # Errors
/// The first byte that is no text.
pub fn text(bytes: &[u8]) -> Result<Cow<'_, str>, NotText> {
    let mark = encoding(bytes.get(..4).unwrap_or(bytes))?.1;
    let wrong = |at: usize| NotText::Byte {
        byte: bytes.get(mark + at).copied().unwrap_or_default(),
        at: mark + at,
    };
    match utf8(bytes)? {
        Cow::Borrowed(bytes) => std::str::from_utf8(bytes)
            .map(Cow::Borrowed)
            .map_err(|error| wrong(error.valid_up_to())),
        Cow::Owned(bytes) => String::from_utf8(bytes).map(Cow::Owned).map_err(|_| wrong(0)),
    }
}

/// Appends what can be decoded; returns the number of bytes read. At the end, a lone byte or half of a
/// pair becomes U+FFFD.
fn transcode(bytes: &[u8], is_little: bool, is_end: bool, out: &mut String) -> usize {
    let units = bytes.chunks_exact(2).map(|unit| match *unit {
        [a, b] if is_little => u16::from_le_bytes([a, b]),
        [a, b] => u16::from_be_bytes([a, b]),
        _ => 0,
    });
    let mut units: Vec<u16> = units.collect();
    // The other half may come with the next bytes.
    if !is_end && units.last().is_some_and(|unit| (0xd800..0xdc00).contains(unit)) {
        units.pop();
    }
    out.extend(
        char::decode_utf16(units.iter().copied()).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)),
    );
    if is_end && !bytes.len().is_multiple_of(2) {
        out.push(char::REPLACEMENT_CHARACTER);
        return bytes.len();
    }
    2 * units.len()
}

/// A reader that decodes as [`utf8`] does.
#[derive(Debug)]
pub struct Utf8Reader<R> {
    input: R,
    encoding: Option<Encoding>,
    /// Bytes read but not decoded.
    raw: Vec<u8>,
    /// Bytes decoded but not passed on, from `given` on.
    text: Vec<u8>,
    given: usize,
    is_end: bool,
}

impl<R: Read> Utf8Reader<R> {
    /// Reads `input` to its end.
    pub fn new(input: R) -> Self {
        let (raw, text) = (Vec::new(), Vec::new());
        Utf8Reader { input, encoding: None, raw, text, given: 0, is_end: false }
    }

    /// Reads more bytes; no more than are there, so that a terminal can be read line by line.
    fn fill(&mut self) -> io::Result<()> {
        let mut buffer = [0; 8192];
        let count = self.input.read(&mut buffer)?;
        self.is_end = count == 0;
        self.raw.extend_from_slice(buffer.get(..count).unwrap_or_default());
        Ok(())
    }

    /// The encoding, from as few bytes as tell it.
    fn encoding(&mut self) -> io::Result<Encoding> {
        if let Some(known) = self.encoding {
            return Ok(known);
        }
        let needed = |raw: &[u8]| match raw {
            [0xef | 0xff | 0xfe | 0, ..] => 4,
            _ => 2,
        };
        while self.raw.len() < needed(&self.raw) && !self.is_end {
            self.fill()?;
        }
        let start = self.raw.get(..4).unwrap_or(&self.raw);
        let (encoding, mark) =
            encoding(start).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        self.raw.drain(..mark);
        self.encoding = Some(encoding);
        Ok(encoding)
    }
}

impl<R: Read> Read for Utf8Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let encoding = self.encoding()?;
        while self.given >= self.text.len() {
            if self.raw.is_empty() && self.is_end {
                return Ok(0);
            }
            self.given = 0;
            self.text.clear();
            match encoding {
                // Beyond what told the encoding, nothing is copied.
                Encoding::Utf8 if self.raw.is_empty() => return self.input.read(buffer),
                Encoding::Utf8 => self.text.append(&mut self.raw),
                Encoding::Utf16 { is_little } => {
                    if !self.is_end {
                        self.fill()?;
                    }
                    let mut text = String::new();
                    let read = transcode(&self.raw, is_little, self.is_end, &mut text);
                    self.raw.drain(..read);
                    self.text = text.into_bytes();
                }
            }
        }
        let rest = self.text.get(self.given..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        for (to, from) in buffer.iter_mut().zip(rest) {
            *to = *from;
        }
        self.given += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "{\"name\": \"Tomás 😀 東京\"}\r\nzweite Zeile\n";

    fn utf16(is_little: bool, has_mark: bool) -> Vec<u8> {
        let mark = if has_mark { "\u{feff}" } else { "" };
        let bytes = |unit: u16| if is_little { unit.to_le_bytes() } else { unit.to_be_bytes() };
        format!("{mark}{TEXT}").encode_utf16().flat_map(bytes).collect()
    }

    /// Gives one byte at a time, as a slow pipe may.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let most = buffer.len().min(1);
            self.0.read(buffer.get_mut(..most).unwrap_or_default())
        }
    }

    #[test]
    fn every_encoding_gives_the_same_text() {
        let marked = format!("\u{feff}{TEXT}").into_bytes();
        let files = [TEXT.as_bytes().to_vec(), marked].into_iter().chain(
            [(true, true), (true, false), (false, true), (false, false)].map(|(a, b)| utf16(a, b)),
        );
        for file in files {
            assert_eq!(text(&file).unwrap(), TEXT, "{file:?}");
            for input in [&mut Slow(&file) as &mut dyn Read, &mut file.as_slice()] {
                let mut read = String::new();
                Utf8Reader::new(input).read_to_string(&mut read).unwrap();
                assert_eq!(read, TEXT, "{file:?}");
            }
        }
    }

    #[test]
    fn what_is_no_text_is_named_or_passed_on() {
        let wrong = text(b"caf\xe9 au lait").unwrap_err();
        assert_eq!(wrong, NotText::Byte { byte: 0xe9, at: 3 });
        assert!(wrong.to_string().contains("save the file as UTF-8"));
        assert_eq!(text(b"\xff\xfe\0\0a\0\0\0"), Err(NotText::Utf32));
        assert!(Utf8Reader::new(&b"\xff\xfe\0\0"[..]).read(&mut [0; 9]).is_err());
        let gzip = [0x1f, 0x8b, 8, 0, 0xff];
        assert_eq!(&*utf8(&gzip).unwrap(), gzip);
        for short in [&b""[..], b"a", b"\xef", b"\xff"] {
            let mut read = Vec::new();
            Utf8Reader::new(short).read_to_end(&mut read).unwrap();
            assert_eq!(read, short);
        }
        assert_eq!(text(b"\xff\xfea\0b").unwrap(), "a\u{fffd}");
    }
}
