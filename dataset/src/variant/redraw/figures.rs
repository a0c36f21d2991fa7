//! Numbers in digits in a text.

use crate::text::calendar::MONTHS;
use crate::text::words::words;

/// Maximum number of decimals, as in the calculator's results.
const DECIMALS: usize = 9;
/// Maximum digits before the point; longer numbers are not amounts.
const LONGEST: usize = 12;
/// Words that join two dates: "3 to 7 June".
const JOINS: [&str; 6] = ["and", "of", "or", "till", "to", "until"];
/// Words after an hour.
const HALVES: [&str; 3] = ["am", "pm", "oclock"];

/// A number without its sign, in billionths, so that arithmetic is exact.
pub type Billionths = i128;

/// A number in digits in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// Start, in bytes.
    pub start: usize,
    /// End, in bytes.
    pub end: usize,
    /// The value.
    pub value: Billionths,
    /// Number of digits after the point.
    pub decimals: usize,
    /// Whether commas separate the thousands.
    pub grouped: bool,
    /// Whether it stands alone and is not a day or hour; false in `H-42`, `7pm` or `18:15`.
    pub plain: bool,
}

/// The value of the last digit of a number with that many decimals.
pub fn unit(decimals: usize) -> Billionths {
    let zeros = u32::try_from(DECIMALS.saturating_sub(decimals)).unwrap_or_default();
    10_i128.pow(zeros)
}

/// Every number in a text, except digits inside words (`R2D2`).
pub fn figures(text: &str) -> Vec<Figure> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..)
        && let Some(offset) = rest.find(|c: char| c.is_ascii_digit())
    {
        let start = at + offset;
        let (length, digits) = number(text.get(start..).unwrap_or_default());
        at = start + length;
        let in_word = text[..start].chars().next_back().is_some_and(char::is_alphabetic);
        if let Some((value, decimals)) = read(&digits).filter(|_| !in_word) {
            let plain = stands_alone(text, start, at) && !is_day_or_hour(text, start, at);
            let grouped = digits.len() < length;
            found.push(Figure { start, end: at, value, decimals, grouped, plain });
        }
    }
    found
}

/// The value and decimals of a number without a sign: `12.50`.
pub fn read(digits: &str) -> Option<(Billionths, usize)> {
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let fits = (1..=LONGEST).contains(&whole.len()) && fraction.len() <= DECIMALS;
    if !(fits && is_number(whole) && is_number(fraction)) {
        return None;
    }
    let all: Billionths = format!("{whole}{fraction}").parse().ok()?;
    Some((all * unit(fraction.len()), fraction.len()))
}

/// Formats a number with that many decimals.
pub fn written(value: Billionths, decimals: usize, grouped: bool) -> String {
    let (one, step) = (unit(0), unit(decimals));
    let mut whole = (value / one).to_string();
    if grouped {
        let mut at = whole.len();
        while at > 3 {
            at -= 3;
            whole.insert(at, ',');
        }
    }
    if decimals == 0 {
        return whole;
    }
    format!("{whole}.{:0decimals$}", value % one / step)
}

/// The number at the start of a text: its length in bytes, and its digits without commas.
fn number(text: &str) -> (usize, String) {
    let digits = |from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())
    };
    let mut end = digits(0);
    let first = end;
    while first <= 3
        && text.get(end..).is_some_and(|it| it.starts_with(','))
        && digits(end + 1) == 3
    {
        end += 4;
    }
    if text.get(end..).is_some_and(|it| it.starts_with('.')) && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    (end, text.get(..end).unwrap_or_default().replace(',', ""))
}

/// Whether a number is not part of a longer token.
fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let mut before = text[..start].chars().rev();
    let mut after = text[end..].chars();
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | '#');
    let free_before = match (before.next(), before.next()) {
        (Some('.' | ':' | '+'), _) => false,
        (Some(',' | '-' | '–'), Some(other)) => !other.is_alphanumeric(),
        (Some(other), _) => !joins(other),
        (None, _) => true,
    };
    let free_after = match (after.next(), after.next()) {
        (Some('.'), Some(other)) => !other.is_alphanumeric(),
        (Some(':' | ',' | '-' | '–'), Some(other)) => !other.is_ascii_digit(),
        (Some(other), _) => !joins(other),
        (None, _) => true,
    };
    free_before && free_after
}

/// Whether a number is next to a month, or before `am`, `pm` or `o'clock`.
fn is_day_or_hour(text: &str, start: usize, end: usize) -> bool {
    let is_month = |word: &str| {
        MONTHS.iter().any(|month| *month == word || word.len() == 3 && month.starts_with(word))
    };
    let (before, after) = (words(&text[..start]), words(&text[end..]));
    let is = |at: usize, test: &dyn Fn(&str) -> bool| after.get(at).is_some_and(|it| test(it));
    let joins = is(0, &|word| JOINS.contains(&word));
    before.last().is_some_and(|word| is_month(word))
        || is(0, &is_month)
        || joins && (is(1, &is_month) || is(2, &is_month))
        || is(0, &|word| HALVES.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Vec<String> {
        let figures = figures(text).into_iter().filter(|figure| figure.plain);
        figures.map(|it| written(it.value, it.decimals, it.grouped)).collect()
    }

    #[test]
    fn numbers_that_stand_alone_are_found() {
        let cases = [
            ("46 jars at 7.50, minus 28.", &["46", "7.50", "28"][..]),
            ("1,200 shares for €45 (or $9.05)", &["1,200", "45", "9.05"]),
            ("a 40-minute run, 85% or 122/80", &["40", "85", "122", "80"]),
            ("(70.83 - 79.08) * -12", &["70.83", "79.08", "12"]),
            ("a pulse of 131 on 14 May", &["131"]),
            ("12,50 or 0,5", &[]),
        ];
        for (text, wanted) in cases {
            assert_eq!(plain(text), wanted, "{text}");
        }
    }

    #[test]
    fn numbers_within_others_stay() {
        for text in [
            "R2D2, H-4483, 7pm, 22nd, 18:15, 2024-05-22, 108.20.24, a@7.example",
            "15 May, May 15, 3 to 7 June, 9 a.m. and 7 pm, #12, +46 31",
        ] {
            let found = plain(text);
            assert!(found.iter().all(|it| matches!(it.as_str(), "9" | "31")), "{found:?}");
        }
    }

    #[test]
    fn a_number_is_written_as_it_was_read() {
        for text in ["7", "7.50", "1,234,567", "0.09", "79.08", "1,200.5"] {
            assert_eq!(plain(text), [text]);
        }
    }
}
