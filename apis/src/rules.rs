//! Match rules: when a predicted argument counts as the gold one.
//!
//! A rule compares values in canonical form (see [`crate::arguments::read`]).
//! An accepted value is replaced by the gold one before the call runs, so that
//! the effects of the two calls can be compared exactly.

use serde_json::Value;
use std::collections::BTreeSet;

/// How the predicted and the gold value of a parameter are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Equal. Also for integers and booleans.
    Exact,
    /// Equal after trimming.
    Trimmed,
    /// Equal after trimming and folding case.
    CaseFolded,
    /// The same calendar date or day of the year.
    Date,
    /// The same date and time of day.
    DateTime,
    /// Numbers at most a billionth apart, relative to the larger.
    Number,
    /// The Jaccard index of the sets of words is above one half. Ignores case and
    /// punctuation.
    WordOverlap,
    /// Lists of the same items in any order; items are trimmed and case-folded.
    Set,
    /// Lists of the same items in the same order; items are trimmed and case-folded.
    OrderedList,
    /// Formulas equal after removing blanks. Others may still have the same effect.
    Formula,
    /// Any value is accepted.
    Ignored,
}

impl Rule {
    /// Every rule.
    pub const ALL: [Rule; 11] = [
        Rule::Exact,
        Rule::Trimmed,
        Rule::CaseFolded,
        Rule::Date,
        Rule::DateTime,
        Rule::Number,
        Rule::WordOverlap,
        Rule::Set,
        Rule::OrderedList,
        Rule::Formula,
        Rule::Ignored,
    ];

    /// The rule in words, for documentation.
    pub const fn explain(self) -> &'static str {
        match self {
            Rule::Exact => "exactly equal",
            Rule::Trimmed => "equal without outer blanks",
            Rule::CaseFolded => "equal in any case, without outer blanks",
            Rule::Date => "the same day",
            Rule::DateTime => "the same date and time",
            Rule::Number => "the same number",
            Rule::WordOverlap => "more than half of the words shared",
            Rule::Set => "the same items in any order",
            Rule::OrderedList => "the same items in the same order",
            Rule::Formula => "the same formula, blanks aside",
            Rule::Ignored => "not compared",
        }
    }

    /// Whether `predicted` counts as `gold`. `None` is an omitted parameter.
    pub fn agrees(self, gold: Option<&Value>, predicted: Option<&Value>) -> bool {
        match (gold, predicted) {
            _ if self == Rule::Ignored => true,
            (None, None) => true,
            (Some(gold), Some(predicted)) => self.same(gold, predicted),
            _ => false,
        }
    }

    fn same(self, gold: &Value, predicted: &Value) -> bool {
        match self {
            Rule::Ignored => true,
            // Dates are in canonical form here: equal dates are equal strings.
            Rule::Exact | Rule::Date | Rule::DateTime => gold == predicted,
            Rule::Trimmed => map_text(gold, trimmed) == map_text(predicted, trimmed),
            Rule::CaseFolded | Rule::OrderedList => {
                map_text(gold, folded) == map_text(predicted, folded)
            }
            Rule::Formula => map_text(gold, unspaced) == map_text(predicted, unspaced),
            Rule::Number => match (gold.as_f64(), predicted.as_f64()) {
                (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * a.abs().max(b.abs()),
                _ => gold == predicted,
            },
            Rule::WordOverlap => match (gold.as_str(), predicted.as_str()) {
                (Some(a), Some(b)) => words_overlap(a, b),
                _ => gold == predicted,
            },
            Rule::Set => match (gold.as_array(), predicted.as_array()) {
                (Some(a), Some(b)) => as_set(a) == as_set(b),
                _ => gold == predicted,
            },
        }
    }
}

fn trimmed(text: &str) -> String {
    text.trim().to_owned()
}

fn folded(text: &str) -> String {
    text.trim().to_lowercase()
}

fn unspaced(text: &str) -> String {
    text.split_whitespace().collect()
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

fn words(text: &str) -> BTreeSet<String> {
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn words_overlap(a: &str, b: &str) -> bool {
    let (a, b) = (words(a), words(b));
    let shared = a.intersection(&b).count();
    let union = a.union(&b).count();
    // Two texts without words are equal.
    union == 0 || 2 * shared > union
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_rule_on_both_sides() {
        let cases = [
            (Rule::Exact, json!("a"), json!("A"), false),
            (Rule::Exact, json!(3), json!(3), true),
            (Rule::Trimmed, json!("a"), json!(" a "), true),
            (Rule::Trimmed, json!("a"), json!("A"), false),
            (Rule::CaseFolded, json!("Grand Hotel"), json!(" grand hotel"), true),
            (Rule::CaseFolded, json!("Grand Hotel"), json!("grandhotel"), false),
            (Rule::Date, json!("2023-04-05"), json!("2023-04-06"), false),
            (Rule::DateTime, json!("2023-04-05 09:00:00"), json!("2023-04-05 09:00:00"), true),
            (Rule::Number, json!(0.3), json!(0.1 + 0.2), true),
            (Rule::Number, json!(0.3), json!(0.31), false),
            (Rule::WordOverlap, json!("call the dentist"), json!("Call dentist."), true),
            (Rule::WordOverlap, json!("call the dentist"), json!("call mum"), false),
            // Exactly one half is not above one half.
            (Rule::WordOverlap, json!("buy milk now"), json!("buy milk today"), false),
            (Rule::Set, json!(["Ann", "Bo"]), json!(["bo", "ann"]), true),
            (Rule::Set, json!(["Ann", "Bo"]), json!(["Ann"]), false),
            (Rule::OrderedList, json!(["Ann", "Bo"]), json!(["ann", "bo "]), true),
            (Rule::OrderedList, json!(["Ann", "Bo"]), json!(["Bo", "Ann"]), false),
            (Rule::Formula, json!("(1 + 2)*3"), json!("(1+2) * 3"), true),
            (Rule::Formula, json!("1+2"), json!("2+1"), false),
            (Rule::Ignored, json!("a"), json!(7), true),
        ];
        for (rule, gold, predicted, agree) in cases {
            assert_eq!(
                rule.agrees(Some(&gold), Some(&predicted)),
                agree,
                "{rule:?} {gold} {predicted}"
            );
        }
        assert!(Rule::Exact.agrees(None, None));
        assert!(!Rule::Exact.agrees(None, Some(&json!("a"))));
    }
}
