//! Calculations done without a call: a model that states the value has calculated it.

use crate::{Verdict, amount};
use apis::search::find;
use apis::{ApiResult, Suite};
use serde_json::Value;

/// The verdict on words in place of a gold call that calculates, where the prompt leaves open
/// whether a call comes next. `None` unless the words state the value.
pub fn judge_words(suite: Suite, gold: &ApiResult, answer: &str) -> Option<Verdict> {
    find(suite, &gold.api_name).filter(|api| amount::is_formula(api))?;
    let value = gold.output.as_ref().and_then(Value::as_f64)?;
    amount::states(answer, value).then(|| {
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
        judge_words(Suite::Dialogue, &gold, answer).is_some_and(|verdict| verdict.correct)
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
