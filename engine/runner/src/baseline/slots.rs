//! Slot filling by type and pattern: extracts dates, times, numbers and names from text.

use apis::{Api, Arguments, Kind};
use dataset::Turn;
use dataset::own_tools::{Tool, schema};
use dataset::text::calendar::MONTHS;
use regex_lite::Regex;
use serde_json::Value;
use std::sync::LazyLock;

#[expect(clippy::expect_used, reason = "the patterns are constants that tests compile")]
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is valid")
}

static ISO: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b"));
static DAY_FIRST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)\b(\d{1,2})(?:st|nd|rd|th)?(?: of)? ([a-z]{3,9}),?(?: (\d{4}))?\b")
});
static MONTH_FIRST: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\b([a-z]{3,9}) (\d{1,2})(?:st|nd|rd|th)?,?(?: (\d{4}))?\b"));
static CLOCK: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\b(\d{1,2})(?::(\d{2}))? ?(am|pm)\b|\b(\d{1,2}):(\d{2})\b"));
static NUMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r"-?\d+(?:\.\d+)?"));
static QUOTED: LazyLock<Regex> = LazyLock::new(|| pattern(r#""([^"]+)"|“([^”]+)”"#));
static USERNAME: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\buser ?name(?:'s| is|:)? ([\w.@-]*\w)|\b([a-z]+[._][a-z]+)\b"));
static PASSWORD: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\bpassword(?:'s| is|:)? (\S*[^\s.,])"));
static EMAIL: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b[\w.+-]+@[\w.-]+\w\b"));
static URL: LazyLock<Regex> = LazyLock::new(|| pattern(r"https?://\S*[^\s.,;!?)]"));
static CODE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b[A-Z]{2,6}\b"));
/// A code with a digit: `10482`, `P-310`.
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(?:[A-Za-z]+-?)?\d[\w-]*\b"));
/// Suffixes of parameters that take such codes.
const CODED: [&str; 3] = ["_id", "_number", "_code"];
static FORMULA: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"[(\d][\d\s.()+*/-]*[+*/-][\d\s.()+*/-]*[\d)]"));
static NAME: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b[A-Z][\w'’]+(?: (?:of |the )?[A-Z][\w'’]+)+"));

/// The user's utterances and the results so far, latest last.
struct Context<'a> {
    said: Vec<&'a str>,
    results: Vec<&'a Value>,
}

/// Arguments for an API, taken from the conversation; slots without a match stay empty.
pub(super) fn fill(api: &Api, history: &[Turn]) -> Arguments {
    let context = Context::new(history);
    context.fill(api.params.iter().map(|param| (param.name, param.kind)))
}

/// Arguments for a pack's own tool: its required parameters by their JSON Schema types, and choices
/// that the user names.
pub(super) fn fill_own(tool: &Tool, history: &[Turn]) -> Arguments {
    let context = Context::new(history);
    let kind = |schema: &Value| {
        Some(match (schema::only_type(schema)?, schema["format"].as_str()) {
            ("string", Some("date")) => Kind::Date,
            ("string", _) => Kind::Text,
            ("integer", _) => Kind::Integer,
            ("number", _) => Kind::Number,
            ("boolean", _) => Kind::Boolean,
            ("array", _) => Kind::TextList,
            _ => return None,
        })
    };
    let plain =
        tool.params().filter(|(name, schema)| tool.requires(name) && schema.get("enum").is_none());
    let mut arguments = context.fill(plain.filter_map(|(name, it)| Some((name, kind(it)?))));
    for (name, value) in &mut arguments {
        let is_code = CODED.iter().any(|end| name.ends_with(end));
        let known = context.results.iter().any(|result| result.get(name).is_some());
        let code = context.latest(|said| first(&NUMBERED, said)).filter(|_| is_code && !known);
        if let (Some(code), true) = (code, value.is_string()) {
            *value = Value::from(code);
        }
    }
    for (name, schema) in tool.params() {
        let choices = schema["enum"].as_array().into_iter().flatten();
        let said = context.said.last().map(|it| it.to_lowercase()).unwrap_or_default();
        let named = |choice: &&Value| {
            choice.as_str().is_some_and(|it| said.contains(&it.to_lowercase().replace('_', " ")))
        };
        if let Some(choice) = choices.clone().find(named) {
            arguments.insert(name.to_owned(), choice.clone());
        }
    }
    arguments
}

/// The token that the latest login returned.
pub(super) fn last_token(history: &[Turn]) -> Option<&str> {
    let results = history.iter().rev().filter_map(Turn::as_call);
    results.filter_map(|call| call.result.output.as_ref()?.get("token")?.as_str()).next()
}

impl<'a> Context<'a> {
    fn new(history: &'a [Turn]) -> Self {
        let mut context = Context { said: Vec::new(), results: Vec::new() };
        for turn in history {
            match turn {
                Turn::User { text } => context.said.push(text),
                Turn::Api(call) if !call.is_search() => {
                    context.results.extend(call.result.output.as_ref());
                }
                _ => {}
            }
        }
        context
    }

    fn fill<'b>(&self, params: impl Iterator<Item = (&'b str, Kind)>) -> Arguments {
        let mut seen_of_kind: Vec<(&'static str, usize)> = Vec::new();
        let mut arguments = Arguments::new();
        for (name, kind) in params {
            let label = kind.format().unwrap_or(kind.label());
            let nth = match seen_of_kind.iter_mut().find(|(known, _)| *known == label) {
                Some((_, count)) => {
                    *count += 1;
                    *count
                }
                None => {
                    seen_of_kind.push((label, 0));
                    0
                }
            };
            if let Some(value) = self.slot(name, kind, nth) {
                arguments.insert(name.to_owned(), value);
            }
        }
        arguments
    }

    /// A value for the `nth` (from 0) parameter of its kind.
    fn slot(&self, name: &str, kind: Kind, nth: usize) -> Option<Value> {
        // A field of an earlier result with the parameter's name takes precedence.
        let known = self.results.iter().rev().find_map(|result| result.get(name));
        if let Some(known) = known {
            return Some(known.clone());
        }
        match kind {
            Kind::Text => self.text(name).map(Value::from),
            Kind::Date => self.nth_latest(nth, dates).map(Value::from),
            Kind::DateTime => self.date_time(nth).map(Value::from),
            Kind::MonthDay => {
                self.nth_latest(nth, dates).and_then(|date| Some(Value::from(date.get(5..)?)))
            }
            Kind::Integer | Kind::Number => {
                self.nth_latest(nth, numbers).and_then(|text| apis::literal::number(&text))
            }
            Kind::Boolean => {
                let off = self.said.last().is_some_and(|said| said.contains(" off"));
                Some(Value::from(!off))
            }
            Kind::TextList | Kind::UntypedTextList => {
                let names =
                    self.latest(|said| Some(matches(&NAME, said)).filter(|n| !n.is_empty()));
                names.map(Value::from)
            }
            Kind::RecordList(_) => None,
        }
    }

    /// The match in the latest utterance that has one.
    fn latest<T>(&self, find: impl Fn(&str) -> Option<T>) -> Option<T> {
        self.said.iter().rev().find_map(|said| find(said))
    }

    /// The `nth` match in the latest utterance that has any, or else its last match.
    fn nth_latest(&self, nth: usize, find: fn(&str) -> Vec<String>) -> Option<String> {
        let found = self.latest(|said| Some(find(said)).filter(|found| !found.is_empty()))?;
        found.get(nth).or(found.last()).cloned()
    }

    fn date_time(&self, nth: usize) -> Option<String> {
        let date = self.nth_latest(nth, dates)?;
        let time = self.nth_latest(nth, times)?;
        Some(format!("{date} {time}"))
    }

    fn text(&self, name: &str) -> Option<String> {
        let by_name = match name {
            "username" | "user_name" => self.latest(|said| first(&USERNAME, said)),
            "password" | "new_password" | "old_password" => {
                self.latest(|said| first(&PASSWORD, said))
            }
            "email" | "receiver" | "recipient" => self.latest(|said| first(&EMAIL, said)),
            "url" => self.latest(|said| first(&URL, said)),
            "stock_code" => self.latest(|said| first(&CODE, said)),
            "formula" => self.latest(|said| first(&FORMULA, said)),
            "token" => return None,
            "keywords" => return self.said.last().map(|said| (*said).to_owned()),
            _ => None,
        };
        by_name
            .or_else(|| self.latest(|said| first(&QUOTED, said)))
            .or_else(|| self.latest(|said| first(&NAME, said)))
            .or_else(|| self.said.last().map(|said| (*said).to_owned()))
    }
}

/// The first matching group, or else the whole match.
fn first(pattern: &Regex, text: &str) -> Option<String> {
    let found = pattern.captures(text)?;
    let group = found.iter().skip(1).flatten().next().or(found.get(0))?;
    Some(group.as_str().trim().to_owned())
}

fn matches(pattern: &Regex, text: &str) -> Vec<String> {
    pattern.find_iter(text).map(|found| found.as_str().to_owned()).collect()
}

/// Dates as `YYYY-MM-DD`, in order of appearance. A date without a year takes that of another date.
fn dates(text: &str) -> Vec<String> {
    let mut found: Vec<(usize, Option<i32>, u32, u32)> = Vec::new();
    let group = |captures: &regex_lite::Captures<'_>, index: usize| {
        captures.get(index).map(|found| found.as_str().to_owned())
    };
    for captures in ISO.captures_iter(text) {
        let at = captures.get(0).map_or(0, |found| found.start());
        let number = |index| group(&captures, index)?.parse::<u32>().ok();
        if let (Some(year), Some(month), Some(day)) = (number(1), number(2), number(3)) {
            found.push((at, i32::try_from(year).ok(), month, day));
        }
    }
    for (pattern, day_at, month_at) in [(&DAY_FIRST, 1, 2), (&MONTH_FIRST, 2, 1)] {
        for captures in pattern.captures_iter(text) {
            let at = captures.get(0).map_or(0, |found| found.start());
            let month = group(&captures, month_at).and_then(|name| month(&name));
            let day = group(&captures, day_at).and_then(|day| day.parse().ok());
            let year = group(&captures, 3).and_then(|year| year.parse().ok());
            if let (Some(month), Some(day)) = (month, day)
                && !found.iter().any(|known| known.2 == month && known.3 == day)
            {
                found.push((at, year, month, day));
            }
        }
    }
    found.sort_unstable();
    let year = found.iter().find_map(|date| date.1);
    found
        .iter()
        .filter_map(|(_, own, month, day)| {
            Some(format!("{:04}-{month:02}-{day:02}", own.or(year)?))
        })
        .collect()
}

fn month(name: &str) -> Option<u32> {
    let start = name.get(..3)?.to_ascii_lowercase();
    let index = MONTHS.iter().position(|month| month.starts_with(&start))?;
    u32::try_from(index + 1).ok()
}

/// Times of day as `HH:MM:SS`, in order of appearance.
fn times(text: &str) -> Vec<String> {
    CLOCK
        .captures_iter(text)
        .filter_map(|captures| {
            let number = |index: usize| captures.get(index)?.as_str().parse::<u32>().ok();
            let (hour, minute) = match captures.get(3) {
                Some(half) => {
                    let noon = if half.as_str().eq_ignore_ascii_case("pm") { 12 } else { 0 };
                    (number(1)? % 12 + noon, number(2).unwrap_or(0))
                }
                None => (number(4)?, number(5)?),
            };
            Some(format!("{hour:02}:{minute:02}:00"))
        })
        .collect()
}

fn numbers(text: &str) -> Vec<String> {
    matches(&NUMBER, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use apis::{Suite, registry};
    use serde_json::json;

    #[test]
    fn dates_and_times_are_found() {
        assert_eq!(dates("from 2 July 2024 until the 6th of July"), ["2024-07-02", "2024-07-06"]);
        assert_eq!(dates("on May 13th 2024, or 2024-5-14"), ["2024-05-13", "2024-05-14"]);
        assert_eq!(dates("in may, sometime"), Vec::<String>::new());
        assert_eq!(times("at 7:05, 3 pm or 12:30am"), ["07:05:00", "15:00:00", "00:30:00"]);
    }

    #[test]
    fn every_pattern_compiles_and_fills_its_slot() {
        let said = |text: &str| vec![Turn::User { text: text.to_owned() }];
        let login = registry::find(Suite::Dialogue, "GetUserToken").unwrap();
        let text = "My username is ann.lee and the password is s3cret!.";
        assert_eq!(
            Value::Object(fill(login, &said(text))),
            json!({"username": "ann.lee", "password": "s3cret!"})
        );
        let stock = registry::find(Suite::Dialogue, "QueryStock").unwrap();
        assert_eq!(
            Value::Object(fill(stock, &said("What was NWIND worth on 14 May 2024?"))),
            json!({"stock_code": "NWIND", "date": "2024-05-14"})
        );
        let sum = registry::find(Suite::Dialogue, "Calculator").unwrap();
        assert_eq!(
            Value::Object(fill(sum, &said("What is (5+6)*3 please?"))),
            json!({"formula": "(5+6)*3"})
        );
        for pattern in [&QUOTED, &EMAIL, &URL, &NAME] {
            assert!(!pattern.is_match(""));
        }
    }
}
