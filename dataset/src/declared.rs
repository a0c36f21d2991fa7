//! What a dialogue declares about its gold calls and replies: data that verdicts look up.
//!
//! On a gold call: `accept`, other values that count; `after`, the calls that have to come first;
//! `forbid`, reads that are wrong here. On an utterance of the assistant: `tell`, the facts it states.
//! An alternative of a fact is written `a|b`; each is the beginning of one or several words.

use crate::own_tools::Pool;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The declarations of a gold call. Imported data has none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Declared {
    /// By parameter, what counts as its gold value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub accept: BTreeMap<String, Accept>,
    /// Turns of the calls before this one, up to the last utterance, that have to come first: their
    /// index in the dialogue's file, from 0. Without it, all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Vec<usize>>,
    /// Reads that make an answer wrong here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forbid: Vec<Forbidden>,
}

/// What counts as the gold value of a parameter.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Accept {
    /// Any of these values, and the gold one.
    Values(Vec<Value>),
    /// A text with these facts.
    Facts(Facts),
    /// A list of records: names of a record as alternatives, and the facts of its other fields.
    Records(BTreeMap<String, Facts>),
}

/// The facts of a text. A number, date, time or negation that neither they nor the gold value nor the
/// conversation has makes a text wrong; so does more than one other such word.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// One alternative of each has to occur.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub must: Vec<String>,
    /// None may occur.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub never: Vec<String>,
    /// These may occur although nobody has said them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub may: Vec<String>,
}

/// A read that is wrong at a step: calls of this API with these arguments, whatever the others are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Forbidden {
    /// The API.
    pub api_name: String,
    /// Some of its arguments; none stand for any.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub param_dict: Map<String, Value>,
}

impl<'de> Deserialize<'de> for Accept {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let facts = |value| serde_json::from_value::<Facts>(value).map_err(D::Error::custom);
        match Value::deserialize(deserializer)? {
            Value::Array(values) => Ok(Accept::Values(values)),
            Value::Object(fields) if fields.values().any(Value::is_object) => {
                let records = fields.into_iter().map(|(name, it)| Ok((name, facts(it)?)));
                Ok(Accept::Records(records.collect::<Result<_, _>>()?))
            }
            object @ Value::Object(_) => Ok(Accept::Facts(facts(object)?)),
            other => Err(D::Error::custom(format!(
                "`accept` takes a list of values, {{\"must\": [\"fact|other words\"]}}, or such facts \
                 by record; got {other}"
            ))),
        }
    }
}

/// The alternatives of a fact.
pub fn alternatives(fact: &str) -> impl Iterator<Item = &str> {
    fact.split('|').map(str::trim)
}

/// Checks that every fact has words.
///
/// # Errors
/// The field and the fact that has none.
pub(crate) fn check_facts(field: &str, facts: &[String]) -> Result<(), String> {
    let empty =
        |fact: &&String| alternatives(fact).any(|it| !it.chars().any(char::is_alphanumeric));
    match facts.iter().find(empty) {
        Some(fact) => {
            Err(format!("`{field}`: {fact:?} has an alternative without words; remove it"))
        }
        None => Ok(()),
    }
}

impl Facts {
    fn check(&self, field: &str) -> Result<(), String> {
        if self.must.is_empty() {
            return Err(format!("`{field}` has no `must`; name the facts that a text has to have"));
        }
        [("must", &self.must), ("never", &self.never), ("may", &self.may)]
            .into_iter()
            .try_for_each(|(key, facts)| check_facts(&format!("{field}.{key}"), facts))
    }
}

impl Declared {
    /// Whether nothing is declared.
    pub fn is_empty(&self) -> bool {
        *self == Declared::default()
    }

    /// Checks the declarations against the call that has them.
    ///
    /// # Errors
    /// The field that does not fit, and the remedy.
    pub(crate) fn check(
        &self,
        pool: Pool<'_>,
        name: &str,
        arguments: &Map<String, Value>,
    ) -> Result<(), String> {
        for (param, accept) in &self.accept {
            let field = format!("accept.{param}");
            let Some(gold) = arguments.get(param) else {
                return Err(format!("`{field}`: {name} is called without {param}; remove it"));
            };
            let is_text = pool.is_free_text(name, param);
            match accept {
                Accept::Values(values) if values.is_empty() => {
                    return Err(format!("`{field}` is an empty list; remove it"));
                }
                Accept::Values(values) if values.contains(gold) => {
                    return Err(format!("`{field}` repeats the gold value {gold}; remove it"));
                }
                Accept::Values(_) => {}
                Accept::Facts(facts) if is_text => facts.check(&field)?,
                Accept::Facts(_) => {
                    return Err(format!("`{field}` is no free text; list the values that count"));
                }
                Accept::Records(records) => check_records(&field, gold, records)?,
            }
        }
        self.forbid.iter().try_for_each(|forbidden| forbidden.check(pool))
    }
}

/// Each record of the gold list needs its facts, and none is declared besides.
fn check_records(
    field: &str,
    gold: &Value,
    records: &BTreeMap<String, Facts>,
) -> Result<(), String> {
    let own = |record: &Value| {
        let name = record.as_object()?.values().next()?.as_str()?.to_owned();
        Some(name)
    };
    let names: Vec<String> = gold.as_array().into_iter().flatten().filter_map(own).collect();
    for (key, facts) in records {
        if !names.iter().any(|name| alternatives(key).any(|alternative| alternative == name)) {
            return Err(format!(
                "`{field}`: no record is named {key:?}; expected one of {names:?}"
            ));
        }
        facts.check(&format!("{field}.{key}"))?;
    }
    match names
        .iter()
        .find(|name| !records.keys().any(|key| alternatives(key).any(|it| it == **name)))
    {
        Some(name) => Err(format!("`{field}` lacks the record {name:?}; declare its facts")),
        None => Ok(()),
    }
}

impl Forbidden {
    fn check(&self, pool: Pool<'_>) -> Result<(), String> {
        let name = &self.api_name;
        if !pool.knows(name) {
            return Err(format!("`forbid`: {} has no API {name}", pool.title()));
        }
        match self.param_dict.keys().find(|param| !pool.has_param(name, param)) {
            Some(param) => Err(format!("`forbid`: {name} has no parameter {param:?}; remove it")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use apis::Suite;
    use serde_json::json;

    fn check(declared: Value) -> Result<(), String> {
        let arguments = json!({
            "token": "a1", "content": "feed the cat", "time": "2024-05-15 08:00:00", "location": "home"
        });
        serde_json::from_value::<Declared>(declared).map_err(|error| error.to_string())?.check(
            Suite::Dialogue.into(),
            "AddAgenda",
            arguments.as_object().unwrap(),
        )
    }

    #[test]
    fn declarations_that_do_not_fit_are_refused_with_the_remedy() {
        for (declared, words) in [
            (json!({"accept": {"subject": ["x"]}}), "called without subject"),
            (json!({"accept": {"content": []}}), "empty list"),
            (json!({"accept": {"content": ["feed the cat"]}}), "repeats the gold value"),
            (json!({"accept": {"content": {"may": ["x"]}}}), "no `must`"),
            (json!({"accept": {"content": {"must": ["cat|"]}}}), "without words"),
            (json!({"accept": {"content": {"musts": ["cat"]}}}), "unknown field `musts`"),
            (json!({"accept": {"content": "cat"}}), "takes a list of values"),
            (json!({"accept": {"token": {"must": ["a"]}}}), "no free text"),
            (json!({"accept": {"content": {"lamp": {"must": ["on"]}}}}), "no record is named"),
            (json!({"forbid": [{"api_name": "Nothing"}]}), "has no API Nothing"),
            (json!({"forbid": [{"api_name": "GetToday", "param_dict": {"a": 1}}]}), "no parameter"),
        ] {
            let error = check(declared.clone()).unwrap_err();
            assert!(error.contains(words), "{declared}: {error}");
        }
    }

    #[test]
    fn declarations_that_fit_are_read_and_written_back() {
        let declared = json!({
            "accept": {
                "content": {"must": ["feed|give food", "cat"], "may": ["please"]},
                "location": ["my home"],
            },
            "after": [2],
            "forbid": [{"api_name": "QueryStock", "param_dict": {"stock_code": "FJELL"}}],
        });
        assert_eq!(check(declared.clone()), Ok(()));
        let read: Declared = serde_json::from_value(declared.clone()).unwrap();
        assert_eq!(json!(read), declared);
    }
}
