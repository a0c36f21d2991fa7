//! Calculations done without a call: a model that states the value has calculated it.

use crate::{Verdict, amount};
use apis::search::find;
use apis::text::numbers::numerals;
use apis::{ApiResult, Suite};
use serde_json::Value;

/// Whether an API evaluates a formula.
pub fn calculates(suite: Suite, name: &str) -> bool {
    find(suite, name).is_some_and(amount::is_formula)
}

/// The verdict on words in place of a gold call that calculates, where the prompt leaves open
/// whether a call comes next. `None` unless the words state the value. If the dialogue goes on to
/// tell a whole number next to it (128 tiles for 127.3), as in `reply`, that one is right and other
/// whole numbers are not.
pub fn judge_words(suite: Suite, gold: &ApiResult, answer: &str, reply: &str) -> Option<Verdict> {
    if !calculates(suite, &gold.api_name) {
        return None;
    }
    let value = gold.output.as_ref().and_then(Value::as_f64)?;
    let wholes = |text: &str| -> Vec<f64> {
        let near = |number: &f64| number.fract() == 0.0 && (number - value.abs()).abs() < 1.0;
        numerals(text).into_iter().filter(near).collect()
    };
    let told = if value.fract() == 0.0 { Vec::new() } else { wholes(reply) };
    let right = match wholes(answer).as_slice() {
        own @ [_, ..] if !told.is_empty() => own.iter().all(|number| told.contains(number)),
        _ => amount::states(answer, value),
    };
    right.then(|| {
        Verdict::right("The answer calls no API, but states the value that the gold call returns.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn right(name: &str, output: Value, answer: &str) -> bool {
        let gold = ApiResult {
            api_name: name.to_owned(),
            input: json!({}),
            output: Some(output),
            exception: None,
        };
        judge_words(Suite::Dialogue, &gold, answer, "").is_some_and(|verdict| verdict.correct)
    }

    #[test]
    fn a_value_is_rounded_as_the_dialogue_rounds_it() {
        let gold = ApiResult {
            api_name: "Calculator".to_owned(),
            input: json!({}),
            output: Some(json!(127.33)),
            exception: None,
        };
        let right = |answer: &str| {
            let reply = "You need 127.33 tiles, so buy 128.";
            judge_words(Suite::Dialogue, &gold, answer, reply).is_some_and(|it| it.correct)
        };
        assert!(right("That's 128 tiles."));
        assert!(right("127.33 tiles, so 128 whole ones."));
        assert!(right("It comes to 127.33."));
        assert!(!right("That's 127 tiles."));
        assert!(!right("127.33, so buy 127."));
        assert!(!right("Some tiles."));
    }

    #[test]
    fn a_stated_value_stands_for_its_calculation() {
        assert!(right("Calculator", json!(92.1), "Three tins and the roller are 92.10 in all."));
        assert!(right("Calculator", json!(-518.4), "He lost 518.40."));
        assert!(right("Calculator", json!(33.3333), "About 33.33 each."));
        assert!(!right("Calculator", json!(33.3333), "About 33 each."));
        assert!(!right("Calculator", json!(92.1), "Three tins at 27.90 and a roller for 8.40."));
        assert!(!right("Calculator", json!(92.1), "Shall I work it out?"));
    }

    #[test]
    fn a_value_that_is_looked_up_needs_its_call() {
        assert!(!right("QueryStock", json!(90.0), "NWIND closed at 90."));
    }
}
