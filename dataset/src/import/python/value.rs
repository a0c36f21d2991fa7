//! Parses literals: strings, numbers, constants, lists, tuples, sets, dicts.

use super::cursor::{Cursor, Stop};
use super::{MAX_DEPTH, moment, text};
use serde_json::{Map, Number, Value};

/// A literal inside `depth` brackets.
pub(super) fn read(cursor: &mut Cursor<'_>, depth: usize) -> Result<Value, Stop> {
    cursor.spend(1)?;
    if depth > MAX_DEPTH {
        let reason = format!("expected at most {MAX_DEPTH} brackets in one another");
        return Err(Stop::Broken(cursor.at, reason));
    }
    if text::prefix(cursor).is_some() {
        return text::read(cursor, depth > 0).map(Value::String);
    }
    match cursor.peek() {
        Some('[') => items(cursor, ']', depth).map(|(items, _)| Value::Array(items)),
        Some('(') => match items(cursor, ')', depth)? {
            // Brackets around one value group it, unless a comma follows.
            (mut items, false) if items.len() == 1 => items.pop().ok_or(Stop::NoLiteral),
            (items, _) => Ok(Value::Array(items)),
        },
        Some('{') => dict_or_set(cursor, depth),
        Some(c) if c.is_ascii_digit() || matches!(c, '-' | '+' | '.') => number(cursor),
        _ => named(cursor),
    }
}

/// The values up to a closing bracket, and whether a comma follows the last one.
fn items(cursor: &mut Cursor<'_>, close: char, depth: usize) -> Result<(Vec<Value>, bool), Stop> {
    let mut items = Vec::new();
    let mut comma = false;
    cursor.next();
    loop {
        cursor.blanks(true);
        if cursor.eat(close) {
            return Ok((items, comma));
        }
        items.push(read(cursor, depth + 1)?);
        comma = separated(cursor, close)?;
    }
}

/// Skips a comma and returns whether there was one; otherwise the closing bracket must be next.
fn separated(cursor: &mut Cursor<'_>, close: char) -> Result<bool, Stop> {
    cursor.blanks(true);
    let comma = cursor.eat(',');
    if comma || cursor.peek() == Some(close) { Ok(comma) } else { Err(Stop::NoLiteral) }
}

fn dict_or_set(cursor: &mut Cursor<'_>, depth: usize) -> Result<Value, Stop> {
    let start = cursor.at;
    cursor.next();
    let mut fields = Map::new();
    loop {
        cursor.blanks(true);
        if cursor.eat('}') {
            return Ok(Value::Object(fields));
        }
        let key = key(cursor, depth)?;
        cursor.blanks(true);
        if !cursor.eat(':') {
            if !fields.is_empty() {
                return Err(Stop::NoLiteral);
            }
            cursor.at = start;
            return items(cursor, '}', depth).map(|(items, _)| Value::Array(items));
        }
        cursor.blanks(true);
        let value = read(cursor, depth + 1)?;
        fields.insert(key, value);
        separated(cursor, '}')?;
    }
}

/// A dict key as text. The original uses `float('inf')` as a key.
fn key(cursor: &mut Cursor<'_>, depth: usize) -> Result<String, Stop> {
    let infinite = ["float('inf')", "float(\"inf\")"];
    if let Some(text) = infinite.into_iter().find(|word| cursor.rest().starts_with(word)) {
        cursor.at += text.len();
        return Ok("Infinity".to_owned());
    }
    match read(cursor, depth + 1)? {
        Value::String(key) => Ok(key),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(true) => Ok("True".to_owned()),
        Value::Bool(false) => Ok("False".to_owned()),
        Value::Null => Ok("None".to_owned()),
        Value::Array(_) | Value::Object(_) => Err(Stop::NoLiteral),
    }
}

fn number(cursor: &mut Cursor<'_>) -> Result<Value, Stop> {
    let negative = cursor.eat('-');
    if !negative {
        cursor.eat('+');
    }
    let rest = cursor.rest();
    let decimal = !rest.starts_with("0x") && !rest.starts_with("0X");
    let mut before = ' ';
    let end = rest.find(|c: char| {
        let exponent = decimal && matches!(before, 'e' | 'E') && matches!(c, '+' | '-');
        before = c;
        !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_') || exponent)
    });
    let end = end.unwrap_or(rest.len());
    let digits = rest.get(..end).unwrap_or_default().replace('_', "").to_ascii_lowercase();
    let value = parsed(&digits, negative).ok_or(Stop::NoLiteral)?;
    cursor.at += end;
    Ok(value)
}

/// A number without its sign; `None` if invalid or not finite.
fn parsed(digits: &str, negative: bool) -> Option<Value> {
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let radix = [("0x", 16), ("0o", 8), ("0b", 2)]
        .into_iter()
        .find_map(|(start, radix)| Some((digits.strip_prefix(start)?, radix)));
    let whole = match radix {
        Some((digits, _)) if digits.starts_with('+') => return None,
        Some((digits, radix)) => Some(i64::from_str_radix(digits, radix).ok()?),
        None => digits.parse().ok(),
    };
    if let Some(whole) = whole {
        return Some(Value::from(if negative { -whole } else { whole }));
    }
    let read: f64 = digits.parse().ok()?;
    Number::from_f64(if negative { -read } else { read }).map(Value::Number)
}

/// A constant, or a moment.
fn named(cursor: &mut Cursor<'_>) -> Result<Value, Stop> {
    match cursor.word() {
        Some("True") => Ok(Value::Bool(true)),
        Some("False") => Ok(Value::Bool(false)),
        Some("None") => Ok(Value::Null),
        Some("datetime") => {
            let module = cursor.rest().starts_with(".datetime(");
            cursor.at += if module { ".datetime".len() } else { 0 };
            moment::read(cursor).map(Value::String)
        }
        _ => Err(Stop::NoLiteral),
    }
}
