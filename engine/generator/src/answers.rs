//! Parses the agents' answers: finds the JSON in the text, reads it strictly, and rejects it with
//! the name of the wrong field.

use super::{Code, Reason, Tool, Turn, published};
use exchange::shorten;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Answers longer than this are rejected without parsing, in bytes.
const MAX_BYTES: usize = 64 << 10;
/// How many `{` of an answer are tried as the start of the JSON object.
const MAX_STARTS: usize = 8;
/// A list may have this many times the requested entries.
const MAX_FACTOR: usize = 3;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Domains {
    domains: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Apis {
    apis: Vec<Tool>,
}

/// A user's first utterance, with its time.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// The utterance.
    pub query: String,
    /// `%Y-%m-%d %H:%M:%S`.
    pub time: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Turns {
    turns: Vec<Turn>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message {
    query: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnTurns {
    turns: Vec<OwnTurn>,
}

/// A turn of a task for own tools, as an agent writes it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "role")]
pub(crate) enum OwnTurn {
    User {
        text: String,
    },
    #[serde(rename = "AI")]
    Assistant {
        text: String,
        #[serde(default)]
        tell: Vec<String>,
    },
    #[serde(rename = "API")]
    Api {
        api_name: String,
        param_dict: Map<String, Value>,
        #[serde(default)]
        output: Option<Value>,
        #[serde(default)]
        exception: Option<String>,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Verdict {
    accept: bool,
    #[serde(default)]
    reasons: Vec<Violation>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Violation {
    principle: Code,
    detail: String,
}

/// Parses the names of domains, at most three times as many as requested.
///
/// # Errors
/// Why the answer is rejected.
pub fn domains(text: &str, asked: usize) -> Result<Vec<String>, Reason> {
    let Domains { domains } = read(text)?;
    no_more("domains", domains.len(), asked)?;
    Ok(domains)
}

/// Parses descriptions of APIs; types are converted to their published names.
///
/// # Errors
/// Why the answer is rejected.
pub fn apis(text: &str, asked: usize) -> Result<Vec<Tool>, Reason> {
    let Apis { mut apis } = read(text)?;
    no_more("apis", apis.len(), asked)?;
    for tool in &mut apis {
        for parameter in
            tool.input_parameters.values_mut().chain(tool.output_parameters.values_mut())
        {
            if let Some(label) = published(&parameter.label) {
                label.clone_into(&mut parameter.label);
            }
        }
    }
    Ok(apis)
}

/// Parses a user's first utterance.
///
/// # Errors
/// Why the answer is rejected.
pub fn query(text: &str) -> Result<Query, Reason> {
    let query: Query = read(text)?;
    if query.query.trim().is_empty() {
        return Err(Reason::new(Code::WrongShape, "query: expected a text, got nothing"));
    }
    if query.time.parse::<apis::DateTime>().is_err() {
        let got = shorten(&query.time, 40);
        let detail =
            format!("time: expected a date and time like 2026-03-04 10:30:00, got {got:?}");
        return Err(Reason::new(Code::WrongShape, detail));
    }
    Ok(query)
}

/// Parses the user's first message of a task for own tools.
///
/// # Errors
/// Why the answer is rejected.
pub(crate) fn message(text: &str) -> Result<String, Reason> {
    let Message { query } = read(text)?;
    let query = query.trim();
    if query.is_empty() {
        return Err(Reason::new(Code::WrongShape, "query: expected a text, got nothing"));
    }
    Ok(query.to_owned())
}

/// Parses the turns of a task for own tools, after its first message.
///
/// # Errors
/// Why the answer is rejected.
pub(crate) fn own_turns(text: &str) -> Result<Vec<OwnTurn>, Reason> {
    read(text).map(|OwnTurns { turns }| turns)
}

/// Parses the turns after the user's first utterance.
///
/// # Errors
/// Why the answer is rejected.
pub fn turns(text: &str) -> Result<Vec<Turn>, Reason> {
    read(text).map(|Turns { turns }| turns)
}

/// Parses the tester's verdict: its reasons against a dialogue, empty if it accepts.
///
/// # Errors
/// Why the answer is rejected.
pub fn verdict(text: &str) -> Result<Vec<Reason>, Reason> {
    let Verdict { accept, reasons } = read(text)?;
    let wrong = |detail: &str| Err(Reason::new(Code::WrongShape, detail));
    match (accept, reasons.is_empty()) {
        (true, false) => return wrong("accept: expected false where there are reasons"),
        (false, true) => return wrong("reasons: expected at least one where accept is false"),
        _ => {}
    }
    let principles = reasons.iter().all(|reason| Code::PRINCIPLES.contains(&reason.principle));
    if !principles {
        return wrong("reasons: expected one of the four principles under principle");
    }
    Ok(reasons.into_iter().map(|reason| Reason::new(reason.principle, reason.detail)).collect())
}

fn no_more(field: &str, count: usize, asked: usize) -> Result<(), Reason> {
    if count > MAX_FACTOR * asked {
        let detail = format!("{field}: expected {asked}, got {count}");
        return Err(Reason::new(Code::TooLong, detail));
    }
    if count == 0 {
        return Err(Reason::new(Code::WrongShape, format!("{field}: expected {asked}, got none")));
    }
    Ok(())
}

/// Parses the first JSON object in an answer, ignoring text around it.
fn read<T: DeserializeOwned>(text: &str) -> Result<T, Reason> {
    let value = object(text)?;
    if let Some(refusal) = value.get("refusal") {
        let said = refusal.as_str().unwrap_or_default();
        return Err(Reason::new(Code::Refused, shorten(said, 200)));
    }
    serde_path_to_error::deserialize(&value).map_err(|error| {
        let (path, inner) = (error.path().to_string(), error.inner().to_string());
        // The path of a field missing at the top level is ".".
        let detail = if path == "." { inner } else { format!("{path}: {inner}") };
        Reason::new(Code::WrongShape, shorten(&detail, 300))
    })
}

fn object(text: &str) -> Result<Value, Reason> {
    if text.len() > MAX_BYTES {
        let detail = format!("expected at most {MAX_BYTES} bytes, got {}", text.len());
        return Err(Reason::new(Code::TooLong, detail));
    }
    let mut problem = None;
    for (start, _) in text.match_indices('{').take(MAX_STARTS) {
        match serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>().next() {
            Some(Ok(value)) => return Ok(value),
            Some(Err(error)) => {
                problem.get_or_insert_with(|| format!("byte {start}: {error}"));
            }
            None => {}
        }
    }
    let shown = shorten(text.trim(), 120);
    Err(match problem {
        Some(problem) => Reason::new(Code::NoJson, problem),
        None if declines(text) => Reason::new(Code::Refused, shown),
        None => Reason::new(Code::NoJson, format!("expected a JSON object, got {shown:?}")),
    })
}

/// Whether a text without JSON is a refusal.
fn declines(text: &str) -> bool {
    let text = text.to_lowercase().replace('\u{2019}', "'");
    ["i can't", "i cannot", "i'm sorry", "i am sorry", "i'm unable", "i am unable", "i won't"]
        .iter()
        .any(|phrase| text.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_around_the_json_object_is_ignored() {
        for text in [
            r#"{"domains": ["Bee keeping"]}"#,
            "Sure!\n```json\n{\"domains\": [\"Bee keeping\"]}\n```\nAnything else?",
            r#"<think>{not this}</think> {"domains": ["Bee keeping"]}"#,
        ] {
            assert_eq!(domains(text, 2), Ok(vec!["Bee keeping".to_owned()]), "{text}");
        }
    }

    #[test]
    fn unusable_answers_are_rejected_with_a_code() {
        let code = |result: Result<Vec<String>, Reason>| result.unwrap_err().code.as_str();
        assert_eq!(code(domains("", 2)), "no-json");
        assert_eq!(code(domains(r#"{"domains": ["a", "#, 2)), "no-json");
        assert_eq!(code(domains("I'm sorry, I can't help with that.", 2)), "refused");
        assert_eq!(code(domains(r#"{"refusal": "no"}"#, 2)), "refused");
        assert_eq!(code(domains(r#"{"domains": []}"#, 2)), "wrong-shape");
        assert_eq!(code(domains(r#"{"domains": ["a","b","c","d"]}"#, 1)), "too-long");
        assert_eq!(code(domains(&"x".repeat(MAX_BYTES + 1), 1)), "too-long");
        let deep = "[".repeat(2000);
        assert_eq!(code(domains(&format!("{{\"domains\": {deep}"), 1)), "no-json");
        for (text, part) in [
            (r#"{"turns": [{"role": "AI", "text": "a"}, {"role": "Cat"}]}"#, "turns[1]"),
            (r#"{"turns": [{"role": "API", "api_name": 3, "param_dict": {}}]}"#, "turns[0]"),
            (r#"{"calls": []}"#, "turns"),
        ] {
            let reason = turns(text).unwrap_err();
            assert_eq!(reason.code, Code::WrongShape);
            assert!(reason.detail.contains(part), "{reason}");
        }
        let late = query(r#"{"query": "Hello", "time": "soon"}"#).unwrap_err();
        assert!(late.detail.starts_with("time: expected"), "{late}");
    }

    #[test]
    fn a_verdict_must_be_consistent() {
        assert_eq!(verdict(r#"{"accept": true, "reasons": []}"#), Ok(Vec::new()));
        let no = r#"{"accept": false, "reasons": [{"principle": "api-diversity", "detail": "x"}]}"#;
        assert_eq!(verdict(no).unwrap()[0].code, Code::ApiDiversity);
        for wrong in [
            r#"{"accept": true, "reasons": [{"principle": "api-diversity", "detail": "x"}]}"#,
            r#"{"accept": false, "reasons": []}"#,
            r#"{"accept": false, "reasons": [{"principle": "ungrounded", "detail": "x"}]}"#,
            r#"{"accept": "yes"}"#,
        ] {
            assert_eq!(verdict(wrong).unwrap_err().code, Code::WrongShape, "{wrong}");
        }
    }

    #[test]
    fn aliases_of_types_are_accepted() {
        let text = r#"{"apis": [{"name": "A", "description": "b",
            "input_parameters": {"x": {"type": "String", "description": "c"}},
            "output_parameters": {"y": {"type": "array", "description": "d"}}}]}"#;
        let tools = apis(text, 1).unwrap();
        assert_eq!(tools[0].input_parameters["x"].label, "str");
        assert_eq!(tools[0].output_parameters["y"].label, "list");
    }
}
