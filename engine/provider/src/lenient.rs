//! JSON as endpoints really send it: with NaN, infinities, and characters cut in two.
//!
//! A server that streams token by token may escape the halves of a surrogate pair in two events. Each
//! half is kept as a placeholder, a private character, until the pieces are joined.

use serde_json::Value;

/// The first of the placeholders, one for each of the 2048 halves: the end of Unicode's last private
/// plane.
const FIRST: u32 = 0x10_F800;
/// The halves of surrogate pairs.
const HALVES: std::ops::RangeInclusive<u32> = 0xD800..=0xDFFF;
/// Numbers that JSON lacks, as Python's encoder writes them.
const NO_NUMBERS: [&str; 3] = ["NaN", "-Infinity", "Infinity"];

/// A document, and whether it has placeholders for halves of characters.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Parsed {
    pub value: Value,
    pub has_halves: bool,
}

/// Parses a document or an event.
///
/// # Errors
/// As `serde_json`, for anything that is broken in another way.
pub(super) fn parse_piece(text: &str) -> Result<Parsed, serde_json::Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match serde_json::from_str(text) {
        Ok(value) => Ok(Parsed { value, has_halves: false }),
        Err(error) => {
            let (repaired, has_halves) = repaired(text);
            let value = serde_json::from_str(&repaired).map_err(|_| error)?;
            Ok(Parsed { value, has_halves })
        }
    }
}

/// Parses a complete body.
///
/// # Errors
/// As [`parse_piece`].
pub(super) fn parse(text: &str) -> Result<Value, serde_json::Error> {
    let Parsed { mut value, has_halves } = parse_piece(text)?;
    if has_halves {
        join_halves(&mut value);
    }
    Ok(value)
}

/// Joins adjacent halves in every text; a half alone becomes U+FFFD, as in a browser.
pub(super) fn join_halves(value: &mut Value) {
    match value {
        Value::String(text) => *text = joined(text),
        Value::Array(items) => items.iter_mut().for_each(join_halves),
        Value::Object(members) => members.values_mut().for_each(join_halves),
        _ => {}
    }
}

fn joined(text: &str) -> String {
    let units = text.chars().flat_map(|c| {
        let mut units = [0; 2];
        match half(c) {
            Some(half) => vec![half],
            None => c.encode_utf16(&mut units).to_vec(),
        }
    });
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

fn half(placeholder: char) -> Option<u16> {
    let half = u32::from(placeholder).checked_sub(FIRST)? + HALVES.start();
    u16::try_from(half).ok()
}

/// The text with placeholders for halves, and null for numbers that JSON lacks; whether there was a
/// half.
fn repaired(text: &str) -> (String, bool) {
    let (mut out, mut has_halves, mut in_string) =
        (String::with_capacity(text.len()), false, false);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mut taken = c.len_utf8();
        match c {
            '"' => {
                in_string = !in_string;
                out.push(c);
            }
            '\\' if in_string => {
                taken = escape(rest, &mut out, &mut has_halves);
            }
            _ if !in_string
                && let Some(number) = NO_NUMBERS.iter().find(|word| rest.starts_with(**word)) =>
            {
                out.push_str("null");
                taken = number.len();
            }
            _ => out.push(c),
        }
        rest = rest.get(taken..).unwrap_or_default();
    }
    (out, has_halves)
}

/// Copies the escape at the start of `rest`; returns its length.
fn escape(rest: &str, out: &mut String, has_halves: &mut bool) -> usize {
    let Some(first) = unit(rest).filter(|unit| HALVES.contains(unit)) else {
        let length = rest.char_indices().nth(2).map_or(rest.len(), |(at, _)| at);
        out.push_str(rest.get(..length).unwrap_or(rest));
        return length;
    };
    let second = rest.get(6..).and_then(unit);
    if first < 0xDC00 && second.is_some_and(|unit| (0xDC00..=0xDFFF).contains(&unit)) {
        out.push_str(rest.get(..12).unwrap_or(rest));
        return 12;
    }
    out.extend(char::from_u32(FIRST + first - HALVES.start()));
    *has_halves = true;
    6
}

/// The code unit of `\uXXXX` at the start of a text.
fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|it| it.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn halves_of_a_character_are_joined_or_replaced() {
        for (text, expected) in [
            (r#"{"a": "\ud83d\ude0a"}"#, "😊"),
            (r#"{"a": "x\ud83d"}"#, "x\u{fffd}"),
            (r#"{"a": "\ude0a\ud83d"}"#, "\u{fffd}\u{fffd}"),
            (r#"{"a": "\ud83d\u0041"}"#, "\u{fffd}A"),
            (r#"{"a": "\\ud83d \"\ud83d\""}"#, "\\ud83d \"\u{fffd}\""),
        ] {
            assert_eq!(parse(text).unwrap(), json!({"a": expected}), "{text}");
        }
        let piece = |text| {
            let Parsed { value, has_halves } = parse_piece(text).unwrap();
            assert!(has_halves);
            value.as_str().unwrap().to_owned()
        };
        let mut whole = json!([piece(r#""so \uD83D""#) + &piece(r#""\uDE0A!""#)]);
        join_halves(&mut whole);
        assert_eq!(whole, json!(["so 😊!"]));
    }

    #[test]
    fn numbers_that_json_lacks_are_null() {
        let text = r#"{"cost": NaN, "a": [-Infinity, Infinity], "text": "NaN", "n": 1}"#;
        let expected = json!({"cost": null, "a": [null, null], "text": "NaN", "n": 1});
        assert_eq!(parse(text).unwrap(), expected);
        for broken in ["{\"a\": NaN", "NaNN", "{", "\"\\ud83d", "\\", "\"\\"] {
            assert!(parse(broken).is_err(), "{broken}");
        }
        assert_eq!(parse("\u{feff}{}").unwrap(), json!({}));
    }
}
