//! Grounding for generated APIs, whose parameters have a description but no match rule.
//!
//! A value is grounded by the first [`Rule`] that derives it from the [`View`]: utterances, earlier
//! results, the time, and the values that a description lists. The rules are laxer than those for the
//! pack: one content word in four may be new, and words are compared with [`light_stem`] and a shorter
//! stop list.

mod moments;

use crate::text::light::{is_content_or_pronoun, light_stem, separated_words};
use crate::text::numbers::{numerals, quantity};
use apis::DateTime;
use serde_json::Value;
use std::collections::BTreeSet;
use thiserror::Error;

/// How a value follows from the view, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// The view contains its words consecutively.
    Verbatim,
    /// The view contains its words in another order or form.
    Words,
    /// The view contains the number, in digits or words, or two numbers with that sum or product.
    Number,
    /// The view contains the date or time in another form, or it follows from the current time.
    Date,
    /// The description lists the value.
    Documented,
    /// A boolean or null, which needs no grounding.
    Choice,
}

/// The context before a call.
#[derive(Debug, Default)]
pub struct View {
    /// Words in order, separated and surrounded by spaces: ` book a table `.
    text: String,
    stems: BTreeSet<String>,
    numbers: Vec<f64>,
    time: Option<DateTime>,
}

impl View {
    /// A view with only the current time, `%Y-%m-%d %H:%M:%S`; relative dates need it.
    pub fn at(time: Option<&str>) -> Self {
        View { time: time.and_then(|time| time.parse().ok()), ..View::default() }
    }

    /// Adds an utterance or a result.
    pub fn add(&mut self, text: &str) {
        let words = separated_words(text);
        for word in &words {
            self.stems.insert(light_stem(word).to_owned());
            self.numbers.extend(quantity(word));
        }
        self.numbers.extend(numerals(text));
        self.text = format!("{} {} ", self.text.trim_end(), words.join(" "));
    }

    fn has(&self, phrase: &str) -> bool {
        self.text.contains(&format!(" {phrase} "))
    }

    fn has_number(&self, number: f64) -> bool {
        let near = |a: f64| (a - number).abs() <= 1e-9 * number.abs().max(1.0);
        let known = self.numbers.iter().any(|a| near(*a));
        // One arithmetic step, such as the price of three or the total of two. Excludes ones, because
        // every `a` counts as one.
        let terms = || self.numbers.iter().filter(|a| a.abs() >= 1.5);
        // `The van` implies one vehicle.
        known || near(1.0) || terms().any(|a| terms().any(|b| near(a * b) || near(a + b)))
    }
}

/// The part of a value that no rule grounds, as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0} does not follow from the view")]
pub struct Ungrounded(pub String);

/// The weakest rule among those that ground the parts of a value.
///
/// # Errors
/// The first part that no rule grounds.
pub fn ground(value: &Value, description: &str, view: &View) -> Result<Rule, Ungrounded> {
    let weakest = |rules: Result<Vec<Rule>, Ungrounded>| {
        Ok(rules?.into_iter().max().unwrap_or(Rule::Verbatim))
    };
    match value {
        Value::Null | Value::Bool(_) => Ok(Rule::Choice),
        Value::Array(items) => {
            weakest(items.iter().map(|item| ground(item, description, view)).collect())
        }
        Value::Object(fields) => {
            weakest(fields.values().map(|item| ground(item, description, view)).collect())
        }
        Value::Number(number) => {
            let known = number.as_f64().is_some_and(|number| view.has_number(number));
            let listed = || numerals(description).iter().any(|it| Some(*it) == number.as_f64());
            match known {
                true => Ok(Rule::Number),
                false if listed() => Ok(Rule::Documented),
                false => Err(Ungrounded(number.to_string())),
            }
        }
        Value::String(text) => {
            text_rule(text, description, view).ok_or_else(|| Ungrounded(format!("{text:?}")))
        }
    }
}

fn text_rule(text: &str, description: &str, view: &View) -> Option<Rule> {
    let all = separated_words(text);
    if all.is_empty() || view.has(&all.join(" ")) {
        return Some(Rule::Verbatim);
    }
    if moments::is_date_like(text) {
        return moments::dated(text, view).then_some(Rule::Date);
    }
    if let [number] = numerals(text)[..]
        && all.len() <= 2
        && view.has_number(number)
    {
        return Some(Rule::Number);
    }
    let content: Vec<&String> = all.iter().filter(|word| is_content_or_pronoun(word)).collect();
    let known = content
        .iter()
        .filter(|word| {
            let number = word.parse::<f64>();
            view.stems.contains(light_stem(word))
                || number.is_ok_and(|number| view.has_number(number))
        })
        .count();
    // One word in four may be new, so that the assistant can phrase titles.
    if known > 0 && known >= content.len() - content.len() / 4 {
        return Some(Rule::Words);
    }
    let described = separated_words(description).join(" ");
    format!(" {described} ").contains(&format!(" {} ", all.join(" "))).then_some(Rule::Documented)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_rule_accepts_its_cases_and_rejects_others() {
        let time = Some("2026-06-01 08:00:00"); // a Monday
        let seen = "Please put two big tents for the Alder family on the north meadow from Friday until \
                    3 July, at half past nine, 1,250.50 in all, deposit 25 each. Order AB-77.";
        for (value, rule) in [
            (json!("north meadow"), Some(Rule::Verbatim)),
            (json!("AB-77"), Some(Rule::Verbatim)),
            (json!("big tent for the Alder families"), Some(Rule::Words)),
            (json!("south meadow"), None),
            (json!("meadow flute lesson north"), None),
            (json!(2), Some(Rule::Number)),
            (json!(1250.5), Some(Rule::Number)),
            (json!(50), Some(Rule::Number)),
            (json!(4711), None),
            (json!("2026-06-05"), Some(Rule::Date)),
            (json!("2026-07-03"), Some(Rule::Date)),
            (json!("2026-07-04"), None),
            (json!("2026-06-04"), None),
            (json!("09:30"), Some(Rule::Date)),
            (json!("10:30"), None),
            (json!("2026-06-05 09:30:00"), Some(Rule::Date)),
            (json!("2026-06-05 11:00:00"), None),
            (json!("2026-06-05T09:30:00Z"), Some(Rule::Date)),
            (json!("2026-06-05T09:30:00.000+02:00"), Some(Rule::Date)),
            (json!("2026-06-05T11:00:00Z"), None),
            (json!("metric"), Some(Rule::Documented)),
            (json!("nautical"), None),
            (json!(true), Some(Rule::Choice)),
            (json!(["Alder", "nautical"]), None),
        ] {
            let mut view = View::at(time);
            view.add(seen);
            let found = ground(&value, "Either metric or imperial.", &view).ok();
            assert_eq!(found, rule, "{value}");
        }
    }
}
