//! The `tools` protocol: native tool calls on a gold history.
//!
//! In the history, gold calls are the assistant's tool calls and their results are tool messages.
//! For abilities with API Search, the tools are API Search and the APIs that earlier searches
//! returned.

use super::bracket::outcome;
use super::prompts::Prompts;
use super::{Ask, Message, Protocol, Role, Sample, Tool, ToolCall, notes, part};
use crate::slots::fill;
use apis::search::{SearchResults, find, found_names};
use apis::{Api, ApiResult, World};
use dataset::{Ability, RecordedCall, Turn};

/// The request for a sample after `history`.
pub(super) fn of_history(
    protocol: Protocol,
    prompts: &Prompts,
    sample: &Sample<'_>,
    history: &[Turn],
    world: &World,
) -> Ask {
    let text = prompts.text(part(protocol, sample));
    let year = world.today.0.year().to_string();
    let system = notes::with(sample, fill(&text.system, &[("year", &year)]));
    let mut messages = vec![Message::text(Role::System, system)];
    messages.extend(self::messages(history));
    let tools = match sample.own_tools(protocol == Protocol::AllTools) {
        Some(own) => own.into_iter().map(own_tool).collect(),
        None => {
            let described = super::described(protocol, sample, history, world.search.results);
            described.into_iter().map(tool).collect()
        }
    };
    Ask { messages, tools, ..Ask::default() }
}

fn own_tool(tool: &dataset::own_tools::Tool) -> Tool {
    let dataset::own_tools::Tool { name, description, parameters, .. } = tool.clone();
    Tool { name, description, parameters }
}

/// An API as a tool.
pub fn tool(api: &'static Api) -> Tool {
    Tool {
        name: api.name.to_owned(),
        description: api.description.to_owned(),
        parameters: api.schema(),
    }
}

/// The APIs offered as tools: those of the dialogue, or API Search and the APIs that it returned.
pub fn described(
    sample: &Sample<'_>,
    history: &[Turn],
    results: SearchResults,
) -> Vec<&'static Api> {
    let mut apis = sample.described_after(history, results);
    if sample.ability() == Ability::Call {
        return apis;
    }
    let suite = sample.ability().suite();
    let searches = history.iter().filter_map(Turn::as_call);
    for search in searches.filter(|call| call.is_search()) {
        for name in found_names(&search.result) {
            if let Some(api) = find(suite, &name)
                && !apis.iter().any(|known| known.name == api.name)
            {
                apis.push(api);
            }
        }
    }
    apis
}

/// The id of the `nth` call of a conversation, from 1. Nine letters and digits, which every vendor
/// accepts and Mistral requires.
pub fn call_id(nth: usize) -> String {
    format!("call{nth:05}")
}

/// Formats a result as the text of a tool message.
pub fn result_text(result: &ApiResult) -> String {
    outcome(result).to_string()
}

/// Converts turns to messages, each call followed by its result. Text directly before a call shares
/// the call's message, because some servers reject two assistant messages in a row.
pub fn messages(history: &[Turn]) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::new();
    let mut calls = 0;
    for turn in history {
        match turn {
            Turn::User { text } => messages.push(Message::text(Role::User, text)),
            Turn::Assistant { text, .. } => messages.push(Message::text(Role::Assistant, text)),
            Turn::Api(recorded) => {
                calls += 1;
                let call = tool_call(call_id(calls), recorded);
                match messages.last_mut() {
                    Some(last) if last.role == Role::Assistant && last.calls.is_empty() => {
                        last.calls.push(call);
                    }
                    _ => messages.push(Message::calls(vec![call])),
                }
                messages.push(Message::result(call_id(calls), result_text(&recorded.result)));
            }
        }
    }
    messages
}

fn tool_call(id: String, recorded: &RecordedCall) -> ToolCall {
    let arguments = serde_json::Value::Object(recorded.param_dict.clone()).to_string();
    ToolCall { id, name: recorded.api_name.clone(), arguments }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{SampleKind, ask};
    use dataset::Dialogue;

    const FILE: &str = r#"{"role": "User", "text": "Remind me of tea."}
{"role": "AI", "text": "One moment."}
{"role": "API", "api_name": "ToolSearcher", "param_dict": {"keywords": "reminder"}, "result": {"api_name": "ToolSearcher", "input": {}, "output": [{"name": "GetUserToken"}, {"name": "AddReminder"}], "exception": null}}
{"role": "API", "api_name": "GetUserToken", "param_dict": {"username": "a", "password": "b"}, "result": {"api_name": "GetUserToken", "input": {}, "output": null, "exception": "No."}}
{"role": "AI", "text": "A secret."}"#;

    #[test]
    fn gold_calls_are_assistant_calls_with_stable_ids() {
        let dialogue = Dialogue::read_lines("x.jsonl", Ability::Retrieve, FILE).unwrap();
        let at = |turn| Sample::new(&dialogue, turn, SampleKind::Call);
        let prompts = Prompts::builtin(Protocol::Tools);
        let world = World::empty(1);
        let names = |ask: &Ask| ask.tools.iter().map(|tool| tool.name.clone()).collect::<Vec<_>>();
        let first = ask(Protocol::Tools, prompts, &at(2), &world);
        assert_eq!(names(&first), ["ToolSearcher"]);
        assert_eq!(first.messages.len(), 3);
        assert!(first.messages[0].content.contains("2023"));
        let second = ask(Protocol::Tools, prompts, &at(3), &world);
        assert_eq!(names(&second), ["ToolSearcher", "GetUserToken", "AddReminder"]);
        assert_eq!(second.tools[1].parameters["required"][0], "username");
        let [_, _, said, result] = &second.messages[..] else { panic!("{:?}", second.messages) };
        assert_eq!((&*said.content, said.calls[0].id.as_str()), ("One moment.", "call00001"));
        assert_eq!(said.calls[0].arguments, r#"{"keywords":"reminder"}"#);
        assert_eq!((result.role, result.call_id.as_deref()), (Role::Tool, Some("call00001")));
        let reply = Sample::new(&dialogue, 4, SampleKind::Reply);
        let reply = ask(Protocol::Tools, prompts, &reply, &world);
        let last = reply.messages.last().unwrap();
        assert_eq!(&*last.content, r#"{"exception":"No."}"#);
        assert!(reply.messages[0].content.contains("without a tool call"));
    }
}
