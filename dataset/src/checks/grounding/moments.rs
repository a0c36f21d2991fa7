//! Finds the days and times of day that a conversation mentions, and those that follow from them.

use super::scan::Item;
use jiff::civil::{Date, Time};
use jiff::{Span, ToSpan};
use std::collections::BTreeSet;

/// Maximum distance between a month's name and its day, in items.
const NEAR: usize = 7;
/// A bare number is an hour after one of these words.
const BEFORE_HOUR: [&str; 19] = [
    "at", "to", "until", "till", "from", "by", "around", "about", "between", "and", "or", "not",
    "its", "than", "before", "after", "make", "for", "is",
];
/// A bare number is an hour before one of these words.
const AFTER_HOUR: [&str; 14] = [
    "am", "pm", "oclock", "sharp", "in", "at", "till", "until", "to", "that", "on", "already",
    "tonight", "instead",
];
/// Words that mean an hour after noon.
const LATE: [&str; 10] = [
    "pm",
    "afternoon",
    "evening",
    "night",
    "tonight",
    "lunch",
    "dinner",
    "supper",
    "midday",
    "noon",
];

/// The days and times of a conversation.
#[derive(Debug, Clone, Default)]
pub(super) struct Moments {
    /// Days mentioned.
    pub dates: BTreeSet<Date>,
    /// Days that follow from mentioned ones: weekdays, "tomorrow", "a week later", ends of months.
    pub derived_dates: BTreeSet<Date>,
    /// Times of day mentioned.
    pub times: BTreeSet<Time>,
    /// Times that follow from mentioned ones by a duration: "an hour later", "ninety minutes".
    pub derived_times: BTreeSet<Time>,
}

impl Moments {
    /// Finds the moments in utterances; `dates` and `times` are from earlier results.
    pub(super) fn read(
        utterances: &[Vec<Item>],
        dates: BTreeSet<Date>,
        times: BTreeSet<Time>,
        year: i16,
    ) -> Self {
        let mut moments = Moments { dates, times, ..Moments::default() };
        let years = years(utterances, &moments.dates, year);
        let months = months(utterances, &moments.dates);
        let mut late = false;
        for items in utterances {
            // After a mention of the evening, "by nine" means 21:00.
            late |= items.iter().any(|item| item.is_any(&LATE));
            moments.days_of(items, &years, &months);
            moments.hours_of(items, late);
        }
        moments.derive_dates(utterances, &years);
        moments.derive_times(utterances);
        moments
    }

    /// Days of a month: a number near a month's name, or an ordinal with any visible month.
    fn days_of(&mut self, items: &[Item], years: &BTreeSet<i16>, months: &BTreeSet<i8>) {
        for (at, item) in items.iter().enumerate() {
            let (day, months) = match item {
                Item::Date(date) => {
                    self.dates.insert(*date);
                    continue;
                }
                Item::Ordinal(day) => (*day, months.clone()),
                item => match item.small(31) {
                    Some(day) => (day, near(items, at)),
                    None => continue,
                },
            };
            for year in years {
                self.dates.extend(months.iter().filter_map(|m| Date::new(*year, *m, day).ok()));
            }
        }
    }

    fn hours_of(&mut self, items: &[Item], late: bool) {
        for (at, item) in items.iter().enumerate() {
            let before = |back: usize| at.checked_sub(back).and_then(|at| items.get(at));
            let after = items.get(at + 1);
            match item {
                Item::Clock(hour, minute) => self.hour(*hour, *minute, late),
                Item::Word(word) if word == "noon" || word == "midday" => {
                    let half = before(1).is_some_and(|item| item.is("past"));
                    self.hour(12, if half { 30 } else { 0 }, false);
                }
                Item::Word(word) if word == "midnight" => self.hour(0, 0, false),
                _ => {}
            }
            let Some(hour) = item.small(24) else { continue };
            // "half past two", "quarter to six", "ten to five", "five past nine"
            let minutes = before(2).and_then(|item| {
                if item.is("half") {
                    Some(30)
                } else if item.is("quarter") {
                    Some(15)
                } else {
                    item.small(59)
                }
            });
            if before(1).is_some_and(|item| item.is("half")) {
                // "half eight" is British for 8:30.
                self.hour(hour, 30, late);
            }
            if let (Some(minutes), Some(link)) = (minutes, before(1)) {
                if link.is("past") {
                    self.hour(hour, minutes, late);
                } else if link.is("to") && minutes > 0 {
                    self.hour(if hour == 0 { 23 } else { hour - 1 }, 60 - minutes, late);
                }
            }
            // "eight thirty", "six forty in the morning"
            if let Some(minutes) = after.and_then(|item| item.small(59))
                && minutes >= 10
            {
                self.hour(hour, minutes, late);
            }
            let stands_free = before(1).is_none() || after.is_none();
            if stands_free
                || before(1).is_some_and(|item| {
                    item.is_any(&BEFORE_HOUR)
                        || matches!(
                            item,
                            Item::Month(_) | Item::Weekday(_) | Item::Ordinal(_) | Item::Number(_)
                        )
                })
                || after.is_some_and(|item| item.is_any(&AFTER_HOUR) || item.small(24).is_some())
            {
                self.hour(hour, 0, late);
            }
        }
    }

    fn hour(&mut self, hour: i8, minute: i8, late: bool) {
        self.times.extend(Time::new(hour % 24, minute, 0, 0));
        if late && hour < 12 {
            self.times.extend(Time::new(hour + 12, minute, 0, 0));
        }
    }

    fn derive_dates(&mut self, utterances: &[Vec<Item>], years: &BTreeSet<i16>) {
        let spans: Vec<Span> = utterances.iter().flat_map(|items| day_spans(items)).collect();
        let weekdays: BTreeSet<i8> = utterances
            .iter()
            .flatten()
            .filter_map(|item| match item {
                Item::Weekday(day) => Some(*day),
                _ => None,
            })
            .collect();
        let mut derived = BTreeSet::new();
        for date in &self.dates {
            derived.extend(spans.iter().filter_map(|span| date.checked_add(*span).ok()));
        }
        for date in self.dates.iter().chain(&derived.clone()) {
            for distance in -7..=7_i64 {
                if let Ok(day) = date.checked_add(distance.days())
                    && weekdays.contains(&day.weekday().to_monday_zero_offset())
                {
                    derived.insert(day);
                }
            }
        }
        for month in utterances.iter().flatten().filter_map(|item| match item {
            Item::Month(month) => Some(*month),
            _ => None,
        }) {
            for first in years.iter().filter_map(|year| Date::new(*year, month, 1).ok()) {
                derived.extend([first, first.last_of_month()]);
                derived.extend(
                    spans
                        .iter()
                        .flat_map(|span| {
                            [
                                first.checked_add(*span).ok(),
                                first.last_of_month().checked_add(*span).ok(),
                            ]
                        })
                        .flatten(),
                );
            }
        }
        self.derived_dates = derived;
    }

    fn derive_times(&mut self, utterances: &[Vec<Item>]) {
        let named: BTreeSet<i64> = utterances.iter().flat_map(|items| minutes(items)).collect();
        // "an hour after I land, for ninety minutes": two durations may add up.
        let sums = named.iter().flat_map(|a| named.range(a + 1..).map(move |b| a + b));
        let lengths: BTreeSet<i64> = named.iter().copied().chain(sums).collect();
        // "Put another at ten past": of any visible hour.
        for utterance in utterances {
            let past = utterance.windows(2).filter(|pair| pair[1].is("past"));
            for minutes in past.filter_map(|pair| pair[0].small(59)) {
                let hours = self.times.iter().map(|time| time.hour());
                let times = hours.filter_map(|hour| Time::new(hour, minutes, 0, 0).ok());
                self.derived_times.extend(times);
            }
        }
        for time in &self.times {
            for length in &lengths {
                self.derived_times.insert(time.wrapping_add(length.minutes()));
                self.derived_times.insert(time.wrapping_sub(length.minutes()));
            }
        }
    }
}

/// Years mentioned, or the prompt's year if there are none.
fn years(utterances: &[Vec<Item>], dates: &BTreeSet<Date>, year: i16) -> BTreeSet<i16> {
    let mut years: BTreeSet<i16> = dates.iter().map(|date| date.year()).collect();
    years.insert(year);
    for item in utterances.iter().flatten() {
        #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
        if let Item::Number(value) = item
            && value.fract() == 0.0
            && (1900.0..2100.0).contains(value)
        {
            years.insert(*value as i16);
        }
    }
    years
}

fn months(utterances: &[Vec<Item>], dates: &BTreeSet<Date>) -> BTreeSet<i8> {
    let named = utterances.iter().flatten().filter_map(|item| match item {
        Item::Month(month) => Some(*month),
        Item::Date(date) => Some(date.month()),
        _ => None,
    });
    named.chain(dates.iter().map(|date| date.month())).collect()
}

/// Months mentioned near an item.
fn near(items: &[Item], at: usize) -> BTreeSet<i8> {
    let range = at.saturating_sub(NEAR)..(at + NEAR + 1).min(items.len());
    items[range]
        .iter()
        .filter_map(|item| match item {
            Item::Month(month) => Some(*month),
            _ => None,
        })
        .collect()
}

/// The count before a unit: "two", "a", "an", "another", "couple of"; 1 if there is none.
fn count_before(items: &[Item], at: usize) -> Option<i64> {
    let mut back = at;
    while let Some(item) = back.checked_sub(1).and_then(|at| items.get(at)) {
        if let Some(count) = item.small(100) {
            return Some(i64::from(count));
        }
        if item.is_any(&["more", "whole", "full", "further", "of"]) {
            back -= 1;
            continue;
        }
        return match item {
            item if item.is("couple") || item.is("both") => Some(2),
            _ => Some(1),
        };
    }
    Some(1)
}

/// Whether a mention of days is a distance: it has a number, or a word such as "after".
fn is_distance(items: &[Item], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| items.get(at));
    let after = items.get(at + 1);
    before.is_some_and(|item| {
        let words = ["a", "next", "following", "previous", "more", "further", "another", "of"];
        item.small(100).is_some() || item.is_any(&words)
    }) || after.is_some_and(|item| item.is_any(&["after", "before", "later", "earlier"]))
}

/// Distances in days, weeks, months and years, into the past and the future.
fn day_spans(items: &[Item]) -> Vec<Span> {
    let mut spans = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let Item::Word(word) = item else { continue };
        let count = count_before(items, at).unwrap_or(1);
        let next_is = |word: &str| items.get(at + 1).is_some_and(|item| item.is(word));
        match word.as_str() {
            "tomorrow" => {
                let shifted = at >= 1 && items[at - 1].is("after");
                spans.push(if shifted { 2.days() } else { 1.days() });
            }
            "yesterday" => spans.push((-1).days()),
            // "the day the plane lands" is not a distance; "the day after" and "two days" are.
            "day" | "days" | "night" | "nights" | "evening" | "morning"
                if is_distance(items, at) =>
            {
                spans.extend([count.days(), (-count).days()]);
                // "the last seven days, today included" starts six days ago.
                if items.iter().any(|item| item.is_any(&["included", "including"])) {
                    spans.push((1 - count).days());
                }
            }
            "week" | "weeks" => spans.extend([(7 * count).days(), (-7 * count).days()]),
            "fortnight" => spans.extend([14.days(), (-14).days()]),
            "month" | "months" => spans.extend([count.months(), (-count).months()]),
            "year" | "years" => spans.extend([count.years(), (-count).years()]),
            "summer" | "winter" | "spring" | "autumn" if next_is("after") || next_is("before") => {
                spans.extend([1.years(), (-1).years()]);
            }
            _ => {}
        }
    }
    spans
}

/// Durations mentioned, in minutes.
fn minutes(items: &[Item]) -> Vec<i64> {
    let mut lengths = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let count = count_before(items, at).unwrap_or(1);
        let back = |n: usize| at.checked_sub(n).and_then(|at| items.get(at));
        if item.is_any(&["hour", "hours"]) {
            let half =
                back(2).is_some_and(|it| it.is("half")) || back(1).is_some_and(|it| it.is("half"));
            let quarters =
                (2..5).any(|n| back(n).is_some_and(|item| item.is_any(&["quarter", "quarters"])));
            lengths.push(if half { 30 } else { count * 60 });
            if quarters {
                lengths.extend([15, 45]);
            }
            let and_half = items.get(at + 1).is_some_and(|it| it.is("and"))
                && items.get(at + 3).is_some_and(|it| it.is("half"));
            if and_half {
                lengths.push(count * 60 + 30);
            }
        } else if item.is_any(&["minute", "minutes", "min"]) {
            lengths.push(count);
        }
    }
    lengths
}
