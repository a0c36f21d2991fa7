//! Dates and times.
//!
//! Parses any unambiguous ISO-like format, and writes the canonical formats
//! `%Y-%m-%d`, `%Y-%m-%d %H:%M:%S` and `%m-%d`. API-Bank has no time zones.

use jiff::civil;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// Why a text does not parse as a date or time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, got {got:?}")]
pub struct WhenError {
    expected: &'static str,
    got: String,
}

/// A calendar date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date(pub civil::Date);

/// A date with a time of day. Databases may hold a bare date, which sorts as midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DateTime {
    date: civil::Date,
    time: Option<civil::Time>,
}

/// A day of the year, without the year.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MonthDay {
    month: i8,
    day: i8,
}

impl Date {
    /// `None` if there is no such day.
    pub fn new(year: i16, month: i8, day: i8) -> Option<Self> {
        civil::Date::new(year, month, day).ok().map(Date)
    }
}

impl DateTime {
    /// The date without the time of day.
    pub fn date(self) -> Date {
        Date(self.date)
    }

    /// For comparing; a bare date counts as midnight.
    pub fn moment(self) -> civil::DateTime {
        self.date.to_datetime(self.time.unwrap_or(civil::Time::MIN))
    }

    /// Adds midnight to a bare date.
    #[must_use]
    pub fn with_time(self) -> Self {
        DateTime { time: Some(self.time.unwrap_or(civil::Time::MIN)), ..self }
    }
}

impl MonthDay {
    /// Month, 1 to 12.
    pub fn month(self) -> i8 {
        self.month
    }

    /// Day of the month, 1 to 31.
    pub fn day(self) -> i8 {
        self.day
    }
}

/// Numbers in `text` between `separators`; `None` if it has other characters.
fn numbers(text: &str, separators: &[char]) -> Option<Vec<i32>> {
    text.split(separators)
        .map(|part| {
            let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            (digits && part.len() <= 4).then(|| part.parse().ok()).flatten()
        })
        .collect()
}

fn small(number: i32) -> Option<i8> {
    i8::try_from(number).ok()
}

/// `2023-04-05`, `2023/4/5`, `2023.04.05`, `20230405`. The year comes first and
/// has four digits: anything else is ambiguous.
fn read_date(text: &str) -> Option<civil::Date> {
    let compact = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit());
    let parts = if compact {
        numbers(&format!("{}-{}-{}", &text[..4], &text[4..6], &text[6..]), &['-'])?
    } else {
        let first = text.split(['-', '/', '.']).next()?;
        if first.len() != 4 {
            return None;
        }
        numbers(text, &['-', '/', '.'])?
    };
    let [year, month, day] = parts[..] else { return None };
    civil::Date::new(i16::try_from(year).ok()?, small(month)?, small(day)?).ok()
}

/// `14:30`, `14:30:00`, `14:30:00.000`, `2:30 PM`, `2pm`.
fn read_time(text: &str) -> Option<civil::Time> {
    let text = text.trim().to_ascii_lowercase();
    let text = text.strip_suffix('z').unwrap_or(&text);
    let (text, afternoon) = if let Some(rest) = text.strip_suffix("pm") {
        (rest.trim(), Some(true))
    } else if let Some(rest) = text.strip_suffix("am") {
        (rest.trim(), Some(false))
    } else {
        (text, None)
    };
    let text = text.split_once('.').map_or(text, |(whole, fraction)| {
        if fraction.bytes().all(|byte| byte == b'0') { whole } else { text }
    });
    let parts = numbers(text, &[':'])?;
    let (hour, minute, second) = match (parts.as_slice(), afternoon) {
        ([hour], Some(_)) => (*hour, 0, 0),
        ([hour, minute], _) => (*hour, *minute, 0),
        ([hour, minute, second], _) => (*hour, *minute, *second),
        _ => return None,
    };
    let hour = match afternoon {
        None => hour,
        Some(_) if !(1..=12).contains(&hour) => return None,
        Some(true) => hour % 12 + 12,
        Some(false) => hour % 12,
    };
    civil::Time::new(small(hour)?, small(minute)?, small(second)?, 0).ok()
}

impl FromStr for Date {
    type Err = WhenError;

    fn from_str(text: &str) -> Result<Self, WhenError> {
        let trimmed = text.trim();
        let error = || WhenError { expected: "a date like 2023-04-05", got: text.to_owned() };
        if let Some(date) = read_date(trimmed) {
            return Ok(Date(date));
        }
        // Midnight after the date adds nothing; any other time would be lost.
        let full: DateTime = trimmed.parse().map_err(|_| error())?;
        match full.time {
            None | Some(civil::Time::MIN) => Ok(full.date()),
            Some(_) => Err(error()),
        }
    }
}

impl FromStr for DateTime {
    type Err = WhenError;

    fn from_str(text: &str) -> Result<Self, WhenError> {
        let trimmed = text.trim();
        let error = || WhenError {
            expected: "a date and time like 2023-04-05 14:30:00",
            got: text.to_owned(),
        };
        if let Some(date) = read_date(trimmed) {
            return Ok(DateTime { date, time: None });
        }
        let (date, time) = trimmed
            .split_once(['T', 't', ' '])
            .map(|(d, t)| (d.trim_end(), t))
            // A padded date needs no separator; API-Bank's Meeting.json has such a row.
            .or_else(|| trimmed.split_at_checked("2023-04-05".len()))
            .ok_or_else(error)?;
        let date = read_date(date.trim_end_matches(',')).ok_or_else(error)?;
        let time = read_time(time).ok_or_else(error)?;
        Ok(DateTime { date, time: Some(time) })
    }
}

impl FromStr for MonthDay {
    type Err = WhenError;

    fn from_str(text: &str) -> Result<Self, WhenError> {
        let trimmed = text.trim();
        let error = || WhenError { expected: "a day like 04-05", got: text.to_owned() };
        if let Some(date) = read_date(trimmed) {
            return Ok(MonthDay { month: date.month(), day: date.day() });
        }
        let parts = numbers(trimmed, &['-', '/']).ok_or_else(error)?;
        let [month, day] = parts[..] else { return Err(error()) };
        let (month, day) = (small(month).ok_or_else(error)?, small(day).ok_or_else(error)?);
        // A leap year, so that 29 February is a valid day.
        civil::Date::new(2024, month, day).map_err(|_| error())?;
        Ok(MonthDay { month, day })
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.0.year(), self.0.month(), self.0.day())
    }
}

impl fmt::Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.date())?;
        match self.time {
            Some(t) => write!(f, " {:02}:{:02}:{:02}", t.hour(), t.minute(), t.second()),
            None => Ok(()),
        }
    }
}

impl fmt::Display for MonthDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}-{:02}", self.month, self.day)
    }
}

macro_rules! as_text {
    ($type:ty) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
            }
        }
    };
}

as_text!(Date);
as_text!(DateTime);
as_text!(MonthDay);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_unambiguous_forms_and_writes_one() {
        for text in [
            "2023-04-05 14:30:00",
            "2023-04-05T14:30",
            "2023/4/5 2:30 PM",
            "20230405 14:30:00.000",
            "2023-04-0514:30:00",
        ] {
            let read: DateTime = text.parse().expect(text);
            assert_eq!(read.to_string(), "2023-04-05 14:30:00", "{text}");
        }
        assert_eq!(
            "2023-04-05 12am".parse::<DateTime>().unwrap().to_string(),
            "2023-04-05 00:00:00"
        );
        assert_eq!("2023-04-05 00:00:00".parse::<Date>().unwrap().to_string(), "2023-04-05");
        assert_eq!("2023-10-06".parse::<MonthDay>().unwrap().to_string(), "10-06");
        assert_eq!("02-29".parse::<MonthDay>().unwrap().to_string(), "02-29");
    }

    #[test]
    fn refuses_what_could_be_read_in_two_ways() {
        for text in [
            "05/04/2023",
            "5-4-23",
            "tomorrow",
            "2023-02-30",
            "",
            "2023-04-05 25:00",
            "é",
            "2023-4-514:30",
            "2023-04-0é14:30",
        ] {
            assert!(text.parse::<DateTime>().is_err(), "{text}");
            assert!(text.parse::<Date>().is_err(), "{text}");
        }
        assert!("2023-04-05 09:00:00".parse::<Date>().is_err());
        assert!("13-01".parse::<MonthDay>().is_err());
    }
}
