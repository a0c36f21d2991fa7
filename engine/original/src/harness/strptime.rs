//! `datetime.strptime` for the three formats in use, with identical error messages.

use super::text::{decimal_value, is_space, repr, strip};
use std::fmt;

pub(super) const DATE_TIME: &str = "%Y-%m-%d %H:%M:%S";
pub(super) const DATE: &str = "%Y-%m-%d";
pub(super) const MONTH_DAY: &str = "%m-%d";

/// A date and a time of day, in chronological order. Displayed as `%Y-%m-%d %H:%M:%S`; as on Linux,
/// years before 1000 have no leading zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment {
    pub(super) year: u32,
    pub(super) month: u32,
    pub(super) day: u32,
    hour: u32,
    minute: u32,
    second: u32,
}

impl Moment {
    /// As `%Y-%m-%d`.
    pub(super) fn date(&self) -> String {
        format!("{}-{:02}-{:02}", self.year, self.month, self.day)
    }

    /// As `%m-%d`.
    pub(super) fn month_day(&self) -> String {
        format!("{:02}-{:02}", self.month, self.day)
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:02}:{:02}:{:02}", self.date(), self.hour, self.minute, self.second)
    }
}

/// Parses a text by a format of `%Y %m %d %H %M %S`, literals and spaces.
///
/// As in Python, white space in the format matches any run of it, digits of any script are
/// accepted, numbers need no leading zero, and the longest match of each field is tried first.
///
/// # Errors
/// The message of Python's `ValueError`.
pub(super) fn strptime(text: &str, format: &str) -> Result<Moment, String> {
    let chars: Vec<char> = text.chars().collect();
    let pieces = pieces(format);
    let mut fields = Fields::default();
    let Some(end) = match_from(&chars, 0, &pieces, &mut fields) else {
        return Err(format!("time data {} does not match format {}", repr(text), repr(format)));
    };
    if end < chars.len() {
        let rest: String = chars[end..].iter().collect();
        return Err(format!("unconverted data remains: {rest}"));
    }
    fields.moment()
}

/// Parses a date as several APIs and checks do: strips it, pads the year to four digits, then calls
/// [`strptime`].
///
/// # Errors
/// Same as [`strptime`], for the padded text.
pub(super) fn normalise(text: &str, format: &str) -> Result<Moment, String> {
    let stripped = strip(text);
    let (year, rest) = match stripped.split_once('-') {
        Some((year, rest)) => (year, format!("-{rest}")),
        None => (stripped, String::new()),
    };
    strptime(&format!("{year:0>4}{rest}"), format)
}

/// One part of a format.
#[derive(Debug, Clone, Copy)]
enum Piece {
    Field(char),
    Space,
    Literal(char),
}

fn pieces(format: &str) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        match c {
            '%' => out.extend(chars.next().map(Piece::Field)),
            c if is_space(c) => out.push(Piece::Space),
            c => out.push(Piece::Literal(c)),
        }
    }
    out
}

/// The parsed fields; those that the format lacks keep Python's defaults.
#[derive(Debug)]
struct Fields {
    year: Option<u32>,
    month: u32,
    day: u32,
    time: [u32; 3],
}

impl Default for Fields {
    fn default() -> Self {
        Self { year: None, month: 1, day: 1, time: [0; 3] }
    }
}

impl Fields {
    fn set(&mut self, field: char, value: u32) {
        match field {
            'Y' => self.year = Some(value),
            'm' => self.month = value,
            'd' => self.day = value,
            'H' => self.time[0] = value,
            'M' => self.time[1] = value,
            _ => self.time[2] = value,
        }
    }

    /// Runs the checks of the `datetime` constructor. The year defaults to 1900, not a leap year.
    fn moment(&self) -> Result<Moment, String> {
        let year = self.year.unwrap_or(1900);
        let [hour, minute, second] = self.time;
        if year == 0 {
            return Err("year 0 is out of range".to_owned());
        }
        if self.day > days_in(year, self.month) {
            return Err("day is out of range for month".to_owned());
        }
        if second > 59 {
            return Err("second must be in 0..59".to_owned());
        }
        Ok(Moment { year, month: self.month, day: self.day, hour, minute, second })
    }
}

fn days_in(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Matches the pieces from a position, backtracking over the readings of each, and returns the end
/// of the match.
fn match_from(chars: &[char], at: usize, pieces: &[Piece], fields: &mut Fields) -> Option<usize> {
    let Some((piece, rest)) = pieces.split_first() else {
        return Some(at);
    };
    match *piece {
        Piece::Literal(c) => {
            (chars.get(at) == Some(&c)).then_some(())?;
            match_from(chars, at + 1, rest, fields)
        }
        Piece::Space => {
            let run = chars[at..].iter().take_while(|&&c| is_space(c)).count();
            (1..=run).rev().find_map(|length| match_from(chars, at + length, rest, fields))
        }
        Piece::Field(field) => readings(field).iter().find_map(|reading| {
            let (length, value) = read(&chars[at..], reading)?;
            let end = match_from(chars, at + length, rest, fields)?;
            fields.set(field, value);
            Some(end)
        }),
    }
}

/// One alternative of a field's pattern, a class per character: a decimal digit of any script, or
/// an inclusive range of characters.
type Reading = &'static [Class];

#[derive(Debug, Clone, Copy)]
enum Class {
    Any,
    Between(char, char),
}

/// The alternatives of a field, in the order of Python's pattern.
fn readings(field: char) -> &'static [Reading] {
    use Class::{Any, Between as B};
    match field {
        'Y' => &[&[Any, Any, Any, Any]],
        'm' => &[&[B('1', '1'), B('0', '2')], &[B('0', '0'), B('1', '9')], &[B('1', '9')]],
        'd' => &[
            &[B('3', '3'), B('0', '1')],
            &[B('1', '2'), Any],
            &[B('0', '0'), B('1', '9')],
            &[B('1', '9')],
            &[B(' ', ' '), B('1', '9')],
        ],
        'H' => &[&[B('2', '2'), B('0', '3')], &[B('0', '1'), Any], &[Any]],
        'M' => &[&[B('0', '5'), Any], &[Any]],
        _ => &[&[B('6', '6'), B('0', '1')], &[B('0', '5'), Any], &[Any]],
    }
}

/// Matches a reading at the start of `chars` and returns its length and value.
fn read(chars: &[char], reading: Reading) -> Option<(usize, u32)> {
    let head = chars.get(..reading.len())?;
    let fits = |(&c, class): (&char, &Class)| match class {
        Class::Any => decimal_value(c).is_some(),
        Class::Between(low, high) => (*low..=*high).contains(&c),
    };
    head.iter().zip(reading).all(fits).then_some(())?;
    let value = head.iter().filter_map(|&c| decimal_value(c)).fold(0, |v, d| v * 10 + u32::from(d));
    Some((reading.len(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, format: &str, expect: &str) {
        let got = strptime(text, format).map_or_else(|error| error, |moment| moment.to_string());
        assert_eq!(got, expect, "{text:?} by {format:?}");
    }

    #[test]
    fn readings_and_error_texts() {
        check("2023-03-05 07:08:09", DATE_TIME, "2023-03-05 07:08:09");
        check("2023-3-5  7:8:9", DATE_TIME, "2023-03-05 07:08:09");
        check("2023-03- 5", DATE, "2023-03-05 00:00:00");
        check("２０２３-1-02", DATE, "2023-01-02 00:00:00");
        check("2022-01-32", DATE, "unconverted data remains: 2");
        check("2022-01-01 x", DATE, "unconverted data remains:  x");
        check("2022-13-01", DATE, "time data '2022-13-01' does not match format '%Y-%m-%d'");
        check("2022-02-30", DATE, "day is out of range for month");
        check("0000-02-03", DATE, "year 0 is out of range");
        check("02-29", MONTH_DAY, "day is out of range for month");
        check("2023-01-01 10:00:60", DATE_TIME, "second must be in 0..59");
        check("2023-01-01 10:00:62", DATE_TIME, "unconverted data remains: 2");
        check("12:00", DATE_TIME, "time data '12:00' does not match format '%Y-%m-%d %H:%M:%S'");
    }

    #[test]
    fn normalising_strips_and_pads_the_year() {
        assert_eq!(normalise("\t23-1-2 ", DATE).map(|m| m.date()), Ok("23-01-02".to_owned()));
        assert!(normalise("02023-01-02", DATE).is_err());
        assert!(normalise("", DATE).is_err());
    }
}
