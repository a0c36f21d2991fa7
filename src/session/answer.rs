//! The form of an answer: a choice of API and a text per parameter, read as a call.

use crate::t;
use crate::texts::Texts;
use apis::arguments::ArgumentError;
use apis::{Api, Kind, Param, literal};
use exchange::call;
use record::demo::{Step, Walkthrough};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The answer in words: the judge reads only whether it calls.
pub const WORDS: &str = "No call is due now.";

/// What the form holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// The API's name; empty for words, `None` before a choice.
    pub api: Option<String>,
    /// The texts of its fields, in the order of its parameters.
    pub fields: Vec<String>,
}

impl Draft {
    /// Chooses an API, or words, with empty fields.
    pub fn choose(&mut self, api: &str, params: usize) {
        if self.api.as_deref() != Some(api) {
            *self = Draft { api: Some(api.to_owned()), fields: vec![String::new(); params] };
        }
    }
}

/// A value that cannot be sent: the parameter's index, and why.
pub type Problem = (usize, String);

/// The call that the fields of an API's form make, as text. Empty optional fields are left out.
///
/// # Errors
/// The fields that are missing or of another type.
pub fn call(api: &Api, fields: &[String], texts: Texts) -> Result<String, Vec<Problem>> {
    let filled = api.params.iter().zip(fields).filter(|(_, text)| !text.trim().is_empty());
    let raw: Map<String, Value> = filled
        .map(|(param, text)| (param.name.to_owned(), value(param.kind, text.trim())))
        .collect();
    match api.read(&raw) {
        // As typed: the judge reads the types again.
        Ok(_) => Ok(call::format(api.name, &raw)),
        Err(problems) => Err(problems.iter().filter_map(|it| problem(api, it, texts)).collect()),
    }
}

fn problem(api: &Api, error: &ArgumentError, texts: Texts) -> Option<Problem> {
    let (name, message) = match error {
        ArgumentError::Missing { name } => (*name, t!(texts, "Fill in this field.").to_owned()),
        ArgumentError::WrongType { name, got, .. } => {
            let kind = api.param(name)?.kind;
            (
                *name,
                t!(texts, "Expected {kind}, got {got}.", kind = kind_of(kind, texts), got = got),
            )
        }
        ArgumentError::Unknown { .. } => return None,
    };
    Some((api.params.iter().position(|param| param.name == name)?, message))
}

/// A field's value: lists have an item per line, records as `name: value`.
fn value(kind: Kind, text: &str) -> Value {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    match kind {
        Kind::Text | Kind::Date | Kind::DateTime | Kind::MonthDay => Value::from(text),
        Kind::Integer | Kind::Number | Kind::Boolean => {
            literal::parse(text).unwrap_or_else(|_| Value::from(text))
        }
        Kind::TextList | Kind::UntypedTextList => lines().map(Value::from).collect(),
        Kind::RecordList(names) => lines().map(|line| record(names, line)).collect(),
    }
}

fn record(names: &[&str], line: &str) -> Value {
    let mut parts = line.splitn(names.len(), [':', '：']).map(str::trim);
    names
        .iter()
        .map_while(|name| Some(((*name).to_owned(), parts.next()?.into())))
        .collect::<Map<_, _>>()
        .into()
}

/// A parameter's type in words, with its format.
pub fn kind_of(kind: Kind, texts: Texts) -> String {
    match kind {
        Kind::Text => t!(texts, "text").to_owned(),
        Kind::Date => t!(texts, "a date such as 2024-05-20").to_owned(),
        Kind::DateTime => t!(texts, "a date and time such as 2024-05-20 16:00:00").to_owned(),
        Kind::MonthDay => t!(texts, "a month and day such as 05-20").to_owned(),
        Kind::Integer => t!(texts, "a whole number").to_owned(),
        Kind::Number => t!(texts, "a number").to_owned(),
        Kind::Boolean => t!(texts, "True or False").to_owned(),
        Kind::TextList | Kind::UntypedTextList => t!(texts, "a list, one item a line").to_owned(),
        Kind::RecordList(names) => {
            t!(texts, "a list, one “{record}” a line", record = names.join(": "))
        }
    }
}

/// Whether a parameter takes several lines.
pub fn has_lines(param: &Param) -> bool {
    matches!(param.kind, Kind::TextList | Kind::UntypedTextList | Kind::RecordList(_))
}

/// A value of an API's first successful example for a parameter, as the form takes it.
pub fn example(api: &Api, param: &Param) -> Option<String> {
    let example = api.examples.iter().find(|example| example.succeeds)?;
    let arguments: Map<String, Value> = serde_json::from_str(example.arguments).ok()?;
    let line = |item: &Value| match item {
        Value::Object(fields) => {
            fields.values().map(crate::session::compare::shown).collect::<Vec<_>>().join(": ")
        }
        other => crate::session::compare::shown(other),
    };
    Some(match arguments.get(param.name)? {
        Value::Array(items) => items.iter().map(line).collect::<Vec<_>>().join("\n"),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        other => line(other),
    })
}

/// The step of a sample in its dialogue.
pub fn step_of(walk: &Walkthrough, sample: &str) -> Option<usize> {
    walk.steps.iter().position(|step| matches!(step, Step::Graded(it) if it.id == sample))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texts::Texts;
    use apis::{Suite, registry};

    fn read(api: &str, fields: &[&str]) -> Result<String, Vec<Problem>> {
        let api = registry::find(Suite::Dialogue, api).unwrap();
        let fields: Vec<String> = fields.iter().map(|field| (*field).to_owned()).collect();
        call(api, &fields, Texts::ENGLISH)
    }

    #[test]
    fn a_form_becomes_a_call_or_names_the_wrong_fields() {
        let problems = read("AddReminder", &["t", "", "tomorrow"]).unwrap_err();
        assert_eq!(problems.iter().map(|problem| problem.0).collect::<Vec<_>>(), [1, 2]);
        assert!(
            problems[1].1.contains("2024-05-20 16:00:00") && problems[1].1.contains("tomorrow")
        );
        let call = read("AddReminder", &["t", "it's late", "2024-05-20 16:00:00"]).unwrap();
        assert_eq!(
            call,
            r"[AddReminder(token='t', content='it\'s late', time='2024-05-20 16:00:00')]"
        );
    }

    #[test]
    fn every_example_can_be_typed_into_the_form() {
        for api in registry::all() {
            let Some(first) = api.examples.iter().find(|it| it.succeeds) else { continue };
            let fields: Vec<String> =
                api.params.iter().map(|param| example(api, param).unwrap_or_default()).collect();
            let typed = call(api, &fields, Texts::ENGLISH).unwrap();
            let given: Map<String, Value> = serde_json::from_str(first.arguments).unwrap();
            let given = api.read(&given).unwrap();
            let found = exchange::call::parse(&typed);
            let found = api.read(&found.unwrap().arguments).unwrap();
            assert_eq!(found, given, "{}: {typed}", api.name);
        }
    }

    #[test]
    fn another_api_empties_the_fields() {
        let mut draft = Draft { api: Some("A".to_owned()), fields: vec!["x".to_owned()] };
        draft.choose("A", 1);
        assert_eq!(draft.fields, ["x"]);
        draft.choose("B", 2);
        assert_eq!(draft.fields, ["", ""]);
    }
}
