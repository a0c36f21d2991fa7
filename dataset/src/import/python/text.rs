//! Parses string literals.

use super::cursor::{Cursor, Stop, mark, skip};

/// Adjacent string literals, concatenated. The cursor is at the first prefix or quote.
pub(super) fn read(cursor: &mut Cursor<'_>, in_brackets: bool) -> Result<String, Stop> {
    let mut out = String::new();
    loop {
        one(cursor, &mut out)?;
        cursor.blanks(in_brackets);
        if prefix(cursor).is_none() {
            return Ok(out);
        }
    }
}

/// The prefix of the next string literal: up to two of Python's prefix letters.
pub(super) fn prefix<'a>(cursor: &Cursor<'a>) -> Option<&'a str> {
    let rest = cursor.rest();
    let known = |letter: &u8| matches!(letter.to_ascii_lowercase(), b'r' | b'b' | b'u' | b'f');
    let letters = rest.bytes().take(2).take_while(known).count();
    let (prefix, quoted) = rest.split_at_checked(letters)?;
    quoted.starts_with(['\'', '"']).then_some(prefix)
}

fn one(cursor: &mut Cursor<'_>, out: &mut String) -> Result<(), Stop> {
    let prefix = prefix(cursor).ok_or(Stop::NoLiteral)?.to_ascii_lowercase();
    if prefix.contains(['b', 'f']) {
        return Err(Stop::NoLiteral);
    }
    cursor.at += prefix.len();
    let (mark, start) = (mark(cursor), cursor.at);
    skip(cursor).map_err(|(at, reason)| Stop::Broken(at, reason))?;
    let mut inside = Cursor::new(cursor.upto(cursor.at - mark.len()));
    inside.at = start + mark.len();
    if prefix.contains('r') {
        out.push_str(inside.rest());
        return Ok(());
    }
    while let Some(c) = inside.next() {
        match c {
            '\\' => escape(&mut inside, out),
            c => out.push(c),
        }
    }
    Ok(())
}

/// The escape after a backslash. Like Python, keeps unknown escapes.
fn escape(cursor: &mut Cursor<'_>, out: &mut String) {
    let Some(c) = cursor.next() else { return out.push('\\') };
    match c {
        '\n' => {}
        '\r' => drop(cursor.eat('\n')),
        'a' => out.push('\u{7}'),
        'b' => out.push('\u{8}'),
        'f' => out.push('\u{c}'),
        'n' => out.push('\n'),
        'r' => out.push('\r'),
        't' => out.push('\t'),
        'v' => out.push('\u{b}'),
        '\'' | '"' | '\\' => out.push(c),
        '0'..='7' => {
            cursor.at -= 1;
            let digits = cursor.rest().bytes().take(3).take_while(|it| (b'0'..=b'7').contains(it));
            let length = digits.count();
            out.push(code(cursor, length, 8).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        'x' | 'u' | 'U' => {
            let length = match c {
                'x' => 2,
                'u' => 4,
                _ => 8,
            };
            match code(cursor, length, 16) {
                Some(read) => out.push(read),
                None => out.extend(['\\', c]),
            }
        }
        other => out.extend(['\\', other]),
    }
}

/// A character by its code; a surrogate, which a Rust string can't hold, becomes U+FFFD. `None`
/// without moving the cursor if the digits are missing.
fn code(cursor: &mut Cursor<'_>, digits: usize, radix: u32) -> Option<char> {
    let text =
        cursor.rest().get(..digits).filter(|it| it.bytes().all(|c| c.is_ascii_hexdigit()))?;
    let code = u32::from_str_radix(text, radix).ok()?;
    cursor.at += digits;
    Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
}
