//! Times of day: all times of a dialogue shift by the same amount, so intervals stay the same.

use super::figures::{figures, unit};
use super::{arguments, is_free_text, leaves, random, rewritten, utterances};
use crate::dialogue::{Dialogue, Turn};
use crate::text::numbers::cardinal;
use crate::text::words::words;
use apis::{Kind, Param};
use serde_json::json;
use std::collections::BTreeSet;

/// Minutes in a day and in half a day.
const DAY: i32 = 24 * 60;
const HALF: i32 = 12 * 60;
/// Shifts in minutes: for times on the quarter hour, and for others.
const QUARTERS: [i32; 6] = [-45, -30, -15, 15, 30, 45];
const FIVES: [i32; 10] = [-25, -20, -15, -10, -5, 5, 10, 15, 20, 25];
/// Words that state a time without digits.
const TOLD: [&str; 6] = ["noon", "midnight", "midday", "oclock", "quarter", "past"];
/// Words before an hour.
const BEFORE_HOUR: [&str; 11] =
    ["about", "after", "around", "at", "before", "by", "from", "half", "till", "to", "until"];
/// Words that show that the number before them is not an hour.
const UNITS: [&str; 5] = ["apiece", "degrees", "metres", "per", "percent"];
/// The ends of a whole-day span.
const WHOLE_DAY: [i32; 2] = [0, DAY - 1];

/// A time of day in a text: `7:30`, `18:15:00`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Clock {
    start: usize,
    /// End of the minutes; seconds stay.
    end: usize,
    minutes: i32,
    /// Whether the hour has two digits.
    padded: bool,
}

/// The times of a dialogue that can be shifted: all or none.
#[derive(Debug, Clone, Default)]
pub struct Clocks {
    times: BTreeSet<i32>,
}

/// The times to shift, and by how many minutes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shift {
    times: BTreeSet<i32>,
    by: i32,
}

impl Clocks {
    /// Finds the times of a dialogue.
    pub fn of(dialogue: &Dialogue) -> Self {
        let said = dialogue.turns.iter().filter_map(|turn| match turn {
            Turn::User { text } => Some(clocks(text)),
            _ => None,
        });
        let said: BTreeSet<i32> = said.flatten().map(|it| it.minutes).collect();
        let calls = dialogue.calls().filter(|call| !call.is_search());
        let passed: BTreeSet<i32> = calls
            .flat_map(|call| arguments(call, dialogue))
            .filter(|(param, _)| takes_clocks(param))
            .flat_map(|(_, text)| clocks(&text))
            .map(|clock| clock.minutes)
            .filter(|minutes| !WHOLE_DAY.contains(minutes))
            .collect();
        let is_said = |time: &i32| said.iter().any(|it| it % HALF == time % HALF);
        // Unless a time is stated in words, an unstated one is derived from a stated one.
        let told_otherwise = utterances(dialogue).any(tells_other_time)
            || leaves(&json!(dialogue.hard)).iter().any(|text| !clocks(text).is_empty());
        if !passed.iter().any(is_said) || told_otherwise {
            return Clocks::default();
        }
        let all = utterances(dialogue).flat_map(clocks).map(|it| it.minutes).chain(passed);
        Clocks { times: all.filter(|minutes| !WHOLE_DAY.contains(minutes)).collect() }
    }

    /// Draws the shift; `None` without times.
    pub fn draw(&self, seed: u32, dialogue: &Dialogue, attempt: usize) -> Option<Shift> {
        let quarters = self.times.iter().all(|time| time % 15 == 0);
        let mut choice = if quarters { QUARTERS.to_vec() } else { FIVES.to_vec() };
        choice.retain(|by| self.times.iter().all(|time| moved(*time, *by).is_some()));
        if self.times.is_empty() {
            return None;
        }
        let drawn = random(seed, "times", dialogue, attempt).below(choice.len());
        choice.get(drawn).map(|by| Shift { times: self.times.clone(), by: *by })
    }
}

impl Shift {
    /// The text with the times shifted.
    pub fn rewrite(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for clock in clocks(text) {
            let new = moved(clock.minutes, self.by);
            let Some(new) = new.filter(|_| self.times.contains(&clock.minutes)) else { continue };
            out.push_str(&text[at..clock.start]);
            let (hour, minute) = (new / 60, new % 60);
            let width = if clock.padded { 2 } else { 1 };
            out.push_str(&format!("{hour:0width$}:{minute:02}"));
            at = clock.end;
        }
        out + &text[at..]
    }

    /// The dialogue with the times shifted, in utterances and arguments.
    pub fn rewrite_dialogue(&self, dialogue: &Dialogue) -> Dialogue {
        rewritten(dialogue, takes_clocks, &|text| self.rewrite(text))
    }
}

/// The shifted time; `None` if it leaves its half of the day, or enters or leaves hour 12.
fn moved(minutes: i32, by: i32) -> Option<i32> {
    let new = minutes + by;
    let noon = |minutes: i32| minutes / 60 == 12;
    let stays = (0..DAY).contains(&new)
        && new / HALF == minutes / HALF
        && noon(new) == noon(minutes)
        && !WHOLE_DAY.contains(&new);
    stays.then_some(new)
}

fn takes_clocks(param: &Param) -> bool {
    matches!(param.kind, Kind::DateTime) || is_free_text(param)
}

/// The times of day in a text.
fn clocks(text: &str) -> Vec<Clock> {
    let mut found = Vec::new();
    for (colon, _) in text.match_indices(':') {
        let (before, after) = (&text[..colon], &text[colon + 1..]);
        let hour = before.len() - before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let minute = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let start = colon - hour;
        let joined = text[..start]
            .chars()
            .next_back()
            .is_some_and(|c| c.is_alphanumeric() || matches!(c, ':' | '.' | '-'));
        let end = colon + 1 + minute;
        let word = text[end..].chars().next().is_some_and(char::is_alphanumeric);
        let digits = |from: usize, to: usize| text[from..to].parse::<i32>().ok();
        if !(1..=2).contains(&hour) || minute != 2 || joined || word {
            continue;
        }
        if let (Some(hours), Some(minutes)) = (digits(start, colon), digits(colon + 1, end))
            && hours < 24
            && minutes < 60
        {
            found.push(Clock { start, end, minutes: hours * 60 + minutes, padded: hour == 2 });
        }
    }
    found
}

/// Whether a text may state a time in another form than hour and minute in digits.
fn tells_other_time(text: &str) -> bool {
    let mut plain = text.replace("a.m.", "am").replace("p.m.", "pm");
    for clock in clocks(&plain).iter().rev() {
        plain.replace_range(clock.start..clock.end, "clock");
    }
    let said = words(&plain);
    let is_hour = |word: &str| cardinal(word).is_some_and(|it| it <= 12.0) && word != "a";
    let hour_after = said
        .iter()
        .zip(said.iter().skip(1))
        .any(|(before, word)| BEFORE_HOUR.contains(&before.as_str()) && is_hour(word));
    // `7pm`, `at 7`, `half 7`, but not a date: `from 3 to 7 June`.
    let in_digits = figures(&plain).iter().any(|figure| {
        let before = words(&plain[..figure.start]);
        let at = before.last().is_some_and(|word| BEFORE_HOUR.contains(&word.as_str()));
        let after = words(&plain[figure.end..]);
        let counts = after.first().is_some_and(|word| UNITS.contains(&word.as_str()));
        let whole = figure.decimals == 0 && figure.value <= 24 * unit(0);
        figure.plain && whole && at && !counts
    });
    let half = |word: &str| {
        let digits = word.trim_end_matches("am").trim_end_matches("pm");
        !digits.is_empty() && digits != word && digits.bytes().all(|it| it.is_ascii_digit())
    };
    let halves = said.iter().zip(said.iter().skip(1)).any(|(hour, word)| {
        let numeric = hour.bytes().all(|it| it.is_ascii_digit()) || is_hour(hour);
        matches!(word.as_str(), "am" | "pm") && numeric
    });
    hour_after
        || in_digits
        || halves
        || said.iter().any(|word| TOLD.contains(&word.as_str()) || half(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_move_and_nothing_else() {
        let cases = [
            ("Wake me at 7:30, not 07:40.", "Wake me at 7:45, not 07:55."),
            (
                "2024-05-20 16:00:00 to 2024-05-20 23:59:59",
                "2024-05-20 16:15:00 to 2024-05-20 23:59:59",
            ),
            ("from 00:00 on, at 9:50", "from 00:00 on, at 10:05"),
            ("a score of 3:2, verse 12:345, x1:30", "a score of 3:2, verse 12:345, x1:30"),
        ];
        let times = [450, 460, 960, 590, 1439];
        let shift = Shift { times: times.into(), by: 15 };
        for (old, new) in cases {
            assert_eq!(shift.rewrite(old), new);
        }
    }

    #[test]
    fn times_stay_in_their_half_of_the_day() {
        assert_eq!(moved(11 * 60 + 50, 15), None);
        assert_eq!(moved(12 * 60 + 50, 15), None);
        assert_eq!(moved(13 * 60, -15), None);
        assert_eq!(moved(23 * 60 + 50, 15), None);
        assert_eq!(moved(13 * 60 + 15, -15), Some(13 * 60));
    }

    #[test]
    fn times_in_words_are_noticed() {
        for text in [
            "at seven",
            "half past two",
            "at 7",
            "by 7pm",
            "7 p.m.",
            "noon",
            "half six",
            "ten to seven",
        ] {
            assert!(tells_other_time(text), "{text}");
        }
        for text in ["at 7:30 pm", "from 3 to 7 June", "seven people", "at 3 degrees", "two of us"]
        {
            assert!(!tells_other_time(text), "{text}");
        }
    }
}
