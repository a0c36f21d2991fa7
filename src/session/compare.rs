//! Compares a gold call with the predicted one by parameter.

use apis::Arguments;
use serde_json::Value;

/// A parameter of either call.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// Its name.
    pub name: String,
    /// The gold value; `None` if the gold call omits it.
    pub gold: Option<Value>,
    /// The predicted value; `None` if the prediction omits it.
    pub predicted: Option<Value>,
}

impl Pair {
    /// Whether the values differ as written. They may still agree under the match rule.
    pub fn differs(&self) -> bool {
        self.gold != self.predicted
    }
}

/// The parameters of both calls: the gold call's in order, then additional predicted ones.
pub fn pairs(gold: &Arguments, predicted: Option<&Arguments>) -> Vec<Pair> {
    let known = gold.iter().map(|(name, value)| Pair {
        name: name.clone(),
        gold: Some(value.clone()),
        predicted: predicted.and_then(|predicted| predicted.get(name)).cloned(),
    });
    let added =
        predicted.into_iter().flatten().filter(|(name, _)| !gold.contains_key(name.as_str())).map(
            |(name, value)| Pair { name: name.clone(), gold: None, predicted: Some(value.clone()) },
        );
    known.chain(added).collect()
}

/// A value for display: strings without quotes, others as JSON.
pub fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_parameter_of_either_call_is_listed_once() {
        let gold = json!({"token": "t", "time": "7:00", "n": 1});
        let predicted = json!({"time": "8:00", "token": "t", "extra": true});
        let pairs = pairs(gold.as_object().unwrap(), predicted.as_object());
        let seen: Vec<(&str, bool)> =
            pairs.iter().map(|pair| (pair.name.as_str(), pair.differs())).collect();
        assert_eq!(seen, [("token", false), ("time", true), ("n", true), ("extra", true)]);
        assert_eq!(pairs[2].predicted, None);
        assert_eq!(pairs[3].gold, None);
    }

    #[test]
    fn without_a_prediction_every_value_is_missing() {
        let gold = json!({"a": 1});
        let pairs = pairs(gold.as_object().unwrap(), None);
        assert!(pairs.iter().all(Pair::differs));
        assert_eq!((shown(&json!("x")), shown(&json!([1]))), ("x".to_owned(), "[1]".to_owned()));
    }
}
