//! Numbers in words and digits.

use apis::text::fold::cardinals;
pub use apis::text::fold::{TENS, cardinal};

/// Ordinals up to nineteenth; the index is the value.
const ORDINALS: [&str; 20] = [
    "zeroth",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
];
/// Other words for numbers: articles, pairs, lengths, multipliers.
const QUANTITIES: [(&str, f64); 13] = [
    ("a", 1.0),
    ("an", 1.0),
    ("single", 1.0),
    ("once", 1.0),
    ("couple", 2.0),
    ("both", 2.0),
    ("twice", 2.0),
    ("pair", 2.0),
    ("dozen", 12.0),
    ("fortnight", 14.0),
    ("hundred", 100.0),
    ("half", 0.5),
    ("thousand", 1000.0),
];

/// The value of a one-word ordinal up to thirtieth.
pub fn ordinal(word: &str) -> Option<i8> {
    match word {
        "twentieth" => Some(20),
        "thirtieth" => Some(30),
        _ => ORDINALS.iter().position(|it| *it == word).and_then(|at| i8::try_from(at).ok()),
    }
}

/// The value of a cardinal or of a word like `both`, `dozen`, `half`.
pub fn quantity(word: &str) -> Option<f64> {
    quantities().find(|(name, _)| *name == word).map(|(_, value)| value)
}

/// The words with this [`quantity`].
pub fn words_for(value: f64) -> impl Iterator<Item = &'static str> {
    quantities().filter(move |(_, it)| *it == value).map(|(name, _)| name)
}

fn quantities() -> impl Iterator<Item = (&'static str, f64)> {
    cardinals().chain(QUANTITIES)
}

/// The numbers in a text: `1,250.5` is one, `14:30` are two. Ignores signs.
pub fn numerals(text: &str) -> Vec<f64> {
    let letters: Vec<char> = text.chars().collect();
    let digit = |at: usize| letters.get(at).is_some_and(char::is_ascii_digit);
    let mut found = Vec::new();
    let mut number = String::new();
    for (at, c) in letters.iter().enumerate() {
        let inside = !number.is_empty() && digit(at + 1);
        match c {
            '0'..='9' => number.push(*c),
            '.' if inside && !number.contains('.') => number.push('.'),
            ',' if inside && digit(at + 2) && digit(at + 3) && !digit(at + 4) => {}
            _ => found.extend(std::mem::take(&mut number).parse::<f64>()),
        }
    }
    found.extend(number.parse::<f64>());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_numbers() {
        assert_eq!([cardinal("zero"), cardinal("ninety")], [Some(0.0), Some(90.0)]);
        assert_eq!([cardinal("dozen"), quantity("dozen")], [None, Some(12.0)]);
        assert_eq!([ordinal("first"), ordinal("thirtieth")], [Some(1), Some(30)]);
        assert_eq!(words_for(12.0).collect::<Vec<_>>(), ["twelve", "dozen"]);
    }

    #[test]
    fn numerals_are_found_in_a_text() {
        assert_eq!(numerals("1,250.5 at 14:30, 8."), [1250.5, 14.0, 30.0, 8.0]);
    }
}
