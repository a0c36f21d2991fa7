//! Days of the month: all days of a dialogue shift by the same number of weeks within their months, so
//! weekdays, months and intervals stay the same.

use super::{arguments, leaves, random, rewrite, rewritten, utterances};
use crate::dialogue::{Dialogue, Turn};
use crate::text::calendar::{MONTHS, WEEKDAYS};
use crate::text::numbers::{cardinal, ordinal, quantity};
use crate::text::words::words;
use apis::{Kind, Param};
use jiff::civil::Date;
use serde_json::json;

/// Shifts in days.
const WEEKS: [i8; 6] = [-21, -14, -7, 7, 14, 21];
/// Words that place a day in relation to today or to a feast.
const RELATIVE: [&str; 13] = [
    "ago",
    "christmas",
    "easter",
    "eve",
    "holiday",
    "midsummer",
    "solstice",
    "today",
    "tomorrow",
    "tonight",
    "tonights",
    "weekend",
    "yesterday",
];
/// Time spans, relative to today unless a word of [`BETWEEN_DAYS`] follows.
const SPANS: [&str; 7] = ["day", "days", "fortnight", "month", "months", "week", "weeks"];
/// Words after a span between two days: `a week later`.
const BETWEEN_DAYS: [&str; 5] = ["after", "before", "earlier", "later", "of"];
/// Words between two days that share a month.
const BETWEEN: [&str; 8] = ["-", "–", " and ", " or ", " till ", " to ", " until ", " not "];
/// Words between a day and its month.
const OF: [&str; 2] = [" ", " of "];
/// Words before a month that select a part of it.
const PARTS: [&str; 4] = ["early", "late", "mid", "of"];

/// A day of the month in a text: `3 June`, `the 3rd`, `2024-06-03`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mention {
    start: usize,
    end: usize,
    /// Year and month, if the text has them there.
    year: Option<i16>,
    month: Option<i8>,
    day: i8,
    form: Form,
    /// Whether it ends its clause: no `5th floor`.
    alone: bool,
}

impl Mention {
    fn is(&self, date: Date) -> bool {
        self.day == date.day()
            && self.month.is_none_or(|month| month == date.month())
            && self.year.is_none_or(|year| year == date.year())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `3`
    Plain,
    /// `3rd`
    Ordinal,
    /// `03`
    Padded,
}

/// The days of a dialogue that can be shifted: all or none.
#[derive(Debug, Clone, Default)]
pub struct Days {
    days: Vec<Date>,
    today: Date,
}

/// The days to shift, and by how many days.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    days: Vec<Date>,
    by: i8,
}

impl Days {
    /// Finds the days of a dialogue.
    pub fn of(dialogue: &Dialogue, today: Date) -> Self {
        let mut told: Vec<String> = utterances(dialogue).map(str::to_owned).collect();
        told.extend(leaves(&json!(dialogue.hard)));
        let mut all: Vec<Mention> = Vec::new();
        for text in &told {
            all.extend(mentions(text));
        }
        let said = all.len();
        for call in dialogue.calls().filter(|call| !call.is_search()) {
            for (_, text) in arguments(call, dialogue) {
                all.extend(mentions(&text));
            }
            told.extend(call.result.output.iter().flat_map(leaves));
        }
        // An ordinal alone may count something else.
        let is_clear = |it: &Mention| {
            let named = |other: &Mention| other.month.is_some() && other.day == it.day;
            it.year.is_none_or(|year| year == today.year())
                && (it.month.is_some() || it.alone || all.iter().any(named))
        };
        let is_passed = all.len() > said;
        if !is_passed || !all.iter().all(is_clear) || told.iter().any(|it| tells_otherwise(it)) {
            return Days::default();
        }
        let months: Vec<i8> = all.iter().filter_map(|it| it.month).collect();
        let mut days = Vec::new();
        for it in &all {
            let own = it.month.map(|month| vec![month]);
            for month in own.as_ref().unwrap_or(&months) {
                let Ok(day) = Date::new(today.year(), *month, it.day) else {
                    return Days::default();
                };
                days.push(day);
            }
        }
        Days { days, today }
    }

    /// Draws the shift; `None` if no shift fits.
    pub fn draw(&self, seed: u32, dialogue: &Dialogue, attempt: usize) -> Option<Move> {
        if self.days.is_empty() {
            return None;
        }
        let fits = |by: &&i8| {
            self.days.iter().all(|day| {
                let new = Date::new(day.year(), day.month(), day.day() + **by);
                new.is_ok_and(|new| {
                    *day != self.today
                        && new != self.today
                        && (new < self.today) == (*day < self.today)
                })
            })
        };
        let choice: Vec<&i8> = WEEKS.iter().filter(fits).collect();
        let drawn = random(seed, "days", dialogue, attempt).below(choice.len());
        choice.get(drawn).map(|by| Move { days: self.days.clone(), by: **by })
    }
}

impl Move {
    /// The text with its days shifted.
    pub fn rewrite(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for mention in mentions(text).iter().filter(|it| self.days.iter().any(|day| it.is(*day))) {
            out.push_str(&text[at..mention.start]);
            let day = mention.day + self.by;
            out += &match mention.form {
                Form::Plain => day.to_string(),
                Form::Ordinal => format!("{day}{}", suffix(day)),
                Form::Padded => format!("{day:02}"),
            };
            at = mention.end;
        }
        out + &text[at..]
    }

    /// The dialogue with its days shifted in utterances, arguments, results and its entry of the hard
    /// split.
    pub fn rewrite_dialogue(&self, dialogue: &Dialogue) -> Dialogue {
        let new = |text: &str| self.rewrite(text);
        let mut dialogue = rewritten(dialogue, takes_days, &new);
        for turn in &mut dialogue.turns {
            let Turn::Api(call) = turn else { continue };
            if call.is_search() {
                continue;
            }
            let results = call.alternatives.iter_mut().map(|it| &mut it.result);
            for result in results.chain(std::iter::once(&mut call.result)) {
                result.output.iter_mut().for_each(|output| rewrite(output, &new));
                result.exception.iter_mut().for_each(|text| *text = new(text));
            }
        }
        if let Some(hard) = &mut dialogue.hard {
            hard.right = new(&hard.right);
            hard.rules.iter_mut().for_each(|rules| *rules = new(rules));
            let planted = hard.planted.iter_mut().flat_map(|it| it.param_dict.values_mut());
            planted.for_each(|value| rewrite(value, &new));
        }
        dialogue
    }
}

fn takes_days(param: &Param) -> bool {
    matches!(param.kind, Kind::Date | Kind::DateTime | Kind::Text)
}

/// The days in a text.
fn mentions(text: &str) -> Vec<Mention> {
    let runs = runs(text);
    let mut found: Vec<Option<Mention>> = runs.iter().map(|run| day(text, *run)).collect();
    let months: Vec<Option<i8>> = runs.iter().map(|run| month(&text[run.0..run.1])).collect();
    let month = |at: usize| months.get(at).copied().flatten();
    let gap = |at: usize| match (runs.get(at), runs.get(at + 1)) {
        (Some((_, end)), Some((start, _))) => &text[*end..*start],
        _ => "",
    };
    for at in 0..runs.len() {
        if let Some(iso) = iso(text, &runs[at..]) {
            found[at..at + 3].fill(None);
            found[at + 2] = Some(iso);
        }
        // `May 3`, `May the 3rd`, `3 May`, `the 3rd of May`
        let is = |at: usize, word: &str| runs.get(at).is_some_and(|it| text[it.0..it.1] == *word);
        let before = at.checked_sub(1 + usize::from(at > 0 && is(at - 1, "the"))).and_then(month);
        let after = month(at + 1 + usize::from(is(at + 1, "of")));
        let name = after.filter(|_| gap(at) == " ");
        let name = name.or(before.filter(|_| at > 0 && gap(at - 1) == " "));
        if let (Some(it), Some(name)) = (&mut found[at], name) {
            it.month = it.month.or(Some(name));
        }
    }
    share_months(text, &runs, &mut found);
    for (at, mention) in found.iter_mut().enumerate() {
        // `3 June 2024`, `June 3, 2024`
        let year = [at + 1, at + 2].into_iter().find_map(|next| {
            let (start, end) = *runs.get(next)?;
            let joined = [" ", ", "].contains(&gap(next - 1)) && end - start == 4;
            text[start..end].parse().ok().filter(|_| joined)
        });
        if let Some(it) = mention.as_mut().filter(|it| it.month.is_some()) {
            it.year = it.year.or(year);
        }
    }
    let is_day = |it: &Mention| it.month.is_some() || it.form == Form::Ordinal;
    found.into_iter().flatten().filter(is_day).collect()
}

/// Copies the month to a joined day that lacks one: `3 to 6 June`, `June 3 to 6`.
fn share_months(text: &str, runs: &[(usize, usize)], found: &mut [Option<Mention>]) {
    let joined = |from: &Mention, to: &Mention| {
        let between = text[from.end..to.start].trim_start_matches(',').trim_end_matches("the ");
        BETWEEN.contains(&between)
    };
    for back in [false, true] {
        for step in 0..runs.len() {
            let at = if back { runs.len() - 1 - step } else { step };
            // A joining word is a run, too.
            for next in [at + 1, at + 2, at + 3] {
                let (Some(Some(one)), Some(Some(other))) = (found.get(at), found.get(next)) else {
                    continue;
                };
                if !joined(one, other) || one.form == Form::Padded || other.form == Form::Padded {
                    continue;
                }
                let month = one.month.or(other.month);
                for it in [at, next] {
                    if let Some(Some(it)) = found.get_mut(it) {
                        it.month = it.month.or(month);
                    }
                }
            }
        }
    }
}

/// The runs of letters and digits, as start and end.
fn runs(text: &str) -> Vec<(usize, usize)> {
    let mut runs = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain(std::iter::once((text.len(), ' '))) {
        match (c.is_alphanumeric(), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                runs.push((from, at));
                start = None;
            }
            _ => {}
        }
    }
    runs
}

/// A day without a month: `3`, `3rd`.
fn day(text: &str, (start, end): (usize, usize)) -> Option<Mention> {
    let run = &text[start..end];
    let digits = run.len() - run.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let day: i8 = run[..digits].parse().ok().filter(|day| (1..=31).contains(day))?;
    let form = match &run[digits..] {
        "" if !run.starts_with('0') => Form::Plain,
        end if end == suffix(day) => Form::Ordinal,
        _ => return None,
    };
    // `7:30`, `2.5`
    let joined = |c: char| matches!(c, ':' | '.' | ',' | '/');
    let digit = |c: char| c.is_ascii_digit();
    let part = text[end..].strip_prefix(joined).is_some_and(|it| it.starts_with(digit))
        || text[..start].strip_suffix(joined).is_some_and(|it| it.ends_with(digit));
    let alone = text[end..].is_empty() || text[end..].starts_with(['.', ',', ';', '!', '?', ':']);
    (!part).then_some(Mention { start, end, year: None, month: None, day, form, alone })
}

/// A date that begins with the first run: `2024-06-03`.
fn iso(text: &str, runs: &[(usize, usize)]) -> Option<Mention> {
    let [year, month, day, ..] = runs else { return None };
    let number = |run: &(usize, usize), len: usize| {
        text[run.0..run.1].parse::<i16>().ok().filter(|_| run.1 - run.0 == len)
    };
    let dashes = text[year.1..month.0] == *"-" && text[month.1..day.0] == *"-";
    let (year, month) = (number(year, 4)?, i8::try_from(number(month, 2)?).ok()?);
    let (start, end) = *day;
    let day = i8::try_from(number(day, 2)?).ok()?;
    let form = Form::Padded;
    dashes.then_some(Mention {
        start,
        end,
        year: Some(year),
        month: Some(month),
        day,
        form,
        alone: true,
    })
}

fn month(word: &str) -> Option<i8> {
    let at = MONTHS.iter().position(|it| it.eq_ignore_ascii_case(word))?;
    i8::try_from(at + 1).ok()
}

fn suffix(day: i8) -> &'static str {
    match day {
        1 | 21 | 31 => "st",
        2 | 22 => "nd",
        3 | 23 => "rd",
        _ => "th",
    }
}

/// Whether a text may refer to a day other than by number, or states something true of that day only.
fn tells_otherwise(text: &str) -> bool {
    let said = words(text);
    let days = mentions(text);
    // `early June`, `the end of May`
    let is_lone =
        |at: usize| !days.iter().any(|it| it.end <= at && OF.contains(&&text[it.end..at]));
    let part = MONTHS.iter().flat_map(|month| places(text, month)).any(|(at, _)| {
        let before = words(&text[..at]);
        is_lone(at) && before.last().is_some_and(|word| PARTS.contains(&word.as_str()))
    });
    let mut weekdays = WEEKDAYS.iter().flat_map(|day| places(text, day));
    tells_in_words(&said)
        || is_relative(&said)
        || part
        || weekdays.any(|(from, to)| !is_beside_day(text, from, to, &days))
}

/// Whether words tell a day: `the eighth`, `twenty-first` and `the third of July`, but not `the first
/// of our rooms`.
fn tells_in_words(said: &[String]) -> bool {
    said.iter().enumerate().any(|(at, word)| {
        let Some(day) = ordinal(word) else { return false };
        let before = at.checked_sub(1).and_then(|at| cardinal(&said[at]));
        let after = |ahead: usize| said.get(at + ahead).map_or("", String::as_str);
        let of_month = after(1) == "of" && MONTHS.contains(&after(2));
        day > 3 || before.is_some_and(|it| it >= 20.0) || of_month
    })
}

/// Whether words place a day in relation to today or to a feast.
fn is_relative(said: &[String]) -> bool {
    said.iter().enumerate().any(|(at, word)| {
        let before = |back: usize| at.checked_sub(back).map_or("", |at| said[at].as_str());
        let counted = quantity(before(1)).is_some();
        let after = said.get(at + 1).is_some_and(|it| BETWEEN_DAYS.contains(&it.as_str()));
        // `in two days`, `this week`
        let from_now = counted && ["in", "within"].contains(&before(2))
            || !(word.starts_with("day") || counted && after);
        SPANS.contains(&word.as_str()) && from_now || RELATIVE.contains(&word.as_str())
    })
}

/// The byte ranges of a name in a text.
fn places(text: &str, name: &str) -> Vec<(usize, usize)> {
    let small = text.to_ascii_lowercase();
    small.match_indices(name).map(|(at, it)| (at, at + it.len())).collect()
}

/// Whether the weekday at bytes `from..to` is next to its date: `Sunday the 23rd`, `21 May, a Tuesday`.
fn is_beside_day(text: &str, from: usize, to: usize, days: &[Mention]) -> bool {
    let all = |gap: &str, known: &[&str]| {
        let is_known = |word: &String| {
            known.contains(&word.as_str())
                || MONTHS.iter().any(|month| month == word)
                || word.len() == 4 && word.bytes().all(|it| it.is_ascii_digit())
        };
        !gap.contains(['.', '?', '!', ';']) && words(gap).iter().all(is_known)
    };
    !text[to..].starts_with(char::is_alphanumeric)
        && days.iter().any(|it| {
            it.start >= to && all(&text[to..it.start], &["the"])
                || it.end <= from
                    && all(&text[it.end..from], &["a", "is", "of", "thats", "the", "which"])
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn days_move_and_nothing_else() {
        let cases = [
            ("On 3 June 2024 at 7:30, 3 of us", "On 10 June 2024 at 7:30, 3 of us"),
            ("from 3 to 8 June, or 9 and 10 June", "from 10 to 15 June, or 16 and 17 June"),
            ("the 3rd of May, the 14th, May 21st", "the 10th of May, the 21st, May 28th"),
            ("June 3 to 6; June 3, 2024", "June 10 to 13; June 10, 2024"),
            ("2024-06-03 08:15:00", "2024-06-10 08:15:00"),
            ("may 18 at 3, 3 of june", "may 25 at 3, 10 of june"),
            ("Room 3, 12 May Street 4", "Room 3, 19 May Street 4"),
            ("10 May 2024, the 35th, 3/4, 2.5", "17 May 2024, the 35th, 3/4, 2.5"),
            ("10 May 2023, 31 May, 2 July", "10 May 2023, 31 May, 2 July"),
        ];
        for (old, new) in cases {
            let mut days = Vec::new();
            for month in [5, 6] {
                days.extend((1..=24).map(|day| date(2024, month, day)));
            }
            assert_eq!(Move { days, by: 7 }.rewrite(old), new);
        }
    }

    #[test]
    fn days_in_words_and_in_relation_to_others_are_noticed() {
        for text in [
            "tomorrow",
            "the eighth of July",
            "the third of July",
            "on Friday",
            "since monday",
            "Mondays",
            "the end of June",
            "early June",
            "in two weeks",
            "next month",
            "the first Tuesday of August",
            "on Christmas",
        ] {
            assert!(tells_otherwise(text), "{text}");
        }
        for text in [
            "Sunday the 23rd",
            "Friday 24 May",
            "21 May, a Tuesday",
            "in June",
            "17 May, that's the Friday",
            "a week later, the day after",
            "the first room",
            "The 5th of June",
            "It is booked from 3 to 8 June.",
        ] {
            assert!(!tells_otherwise(text), "{text}");
        }
    }

    #[test]
    fn days_stay_in_their_month_and_on_their_side_of_today() {
        let days = |list: &[(i8, i8)]| Days {
            days: list.iter().map(|(month, day)| date(2024, *month, *day)).collect(),
            today: date(2024, 5, 15),
        };
        let pack = crate::builtin().unwrap();
        let dialogue = &pack.dialogues[0];
        for (list, choice) in [
            (vec![(6, 3), (6, 23)], vec![7]),
            (vec![(6, 1), (6, 30)], vec![]),
            (vec![(5, 20)], vec![7]),
            (vec![(5, 14)], vec![-7]),
            (vec![(5, 15)], vec![]),
            (vec![], vec![]),
        ] {
            for seed in 0..20 {
                let drawn = days(&list).draw(seed, dialogue, 0);
                assert!(drawn.iter().all(|it| choice.contains(&it.by)), "{list:?}: {drawn:?}");
                assert_eq!(drawn.is_none(), choice.is_empty(), "{list:?}");
            }
        }
    }
}
