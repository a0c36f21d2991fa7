//! Facts of a text: numbers with units, dates, times of day, weekdays.

use super::tokens::Token;
use crate::text::calendar::{MONTHS, WEEKDAYS};
use crate::text::numbers::{cardinal, ordinal};

#[derive(Debug, Clone, PartialEq)]
pub enum Fact {
    /// A number with its unit, if any.
    Number(f64, Option<&'static str>),
    /// A time of day.
    Time {
        /// Minutes since midnight, 0 to 1439.
        minutes: u16,
        /// Whether AM or PM is known.
        exact: bool,
    },
    /// A day of a month; a missing month or year matches any.
    Date {
        /// 1 to 12.
        month: Option<u8>,
        /// 1 to 31.
        day: u8,
        /// The year.
        year: Option<u16>,
    },
    /// A weekday (Monday is 0), or 7 plus the index of a day around today.
    Day(usize),
}

/// Units, each with its synonyms.
const UNITS: &[(&str, &[&str])] = &[
    ("second", &["seconds", "sec", "secs"]),
    ("minute", &["minutes", "min", "mins"]),
    ("hour", &["hours", "hr", "hrs", "h"]),
    ("day", &["days"]),
    ("night", &["nights"]),
    ("week", &["weeks"]),
    ("month", &["months"]),
    ("year", &["years"]),
    ("percent", &["pct"]),
    ("euro", &["euros", "eur"]),
    ("dollar", &["dollars", "usd", "bucks"]),
    ("pound", &["pounds", "gbp"]),
    ("degree", &["degrees"]),
    ("metre", &["metres", "meter", "meters", "m"]),
    ("kilometre", &["kilometres", "kilometer", "kilometers", "km"]),
    ("kilogram", &["kilograms", "kilo", "kilos", "kg"]),
    ("gram", &["grams", "g"]),
    ("lb", &["lbs"]),
    ("ounce", &["ounces", "oz"]),
    ("mile", &["miles"]),
    ("litre", &["litres", "liter", "liters", "l"]),
    ("stone", &["stones"]),
];

/// Days around today.
const DAYS: [&str; 4] = ["yesterday", "today", "tonight", "tomorrow"];

impl Fact {
    /// Month, day and year of a date.
    pub fn date(&self) -> Option<(Option<u8>, u8, Option<u16>)> {
        match self {
            Fact::Date { month, day, year } => Some((*month, *day, *year)),
            _ => None,
        }
    }

    /// Whether both may be equal: missing parts agree with anything.
    pub fn agrees(&self, other: &Fact) -> bool {
        match (self, other) {
            (Fact::Number(a, x), Fact::Number(b, y)) => {
                (a - b).abs() < 1e-9 && (x.is_none() || y.is_none() || x == y)
            }
            (Fact::Time { minutes: a, exact: x }, Fact::Time { minutes: b, exact: y }) => {
                a == b || (!(*x && *y) && a % 720 == b % 720)
            }
            (Fact::Number(hour, None), Fact::Time { minutes, exact })
            | (Fact::Time { minutes, exact }, Fact::Number(hour, None)) => {
                let time = f64::from(*minutes) / 60.0;
                (time - hour).abs() < 1e-9 || (!exact && (time % 12.0 - hour % 12.0).abs() < 1e-9)
            }
            (
                Fact::Date { month: a, day: x, year: i },
                Fact::Date { month: b, day: y, year: j },
            ) => {
                x == y
                    && (a == b || a.is_none() || b.is_none())
                    && (i == j || i.is_none() || j.is_none())
            }
            (a, b) => a == b,
        }
    }
}

/// The fact at a token, and its length in tokens.
pub fn fact_at(tokens: &[Token], at: usize) -> Option<(Fact, usize)> {
    let rest = &tokens[at..];
    let before = at.checked_sub(1).and_then(|at| tokens[at].word());
    date(rest)
        .or_else(|| clock(rest, before))
        .or_else(|| day(rest))
        .or_else(|| number(rest, before))
}

/// A number in digits or words, and its length in tokens: `two hundred and ten`.
fn value(rest: &[Token]) -> Option<(f64, usize)> {
    if let Token::Number(text) = rest.first()? {
        let amount: f64 = text.replace(',', "").parse().ok()?;
        return Some(match word_at(rest, 1) {
            Some("hundred") => (amount * 100.0, 2),
            Some("thousand") => (amount * 1000.0, 2),
            Some("dozen") => (amount * 12.0, 2),
            _ => (amount, 1),
        });
    }
    let (count, length) = below_thousand(rest)?;
    match word_at(rest, length) {
        Some("thousand") => Some(added(rest, count * 1000.0, length + 1, below_thousand)),
        _ => Some((count, length)),
    }
}

fn word_at(rest: &[Token], at: usize) -> Option<&str> {
    rest.get(at).and_then(Token::word)
}

/// A number in words below a thousand: `two hundred and ten`, `three dozen`. `a` counts before a
/// round number.
fn below_thousand(rest: &[Token]) -> Option<(f64, usize)> {
    let article = usize::from(word_at(rest, 0) == Some("a"));
    let (count, length) = match word_at(rest, article) {
        Some("dozen") => return Some((12.0, article + 1)),
        Some("hundred" | "thousand") if article > 0 => (1.0, 1),
        _ => below_hundred(rest)?,
    };
    match word_at(rest, length) {
        Some("hundred") => Some(added(rest, count * 100.0, length + 1, below_hundred)),
        Some("dozen") => Some((count * 12.0, length + 1)),
        _ => Some((count, length)),
    }
}

/// A number in words below a hundred.
fn below_hundred(rest: &[Token]) -> Option<(f64, usize)> {
    let tens = cardinal(word_at(rest, 0)?)?;
    let unit = word_at(rest, 1).and_then(cardinal).filter(|it| (1.0..10.0).contains(it));
    match unit {
        Some(unit) if (20.0..100.0).contains(&tens) => Some((tens + unit, 2)),
        _ => Some((tens, 1)),
    }
}

/// Adds what follows a round number, perhaps after "and": `and ten`.
fn added(
    rest: &[Token],
    round: f64,
    length: usize,
    part: fn(&[Token]) -> Option<(f64, usize)>,
) -> (f64, usize) {
    let and = usize::from(word_at(rest, length) == Some("and"));
    match rest.get(length + and..).and_then(part) {
        Some((more, further)) if more > 0.0 => (round + more, length + and + further),
        _ => (round, length),
    }
}

fn number(rest: &[Token], before: Option<&str>) -> Option<(Fact, usize)> {
    if let Token::Number(text) = rest.first()?
        && let Some((amount, unit)) = with_unit(text)
    {
        return Some((Fact::Number(amount, Some(unit)), 1));
    }
    let (amount, length) = value(rest)?;
    let unit = rest.get(length).and_then(Token::word).and_then(unit);
    // "one" is mostly a pronoun.
    if rest[0].word() == Some("one") && unit.is_none() && before != Some("at") {
        return None;
    }
    Some((Fact::Number(amount, unit), length + usize::from(unit.is_some())))
}

fn unit(word: &str) -> Option<&'static str> {
    UNITS.iter().find(|(name, forms)| *name == word || forms.contains(&word)).map(|(name, _)| *name)
}

/// `5km`, `10kg`.
fn with_unit(text: &str) -> Option<(f64, &'static str)> {
    let end = text.find(|c: char| c.is_alphabetic())?;
    Some((text[..end].parse().ok()?, unit(&text[end..])?))
}

/// A day of the month as an ordinal, 1 to 31: `4th`, or in words from `fourth` on.
fn ordinal_day(token: &Token) -> Option<u8> {
    match token {
        Token::Number(text) => {
            let digits = ["st", "nd", "rd", "th"].iter().find_map(|end| text.strip_suffix(end))?;
            digits.parse().ok().filter(|day| (1..=31).contains(day))
        }
        Token::Word { text, .. } => {
            ordinal(text).and_then(|day| u8::try_from(day).ok()).filter(|day| *day > 3)
        }
        _ => None,
    }
}

/// A day of the month as a plain number, 1 to 31.
fn plain_day(token: &Token) -> Option<u8> {
    match token {
        Token::Number(text) => text.parse().ok().filter(|day| (1..=31).contains(day)),
        _ => None,
    }
}

fn month(token: &Token) -> Option<u8> {
    let word = token.word()?;
    let at =
        MONTHS.iter().position(|month| *month == word || (word.len() == 3 && month[..3] == *word));
    at.and_then(|at| u8::try_from(at + 1).ok())
}

/// `2024-06-04`, `4 June`, `the fourth of June`, `June 4th, 2024`, `the 4th`.
fn date(rest: &[Token]) -> Option<(Fact, usize)> {
    if let Token::Number(text) = rest.first()?
        && let Ok(day) = text.parse::<crate::Date>()
    {
        let year = u16::try_from(day.0.year()).ok();
        let (month, day) = (u8::try_from(day.0.month()).ok(), u8::try_from(day.0.day()).ok()?);
        return Some((Fact::Date { month, day, year }, 1));
    }
    let with_year = |month: Option<u8>, day: u8, length: usize| {
        let comma = usize::from(matches!(rest.get(length), Some(Token::Pause)));
        let year = match rest.get(length + comma) {
            Some(Token::Number(text)) if text.len() == 4 => text.parse().ok(),
            _ => None,
        };
        let length = if year.is_some() { length + comma + 1 } else { length };
        Some((Fact::Date { month, day, year }, length))
    };
    if let Some(month) = month(&rest[0]) {
        let token = rest.get(1)?;
        let day = ordinal_day(token).or_else(|| plain_day(token))?;
        return with_year(Some(month), day, 2);
    }
    let of = usize::from(rest.get(1).and_then(Token::word) == Some("of"));
    let named = rest.get(1 + of).and_then(month);
    let day = ordinal_day(&rest[0]);
    // "the first of June", not "the first attempt".
    let early = || {
        rest[0]
            .word()
            .and_then(ordinal)
            .and_then(|day| u8::try_from(day).ok())
            .filter(|day| *day > 0)
    };
    let day = day.or_else(|| named.filter(|_| of > 0).and_then(|_| early()));
    match (day, plain_day(&rest[0]), named) {
        (Some(day), _, Some(_)) | (None, Some(day), Some(_)) => with_year(named, day, 2 + of),
        // In words it may be an ordinary ordinal: "the fourth attempt".
        (Some(day), _, None) if matches!(rest[0], Token::Number(_)) => {
            Some((Fact::Date { month: None, day, year: None }, 1))
        }
        _ => None,
    }
}

fn day(rest: &[Token]) -> Option<(Fact, usize)> {
    let word = rest.first()?.word()?;
    let name = word.strip_suffix('s').unwrap_or(word);
    let weekday = WEEKDAYS.iter().position(|day| *day == word || *day == name);
    let near = || DAYS.iter().position(|day| *day == word).map(|at| at + 7);
    weekday.or_else(near).map(|day| (Fact::Day(day), 1))
}

/// `19:30`, `7 pm`, `half past seven`, `ten to five`, `eight o'clock`, `noon`, `at 11`.
fn clock(rest: &[Token], before: Option<&str>) -> Option<(Fact, usize)> {
    let word = |at: usize| rest.get(at).and_then(Token::word);
    match word(0) {
        Some("noon" | "midday") => return Some((Fact::Time { minutes: 720, exact: true }, 1)),
        Some("midnight") => return Some((Fact::Time { minutes: 0, exact: true }, 1)),
        _ => {}
    }
    if let Some(Token::Number(text)) = rest.first() {
        if let Some(minutes) = digital(text) {
            return with_half(minutes, rest, 1);
        }
        if let Some((hour, half)) = glued(text) {
            let minutes = hour % 12 * 60 + if half { 720 } else { 0 };
            return Some((Fact::Time { minutes, exact: true }, 1));
        }
    }
    let (minutes, length) = spoken(rest, before)?;
    with_half(minutes, rest, length)
}

/// `19:30`, `19:30:00`.
fn digital(text: &str) -> Option<u16> {
    let (hour, minute) = text.split_once(':')?;
    let minute = minute.split(':').next()?;
    let (hour, minute): (u16, u16) = (hour.parse().ok()?, minute.parse().ok()?);
    (hour < 24 && minute < 60).then(|| hour * 60 + minute)
}

/// `7pm`.
fn glued(text: &str) -> Option<(u16, bool)> {
    let afternoon = text.ends_with("pm");
    let hour = text.strip_suffix("pm").or_else(|| text.strip_suffix("am"))?;
    hour.parse().ok().filter(|hour| (1..=12).contains(hour)).map(|hour| (hour, afternoon))
}

/// A time in words, and its length in tokens.
fn spoken(rest: &[Token], before: Option<&str>) -> Option<(u16, usize)> {
    let word = |at: usize| rest.get(at).and_then(Token::word);
    let hour = |at: usize| {
        let (hour, length) = value(rest.get(at..)?)?;
        (hour.fract() == 0.0 && (0.0..=24.0).contains(&hour)).then_some((hour as u16 % 24, length))
    };
    // Leading minutes: "half past", "quarter to", "ten to".
    let (minutes, length) = match word(0) {
        Some("half") => (30, 1),
        Some("quarter") => (15, 1),
        _ => match hour(0) {
            Some((minutes @ (5 | 10 | 20), length)) => (minutes, length),
            _ => (0, 0),
        },
    };
    if length > 0 && before != Some("from") {
        let side = word(length);
        if matches!(side, Some("past" | "to"))
            && let Some((hour, more)) = hour(length + 1)
        {
            let time = hour * 60 + 1440;
            let time = if side == Some("past") { time + minutes } else { time - minutes };
            return Some((time % 1440, length + 1 + more));
        }
    }
    let (whole, length) = hour(0)?;
    let clock = matches!(word(length), Some("oclock"));
    let half = matches!(word(length), Some("am" | "pm"));
    let at = before == Some("at") && word(length).and_then(unit).is_none();
    (clock || half || at).then_some((whole * 60, length + usize::from(clock)))
}

/// Determines AM or PM by `pm`, `in the evening`, or an hour above 12.
fn with_half(minutes: u16, rest: &[Token], length: usize) -> Option<(Fact, usize)> {
    let word = |at: usize| rest.get(length + at).and_then(Token::word);
    let (part, more) = match (word(0), word(1), word(2)) {
        (Some(part @ ("am" | "pm")), ..) => (Some(part), 1),
        (Some("in"), Some("the"), part) => (part, 3),
        (Some("at"), Some("night"), _) => (Some("pm"), 2),
        _ => (None, 0),
    };
    let hour = minutes / 60;
    Some(match part {
        Some("am" | "morning") => {
            (Fact::Time { minutes: minutes % 720, exact: true }, length + more)
        }
        Some("pm" | "afternoon" | "evening") => {
            (Fact::Time { minutes: minutes % 720 + 720, exact: true }, length + more)
        }
        _ => (Fact::Time { minutes, exact: hour > 12 || hour == 0 }, length),
    })
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    fn facts(text: &str) -> Vec<Fact> {
        let tokens = tokens(text);
        let (mut at, mut found) = (0, Vec::new());
        while at < tokens.len() {
            match fact_at(&tokens, at) {
                Some((fact, length)) => {
                    found.push(fact);
                    at += length;
                }
                None => at += 1,
            }
        }
        found
    }

    fn time(minutes: u16, exact: bool) -> Fact {
        Fact::Time { minutes, exact }
    }

    #[test]
    fn times_of_day_are_read_in_words_and_digits() {
        for (text, expected) in [
            ("at 19:30", time(1170, true)),
            ("half past seven", time(450, false)),
            ("quarter to nine in the evening", time(1245, true)),
            ("ten to five", time(290, false)),
            ("7 pm", time(1140, true)),
            ("7pm", time(1140, true)),
            ("eight o'clock in the morning", time(480, true)),
            ("at noon", time(720, true)),
            ("on site at 11.", time(660, false)),
        ] {
            assert_eq!(facts(text), [expected], "{text}");
        }
        assert!(time(450, false).agrees(&time(1170, true)));
        assert!(!time(450, true).agrees(&time(1170, true)));
        assert!(time(1140, true).agrees(&Fact::Number(19.0, None)));
    }

    #[test]
    fn dates_are_read_with_and_without_a_year() {
        let date = |month, day, year| Fact::Date { month, day, year };
        for text in ["4 June 2024", "June 4th, 2024", "the 4th of June 2024", "2024-06-04"] {
            assert_eq!(facts(text), [date(Some(6), 4, Some(2024))], "{text}");
        }
        assert_eq!(facts("the fourth of June"), [date(Some(6), 4, None)]);
        assert_eq!(facts("the 4th"), [date(None, 4, None)]);
        assert_eq!(facts("the first of June"), [date(Some(6), 1, None)]);
        assert_eq!(facts("the first attempt"), []);
        assert_eq!(
            facts("Friday, not Mondays, tomorrow"),
            [Fact::Day(4), Fact::Day(0), Fact::Day(10)]
        );
        assert!(date(Some(6), 4, None).agrees(&date(Some(6), 4, Some(2024))));
        assert!(!date(Some(6), 4, None).agrees(&date(Some(5), 4, None)));
        assert_eq!(facts("I may come"), []);
    }

    #[test]
    fn numbers_have_units() {
        assert_eq!(facts("two days"), [Fact::Number(2.0, Some("day"))]);
        assert_eq!(facts("forty-five boxes"), [Fact::Number(45.0, None)]);
        for (text, number) in [
            ("two hundred and ten", 210.0),
            ("a hundred", 100.0),
            ("a thousand and one", 1001.0),
            ("three hundred forty-one", 341.0),
            ("a dozen", 12.0),
            ("three dozen", 36.0),
            ("2 thousand", 2000.0),
            ("twelve thousand five hundred and six", 12506.0),
        ] {
            assert_eq!(facts(text), [Fact::Number(number, None)], "{text}");
        }
        assert_eq!(facts("two and ten"), [Fact::Number(2.0, None), Fact::Number(10.0, None)]);
        assert_eq!(
            facts("two hundred euros and 1,250.5€"),
            [Fact::Number(200.0, Some("euro")), Fact::Number(1250.5, Some("euro"))]
        );
        assert_eq!(
            facts("5km, 20 %"),
            [Fact::Number(5.0, Some("kilometre")), Fact::Number(20.0, Some("percent"))]
        );
        assert_eq!(
            facts("the one from ten to five"),
            [Fact::Number(10.0, None), Fact::Number(5.0, None)]
        );
        let two = |unit| Fact::Number(2.0, unit);
        assert!(two(Some("day")).agrees(&two(None)));
        assert!(!two(Some("day")).agrees(&two(Some("month"))));
    }
}
