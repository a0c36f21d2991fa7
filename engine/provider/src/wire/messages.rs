//! Messages, Anthropic's format, which llama.cpp supports too.
//!
//! Source: Anthropic's API reference. Roles alternate, so consecutive messages of a role are
//! merged; all results of a message's calls are in the next message.

use super::{Assemble, Facts, Seen, Wire};
use crate::content::{
    append, arguments_object, arguments_text, instructions, members, token_counts, tools,
};
use crate::error_response::unexpected;
use crate::{Endpoint, Failure};
use exchange::protocol::{Ask, Message, Role, Tool, ToolCall};
use exchange::{Answer, Usage};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The maximum answer length when the settings name none: the format requires one.
const MAX_TOKENS: u32 = 4096;

/// The format.
pub(super) struct Messages;

/// Its constants.
pub(super) const FACTS: Facts = Facts {
    title: "Anthropic Messages",
    path: "messages",
    required: &["model", "max_tokens", "system", "messages", "tools"],
    ..Facts::USUAL
};

impl Wire for Messages {
    fn headers(&self, endpoint: &Endpoint, key: Option<&str>) -> Vec<(&'static str, String)> {
        let mut headers = vec![("anthropic-version", "2023-06-01".to_owned())];
        headers.extend(key.map(|key| ("x-api-key", key.to_owned())));
        if endpoint.quirks().browser_header {
            headers.push(("anthropic-dangerous-direct-browser-access", "true".to_owned()));
        }
        headers
    }

    fn body(&self, endpoint: &Endpoint, ask: &Ask) -> Result<Map<String, Value>, Failure> {
        let force = endpoint.forces_tool(ask);
        let format = |schema: &Value| json!({"format": {"type": "json_schema", "schema": schema}});
        Ok(members([
            ("model", Some(json!(endpoint.model.trim()))),
            ("max_tokens", Some(json!(endpoint.max_tokens.unwrap_or(MAX_TOKENS)))),
            ("system", instructions(ask)),
            ("messages", Some(turns(&ask.messages))),
            ("temperature", endpoint.temperature.map(Value::from)),
            ("top_p", endpoint.top_p.map(Value::from)),
            ("tools", tools(ask, tool)),
            ("tool_choice", force.then(|| json!({"type": "any"}))),
            ("output_config", endpoint.schema(ask).map(format)),
            ("stream", endpoint.streaming.then(|| json!(true))),
        ]))
    }

    fn decode(&self, body: &Value) -> Result<Answer, Failure> {
        let content = body
            .get("content")
            .and_then(Value::as_array)
            .ok_or_else(|| unexpected("a list under content", body))?;
        let mut answer = Answer::default();
        let mut reasoning = String::new();
        for block in content {
            match block.get("type").and_then(Value::as_str) {
                Some("text") => append(&mut answer.text, block.get("text")),
                Some("thinking") => append(&mut reasoning, block.get("thinking")),
                Some("tool_use") => {
                    answer.calls.push(read_call(block));
                    true
                }
                _ => false,
            };
        }
        answer.reasoning = (!reasoning.is_empty()).then_some(reasoning);
        let has_more = content.iter().any(|block| block.get("type") != Some(&json!("text")));
        answer.raw = has_more.then(|| Value::Array(content.clone()));
        answer.finish_reason = body.get("stop_reason").and_then(Value::as_str).map(str::to_owned);
        answer.usage = body.get("usage").and_then(usage);
        Ok(answer)
    }

    fn stream(&self) -> Box<dyn Assemble> {
        Box::<Stream>::default()
    }
}

fn tool(tool: &Tool) -> Value {
    json!({
        "name": tool.name, "description": tool.description, "input_schema": tool.parameters,
    })
}

fn turns(messages: &[Message]) -> Value {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in messages.iter().filter(|message| message.role != Role::System) {
        let role = if message.role == Role::Assistant { "assistant" } else { "user" };
        let blocks = blocks(message);
        match turns.last_mut() {
            Some((last, said)) if *last == role => said.extend(blocks),
            // The format rejects a message without blocks.
            _ if blocks.is_empty() => {}
            _ => turns.push((role, blocks)),
        }
    }
    turns.into_iter().map(|(role, content)| json!({"role": role, "content": content})).collect()
}

fn blocks(message: &Message) -> Vec<Value> {
    if let Some(Value::Array(raw)) = &message.raw {
        return raw.clone();
    }
    if message.role == Role::Tool {
        let id = call_id(message.call_id.as_deref().unwrap_or_default());
        return vec![
            json!({"type": "tool_result", "tool_use_id": id, "content": &*message.content}),
        ];
    }
    let said =
        (!message.content.is_empty()).then(|| json!({"type": "text", "text": &*message.content}));
    let calls = message.calls.iter().map(|call| {
        json!({
            "type": "tool_use", "id": call_id(&call.id), "name": call.name,
            "input": arguments_object(&call.arguments),
        })
    });
    said.into_iter().chain(calls).collect()
}

/// A valid id in this format: letters, digits, `_` and `-`.
fn call_id(id: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let id: String = id.chars().map(|c| if fits(c) { c } else { '_' }).collect();
    if id.is_empty() { "call".to_owned() } else { id }
}

fn read_call(block: &Value) -> ToolCall {
    let text = |name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    ToolCall { id: text("id"), name: text("name"), arguments: arguments_text(block.get("input")) }
}

/// Cache reads and writes count towards the prompt.
fn usage(usage: &Value) -> Option<Usage> {
    let mut read = token_counts(usage, "input_tokens", "output_tokens")?;
    for name in ["cache_read_input_tokens", "cache_creation_input_tokens"] {
        let cached = usage.get(name).and_then(Value::as_u64).unwrap_or_default();
        read.prompt_tokens = read.prompt_tokens.saturating_add(cached);
    }
    Some(read)
}

/// The events of a streamed answer.
#[derive(Debug, Default)]
struct Stream {
    message: Map<String, Value>,
    blocks: BTreeMap<u64, Block>,
    is_done: bool,
}

/// A content block and the accumulated text of its deltas.
#[derive(Debug, Default)]
struct Block {
    start: Map<String, Value>,
    text: String,
    thinking: String,
    signature: String,
    input: String,
}

impl Assemble for Stream {
    fn event(&mut self, event: &Value) -> Seen {
        let index = event.get("index").and_then(Value::as_u64).unwrap_or_default();
        match event.get("type").and_then(Value::as_str).unwrap_or_default() {
            "message_start" => {
                if let Some(message) = event.get("message").and_then(Value::as_object) {
                    self.message = message.clone();
                }
            }
            "content_block_start" => {
                let start = event.get("content_block").and_then(Value::as_object);
                let block = Block { start: start.cloned().unwrap_or_default(), ..Block::default() };
                let token = block.start.get("type").and_then(Value::as_str) == Some("tool_use");
                self.blocks.insert(index, block);
                return Seen { token, end: false };
            }
            "content_block_delta" => {
                let block = self.blocks.entry(index).or_default();
                let token = event.get("delta").is_some_and(|delta| block.add(delta));
                return Seen { token, end: false };
            }
            "message_delta" => self.ending(event),
            "message_stop" => {
                self.is_done = true;
                return Seen { token: false, end: true };
            }
            _ => {}
        }
        Seen::default()
    }

    fn is_complete(&self) -> bool {
        self.is_done || self.message.get("stop_reason").is_some_and(Value::is_string)
    }

    fn body(&mut self) -> Value {
        let blocks = std::mem::take(&mut self.blocks).into_values().map(Block::into_value);
        let mut message = std::mem::take(&mut self.message);
        message.insert("content".to_owned(), blocks.collect());
        Value::Object(message)
    }
}

impl Stream {
    /// Stores the stop reason and the final token counts.
    fn ending(&mut self, event: &Value) {
        if let Some(delta) = event.get("delta").and_then(Value::as_object) {
            self.message.extend(delta.clone());
        }
        let Some(counts) = event.get("usage").and_then(Value::as_object) else { return };
        let known = self.message.entry("usage").or_insert_with(|| json!({}));
        if let Some(known) = known.as_object_mut() {
            known.extend(counts.clone());
        }
    }
}

impl Block {
    fn add(&mut self, delta: &Value) -> bool {
        let token = append(&mut self.text, delta.get("text"))
            | append(&mut self.thinking, delta.get("thinking"))
            | append(&mut self.input, delta.get("partial_json"));
        append(&mut self.signature, delta.get("signature"));
        token
    }

    fn into_value(self) -> Value {
        let mut block = self.start;
        for (name, piece) in
            [("text", self.text), ("thinking", self.thinking), ("signature", self.signature)]
        {
            if !piece.is_empty() {
                let before = block.get(name).and_then(Value::as_str).unwrap_or_default();
                let whole = format!("{before}{piece}");
                block.insert(name.to_owned(), json!(whole));
            }
        }
        if !self.input.is_empty() {
            // Keep the model's invalid JSON verbatim.
            let input = serde_json::from_str(&self.input).unwrap_or(Value::String(self.input));
            block.insert("input".to_owned(), input);
        }
        if !block.contains_key("type") {
            block.insert("type".to_owned(), json!("text"));
        }
        Value::Object(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::adding_tool;

    fn call(id: &str) -> ToolCall {
        ToolCall { id: id.to_owned(), name: "Add".to_owned(), arguments: "{\"a\":1}".to_owned() }
    }

    #[test]
    fn a_conversation_with_tools_round_trips() {
        let ask = Ask {
            messages: vec![
                Message::text(Role::System, "Be brief."),
                Message::text(Role::User, "both?"),
                Message::calls(vec![call("c1"), call("c#2")]),
                Message::result("c1", "2"),
                Message::result("c#2", "3"),
                Message::text(Role::User, "and?"),
            ],
            tools: vec![adding_tool()],
            ..Ask::default()
        };
        let endpoint = Endpoint { tool_choice: crate::ToolChoice::Required, ..Endpoint::default() };
        let body = Messages.body(&endpoint, &ask).unwrap();
        assert_eq!(body["system"], "Be brief.");
        assert_eq!(
            (&body["max_tokens"], &body["tool_choice"]["type"]),
            (&json!(4096), &json!("any"))
        );
        assert_eq!(body["tools"][0]["input_schema"]["type"], "object");
        let sent = body["messages"].as_array().unwrap();
        let roles: Vec<&str> = sent.iter().map(|turn| turn["role"].as_str().unwrap()).collect();
        assert_eq!(roles, ["user", "assistant", "user"]);
        assert_eq!(sent[2]["content"][1]["tool_use_id"], "c_2");
        assert_eq!(sent[2]["content"][2]["text"], "and?");
        let answer = Messages
            .decode(&json!({
                "content": sent[1]["content"], "stop_reason": "tool_use",
                "usage": {"input_tokens": 5, "output_tokens": 2, "cache_read_input_tokens": 10},
            }))
            .unwrap();
        assert_eq!(answer.calls, [call("c1"), call("c_2")]);
        assert_eq!(answer.usage.unwrap().prompt_tokens, 15);
        let echoed = Message { raw: answer.raw, ..Message::calls(answer.calls) };
        assert_eq!(json!(blocks(&echoed)), sent[1]["content"]);
    }

    #[test]
    fn thinking_is_separate_from_the_text() {
        let answer = Messages
            .decode(&json!({"content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "text", "text": "yes"},
            ]}))
            .unwrap();
        assert_eq!((answer.text.as_str(), answer.reasoning.as_deref()), ("yes", Some("hm")));
        assert_eq!(answer.raw.unwrap()[0]["signature"], "s");
        assert!(Messages.decode(&json!({})).unwrap_err().message.contains("content"));
    }
}
