//! Match rules: when an argument counts as the gold one by its type. A dialogue may declare that other
//! values count, too.
//!
//! A rule compares values in canonical form (see [`crate::Api::read`]).

use crate::text::fold::{self, unaccented};
use crate::text::words::{without_ending, words};
use crate::{formula, languages};
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
    /// A lookup key: equal without case, accents, punctuation, blanks, an article and a plural's ending.
    Key,
    /// A person: equal without case, accents, punctuation and a title such as Dr. or Ms.
    Titled,
    /// The same language, by name or code.
    Language,
    /// The same place: the same words in any order, without those that say what kind it is.
    Place,
    /// The name of a place, such as a hotel's, compared as [`Rule::Place`].
    Named,
    /// The same words in any order, without stop words.
    Facts,
    /// A question in the same words, without stop words.
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
    /// Degrees: up to 0.01 apart, about a kilometre.
    Degrees,
    /// Lists with the same items in any order, trimmed and case-folded.
    Set,
    /// Lists of records in any order; their fields compare as [`Rule::Facts`].
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
            Rule::Key => "equal in any case and number, with or without an article and accents",
            Rule::Titled => "the same person, with or without a title",
            Rule::Language => "the same language, by name or code",
            Rule::Place => "the same place, with or without words like \"room\"",
            Rule::Named => "the same name, with or without words like \"hotel\"",
            Rule::Facts => "states the declared facts, or has the same words",
            Rule::Question => "states the declared facts, or asks in the same words",
            Rule::Date => "the same day",
            Rule::DateTime => "the same date and time",
            Rule::SpanEnd => "the same end, to the minute",
            Rule::Number => "the same number",
            Rule::Share => "the same share, as a fraction or in percent",
            Rule::Degrees => "within a hundredth of a degree",
            Rule::Set => "the same items in any order",
            Rule::Records => "the same records in any order, with the declared facts",
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
                alike(|name| languages::code(name).unwrap_or_default().to_owned())
                    && texts().is_some_and(|(a, _)| languages::code(a).is_some())
            }
            Rule::Place | Rule::Named => texts().is_some_and(|(a, b)| {
                let (a, b) = (place_words(a), place_words(b));
                !a.is_empty() && a == b
            }),
            Rule::Facts | Rule::Question => texts().is_some_and(|(a, b)| {
                let words = |text| fold::content(text).into_iter().collect::<BTreeSet<_>>();
                fold::tokens(a) == fold::tokens(b) || (words(a) == words(b) && !words(a).is_empty())
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
            Rule::Formula => texts().is_some_and(|(a, b)| {
                match (formula::value(a.trim()).ok(), formula::value(b.trim()).ok()) {
                    (Some(a), Some(b)) => close(a, b),
                    _ => false,
                }
            }),
        }
    }
}

fn composed(text: &str) -> String {
    text.nfc().collect()
}

/// A lookup key without an article before it, its blanks and a plural's ending: `ear ache` for `an
/// earache`, `garden lights` for `garden light`.
fn bare_key(text: &str) -> String {
    let mut words = fold::tokens(text);
    if words.len() > 1 && matches!(words[0].as_str(), "the" | "a" | "an") {
        words.remove(0);
    }
    without_ending(&words.concat(), &["s"]).to_owned()
}

/// The words of a place without those that say what kind of place it is.
fn place_words(text: &str) -> BTreeSet<String> {
    fold::content(text).into_iter().filter(|word| !PLACES.contains(&word.as_str())).collect()
}

/// Kinds of places: "Room Birch" is "Birch".
const PLACES: [&str; 23] = [
    "room",
    "hall",
    "office",
    "building",
    "floor",
    "house",
    "street",
    "road",
    "station",
    "city",
    "town",
    "corner",
    "area",
    "site",
    "hotel",
    "hostel",
    "hostal",
    "inn",
    "motel",
    "lodge",
    "guesthouse",
    "pension",
    "rooms",
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

/// Titles before a name, without accents and full stops.
const TITLES: [&str; 9] = ["dr", "doctor", "prof", "professor", "mr", "mrs", "ms", "miss", "mx"];

/// The letters of a name without a title before it.
fn untitled(name: &str) -> String {
    let mut words = words(name);
    if words.len() > 1 && words.first().is_some_and(|word| TITLES.contains(&word.as_str())) {
        words.remove(0);
    }
    words.concat()
}

fn trimmed(text: &str) -> String {
    text.trim().to_owned()
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_rule_on_both_sides() {
        let lamp = |text: &str| json!({"name": "Lamp", "description": text});
        let sugar = |name: &str| json!([{"name": name, "value": "96"}]);
        let radio = json!({"name": "radio", "description": "low"});
        let cases = [
            (Rule::Exact, json!("a"), json!("A"), false),
            (Rule::Exact, json!(3), json!(3), true),
            (Rule::Trimmed, json!("a"), json!(" a "), true),
            (Rule::Trimmed, json!("a"), json!("A"), false),
            (Rule::CaseFolded, json!("Grand Hotel"), json!(" grand hotel"), true),
            (Rule::CaseFolded, json!("Grand Hotel"), json!("grandhotel"), false),
            (Rule::Key, json!("sore throat"), json!("Sore-Throat "), true),
            (Rule::Key, json!("bread maker"), json!("The bread maker"), true),
            (Rule::Key, json!("garden lights"), json!("garden light"), true),
            (Rule::Key, json!("sore throat"), json!("throat pain"), false),
            (Rule::Titled, json!("Dr. Ida Lund"), json!("doctor ida lund"), true),
            (Rule::Titled, json!("Dr. Ida Lund"), json!("Ida Lund"), true),
            (Rule::Titled, json!("Dr. Ida Lund"), json!("Dr. Ida Moen"), false),
            (Rule::Titled, json!("Ida Lund"), json!("Ms Ida Lund"), true),
            (Rule::Language, json!("Danish"), json!("da"), true),
            (Rule::Language, json!("Danish"), json!("German"), false),
            (Rule::Place, json!("Room Birch"), json!("Birch room"), true),
            (Rule::Place, json!("Room Birch"), json!("Mars"), false),
            (Rule::Named, json!("Hôtel Quai Bleu"), json!("Quai Bleu Hotel"), true),
            (Rule::Facts, json!("call the dentist"), json!("Call dentist."), true),
            (Rule::Facts, json!("call the dentist"), json!("call mum"), false),
            (Rule::Question, json!("How high is it?"), json!("how high?"), true),
            (Rule::Question, json!("How high is it?"), json!("How long is it?"), false),
            (Rule::Date, json!("2023-04-05"), json!("2023-04-06"), false),
            (Rule::DateTime, json!("2023-04-05 09:00:00"), json!("2023-04-05 09:00:00"), true),
            (Rule::SpanEnd, json!("2023-04-05 23:59:59"), json!("2023-04-06 00:00:00"), true),
            (Rule::SpanEnd, json!("2023-04-05 23:59:59"), json!("2023-04-05 00:00:00"), false),
            (Rule::SpanEnd, json!("2023-04-05 18:00:00"), json!("2023-04-05 18:00:59"), true),
            (Rule::SpanEnd, json!("2023-04-05 18:00:00"), json!("2023-04-05 19:00:00"), false),
            (Rule::Number, json!(0.3), json!(0.1 + 0.2), true),
            (Rule::Number, json!(0.3), json!(0.31), false),
            (Rule::Share, json!(0.7), json!(70.0), true),
            (Rule::Share, json!(0.7), json!(7.0), false),
            (Rule::Degrees, json!(45.4642), json!(45.46), true),
            (Rule::Degrees, json!(45.4642), json!(45.6), false),
            (Rule::Set, json!(["Ann", "Bo"]), json!(["bo", "ann"]), true),
            (Rule::Set, json!(["Liam O'Hara"]), json!(["Liam O’Hara"]), true),
            (Rule::Set, json!(["Ann", "Bo"]), json!(["Ann"]), false),
            (Rule::Records, json!([lamp("On low"), radio]), json!([radio, lamp("on, low")]), true),
            (Rule::Records, json!([lamp("On"), radio]), json!([radio, lamp("Off")]), false),
            (Rule::Records, json!([lamp("On")]), json!([radio]), false),
            (Rule::Records, sugar("blood_sugar"), sugar("Blood sugar"), true),
            (Rule::Records, sugar("blood_sugar"), sugar("blood_pressure"), false),
            (Rule::Formula, json!("(1 + 2)*3"), json!("3 * 3"), true),
            (Rule::Formula, json!("1+2"), json!("1-2"), false),
            (Rule::Formula, json!("1/0"), json!("2/0"), false),
            (Rule::Formula, json!("1/0"), json!("2"), false),
        ];
        for rule in Rule::ALL {
            assert!(cases.iter().any(|(tested, ..)| *tested == rule), "{rule:?} is not tested");
        }
        for (rule, gold, predicted, same) in cases {
            assert_eq!(rule.same(&gold, &predicted), same, "{rule:?} {gold} {predicted}");
        }
    }
}
