//! Dates, times and lists, as data and in English.

use apis::Date;

/// A day, counted from 1 June 2024; a Saturday is day 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Day(pub(crate) usize);

/// June to December 2024.
const MONTHS: [(&str, usize); 7] = [
    ("June", 30),
    ("July", 31),
    ("August", 31),
    ("September", 30),
    ("October", 31),
    ("November", 30),
    ("December", 31),
];

const WEEKDAYS: [&str; 7] =
    ["Saturday", "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday"];

impl Day {
    /// Month from 0 for June, and day of the month.
    fn parts(self) -> (usize, usize) {
        let (mut month, mut day) = (0, self.0);
        while month + 1 < MONTHS.len() && day >= MONTHS[month].1 {
            day -= MONTHS[month].1;
            month += 1;
        }
        (month, day + 1)
    }

    /// A later day.
    pub(crate) const fn plus(self, days: usize) -> Self {
        Day(self.0 + days)
    }

    /// `4 June`.
    pub(crate) fn words(self) -> String {
        let (month, day) = self.parts();
        format!("{day} {}", MONTHS[month].0)
    }

    /// `Tuesday`.
    pub(crate) const fn weekday(self) -> &'static str {
        WEEKDAYS[self.0 % 7]
    }

    /// `2024-06-04`.
    pub(crate) fn iso(self) -> String {
        let (month, day) = self.parts();
        format!("2024-{:02}-{day:02}", month + 6)
    }

    /// `2024-06-04 14:30:00`; minutes beyond midnight belong to the next day.
    pub(crate) fn at(self, minutes: usize) -> String {
        let day = self.plus(minutes / 1440);
        format!("{} {}:00", day.iso(), clock(minutes))
    }

    /// The date for a table; `None` never, as all days exist.
    pub(crate) fn date(self) -> Option<Date> {
        self.iso().parse().ok()
    }

    /// The fact that tells this day.
    pub(crate) fn fact(self) -> String {
        let (month, day) = self.parts();
        let name = MONTHS[month].0.to_lowercase();
        format!("{}|{day} {name}|{name} {day}", self.iso())
    }
}

/// `14:30`.
pub(crate) fn clock(minutes: usize) -> String {
    format!("{:02}:{:02}", minutes / 60 % 24, minutes % 60)
}

/// `a, b and c`.
pub(crate) fn list<T: AsRef<str>>(items: &[T]) -> String {
    let items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    match items.split_last() {
        None => String::new(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        assert_eq!((Day(0).iso().as_str(), Day(0).weekday()), ("2024-06-01", "Saturday"));
        assert_eq!(Day(30).words(), "1 July");
        assert_eq!((Day(212).iso().as_str(), Day(212).weekday()), ("2024-12-30", "Monday"));
        assert_eq!(Day(2).at(1440 + 75), "2024-06-04 01:15:00");
        assert_eq!(Day(3).fact(), "2024-06-04|4 june|june 4");
    }

    #[test]
    fn lists_end_with_and() {
        assert_eq!(list(&["a"]), "a");
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
    }
}
