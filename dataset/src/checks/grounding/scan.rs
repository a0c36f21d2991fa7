//! Tokenizes a text into numbers, days, times and words.

use crate::text::calendar::{MONTHS, WEEKDAYS};
use crate::text::numbers::{TENS, cardinal, ordinal as ordinal_word};
use crate::text::words::words;
use jiff::civil;

/// A token of a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Item {
    /// A number, in digits or words.
    Number(f64),
    /// An ordinal: `22nd`, `third`.
    Ordinal(i8),
    /// Hour and minute: `19:30`.
    Clock(i8, i8),
    /// A month, 1 to 12.
    Month(i8),
    /// A day of the week, 0 for Monday.
    Weekday(i8),
    /// A date in digits.
    Date(civil::Date),
    /// Any other word, in lower case.
    Word(String),
}

impl Item {
    /// Whether the item is this word.
    pub(super) fn is(&self, word: &str) -> bool {
        matches!(self, Item::Word(it) if it == word)
    }

    /// Whether the item is one of these words.
    pub(super) fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }

    /// A whole number from 0 to `most`.
    pub(super) fn small(&self, most: i8) -> Option<i8> {
        match self {
            #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
            Item::Number(value)
                if value.fract() == 0.0 && (0.0..=f64::from(most)).contains(value) =>
            {
                Some(*value as i8)
            }
            _ => None,
        }
    }
}

/// Tokenizes a text.
pub(super) fn scan(text: &str) -> Vec<Item> {
    let mut items = Vec::new();
    for piece in pieces(text) {
        for item in read(&piece) {
            join(&mut items, item);
        }
    }
    items
}

/// Splits a text at whitespace and at punctuation that is not part of a number or time.
fn pieces(text: &str) -> Vec<String> {
    let plain = text
        .to_lowercase()
        .replace("a.m.", "am ")
        .replace("p.m.", "pm ")
        .replace(['–', '—', '(', ')', '"', '“', '”', ';', '?', '!', '[', ']', '*', '+'], " ");
    plain
        .split_whitespace()
        .map(|piece| piece.trim_matches(['.', ',', ':', '\'', '’']).to_owned())
        .filter(|piece| !piece.is_empty())
        .collect()
}

/// The items of a piece without whitespace.
fn read(piece: &str) -> Vec<Item> {
    if let Ok(date) = piece.parse::<civil::Date>() {
        return vec![Item::Date(date)];
    }
    if let Some(item) = clock(piece).or_else(|| number(piece)) {
        return vec![item];
    }
    if let Some((left, right)) = piece.split_once(['-', '/']) {
        return read(left).into_iter().chain(read(right)).collect();
    }
    // `7pm`, `6pm`, `5km`: a number with its unit.
    let digits = piece.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ':').unwrap_or(0);
    if digits > 0 && ordinal(piece).is_none() {
        return read(&piece[..digits]).into_iter().chain(read(&piece[digits..])).collect();
    }
    if let Some(rest) = piece.strip_prefix(['$', '€', '£', '#'])
        && let Some(item) = number(rest)
    {
        return vec![item];
    }
    let mut items = Vec::new();
    for word in words(piece) {
        items.push(named(&word).unwrap_or(Item::Word(word)));
    }
    items
}

fn clock(piece: &str) -> Option<Item> {
    let (hour, minute) = piece.split_once([':', '.'])?;
    let minute = minute.strip_suffix(":00").unwrap_or(minute);
    if minute.len() != 2 || hour.len() > 2 {
        return None;
    }
    let (hour, minute) = (hour.parse::<i8>().ok()?, minute.parse::<i8>().ok()?);
    // A price like 7.50 looks like a time, so `Item::Clock` also counts as a number.
    ((0..=24).contains(&hour) && (0..60).contains(&minute)).then_some(Item::Clock(hour, minute))
}

fn number(piece: &str) -> Option<Item> {
    let digits = piece.replace(',', "");
    let digits = digits.strip_suffix('%').unwrap_or(&digits);
    let starts =
        digits.strip_prefix('-').unwrap_or(digits).starts_with(|c: char| c.is_ascii_digit());
    if !starts || !digits.bytes().all(|it| it.is_ascii_digit() || it == b'.' || it == b'-') {
        return None;
    }
    digits.parse().ok().map(Item::Number)
}

fn ordinal(word: &str) -> Option<i8> {
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end));
    if let Some(day) = digits.and_then(|digits| digits.parse::<i8>().ok()) {
        return (1..=31).contains(&day).then_some(day);
    }
    ordinal_word(word)
}

fn position<const N: usize>(names: &[&str; N], word: &str) -> Option<i8> {
    let at = names.iter().position(|name| *name == word || (word.len() == 3 && name[..3] == *word));
    at.and_then(|at| i8::try_from(at).ok())
}

fn named(word: &str) -> Option<Item> {
    if let Some(month) = position(&MONTHS, word).or((word == "sept").then_some(8)) {
        return Some(Item::Month(month + 1));
    }
    // Abbreviated weekdays are not recognized, because some are words: "sat", "sun", "wed".
    if let Some(day) =
        WEEKDAYS.iter().position(|name| word.strip_suffix('s').unwrap_or(word) == *name)
    {
        return i8::try_from(day).ok().map(Item::Weekday);
    }
    if let Some(day) = ordinal(word) {
        return Some(Item::Ordinal(day));
    }
    cardinal(word).map(Item::Number)
}

/// Adds an item, merging compounds: "twenty" "five", "twenty" "first", "three" "hundred".
fn join(items: &mut Vec<Item>, item: Item) {
    let last = match items.last() {
        Some(Item::Number(value)) => Some(*value),
        _ => None,
    };
    let is_tens = last.is_some_and(|last| TENS.iter().any(|(_, value)| *value == last));
    let joined = match (last, &item) {
        (Some(tens), Item::Number(unit)) if is_tens && (1.0..10.0).contains(unit) => {
            Some(Item::Number(tens + unit))
        }
        (Some(tens), Item::Ordinal(unit)) if is_tens && *unit < 10 && tens <= 30.0 => {
            Some(Item::Ordinal(if tens > 25.0 { 30 + unit } else { 20 + unit }))
        }
        (Some(count), Item::Word(word)) if word == "hundred" => Some(Item::Number(count * 100.0)),
        (Some(count), Item::Word(word)) if word == "thousand" || word == "k" => {
            Some(Item::Number(count * 1000.0))
        }
        _ => None,
    };
    if let Some(joined) = joined {
        items.pop();
        items.push(joined);
    } else {
        items.push(item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_digits_and_words() {
        let numbers = |text| {
            let items = scan(text);
            let value = |item: &Item| match item {
                Item::Number(value) => Some(*value),
                _ => None,
            };
            items.iter().filter_map(value).collect::<Vec<_>>()
        };
        assert_eq!(
            numbers("1,200 shares, 8% of forty-five, three hundred"),
            [1200.0, 8.0, 45.0, 300.0]
        );
        assert_eq!(numbers("latitude -36.8485 on 5km"), [-36.8485, 5.0]);
        assert_eq!(numbers("no number here"), Vec::<f64>::new());
    }

    #[test]
    fn days_and_times_are_distinguished() {
        assert_eq!(
            scan("22nd of May"),
            [Item::Ordinal(22), Item::Word("of".into()), Item::Month(5)]
        );
        assert_eq!(scan("twenty-first"), [Item::Ordinal(21)]);
        assert_eq!(scan("19:30"), [Item::Clock(19, 30)]);
        assert_eq!(scan("7pm"), [Item::Number(7.0), Item::Word("pm".into())]);
        assert_eq!(
            scan("Fridays 2024-05-17"),
            [Item::Weekday(4), Item::Date(civil::date(2024, 5, 17)),]
        );
        assert_eq!(scan("3-7 june"), [Item::Number(3.0), Item::Number(7.0), Item::Month(6)]);
    }
}
