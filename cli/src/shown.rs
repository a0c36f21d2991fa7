//! Prints strangers' text: names of models, endpoints, files and archives could contain control
//! sequences for a terminal, commands for the runner of a workflow, or ends of lines.

use std::fmt::Write as _;
use std::io::{self, Write as _};

/// What begins a command of a workflow's runner, or ends a fence of Markdown, at the start of a line.
const OBEYED_FIRST: [&str; 3] = ["::", "```", "~~~"];
/// What begins an older command of a workflow's runner, anywhere.
const OBEYED_ANYWHERE: &str = "##[";

/// Escapes characters that control or reorder terminal output, as in `\u{1b}`, and what a workflow's
/// runner obeys. Keeps line feeds and tabs.
pub(crate) fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            out.push('\n');
        }
        let begin = line.len() - line.trim_start().len();
        let first = OBEYED_FIRST.iter().any(|start| line[begin..].starts_with(start));
        for (at, c) in line.char_indices() {
            let command = line[at..].starts_with(OBEYED_ANYWHERE) || (first && at == begin);
            if is_obeyed(c) || command {
                // Writing to a string can't fail.
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            } else {
                out.push(c);
            }
        }
    }
    out
}

/// Like [`shown`], on one line.
pub(crate) fn line(text: &str) -> String {
    shown(text).replace('\n', "\\n").replace('\t', "\\t")
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
            ("a::b\n  ::error::x", "a::b\n  \\u{3a}:error::x"),
            ("::add-mask::x", "\\u{3a}:add-mask::x"),
            ("a ##[error]x", "a \\u{23}#[error]x"),
            ("```\n~~~ a\n## b", "\\u{60}``\n\\u{7e}~~ a\n## b"),
        ] {
            assert_eq!(shown(text), expected);
        }
        assert_eq!(line("a\n\u{2028}::error::b\tc"), "a\\n\\u{2028}\\u{3a}:error::b\\tc");
        assert_eq!(line("::error::b"), "\\u{3a}:error::b");
    }
}
