//! Whether every argument follows from what stands before its call.
//!
//! A value is grounded by the first [`Rule`] that derives it from the view: what was said, what
//! earlier calls returned, the time, and the values that a description lists.

use super::similar::words;
use crate::{Code, Item, Reason, Tool, Turn};
use apis::{Date, DateTime};
use dataset::checks::words::{MONTHS, WEEKDAYS};
use exchange::shorten;
use serde_json::Value;
use std::collections::BTreeSet;

/// How a value follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Its words stand in the view, side by side.
    Verbatim,
    /// Its words stand in the view, in other places or forms.
    Words,
    /// The number stands in the view, in digits or in words, or follows from a sum of them.
    Number,
    /// The date or time stands in the view in another form, or follows from the time.
    Date,
    /// The description lists the value.
    Documented,
    /// A choice between yes and no.
    Choice,
}

/// What can be seen before a call.
#[derive(Debug, Default)]
struct View {
    /// Words in order, with blanks around: ` book a table `.
    text: String,
    stems: BTreeSet<String>,
    numbers: Vec<f64>,
    time: Option<DateTime>,
}

/// Words that carry nothing.
const STOP: [&str; 28] = [
    "a", "an", "the", "of", "for", "to", "in", "on", "at", "and", "or", "with", "by", "from", "is",
    "are", "be", "my", "your", "his", "her", "their", "our", "it", "this", "that", "as", "s",
];

const NUMBER_WORDS: [(&str, f64); 41] = [
    ("zero", 0.0),
    ("one", 1.0),
    ("a", 1.0),
    ("an", 1.0),
    ("single", 1.0),
    ("once", 1.0),
    ("two", 2.0),
    ("couple", 2.0),
    ("both", 2.0),
    ("twice", 2.0),
    ("pair", 2.0),
    ("three", 3.0),
    ("four", 4.0),
    ("five", 5.0),
    ("six", 6.0),
    ("seven", 7.0),
    ("eight", 8.0),
    ("nine", 9.0),
    ("ten", 10.0),
    ("eleven", 11.0),
    ("twelve", 12.0),
    ("dozen", 12.0),
    ("thirteen", 13.0),
    ("fourteen", 14.0),
    ("fifteen", 15.0),
    ("sixteen", 16.0),
    ("seventeen", 17.0),
    ("eighteen", 18.0),
    ("nineteen", 19.0),
    ("fortnight", 14.0),
    ("twenty", 20.0),
    ("thirty", 30.0),
    ("forty", 40.0),
    ("fifty", 50.0),
    ("sixty", 60.0),
    ("seventy", 70.0),
    ("eighty", 80.0),
    ("ninety", 90.0),
    ("hundred", 100.0),
    ("half", 0.5),
    ("thousand", 1000.0),
];

impl View {
    fn add(&mut self, text: &str) {
        let words = words(text);
        for word in &words {
            self.stems.insert(stem(word));
            let spoken = NUMBER_WORDS.iter().find(|(name, _)| name == word).map(|(_, n)| *n);
            self.numbers.extend(spoken);
        }
        self.numbers.extend(numbers(text));
        self.text = format!("{} {} ", self.text.trim_end(), words.join(" "));
    }

    fn has(&self, phrase: &str) -> bool {
        self.text.contains(&format!(" {phrase} "))
    }

    fn has_number(&self, number: f64) -> bool {
        let near = |a: f64| (a - number).abs() <= 1e-9 * number.abs().max(1.0);
        let known = self.numbers.iter().any(|a| near(*a));
        // The price of three, the total of two: one step of reckoning with what was spoken of.
        // Ones are left out, since every `a` is one.
        let terms = || self.numbers.iter().filter(|a| a.abs() >= 1.5);
        // `The van` is one vehicle: a single thing needs no number.
        known || near(1.0) || terms().any(|a| terms().any(|b| near(a * b) || near(a + b)))
    }
}

/// The numbers in a text: `1,250.5` is one, `14:30` are two.
fn numbers(text: &str) -> Vec<f64> {
    let letters: Vec<char> = text.chars().collect();
    let digit = |at: usize| letters.get(at).is_some_and(char::is_ascii_digit);
    let mut found = Vec::new();
    let mut number = String::new();
    for (at, c) in letters.iter().enumerate() {
        let inside = !number.is_empty() && digit(at + 1);
        match c {
            '0'..='9' => number.push(*c),
            '.' if inside && !number.contains('.') => number.push('.'),
            ',' if inside && digit(at + 2) && digit(at + 3) && !digit(at + 4) => {}
            _ => found.extend(std::mem::take(&mut number).parse::<f64>()),
        }
    }
    found.extend(number.parse::<f64>());
    found
}

/// A word without the commonest endings.
fn stem(word: &str) -> String {
    let endings = ["ing", "ies", "ied", "es", "ed", "s", "e", "y"];
    let cut = endings.into_iter().find_map(|end| {
        let rest = word.strip_suffix(end)?;
        (rest.chars().count() >= 3).then_some(rest)
    });
    cut.unwrap_or(word).to_owned()
}

pub(super) fn check(item: &Item, tools: &[Tool]) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let mut view =
        View { time: item.time.as_deref().and_then(|it| it.parse().ok()), ..View::default() };
    let mut at = 0;
    for turn in &item.turns {
        match turn {
            Turn::User { text } | Turn::Assistant { text } => view.add(text),
            Turn::Api(call) => {
                let tool = tools.iter().find(|tool| tool.name == call.api_name);
                for (name, value) in call.param_dict.iter().filter(|_| !call.is_search()) {
                    let parameter = tool.and_then(|tool| tool.input_parameters.get(name));
                    let description = parameter.map_or("", |it| it.description.as_str());
                    if let Err(leaf) = value_rule(value, description, &view) {
                        let shown = shorten(&leaf, 80);
                        let tool = &call.api_name;
                        let detail = format!(
                            "call {at}, {tool}: {name} is {shown}, which nothing before it says"
                        );
                        reasons.push(Reason::new(Code::Ungrounded, detail));
                    }
                }
                // What a search finds describes an API; it says nothing of this user's matter.
                if !call.is_search() {
                    view.add(&call.result(tools).to_string());
                }
                at += 1;
            }
        }
    }
    reasons
}

/// The rule that grounds a value in some text; `time` as [`Item::time`].
pub fn ground(value: &Value, description: &str, seen: &str, time: Option<&str>) -> Option<Rule> {
    let mut view = View { time: time.and_then(|it| it.parse().ok()), ..View::default() };
    view.add(seen);
    value_rule(value, description, &view).ok()
}

/// The weakest rule that the parts of a value need, or the part that has none.
fn value_rule(value: &Value, description: &str, view: &View) -> Result<Rule, String> {
    let weakest =
        |rules: Result<Vec<Rule>, String>| Ok(rules?.into_iter().max().unwrap_or(Rule::Verbatim));
    match value {
        Value::Null | Value::Bool(_) => Ok(Rule::Choice),
        Value::Array(items) => {
            weakest(items.iter().map(|item| value_rule(item, description, view)).collect())
        }
        Value::Object(fields) => {
            weakest(fields.values().map(|item| value_rule(item, description, view)).collect())
        }
        Value::Number(number) => {
            let known = number.as_f64().is_some_and(|number| view.has_number(number));
            let listed = || numbers(description).iter().any(|it| Some(*it) == number.as_f64());
            match known {
                true => Ok(Rule::Number),
                false if listed() => Ok(Rule::Documented),
                false => Err(number.to_string()),
            }
        }
        Value::String(text) => {
            text_rule(text, description, view).ok_or_else(|| format!("{text:?}"))
        }
    }
}

fn text_rule(text: &str, description: &str, view: &View) -> Option<Rule> {
    let all = words(text);
    if all.is_empty() || view.has(&all.join(" ")) {
        return Some(Rule::Verbatim);
    }
    if is_date_like(text) {
        return dated(text, view).then_some(Rule::Date);
    }
    if let [number] = numbers(text)[..]
        && all.len() <= 2
        && view.has_number(number)
    {
        return Some(Rule::Number);
    }
    let content: Vec<&String> = all.iter().filter(|word| !STOP.contains(&word.as_str())).collect();
    let known = content
        .iter()
        .filter(|word| {
            let number = word.parse::<f64>();
            view.stems.contains(&stem(word)) || number.is_ok_and(|number| view.has_number(number))
        })
        .count();
    // One word in four may be the assistant's own, so that a title can be put in good words.
    if known > 0 && known >= content.len() - content.len() / 4 {
        return Some(Rule::Words);
    }
    let described = words(description).join(" ");
    format!(" {described} ").contains(&format!(" {} ", all.join(" "))).then_some(Rule::Documented)
}

/// Digits with the separators of dates and times, at least one separator.
fn is_date_like(text: &str) -> bool {
    let separated = text.contains(':') || text.matches('-').count() > 0;
    separated
        && text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_digit() || "-: T".contains(c))
}

fn dated(text: &str, view: &View) -> bool {
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

fn day_known(text: &str, view: &View) -> bool {
    if view.has(&words(text).join(" ")) {
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

/// A date that is spoken of from today: weekdays, tomorrow, in two weeks.
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
    // `in two weeks`, `a fortnight`: the number right in front of its unit.
    let counted = |unit: &str, length: i32| {
        let count = f64::from(days.abs()) / f64::from(length);
        let spoken = NUMBER_WORDS.iter().filter(|(_, number)| *number == count);
        let said = spoken.map(|(word, _)| (*word).to_owned()).chain([count.to_string()]);
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

/// A time of day in another form: `9 am`, `half past two`, noon.
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
    // The whole day is the one time that nobody says.
    (hour_said && minute_said) || quarter_to || text == "00:00:00" || text == "23:59:59"
}
