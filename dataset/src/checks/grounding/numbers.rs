//! Rules for numbers: words and units, counts, formulas.

use super::{Ground, Seen};
use apis::Param;

/// Words for children; zero children needs none of them, or "no" before one.
const CHILD_WORDS: [&str; 14] = [
    "child",
    "children",
    "kid",
    "kids",
    "son",
    "sons",
    "daughter",
    "daughters",
    "baby",
    "toddler",
    "boys",
    "girls",
    "twins",
    "grandkids",
];
/// Conversion factors that a unit adds to a formula, with the words for the unit.
const UNITS: [(f64, &[&str]); 9] = [
    (12.0, &["month", "months", "monthly", "year", "yearly", "annual", "dozen"]),
    (7.0, &["day", "daily", "week", "weeks", "weekly"]),
    (52.0, &["week", "weeks", "weekly"]),
    (365.0, &["day", "daily", "days"]),
    (24.0, &["day", "days", "hour", "hours"]),
    (60.0, &["minute", "minutes", "hour", "hours"]),
    (100.0, &["percent", "cents", "per"]),
    (1000.0, &["kilo", "kg", "kilometres", "litre", "litres"]),
    (0.5, &["half", "halves"]),
];

/// Grounds a number.
pub(super) fn number(param: &Param, value: &str, seen: &Seen) -> Option<Ground> {
    let number: f64 = value.parse().ok()?;
    if said(number, seen) {
        return Some(Ground::Number);
    }
    if number == 0.0 {
        let none = param.name.starts_with("child")
            && (!seen.says(&CHILD_WORDS) || seen.says(&["no", "just", "only", "without"]));
        return none.then_some(Ground::Absent);
    }
    if param.name.ends_with("_count") {
        let phrases = |words: &[&str]| seen.says(words);
        let one = phrases(&["alone", "a", "single", "me", "myself", "just", "i", "double", "room"]);
        let two = phrases(&["both", "couple", "us", "we", "twin"]);
        if has(&seen.counts, number) || (number == 1.0 && one) || (number == 2.0 && two) {
            return Some(Ground::Counted);
        }
    }
    let sum = param.name.ends_with("_count") && follows(number, &seen.said_numbers);
    sum.then_some(Ground::Counted)
}

/// Whether a number is mentioned, also in percent or thousands.
fn said(number: f64, seen: &Seen) -> bool {
    let scaled = |factor: f64| has(&seen.said_numbers, number * factor);
    let percent = seen.utterances.iter().any(|text| text.contains('%') || text.contains("percent"));
    let thousand = seen.says(&["km", "kilometre", "kilometres", "kg", "kilo", "kilos"]);
    scaled(1.0)
        || scaled(-1.0)
        || (percent && scaled(100.0))
        || (thousand && scaled(0.001))
        || (number == 2.0 && seen.says(&["twice", "double", "both", "pair", "couple"]))
        || (number == 1000.0 && seen.says(&["kilometre", "thousand"]))
}

/// Grounds a formula: each number is visible, comes from a unit, or follows from two visible ones.
pub(super) fn formula(value: &str, seen: &Seen) -> Option<Ground> {
    let numbers = literals(value);
    let grounded = |number: &f64| {
        let number = *number;
        said(number, seen)
            || has(&seen.result_numbers, number)
            || has(&seen.result_numbers, -number)
            || has(&seen.counts, number)
            || UNITS.iter().any(|(unit, words)| *unit == number && seen.says(words))
            || is_rate(number, seen)
            || is_operand_count(number, &numbers, seen)
            || (number < 100.0 && follows(number, &in_view(seen)))
    };
    (!numbers.is_empty() && numbers.iter().all(grounded)).then_some(Ground::Calculation)
}

/// The numbers of a formula; signs are operators.
fn literals(formula: &str) -> Vec<f64> {
    formula
        .split(|c: char| !(c.is_ascii_digit() || c == '.'))
        .filter_map(|part| part.parse().ok())
        .collect()
}

fn in_view(seen: &Seen) -> Vec<f64> {
    let half = seen.says(&["half"]).then_some(0.5);
    seen.said_numbers.iter().chain(&seen.result_numbers).copied().chain(half).collect()
}

/// Whether a number is one plus or minus a percentage mentioned.
fn is_rate(number: f64, seen: &Seen) -> bool {
    let rates = seen.said_numbers.iter().chain(&seen.result_numbers);
    rates.into_iter().any(|rate| {
        let part = rate / 100.0;
        [part, 1.0 + part, 1.0 - part].iter().any(|value| (value - number).abs() < 1e-9)
    })
}

/// Whether a number is the divisor of an average: the number of summands.
fn is_operand_count(number: f64, numbers: &[f64], seen: &Seen) -> bool {
    let others = numbers.len().saturating_sub(1);
    #[expect(clippy::cast_precision_loss, reason = "the numbers of one formula")]
    let count = others as f64;
    seen.says(&["average", "mean", "averaged"]) && (number - count).abs() < 1e-9
}

/// Whether a number is the sum or difference of two others.
fn follows(number: f64, others: &[f64]) -> bool {
    others.iter().enumerate().any(|(at, a)| {
        others[at + 1..]
            .iter()
            .any(|b| [a + b, a - b, b - a].iter().any(|result| (result - number).abs() < 1e-9))
    })
}

fn has(list: &[f64], number: f64) -> bool {
    list.iter().any(|known| (known - number).abs() < 1e-9)
}
