//! Whether dates and times follow from the view.

use super::View;
use crate::text::calendar::{MONTHS, WEEKDAYS};
use crate::text::light::separated_words;
use crate::text::numbers::words_for;
use apis::{Date, DateTime};

/// Whether a text consists of digits and separators of dates and times, with at least one separator.
pub(super) fn is_date_like(text: &str) -> bool {
    let text = without_zone(text);
    let separated = text.contains(':') || text.matches('-').count() > 0;
    separated
        && text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_digit() || "-: T".contains(c))
}

pub(super) fn dated(text: &str, view: &View) -> bool {
    let text = without_zone(text);
    if text.parse::<DateTime>().is_ok_and(|it| Some(it) == view.time) && text.contains(':') {
        return true;
    }
    let (day, clock) = match text.split_once([' ', 'T']) {
        Some((day, clock)) => (Some(day), Some(clock)),
        None if text.contains(':') => (None, Some(text)),
        None => (Some(text), None),
    };
    day.is_none_or(|day| day_known(day, view)) && clock.is_none_or(|clock| clock_known(clock, view))
}

/// Strips fraction and time zone of an RFC 3339 timestamp, such as `2026-01-09T10:00:00.000Z`: people
/// rarely say them. Returns other texts unchanged.
fn without_zone(text: &str) -> &str {
    let clock = text.find('T').map_or(text.len(), |at| at + 1);
    let end = text[clock..].find(|c: char| !c.is_ascii_digit() && c != ':');
    match end.map(|end| text.split_at(clock + end)) {
        Some((moment, rest)) if rest.chars().all(|c| c.is_ascii_digit() || ".:+-Z".contains(c)) => {
            moment
        }
        _ => text,
    }
}

fn day_known(text: &str, view: &View) -> bool {
    if view.has(&separated_words(text).join(" ")) {
        return true;
    }
    let Some((month, day)) = month_and_day(text) else { return false };
    named_day(month, day, view) || text.parse::<Date>().is_ok_and(|date| relative(date, view))
}

/// Month and day of the month of `2026-03-04`, `03-04` or, with day 1, `2026-03`.
fn month_and_day(text: &str) -> Option<(usize, u32)> {
    let parts: Vec<u32> = text.split('-').map(str::parse).collect::<Result<_, _>>().ok()?;
    let (month, day) = match parts[..] {
        [_, month, day] => (month, day),
        [year, month] if year > 31 => (month, 1),
        [month, day] => (month, day),
        _ => return None,
    };
    (1..=12).contains(&month).then_some((month as usize, day))
}

/// `4 March`, `March 4th`, `the 4th`, `4/3`.
fn named_day(month: usize, day: u32, view: &View) -> bool {
    let Some(name) = MONTHS.get(month - 1) else { return false };
    let ordinal = format!(
        "{day}{}",
        match day {
            1 | 21 | 31 => "st",
            2 | 22 => "nd",
            3 | 23 => "rd",
            _ => "th",
        }
    );
    let short = &name[..3];
    let day = day.to_string();
    let names = [*name, short];
    names.iter().any(|name| {
        [&day, &ordinal].iter().any(|day| {
            view.has(&format!("{day} {name}"))
                || view.has(&format!("{name} {day}"))
                || view.has(&format!("{day} of {name}"))
                || view.has(&format!("{name} the {day}"))
        })
    }) || view.has(&format!("the {ordinal}"))
        || view.has(&format!("{day} {month}"))
        || view.has(&format!("{month} {day}"))
        || (day == "1" && view.has(name))
}

/// Whether the view mentions a date relative to the current time: weekdays, tomorrow, in two weeks.
fn relative(date: Date, view: &View) -> bool {
    let Some(now) = view.time else { return false };
    let Ok(gap) = now.date().0.until(date.0) else { return false };
    let days = gap.get_days();
    let weekday = WEEKDAYS[date.0.weekday().to_monday_zero_offset() as usize % 7];
    let named = (-7..=14).contains(&days) && view.has(weekday);
    let spoken = match days {
        0 => ["today", "tonight", "now", "this morning", "this afternoon", "this evening"]
            .iter()
            .any(|word| view.has(word)),
        1 => view.has("tomorrow"),
        2 => view.has("day after tomorrow"),
        -1 => view.has("yesterday") || view.has("last night"),
        _ => false,
    };
    let weekend = weekday == "saturday" || weekday == "sunday" || weekday == "friday";
    // `in two weeks`, `a fortnight`: the number directly before its unit.
    let counted = |unit: &str, length: i32| {
        let count = f64::from(days.abs()) / f64::from(length);
        let said = words_for(count).map(str::to_owned).chain([count.to_string()]);
        days != 0
            && said.into_iter().any(|count| {
                view.has(&format!("{count} {unit}")) || view.has(&format!("{count} {unit}s"))
            })
    };
    let next = days == 7 && view.has("next week") || days == -7 && view.has("last week");
    named
        || spoken
        || next
        || ((0..=14).contains(&days) && weekend && view.has("weekend"))
        || counted("day", 1)
        || counted("week", 7)
        || counted("night", 1)
        || counted("fortnight", 14)
}

/// Whether the view mentions a time of day in another form: `9 am`, `half past two`, noon.
fn clock_known(text: &str, view: &View) -> bool {
    let parts: Vec<f64> = text.split(':').filter_map(|part| part.parse().ok()).collect();
    let (hour, minute) = match parts[..] {
        [hour, minute] | [hour, minute, _] => (hour, minute),
        _ => return false,
    };
    let said = |number: f64| view.numbers.contains(&number);
    let twelve = if hour > 12.0 { hour - 12.0 } else { hour };
    let noon = (hour == 12.0 && (view.has("noon") || view.has("midday")))
        || (hour == 0.0 && (view.has("midnight") || said(12.0)));
    let hour_said = said(hour) || said(twelve) || noon;
    let next = if twelve == 12.0 { 1.0 } else { twelve + 1.0 };
    let quarter_to = minute == 45.0 && view.has("quarter to") && said(next);
    let minute_said = match minute as u32 {
        0 => true,
        30 => said(30.0) || view.has("half past"),
        15 => said(15.0) || view.has("quarter past"),
        _ => said(minute),
    };
    // The limits of a whole day need no mention.
    (hour_said && minute_said) || quarter_to || text == "00:00:00" || text == "23:59:59"
}
