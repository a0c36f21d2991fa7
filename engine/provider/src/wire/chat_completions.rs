//! Chat Completions, the wire format of OpenAI and most local servers.
//!
//! Source: the vendors' API references; comments note where vendors differ.

use super::{Assemble, Facts, Wire};
use crate::content::{
    Content, arguments_text, first_choice, flat_text, members, token_counts, tools,
};
use crate::error_response::unexpected;
use crate::{Endpoint, Failure, Quirks};
use apis::store::hex;
use exchange::Answer;
use exchange::protocol::{Ask, Message, Role, Tool, ToolCall};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

mod stream;

/// Where vendors put reasoning, most common first.
const REASONING: [&str; 3] = ["reasoning_content", "reasoning", "thinking"];

/// The format.
pub(super) struct ChatCompletions;

/// Its constants.
pub(super) const FACTS: Facts = Facts {
    title: "Chat Completions",
    path: "chat/completions",
    required: &["model", "messages", "tools"],
    renamed: &[("max_tokens", "max_completion_tokens")],
    takes_grammar: true,
    ..Facts::USUAL
};

impl Wire for ChatCompletions {
    fn body(&self, endpoint: &Endpoint, ask: &Ask) -> Result<Map<String, Value>, Failure> {
        let quirks = endpoint.quirks();
        let messages: Vec<Value> = ask.messages.iter().map(|said| message(said, quirks)).collect();
        // Most servers omit token counts from streams unless asked.
        let counts = endpoint.streaming && quirks.stream_options;
        Ok(members([
            ("model", Some(json!(endpoint.model.trim()))),
            ("messages", Some(json!(messages))),
            ("temperature", endpoint.temperature.map(Value::from)),
            ("top_p", endpoint.top_p.map(Value::from)),
            (quirks.seed, endpoint.seed.map(Value::from)),
            (quirks.token_limit, endpoint.max_tokens.map(Value::from)),
            ("tools", tools(ask, tool)),
            ("tool_choice", endpoint.forces_tool(ask).then(|| json!("required"))),
            ("response_format", endpoint.schema(ask).map(response_format)),
            // llama.cpp's servers.
            ("grammar", ask.grammar.as_deref().map(Value::from)),
            ("stream", endpoint.streaming.then(|| json!(true))),
            ("stream_options", counts.then(|| json!({"include_usage": true}))),
        ]))
    }

    fn decode(&self, body: &Value) -> Result<Answer, Failure> {
        let choice = first_choice(body)
            .ok_or_else(|| unexpected("choices with at least one entry", body))?;
        let message = choice
            .get("message")
            .filter(|message| message.is_object())
            .ok_or_else(|| unexpected("a message in the first choice", body))?;
        let text_of = |name: &str| message.get(name).map(flat_text).filter(|text| !text.is_empty());
        let mut content = Content::default();
        let has_content = message.get("content").is_some_and(|parts| content.add(parts));
        if !has_content {
            content.text = text_of("refusal").unwrap_or_default();
        }
        let (among_parts, text) = content.split();
        let reasoning = REASONING.into_iter().find_map(text_of).or(among_parts);
        let calls = message.get("tool_calls").and_then(Value::as_array);
        let mut calls: Vec<ToolCall> = calls.into_iter().flatten().filter_map(read_call).collect();
        if calls.is_empty() {
            calls.extend(legacy_call(message));
        }
        Ok(Answer {
            text,
            calls,
            raw: has_more(message).then(|| message.clone()),
            reasoning,
            finish_reason: choice.get("finish_reason").and_then(Value::as_str).map(str::to_owned),
            usage: body
                .get("usage")
                .and_then(|usage| token_counts(usage, "prompt_tokens", "completion_tokens")),
            ..Answer::default()
        })
    }

    fn stream(&self) -> Box<dyn Assemble> {
        Box::<stream::Stream>::default()
    }
}

/// The `response_format` that constrains an answer to a schema.
pub(super) fn response_format(schema: &Value) -> Value {
    json!({"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": true}})
}

fn message(message: &Message, quirks: Quirks) -> Value {
    if let Some(raw) = message.raw.as_ref().filter(|raw| raw.is_object()) {
        return raw.clone();
    }
    match message.role {
        Role::Tool => json!({
            "role": "tool",
            "tool_call_id": call_id(message.call_id.as_deref().unwrap_or_default(), quirks),
            "content": &*message.content,
        }),
        Role::Assistant if !message.calls.is_empty() => {
            let content = (!message.content.is_empty()).then_some(&*message.content);
            json!({
                "role": "assistant",
                "content": content,
                "tool_calls": message.calls.iter().map(|made| call(made, quirks)).collect::<Vec<_>>(),
            })
        }
        role => json!({"role": role, "content": &*message.content}),
    }
}

fn call(call: &ToolCall, quirks: Quirks) -> Value {
    let function = json!({"name": call.name, "arguments": call.arguments});
    json!({"id": call_id(&call.id, quirks), "type": "function", "function": function})
}

/// A call id in the form the vendor accepts. Deterministic, so that calls and results still match.
fn call_id(id: &str, quirks: Quirks) -> String {
    let fits = id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !quirks.short_call_ids || fits {
        return id.to_owned();
    }
    hex(&Sha256::digest(id)).chars().take(9).collect()
}

/// A tool definition for Chat Completions and Ollama.
pub(super) fn tool(tool: &Tool) -> Value {
    json!({"type": "function", "function": {
        "name": tool.name, "description": tool.description, "parameters": tool.parameters,
    }})
}

/// Whether a message has more than text: only then must its raw form be sent back.
fn has_more(message: &Value) -> bool {
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    let members = message.as_object().into_iter().flatten();
    members.into_iter().any(|(name, value)| {
        !["role", "content", "refusal"].contains(&name.as_str()) && !is_empty(value)
    })
}

/// Decodes a call of Chat Completions or Ollama; the latter may lack an id.
pub(super) fn read_call(call: &Value) -> Option<ToolCall> {
    let function = call.get("function")?;
    Some(ToolCall {
        id: call.get("id").and_then(Value::as_str).unwrap_or_default().to_owned(),
        name: function.get("name").and_then(Value::as_str).unwrap_or_default().to_owned(),
        arguments: arguments_text(function.get("arguments")),
    })
}

/// `function_call` of older servers: one call per message, without an id.
fn legacy_call(message: &Value) -> Option<ToolCall> {
    let function = message.get("function_call").filter(|function| function.is_object())?;
    read_call(&json!({"function": function}))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::adding_tool;

    fn answer(body: Value) -> Answer {
        ChatCompletions.decode(&body).unwrap()
    }

    #[test]
    fn parameters_have_the_vendors_names() {
        let endpoint = Endpoint {
            preset: crate::Preset::Mistral,
            seed: Some(7),
            max_tokens: Some(5),
            streaming: true,
            ..Endpoint::default()
        };
        let calls = vec![ToolCall {
            id: "call_1".to_owned(),
            name: "T".to_owned(),
            arguments: "{}".to_owned(),
        }];
        let messages = vec![Message::calls(calls), Message::result("call_1", "")];
        let ask = Ask { messages, ..Ask::default() };
        let mistral = ChatCompletions.body(&endpoint, &ask).unwrap();
        assert_eq!((&mistral["random_seed"], mistral.get("stream_options")), (&json!(7), None));
        let id = mistral["messages"][0]["tool_calls"][0]["id"].as_str().unwrap();
        assert!(id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{id}");
        assert_eq!(mistral["messages"][1]["tool_call_id"], id);
        let openai = Endpoint { preset: crate::Preset::OpenAi, ..endpoint.clone() };
        assert_eq!(ChatCompletions.body(&openai, &ask).unwrap()["max_completion_tokens"], 5);
    }

    #[test]
    fn answers_are_decoded() {
        let decoded = answer(json!({
            "choices": [{"message": {"content": "hi", "reasoning_content": "hm"}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 1},
        }));
        assert_eq!((decoded.text.as_str(), decoded.reasoning.as_deref()), ("hi", Some("hm")));
        assert_eq!(decoded.usage.unwrap().prompt_tokens, 3);
        let empty = answer(json!({"choices": [{"message": {"content": null}}]}));
        assert_eq!(empty.text, "");
        for body in
            [json!({}), json!({"choices": []}), json!([1]), json!({"choices": [{"message": 1}]})]
        {
            assert!(
                ChatCompletions.decode(&body).unwrap_err().message.contains("expected"),
                "{body}"
            );
        }
    }

    #[test]
    fn a_conversation_with_tools_round_trips() {
        let call = ToolCall {
            id: "c1".to_owned(),
            name: "Add".to_owned(),
            arguments: "{\"a\":1}".to_owned(),
        };
        let ask = Ask {
            messages: vec![
                Message::text(Role::User, "one?"),
                Message::calls(vec![call.clone()]),
                Message::result("c1", "2"),
            ],
            tools: vec![adding_tool()],
            ..Ask::default()
        };
        let body = ChatCompletions.body(&Endpoint::default(), &ask).unwrap();
        let written = &body["messages"][1];
        assert_eq!(written["content"], Value::Null);
        let back = answer(json!({"choices": [{"message": written}]}));
        assert_eq!(back.calls, [call]);
        assert_eq!(
            body["messages"][2],
            json!({"role": "tool", "tool_call_id": "c1", "content": "2"})
        );
        assert_eq!(body["tools"][0]["function"]["name"], "Add");
        // The endpoint's own message is sent back unchanged.
        let echoed = Message { raw: back.raw.clone(), ..Message::calls(back.calls) };
        assert_eq!(Some(message(&echoed, Endpoint::default().quirks())), back.raw);
    }
}
