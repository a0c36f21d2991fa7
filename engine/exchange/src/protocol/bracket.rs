//! The `bracket` and `paper` protocols: instructions and APIs in the system message, the conversation with gold
//! calls and results as text in the user message.

use super::prompts::Prompts;
use super::{Ask, Message, Protocol, Role, Sample, notes, part};
use crate::call;
use crate::slots::fill;
use apis::{Api, ApiResult, World};
use dataset::Turn;
use serde_json::Value;

/// The request for a sample. An imported pack's own prompt is sent unchanged.
pub fn ask(
    protocol: Protocol,
    prompts: &Prompts,
    sample: &Sample<'_>,
    history: &[Turn],
    world: &World,
) -> Ask {
    if let Some(row) = sample.prompt() {
        let messages = vec![
            Message::text(Role::System, row.instruction.as_str()),
            Message::text(Role::User, row.input.as_str()),
        ];
        return Ask { messages, ..Ask::default() };
    }
    let text = prompts.text(part(protocol, sample));
    let apis = match sample.own_tools(false) {
        Some(tools) => {
            let tools = tools.iter().map(|tool| tool.prompt_json().to_string());
            tools.collect::<Vec<_>>().join("\n")
        }
        None => apis(&sample.described(world.search.results)),
    };
    let (year, said) = (world.today.0.year().to_string(), lines(history));
    let values = [("year", year.as_str()), ("apis", &apis), ("history", &said)];
    let messages = vec![
        Message::text(Role::System, notes::with(sample, fill(&text.system, &values))),
        Message::text(Role::User, fill(&text.user, &values)),
    ];
    Ask { messages, ..Ask::default() }
}

/// Descriptions of APIs as prompt text, one a line.
pub(super) fn apis(described: &[&Api]) -> String {
    described.iter().map(|api| api.prompt_json().to_string()).collect::<Vec<_>>().join("\n")
}

/// Formats turns as prompt text: a line per utterance, and two per call (call and result).
pub fn lines(turns: &[Turn]) -> String {
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

/// A call's result as JSON: its output, or an object with `exception`.
pub fn outcome(result: &ApiResult) -> Value {
    match &result.exception {
        Some(message) => serde_json::json!({ "exception": message }),
        None => result.output.clone().unwrap_or(Value::Null),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::SampleKind;
    use dataset::{Ability, Dialogue};

    #[test]
    fn the_prompt_shows_what_came_before_and_nothing_after() {
        let protocol = Protocol::Paper;
        let prompts = Prompts::builtin(protocol);
        let prompt = |sample: &Sample<'_>| {
            ask(protocol, prompts, sample, sample.history(), &World::empty(1)).messages
        };
        let file = r#"{"role": "User", "text": "What day is {apis} it?"}
{"role": "API", "api_name": "Calculator", "param_dict": {"formula": "1+1"}, "result": {"api_name": "Calculator", "input": {}, "output": 2.0, "exception": null}}
{"role": "AI", "text": "A secret."}"#;
        let dialogue = Dialogue::read_lines("x.jsonl", Ability::Call, file).unwrap();
        let call = Sample::new(&dialogue, 1, SampleKind::Call);
        let prompt_of_call = prompt(&call);
        assert!(prompt_of_call[0].content.contains("\"name\":\"Calculator\""));
        assert!(prompt_of_call[0].content.contains("2023"));
        assert_eq!(
            &*prompt_of_call[1].content,
            "User: What day is {apis} it?\n\nThe next API call:"
        );
        let reply = Sample::new(&dialogue, 2, SampleKind::Reply);
        let text = prompt(&reply)[1].content.to_string();
        assert!(text.contains("API call: [Calculator(formula='1+1')]\nAPI result: 2.0"), "{text}");
        assert!(!text.contains("secret"));
    }
}
