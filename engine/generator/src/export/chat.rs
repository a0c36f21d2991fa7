//! Chats with native tool calls, one dialogue per line, for current trainers.
//!
//! The format is that of Chat Completions. Arguments are JSON text, because the `datasets` library
//! requires one type per key and the arguments of different APIs have different keys and types.

use super::instructions::called;
use crate::{Item, Tool, Turn};
use apis::Suite;
use apis::search::{self, SearchResults};
use dataset::Ability;
use serde_json::{Value, json};

/// Serializes a dialogue to a JSONL line, without the newline.
pub fn line(item: &Item, tools: &[Tool]) -> String {
    json!({"id": item.id, "messages": messages(item, tools), "tools": described(item, tools)})
        .to_string()
}

/// The tools that a model may call: the APIs that the dialogue calls, and ToolSearcher unless the
/// ability is Call.
fn described(item: &Item, tools: &[Tool]) -> Vec<Value> {
    let function = |name: &str, description: &str, parameters: Value| {
        let function = json!({"name": name, "description": description, "parameters": parameters});
        json!({"type": "function", "function": function})
    };
    let search = (item.ability != Ability::Call).then(|| {
        let api = search::described(Suite::Dialogue, SearchResults::One);
        function(api.name, api.description, api.schema())
    });
    let found = called(item, tools);
    let found = found.map(|tool| function(&tool.name, &tool.description, tool.schema()));
    search.into_iter().chain(found).collect()
}

fn messages(item: &Item, tools: &[Tool]) -> Vec<Value> {
    let mut messages = Vec::new();
    if let Some(time) = &item.time {
        messages.push(json!({"role": "system", "content": format!("The time is {time}.")}));
    }
    let mut calls = 0;
    for turn in &item.turns {
        match turn {
            Turn::User { text } => messages.push(json!({"role": "user", "content": text})),
            Turn::Assistant { text } => {
                messages.push(json!({"role": "assistant", "content": text}));
            }
            Turn::Api(call) => {
                calls += 1;
                let id = format!("call{calls:05}");
                let arguments = json!(call.param_dict).to_string();
                let function = json!({"name": call.api_name, "arguments": arguments});
                let made = json!({"id": id, "type": "function", "function": function});
                messages.push(json!({"role": "assistant", "content": "", "tool_calls": [made]}));
                let result = call.result(tools).to_string();
                messages.push(json!({
                    "role": "tool", "tool_call_id": id, "name": call.api_name, "content": result,
                }));
            }
        }
    }
    messages
}
