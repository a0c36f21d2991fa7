//! Escapes untrusted text for the terminal: names of models, endpoints, files and archives could
//! contain control sequences.

use std::fmt::Write as _;
use std::io::{self, Write as _};

/// Escapes characters that control or reorder terminal output, as in `\u{1b}`. Keeps line feeds and
/// tabs.
pub(crate) fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_obeyed(c) {
            // Writing to a string can't fail.
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

/// Control characters (C0, DEL, C1), line separators and bidirectional overrides.
fn is_obeyed(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    (c.is_control() && !matches!(c, '\n' | '\t')) || turns
}

/// Prints a line on standard error, escaped by [`shown`].
macro_rules! tell {
    ($($text:tt)*) => { eprintln!("{}", $crate::shown::shown(&format!($($text)*))) };
}

/// Prints a line on standard output, escaped by [`shown`].
macro_rules! say {
    ($($text:tt)*) => { $crate::shown::put(&($crate::shown::shown(&format!($($text)*)) + "\n")) };
}

/// Prints text on standard output, unchanged. If its reader is gone, as `head` is after ten lines, this
/// does nothing: the program may still have a file to write.
pub(crate) fn put(text: &str) {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if let Err(error) = written
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        tell!("Standard output can't be written: {error}");
    }
}

pub(crate) use {say, tell};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_has_nothing_to_obey() {
        for (text, expected) in [
            ("für 天气\n\ta", "für 天气\n\ta"),
            ("\u{1b}]0;x\u{7}\u{1b}[2J", "\\u{1b}]0;x\\u{7}\\u{1b}[2J"),
            ("a\rb\u{8}\u{7f}", "a\\u{d}b\\u{8}\\u{7f}"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("a\u{202e}b\u{2066}c\u{2028}", "a\\u{202e}b\\u{2066}c\\u{2028}"),
        ] {
            assert_eq!(shown(text), expected);
        }
    }
}
