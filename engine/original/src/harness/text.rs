//! Python's character classes, `int()`, `float()` and `repr()`.

use unicode_general_category::{GeneralCategory, get_general_category};

/// First code point of every run of ten decimal digits (general category `Nd`), ascending.
const DECIMAL_ZEROS: [u32; 66] = [
    0x30, 0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66,
    0xDE6, 0xE50, 0xED0, 0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90,
    0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10,
    0x104A0, 0x10D30, 0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650,
    0x116C0, 0x11730, 0x118E0, 0x11950, 0x11C50, 0x11D50, 0x11DA0, 0x16A60, 0x16AC0, 0x16B50,
    0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E950, 0x1FBF0,
];

/// Characters that `str.isdigit` accepts and `int()` rejects (superscripts, circled digits and the
/// like), as inclusive ranges, ascending.
const DIGITS_WITHOUT_VALUE: [(u32, u32); 20] = [
    (0xB2, 0xB3),
    (0xB9, 0xB9),
    (0x1369, 0x1371),
    (0x19DA, 0x19DA),
    (0x2070, 0x2070),
    (0x2074, 0x2079),
    (0x2080, 0x2089),
    (0x2460, 0x2468),
    (0x2474, 0x247C),
    (0x2488, 0x2490),
    (0x24EA, 0x24EA),
    (0x24F5, 0x24FD),
    (0x24FF, 0x24FF),
    (0x2776, 0x277E),
    (0x2780, 0x2788),
    (0x278A, 0x2792),
    (0x10A40, 0x10A43),
    (0x10E60, 0x10E68),
    (0x11052, 0x1105A),
    (0x1F100, 0x1F10A),
];

/// `str.isspace` of one character; `\s` and `strip` use the same set.
pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// `\w` of a `str` pattern: letters, numbers and the underscore, no combining marks.
pub(super) fn is_word(c: char) -> bool {
    use GeneralCategory::{
        DecimalNumber, LetterNumber, LowercaseLetter, ModifierLetter, OtherLetter, OtherNumber,
        TitlecaseLetter, UppercaseLetter,
    };
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    matches!(
        get_general_category(c),
        UppercaseLetter
            | LowercaseLetter
            | TitlecaseLetter
            | ModifierLetter
            | OtherLetter
            | DecimalNumber
            | LetterNumber
            | OtherNumber
    )
}

/// The value of a decimal digit of any script, `None` for every other character.
pub(super) fn decimal_value(c: char) -> Option<u8> {
    if c.is_ascii() {
        return c.is_ascii_digit().then(|| c as u8 - b'0');
    }
    let code = u32::from(c);
    let after = DECIMAL_ZEROS.partition_point(|&zero| zero <= code);
    let zero = DECIMAL_ZEROS.get(after.checked_sub(1)?)?;
    u8::try_from(code - zero).ok().filter(|&value| value < 10)
}

/// `str.isdigit`: not empty, and only digits of any kind.
pub(super) fn is_digit(text: &str) -> bool {
    let digit = |c: char| {
        let code = u32::from(c);
        decimal_value(c).is_some()
            || DIGITS_WITHOUT_VALUE.iter().any(|&(low, high)| (low..=high).contains(&code))
    };
    !text.is_empty() && text.chars().all(digit)
}

/// `str.strip()`.
pub(super) fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// `str.strip().lower()`, the lookup key of most names.
pub(super) fn fold(text: &str) -> String {
    strip(text).to_lowercase()
}

/// `int(text)` of a text that passes [`is_digit`]. Values of more than 38 digits saturate: no table
/// or gold contains one, so they still equal nothing.
///
/// # Errors
/// The message of Python's `ValueError` if a digit has no decimal value.
pub(super) fn parse_int(text: &str) -> Result<i128, String> {
    text.chars()
        .try_fold(0_i128, |sum, c| {
            let value = decimal_value(c)?;
            Some(sum.saturating_mul(10).saturating_add(i128::from(value)))
        })
        .ok_or_else(|| format!("invalid literal for int() with base 10: {}", repr(text)))
}

/// `float(text)` of digits with at most one decimal point.
///
/// # Errors
/// The message of Python's `ValueError` if the text is not a number.
pub(super) fn parse_float(text: &str) -> Result<f64, String> {
    let ascii: Option<String> = text
        .chars()
        .map(|c| if c == '.' { Some('.') } else { decimal_value(c).map(|v| char::from(b'0' + v)) })
        .collect();
    ascii
        .and_then(|digits| digits.parse().ok())
        .ok_or_else(|| format!("could not convert string to float: {}", repr(text)))
}

/// `repr(text)`: single quotes unless the text has single and no double quotes; non-printable
/// characters are escaped.
pub(super) fn repr(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote => out.extend(['\\', c]),
            c if is_printable(c) => out.push(c),
            c => out.push_str(&escape(u32::from(c))),
        }
    }
    out.push(quote);
    out
}

/// `repr`'s escape of a non-printable code point.
fn escape(code: u32) -> String {
    match code {
        0..=0xFF => format!("\\x{code:02x}"),
        0x100..=0xFFFF => format!("\\u{code:04x}"),
        _ => format!("\\U{code:08x}"),
    }
}

/// `str.isprintable` of one character.
fn is_printable(c: char) -> bool {
    use GeneralCategory::{
        Control, Format, LineSeparator, ParagraphSeparator, PrivateUse, SpaceSeparator, Surrogate,
        Unassigned,
    };
    c == ' '
        || !matches!(
            get_general_category(c),
            Control
                | Format
                | Surrogate
                | PrivateUse
                | Unassigned
                | LineSeparator
                | ParagraphSeparator
                | SpaceSeparator
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_letters_and_numbers_but_no_marks() {
        assert!(['a', '_', '7', 'é', '中', '²', '½', 'Ⅷ', '٣'].into_iter().all(is_word));
        assert!(['-', '.', ' ', '\u{301}', '\u{93e}', 'Ⓐ', '€'].into_iter().all(|c| !is_word(c)));
    }

    #[test]
    fn digits_of_any_script_count_but_not_all_convert() {
        assert_eq!(parse_int("２０"), Ok(20));
        assert_eq!(parse_int("٣"), Ok(3));
        assert!(is_digit("²") && parse_int("²").is_err());
        assert!(!is_digit("") && !is_digit("-1") && !is_digit("½"));
        assert_eq!(parse_float("７４.０"), Ok(74.0));
        assert_eq!(parse_float("5."), Ok(5.0));
        assert_eq!(parse_int(&"9".repeat(60)), Ok(i128::MAX));
    }

    #[test]
    fn repr_chooses_quotes_and_escapes() {
        assert_eq!(repr("it's"), "\"it's\"");
        assert_eq!(repr("a'b\"c"), "'a\\'b\"c'");
        assert_eq!(repr("\u{a0}\t\\é"), "'\\xa0\\t\\\\é'");
    }
}
