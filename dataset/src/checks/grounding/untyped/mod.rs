//! Grounding without declared kinds: values of APIs that a model wrote, of which no more than a
//! description is known.
//!
//! A value is grounded by the first [`Rule`] that derives it from the view: what was said, what
//! earlier calls returned, the time, and the values that a description lists. The rules are laxer
//! than those of the pack: one content word in four may be new, and [`light_stem`] and a shorter
//! stop list tell which words are known.

mod moments;

use crate::text::numbers::{numerals, quantity};
use crate::text::words::{is_content_or_pronoun, light_stem, separated_words};
use apis::DateTime;
use serde_json::Value;
use std::collections::BTreeSet;

/// How a value follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// The view contains its words, adjacent.
    Verbatim,
    /// The view contains its words, elsewhere or inflected.
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
pub struct View {
    /// Words in order, with blanks around: ` book a table `.
    text: String,
    stems: BTreeSet<String>,
    numbers: Vec<f64>,
    time: Option<DateTime>,
}

impl View {
    /// Nothing but the time, `%Y-%m-%d %H:%M:%S`; relative dates need it.
    pub fn at(time: Option<&str>) -> Self {
        View { time: time.and_then(|it| it.parse().ok()), ..View::default() }
    }

    /// Adds what was said or returned.
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
        // The price of three, the total of two: one step of reckoning with what was spoken of.
        // Ones are left out, since every `a` is one.
        let terms = || self.numbers.iter().filter(|a| a.abs() >= 1.5);
        // `The van` is one vehicle: a single thing needs no number.
        known || near(1.0) || terms().any(|a| terms().any(|b| near(a * b) || near(a + b)))
    }
}

/// The weakest rule that the parts of a value need.
///
/// # Errors
/// The first part that no rule grounds, as JSON.
pub fn ground(value: &Value, description: &str, view: &View) -> Result<Rule, String> {
    let weakest =
        |rules: Result<Vec<Rule>, String>| Ok(rules?.into_iter().max().unwrap_or(Rule::Verbatim));
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
                false => Err(number.to_string()),
            }
        }
        Value::String(text) => {
            text_rule(text, description, view).ok_or_else(|| format!("{text:?}"))
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
    // One word in four may be the assistant's own, so that a title can be put in good words.
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
    fn every_rule_of_grounding_derives_and_refuses() {
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
