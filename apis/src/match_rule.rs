//! Match rules: when a predicted argument counts as equal to the gold one.
//!
//! A rule compares values in canonical form (see [`crate::arguments::read`]). Accepted values are
//! replaced by the gold ones before the call runs, so that effects compare exactly. For
//! [`Agreement::Unclear`] the effect alone decides.

pub use crate::text::statement::{Agreement, Said};

use crate::domains::{formula_value, language_code};
use crate::text::fold::{self, unaccented};
use crate::text::statement::{self, question};
use crate::text::words::words;
use serde_json::Value;
use std::collections::BTreeSet;
use strum::{EnumCount, VariantArray};
use unicode_normalization::UnicodeNormalization;

/// How the predicted and the gold value of a parameter are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[derive(EnumCount, VariantArray)]
pub enum Rule {
    /// Equal. Also for integers and booleans.
    Exact,
    /// Equal after trimming.
    Trimmed,
    /// Equal after trimming and folding case.
    CaseFolded,
    /// A lookup key: equal ignoring case, punctuation, whitespace and a leading "the"; otherwise
    /// unclear.
    Key,
    /// A person: equal ignoring case, punctuation and a title such as Dr; otherwise unclear.
    Titled,
    /// The same language by name or code; otherwise unclear, because it may be the default.
    Language,
    /// The same place, by [`statement::compare_places`].
    Place,
    /// The same statement, by [`statement::compare`].
    Facts,
    /// The same question, by [`question::compare`]; otherwise unclear, unless it asks for something
    /// else.
    Question,
    /// The same calendar date or day of the year.
    Date,
    /// The same date and time of day.
    DateTime,
    /// The end of a span: the same minute, with 23:59 equal to the midnight after it.
    SpanEnd,
    /// Relative difference of at most 1e-9.
    Number,
    /// The same share, as a fraction up to 1 or a percentage above 1.
    Share,
    /// Degrees: unclear up to 0.01 apart, about a kilometre.
    Degrees,
    /// Lists with the same items in any order, trimmed and case-folded.
    Set,
    /// Lists of records in any order, matched by their first field in any of its names;
    /// the other fields compare as [`Rule::Facts`].
    Records,
    /// Formulas with the same value.
    Formula,
}

/// In degrees; about a kilometre.
const NEAR: f64 = 0.01;

impl Rule {
    /// Every rule.
    pub const ALL: [Rule; Rule::COUNT] = *Rule::VARIANTS.first_chunk().unwrap();

    /// The rule in words, for documentation.
    pub const fn explain(self) -> &'static str {
        match self {
            Rule::Exact => "exactly equal",
            Rule::Trimmed => "equal without outer blanks",
            Rule::CaseFolded => "equal in any case, without outer blanks",
            Rule::Key => "equal in any case, or finds the same",
            Rule::Titled => "the same person, with or without a title, or finds the same",
            Rule::Language => "the same language, by name or code",
            Rule::Place => "the same place, with or without words like \"room\"",
            Rule::Facts => "says the same in any words",
            Rule::Question => "asks for the same, or gets the same answer",
            Rule::Date => "the same day",
            Rule::DateTime => "the same date and time",
            Rule::SpanEnd => "the same end, to the minute",
            Rule::Number => "the same number",
            Rule::Share => "the same share, as a fraction or in percent",
            Rule::Degrees => "within a hundredth of a degree, and finds the same",
            Rule::Set => "the same items in any order",
            Rule::Records => "the same records in any order, described in any words",
            Rule::Formula => "a formula of the same value",
        }
    }

    /// Whether two values in canonical form count as the same without a declaration.
    pub fn same(self, gold: &Value, predicted: &Value) -> bool {
        if gold == predicted {
            return true;
        }
        let numbers = || Some((gold.as_f64()?, predicted.as_f64()?));
        let texts = || Some((gold.as_str()?, predicted.as_str()?));
        let alike = |form: fn(&str) -> String| texts().is_some_and(|(a, b)| form(a) == form(b));
        match self {
            // Dates in canonical form are equal as texts.
            Rule::Exact | Rule::Date | Rule::DateTime => alike(composed),
            Rule::Trimmed => map_text(gold, trimmed) == map_text(predicted, trimmed),
            Rule::CaseFolded => map_text(gold, unaccented) == map_text(predicted, unaccented),
            Rule::Key => alike(bare_key),
            Rule::Titled => alike(|name| untitled(&unaccented(name))),
            Rule::Language => {
                alike(|name| language_code(name).unwrap_or_default().to_owned())
                    && texts().is_some_and(|(a, _)| language_code(a).is_some())
            }
            Rule::Place => texts().is_some_and(|(a, b)| {
                let (a, b) = (place_words(a), place_words(b));
                !a.is_empty() && a == b
            }),
            Rule::Facts | Rule::Question => texts().is_some_and(|(a, b)| {
                let words = |text| fold::content(text).into_iter().collect::<BTreeSet<_>>();
                words(a) == words(b) && !words(a).is_empty()
            }),
            Rule::SpanEnd => texts().is_some_and(|(a, b)| same_end(a, b)),
            Rule::Number => numbers().is_some_and(|(a, b)| close(a, b)),
            Rule::Share => numbers().is_some_and(|(a, b)| close(share(a), share(b))),
            Rule::Degrees => numbers().is_some_and(|(a, b)| (a - b).abs() <= NEAR),
            Rule::Set => match (gold.as_array(), predicted.as_array()) {
                (Some(a), Some(b)) => {
                    let set = |items: &[Value]| -> BTreeSet<String> {
                        items.iter().map(|item| map_text(item, unaccented).to_string()).collect()
                    };
                    set(a) == set(b)
                }
                _ => false,
            },
            Rule::Records => match (gold.as_array(), predicted.as_array()) {
                (Some(a), Some(b)) => same_records(a, b),
                _ => false,
            },
            Rule::Formula => {
                texts().is_some_and(|(a, b)| match (formula_value(a), formula_value(b)) {
                    (Some(a), Some(b)) => close(a, b),
                    _ => false,
                })
            }
        }
    }

    /// Compares two values; `None` is an omitted parameter. If only one call omits it, the result
    /// is unclear.
    pub fn compare(
        self,
        gold: Option<&Value>,
        predicted: Option<&Value>,
        said: &Said<'_>,
    ) -> Agreement {
        match (gold, predicted) {
            (None, None) => Agreement::Same,
            (Some(gold), Some(predicted)) if gold == predicted => Agreement::Same,
            (Some(gold), Some(predicted)) => self.values(gold, predicted, said),
            _ => Agreement::Unclear,
        }
    }

    fn values(self, gold: &Value, predicted: &Value, said: &Said<'_>) -> Agreement {
        let or_different = |same: bool| if same { Agreement::Same } else { Agreement::Different };
        let or_unclear = |same: bool| if same { Agreement::Same } else { Agreement::Unclear };
        let numbers = || Some((gold.as_f64()?, predicted.as_f64()?));
        let texts = || Some((gold.as_str()?, predicted.as_str()?));
        match self {
            // Dates are in canonical form here: equal dates are equal strings.
            Rule::Exact | Rule::Date | Rule::DateTime => Agreement::Different,
            Rule::Trimmed => or_different(map_text(gold, trimmed) == map_text(predicted, trimmed)),
            Rule::CaseFolded => or_different(map_text(gold, folded) == map_text(predicted, folded)),
            Rule::Key => or_unclear(map_text(gold, key) == map_text(predicted, key)),
            Rule::Titled => or_unclear(texts().is_some_and(|(a, b)| untitled(a) == untitled(b))),
            Rule::Language => or_unclear(texts().is_some_and(|(a, b)| {
                language_code(a).is_some() && language_code(a) == language_code(b)
            })),
            Rule::Place => {
                texts().map_or(Agreement::Different, |(a, b)| statement::compare_places(a, b, said))
            }
            Rule::Facts => {
                texts().map_or(Agreement::Different, |(a, b)| statement::compare(a, b, said))
            }
            Rule::Question => {
                texts().map_or(Agreement::Different, |(a, b)| question::compare(a, b, said))
            }
            Rule::SpanEnd => or_different(texts().is_some_and(|(a, b)| same_end(a, b))),
            Rule::Number => or_different(numbers().is_some_and(|(a, b)| close(a, b))),
            Rule::Share => or_different(numbers().is_some_and(|(a, b)| close(share(a), share(b)))),
            Rule::Degrees => match numbers() {
                Some((a, b)) if close(a, b) => Agreement::Same,
                Some((a, b)) if (a - b).abs() <= NEAR => Agreement::Unclear,
                _ => Agreement::Different,
            },
            Rule::Set => match (gold.as_array(), predicted.as_array()) {
                (Some(a), Some(b)) => or_different(as_set(a) == as_set(b)),
                _ => Agreement::Different,
            },
            Rule::Records => match (gold.as_array(), predicted.as_array()) {
                (Some(a), Some(b)) => records(a, b, said),
                _ => Agreement::Different,
            },
            Rule::Formula => match texts().map(|(a, b)| (formula_value(a), formula_value(b))) {
                Some((Some(a), Some(b))) => or_different(close(a, b)),
                // Calls with invalid formulas fail: their error messages decide.
                Some((a, b)) if a.is_none() == b.is_none() => Agreement::Unclear,
                _ => Agreement::Different,
            },
        }
    }
}

fn composed(text: &str) -> String {
    text.nfc().collect()
}

/// A lookup key without an article before it and without its blanks: `ear ache` for `an earache`.
fn bare_key(text: &str) -> String {
    let mut words = fold::tokens(text);
    if words.len() > 1 && matches!(words[0].as_str(), "the" | "a" | "an") {
        words.remove(0);
    }
    words.concat()
}

/// The words of a place without those that say what kind of place it is.
fn place_words(text: &str) -> BTreeSet<String> {
    fold::content(text).into_iter().filter(|word| !PLACES.contains(&word.as_str())).collect()
}

/// Kinds of places: "Room Birch" is "Birch".
const PLACES: [&str; 14] = [
    "room", "hall", "office", "building", "floor", "house", "street", "road", "station", "city",
    "town", "corner", "area", "site",
];

/// Whether two lists have the same records, matched by their first field; the others in the same words.
fn same_records(gold: &[Value], predicted: &[Value]) -> bool {
    let words =
        |field: Option<&Value>| fold::content(field.and_then(Value::as_str).unwrap_or_default());
    let fields = |record: &Value| record.as_object().cloned().unwrap_or_default();
    gold.len() == predicted.len()
        && gold.iter().all(|record| {
            let wanted = fields(record);
            predicted.iter().map(fields).any(|own| {
                wanted.keys().all(|name| words(wanted.get(name)) == words(own.get(name)))
            })
        })
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

/// Converts percentages (values above 1) to fractions.
fn share(number: f64) -> f64 {
    if number > 1.0 { number / 100.0 } else { number }
}

/// Compares span ends to the minute; `23:59` with any seconds equals the midnight after it.
fn same_end(a: &str, b: &str) -> bool {
    let end = |text: &str| {
        let moment = text.parse::<crate::DateTime>().ok()?.moment();
        let last = moment.hour() == 23 && moment.minute() == 59;
        let midnight = moment.hour() == 0 && moment.minute() == 0;
        let day = if midnight { moment.date().yesterday().ok()? } else { moment.date() };
        Some((day, (!last && !midnight).then(|| (moment.hour(), moment.minute()))))
    };
    end(a).is_some() && end(a) == end(b)
}

/// The letters of a key without a leading "the".
fn key(text: &str) -> String {
    let words = words(text);
    match words.split_first() {
        Some((first, rest)) if first == "the" && !rest.is_empty() => rest.concat(),
        _ => words.concat(),
    }
}

/// The letters of a name without a title before it.
fn untitled(name: &str) -> String {
    let mut words = words(name);
    let title = |word: &String| matches!(word.as_str(), "dr" | "doctor" | "prof" | "professor");
    if words.len() > 1 && words.first().is_some_and(title) {
        words.remove(0);
    }
    words.concat()
}

fn trimmed(text: &str) -> String {
    text.trim().to_owned()
}

fn folded(text: &str) -> String {
    text.trim().replace('’', "'").to_lowercase()
}

/// Applies `change` to every string in a value.
fn map_text(value: &Value, change: fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::from(change(text)),
        Value::Array(items) => items.iter().map(|item| map_text(item, change)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, field)| (name.clone(), map_text(field, change))).collect()
        }
        other => other.clone(),
    }
}

fn as_set(items: &[Value]) -> BTreeSet<String> {
    items.iter().map(|item| map_text(item, folded).to_string()).collect()
}

/// A device's state without its verb: `on low` for `Runs on low`.
fn bare_state(value: &Value) -> Value {
    let Some(text) = value.as_str() else { return value.clone() };
    let mut rest = text;
    while let Some((verb, state)) = rest.split_once(' ')
        && ["runs", "set", "to", "is", "stays"].contains(&verb.to_lowercase().as_str())
    {
        rest = state;
    }
    Value::from(rest)
}

/// Compares lists of records, with the first field as key.
fn records(gold: &[Value], predicted: &[Value], said: &Said<'_>) -> Agreement {
    if gold.len() != predicted.len() {
        return Agreement::Different;
    }
    let name = |record: &Value| {
        let first = record.as_object()?.values().next()?.as_str()?;
        Some(statement::key(first).concat())
    };
    let mut all = Agreement::Same;
    for wanted in gold {
        let mut found =
            predicted.iter().filter(|it| name(it).is_some() && name(it) == name(wanted));
        let (Some(record), None) = (found.next(), found.next()) else {
            return Agreement::Different;
        };
        for (field, value) in wanted.as_object().into_iter().flatten().skip(1) {
            let (value, told) = (bare_state(value), record.get(field).map(bare_state));
            all = all.min(Rule::Facts.compare(Some(&value), told.as_ref(), said));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use Agreement::{Different, Same, Unclear};
    use serde_json::json;

    #[test]
    fn each_rule_on_both_sides() {
        let lamp = |text: &str| json!({"name": "Lamp", "description": text});
        let sugar = |name: &str| json!([{"name": name, "value": "96"}]);
        let radio = json!({"name": "radio", "description": "low"});
        let cases = [
            (Rule::Exact, json!("a"), json!("A"), Different),
            (Rule::Exact, json!(3), json!(3), Same),
            (Rule::Trimmed, json!("a"), json!(" a "), Same),
            (Rule::Trimmed, json!("a"), json!("A"), Different),
            (Rule::CaseFolded, json!("Grand Hotel"), json!(" grand hotel"), Same),
            (Rule::CaseFolded, json!("Grand Hotel"), json!("grandhotel"), Different),
            (Rule::Key, json!("sore throat"), json!("Sore-Throat "), Same),
            (Rule::Key, json!("bread maker"), json!("The bread maker"), Same),
            (Rule::Key, json!("sore throat"), json!("throat pain"), Unclear),
            (Rule::Titled, json!("Dr. Ida Lund"), json!("doctor ida lund"), Same),
            (Rule::Titled, json!("Dr. Ida Lund"), json!("Ida Lund"), Same),
            (Rule::Titled, json!("Dr. Ida Lund"), json!("Dr. Ida Moen"), Unclear),
            (Rule::Language, json!("Danish"), json!("da"), Same),
            (Rule::Language, json!("Danish"), json!("German"), Unclear),
            (Rule::Place, json!("Room Birch"), json!("Birch room"), Same),
            (Rule::Place, json!("Room Birch"), json!("Mars"), Different),
            (Rule::Facts, json!("call the dentist"), json!("Call dentist."), Same),
            (Rule::Facts, json!("call the dentist"), json!("call mum"), Different),
            (Rule::Question, json!("How high is it?"), json!("What is its height?"), Same),
            (Rule::Question, json!("How high is it?"), json!("How long is it?"), Different),
            (Rule::Date, json!("2023-04-05"), json!("2023-04-06"), Different),
            (Rule::DateTime, json!("2023-04-05 09:00:00"), json!("2023-04-05 09:00:00"), Same),
            (Rule::SpanEnd, json!("2023-04-05 23:59:59"), json!("2023-04-06 00:00:00"), Same),
            (Rule::SpanEnd, json!("2023-04-05 23:59:59"), json!("2023-04-05 00:00:00"), Different),
            (Rule::SpanEnd, json!("2023-04-05 18:00:00"), json!("2023-04-05 18:00:59"), Same),
            (Rule::SpanEnd, json!("2023-04-05 18:00:00"), json!("2023-04-05 19:00:00"), Different),
            (Rule::Number, json!(0.3), json!(0.1 + 0.2), Same),
            (Rule::Number, json!(0.3), json!(0.31), Different),
            (Rule::Share, json!(0.7), json!(70.0), Same),
            (Rule::Share, json!(0.7), json!(7.0), Different),
            (Rule::Degrees, json!(45.4642), json!(45.46), Unclear),
            (Rule::Degrees, json!(45.4642), json!(45.6), Different),
            (Rule::Set, json!(["Ann", "Bo"]), json!(["bo", "ann"]), Same),
            (Rule::Set, json!(["Liam O'Hara"]), json!(["Liam O’Hara"]), Same),
            (Rule::Set, json!(["Ann", "Bo"]), json!(["Ann"]), Different),
            (Rule::Records, json!([lamp("On low"), radio]), json!([radio, lamp("on, low")]), Same),
            (Rule::Records, json!([lamp("On"), radio]), json!([radio, lamp("Off")]), Different),
            (Rule::Records, json!([lamp("On")]), json!([radio]), Different),
            (Rule::Records, json!([lamp("Runs on low")]), json!([lamp("On low")]), Same),
            (Rule::Records, sugar("blood_sugar"), sugar("Blood glucose level"), Same),
            (Rule::Records, sugar("blood_sugar"), sugar("blood_pressure"), Different),
            (Rule::Records, sugar("weight"), sugar("body_weight"), Same),
            (Rule::Formula, json!("(1 + 2)*3"), json!("3 * 3"), Same),
            (Rule::Formula, json!("1+2"), json!("1-2"), Different),
            (Rule::Formula, json!("1/0"), json!("2/0"), Unclear),
            (Rule::Formula, json!("1/0"), json!("2"), Different),
        ];
        for rule in Rule::ALL {
            assert!(cases.iter().any(|(tested, ..)| *tested == rule), "{rule:?} is not tested");
        }
        for (rule, gold, predicted, agreement) in cases {
            assert_eq!(
                rule.compare(Some(&gold), Some(&predicted), &Said::nothing()),
                agreement,
                "{rule:?} {gold} {predicted}"
            );
        }
        assert_eq!(Rule::Exact.compare(None, None, &Said::nothing()), Same);
        assert_eq!(Rule::Exact.compare(None, Some(&json!("a")), &Said::nothing()), Unclear);
    }
}
