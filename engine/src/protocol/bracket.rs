//! The `bracket` protocol: instructions and APIs in the system message, the
//! conversation with gold calls and results as text in the user message.

use super::{Message, Role, Sample, SampleKind};
use crate::call;
use apis::ApiResult;
use dataset::{Ability, Turn};
use serde::Deserialize;
use serde_json::Value;
use std::sync::LazyLock;

/// The prompt texts, as data.
const TEXTS: &str = include_str!("prompts/bracket_v1.json");

#[derive(Deserialize)]
struct Texts {
    version: String,
    call: Text,
    search: Text,
    step: Text,
    reply: Text,
}

#[derive(Deserialize)]
struct Text {
    system: String,
    user: String,
}

#[expect(clippy::expect_used, reason = "the embedded file is checked by a test")]
static PROMPTS: LazyLock<Texts> =
    LazyLock::new(|| serde_json::from_str(TEXTS).expect("the embedded prompts are valid"));

/// Version of the prompt texts. A record carries it.
pub fn version() -> &'static str {
    &PROMPTS.version
}

/// The prompt of a sample. One that an imported pack brings goes out byte for byte.
pub fn prompt(sample: &Sample<'_>, year: i16) -> Vec<Message> {
    if let Some(row) = sample.prompt() {
        return vec![
            Message::text(Role::System, row.instruction.as_str()),
            Message::text(Role::User, row.input.as_str()),
        ];
    }
    let text = match (sample.kind, sample.ability()) {
        (SampleKind::Reply, _) => &PROMPTS.reply,
        // Calls of the hard split too: a model that knows that a call is due is held back by nothing.
        (SampleKind::Restraint, _) => &PROMPTS.step,
        (SampleKind::Call, _) if sample.hard().is_some() => &PROMPTS.step,
        (SampleKind::Call, Ability::Call) => &PROMPTS.call,
        (SampleKind::Call, _) => &PROMPTS.search,
    };
    let apis: Vec<String> =
        sample.described().iter().map(|api| api.prompt_json().to_string()).collect();
    // The texts of a dialogue go in last, so that nothing in them is taken for a slot.
    let system =
        text.system.replace("{year}", &year.to_string()).replace("{apis}", &apis.join("\n"));
    let user = text.user.replace("{history}", &history(sample.history()));
    vec![Message::text(Role::System, system), Message::text(Role::User, user)]
}

/// The conversation so far, a line an utterance.
pub fn history(turns: &[Turn]) -> String {
    turns.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn line(turn: &Turn) -> String {
    match turn {
        Turn::User { text } => format!("User: {text}"),
        Turn::Assistant { text, .. } => format!("Assistant: {text}"),
        Turn::Api(recorded) => format!(
            "API call: {}\nAPI result: {}",
            call::format(&recorded.api_name, &recorded.param_dict),
            outcome(&recorded.result)
        ),
    }
}

/// What a call gave back, as JSON: its output, or the exception under that name.
pub fn outcome(result: &ApiResult) -> Value {
    match &result.exception {
        Some(message) => serde_json::json!({ "exception": message }),
        None => result.output.clone().unwrap_or(Value::Null),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dataset::Dialogue;

    #[test]
    fn the_prompt_shows_what_came_before_and_nothing_after() {
        assert_eq!(version(), "bracket-1");
        let file = r#"{"role": "User", "text": "What day is {apis} it?"}
{"role": "API", "api_name": "Calculator", "param_dict": {"formula": "1+1"}, "result": {"api_name": "Calculator", "input": {}, "output": 2.0, "exception": null}}
{"role": "AI", "text": "A secret."}"#;
        let dialogue = Dialogue::read_lines("x.jsonl", Ability::Call, file).unwrap();
        let call = Sample::new(&dialogue, 1, SampleKind::Call);
        let prompt_of_call = prompt(&call, 2024);
        assert!(prompt_of_call[0].content.contains("\"name\":\"Calculator\""));
        assert!(prompt_of_call[0].content.contains("2024"));
        assert_eq!(prompt_of_call[1].content, "User: What day is {apis} it?\n\nThe next API call:");
        let reply = Sample::new(&dialogue, 2, SampleKind::Reply);
        let text = prompt(&reply, 2024)[1].content.clone();
        assert!(text.contains("API call: [Calculator(formula='1+1')]\nAPI result: 2.0"), "{text}");
        assert!(!text.contains("secret"));
    }
}
