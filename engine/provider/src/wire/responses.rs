//! Responses, OpenAI's newer format, required for tools with its newest models.
//!
//! Source: OpenAI's API reference. The vendor stores nothing (`store: false`), so reasoning to be
//! sent back is requested in encrypted form. The format has no seed.

use super::{Assemble, Facts, Seen, Wire};
use crate::content::{arguments_text, instructions, members, token_counts, tools};
use crate::error_response::unexpected;
use crate::{Endpoint, Failure};
use exchange::Answer;
use exchange::protocol::{Ask, Message, Role, Tool, ToolCall};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The format.
pub(super) struct Responses;

/// Its constants.
pub(super) const FACTS: Facts = Facts {
    title: "Responses",
    path: "responses",
    // Without `store: false` the vendor stores every prompt.
    required: &["model", "instructions", "input", "store", "tools"],
    ..Facts::USUAL
};

impl Wire for Responses {
    fn body(&self, endpoint: &Endpoint, ask: &Ask) -> Result<Map<String, Value>, Failure> {
        let input: Vec<Value> = ask.messages.iter().flat_map(items).collect();
        let format = |schema: &Value| json!({"type": "json_schema", "name": "answer", "schema": schema, "strict": true});
        let sealed = endpoint.quirks().sealed_reasoning;
        Ok(members([
            ("model", Some(json!(endpoint.model.trim()))),
            ("instructions", instructions(ask)),
            ("input", Some(json!(input))),
            ("store", Some(json!(false))),
            ("temperature", endpoint.temperature.map(Value::from)),
            ("top_p", endpoint.top_p.map(Value::from)),
            ("max_output_tokens", endpoint.max_tokens.map(Value::from)),
            ("tools", tools(ask, tool)),
            ("tool_choice", endpoint.forces_tool(ask).then(|| json!("required"))),
            ("text", endpoint.schema(ask).map(|schema| json!({"format": format(schema)}))),
            ("include", sealed.then(|| json!(["reasoning.encrypted_content"]))),
            ("stream", endpoint.streaming.then(|| json!(true))),
        ]))
    }

    fn decode(&self, body: &Value) -> Result<Answer, Failure> {
        let output = body
            .get("output")
            .and_then(Value::as_array)
            .ok_or_else(|| unexpected("a list under output", body))?;
        let mut answer = Answer::default();
        let mut reasoning = String::new();
        for item in output {
            match item.get("type").and_then(Value::as_str) {
                Some("message") => answer.text.push_str(&texts(item, "content")),
                Some("reasoning") => {
                    reasoning.push_str(&texts(item, "summary"));
                    reasoning.push_str(&texts(item, "content"));
                }
                Some("function_call") => answer.calls.push(read_call(item)),
                _ => {}
            }
        }
        answer.reasoning = (!reasoning.is_empty()).then_some(reasoning);
        let has_more = output.iter().any(|item| item.get("type") != Some(&json!("message")));
        answer.raw = has_more.then(|| Value::Array(output.clone()));
        answer.finish_reason = finish_reason(body);
        answer.usage = body
            .get("usage")
            .and_then(|usage| token_counts(usage, "input_tokens", "output_tokens"));
        Ok(answer)
    }

    fn stream(&self) -> Box<dyn Assemble> {
        Box::<Stream>::default()
    }
}

/// Strict is the default and rejects schemas with optional parameters.
fn tool(tool: &Tool) -> Value {
    json!({
        "type": "function", "name": tool.name, "description": tool.description,
        "parameters": tool.parameters, "strict": false,
    })
}

/// A message as input items.
fn items(message: &Message) -> Vec<Value> {
    if let Some(Value::Array(raw)) = &message.raw {
        return raw.iter().filter(|item| can_return(item)).cloned().collect();
    }
    match message.role {
        Role::System => Vec::new(),
        Role::Tool => vec![json!({
            "type": "function_call_output",
            "call_id": message.call_id.as_deref().unwrap_or_default(),
            "output": &*message.content,
        })],
        role => {
            let said = (!message.content.is_empty())
                .then(|| json!({"role": role, "content": &*message.content}));
            said.into_iter().chain(message.calls.iter().map(call)).collect()
        }
    }
}

/// Whether an item can be sent back: the vendor knows only reasoning that is stored or encrypted.
fn can_return(item: &Value) -> bool {
    let is_reasoning = item.get("type").and_then(Value::as_str) == Some("reasoning");
    !is_reasoning || item.get("encrypted_content").is_some_and(Value::is_string)
}

fn call(call: &ToolCall) -> Value {
    json!({
        "type": "function_call", "call_id": call.id, "name": call.name,
        "arguments": call.arguments,
    })
}

/// Joins the texts and refusals of an item's parts.
fn texts(item: &Value, name: &str) -> String {
    let parts = item.get(name).and_then(Value::as_array).into_iter().flatten();
    parts.filter_map(|part| part.get("text").or_else(|| part.get("refusal"))?.as_str()).collect()
}

fn read_call(item: &Value) -> ToolCall {
    let text = |name: &str| item.get(name).and_then(Value::as_str);
    ToolCall {
        id: text("call_id").or_else(|| text("id")).unwrap_or_default().to_owned(),
        name: text("name").unwrap_or_default().to_owned(),
        arguments: arguments_text(item.get("arguments")),
    }
}

fn finish_reason(body: &Value) -> Option<String> {
    let reason = body.get("incomplete_details").and_then(|details| details.get("reason"));
    reason.or_else(|| body.get("status")).and_then(Value::as_str).map(str::to_owned)
}

/// The events of a streamed answer. The last one contains the whole; earlier items are kept for
/// servers whose last event is empty.
#[derive(Debug, Default)]
struct Stream {
    items: BTreeMap<u64, Value>,
    response: Option<Value>,
}

impl Assemble for Stream {
    fn event(&mut self, event: &Value) -> Seen {
        let kind = event.get("type").and_then(Value::as_str).unwrap_or_default();
        match kind {
            "response.output_item.done" => {
                let index = event.get("output_index").and_then(Value::as_u64);
                let index = index.unwrap_or(self.items.len() as u64);
                if let Some(item) = event.get("item") {
                    self.items.insert(index, item.clone());
                }
                Seen::default()
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                self.response = event.get("response").cloned();
                Seen { token: false, end: true }
            }
            _ => Seen { token: kind.ends_with(".delta"), end: false },
        }
    }

    fn is_complete(&self) -> bool {
        self.response.is_some()
    }

    fn body(&mut self) -> Value {
        let mut response = self.response.take().unwrap_or_else(|| json!({}));
        let is_empty = |output: &Value| output.as_array().is_none_or(Vec::is_empty);
        if !self.items.is_empty()
            && response.get("output").is_none_or(is_empty)
            && let Some(members) = response.as_object_mut()
        {
            let items = std::mem::take(&mut self.items).into_values().collect();
            members.insert("output".to_owned(), Value::Array(items));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Preset;
    use crate::wire::adding_tool;

    #[test]
    fn a_conversation_with_tools_round_trips() {
        let asked = ToolCall {
            id: "c1".to_owned(),
            name: "Add".to_owned(),
            arguments: "{\"a\":1}".to_owned(),
        };
        let ask = Ask {
            messages: vec![
                Message::text(Role::System, "Be brief."),
                Message::text(Role::User, "one?"),
                Message::calls(vec![asked.clone()]),
                Message::result("c1", "2"),
            ],
            tools: vec![adding_tool()],
            ..Ask::default()
        };
        let endpoint = Endpoint {
            preset: Preset::OpenAi,
            max_tokens: Some(9),
            seed: Some(1),
            ..Endpoint::default()
        };
        let body = Responses.body(&endpoint, &ask).unwrap();
        assert_eq!(body["instructions"], "Be brief.");
        assert_eq!(body["input"][0], json!({"role": "user", "content": "one?"}));
        assert_eq!(body["input"][2]["type"], "function_call_output");
        assert_eq!((&body["store"], &body["max_output_tokens"]), (&json!(false), &json!(9)));
        assert_eq!((&body["tools"][0]["strict"], body.get("seed")), (&json!(false), None));
        assert_eq!(body["include"][0], "reasoning.encrypted_content");
        let answer = Responses
            .decode(&json!({
                "status": "completed", "error": null, "output": [body["input"][1]],
                "usage": {"input_tokens": 4, "output_tokens": 2},
            }))
            .unwrap();
        assert_eq!(answer.calls, [asked]);
        assert_eq!(answer.finish_reason.as_deref(), Some("completed"));
        let echoed = Message { raw: answer.raw, ..Message::calls(answer.calls) };
        assert_eq!(items(&echoed), [body["input"][1].clone()]);
    }

    #[test]
    fn reasoning_is_sent_back_only_if_encrypted() {
        let output = json!([
            {"type": "reasoning", "id": "a", "summary": [{"text": "hm"}], "encrypted_content": "x"},
            {"type": "reasoning", "id": "b", "summary": []},
            {"type": "message", "content": [{"type": "output_text", "text": "yes"}]},
        ]);
        let answer = Responses
            .decode(&json!({
                "output": output, "status": "incomplete",
                "incomplete_details": {"reason": "max_output_tokens"},
            }))
            .unwrap();
        assert_eq!((answer.text.as_str(), answer.reasoning.as_deref()), ("yes", Some("hm")));
        assert_eq!(answer.finish_reason.as_deref(), Some("max_output_tokens"));
        let back = items(&Message { raw: answer.raw, ..Message::text(Role::Assistant, "yes") });
        assert_eq!(back.len(), 2, "{back:?}");
    }

    #[test]
    fn a_failed_response_is_a_failure() {
        let failed = json!({"status": "failed", "error": {"message": "overloaded"}, "output": []});
        let endpoint = Endpoint { format: crate::WireFormat::Responses, ..Endpoint::default() };
        assert!(endpoint.decode_body(&failed).unwrap_err().message.contains("overloaded"));
        assert!(Responses.decode(&json!({})).unwrap_err().message.contains("output"));
    }
}
