//! Chat Completions, the wire format of OpenAI and most local servers.
//!
//! Source: the vendors' API references; comments note where vendors differ.

use super::assemble::{Assemble, Seen, append, first_choice};
use super::content::{arguments_text, content_text};
use super::error_response::unexpected;
use super::{Endpoint, Failure, Quirks, ToolChoice};
use apis::store::hex;
use exchange::Answer;
use exchange::protocol::{Ask, Message, Role, Tool, ToolCall};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// Where vendors put reasoning, most common first.
pub(super) const REASONING: [&str; 3] = ["reasoning_content", "reasoning", "thinking"];

/// The body of a request.
pub(super) fn body(
    endpoint: &Endpoint,
    ask: &Ask,
    dropped: &BTreeSet<String>,
) -> Map<String, Value> {
    let quirks = endpoint.quirks();
    let messages: Vec<Value> = ask.messages.iter().map(|it| message(it, quirks)).collect();
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(endpoint.model.trim()));
    body.insert("messages".to_owned(), json!(messages));
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            body.insert(name.to_owned(), value);
        }
    };
    set("temperature", endpoint.temperature.map(Value::from));
    set("top_p", endpoint.top_p.map(Value::from));
    set(quirks.seed, endpoint.seed.map(Value::from));
    // A server that rejects the old name may accept the new one.
    let newer = dropped.contains("max_tokens");
    let limit = if newer { "max_completion_tokens" } else { quirks.token_limit };
    set(limit, endpoint.max_tokens.map(Value::from));
    if !ask.tools.is_empty() {
        set("tools", Some(ask.tools.iter().map(tool).collect()));
        set(
            "tool_choice",
            (endpoint.tool_choice == ToolChoice::Required).then(|| json!("required")),
        );
    }
    if let Some(schema) = ask.schema.as_ref().filter(|_| endpoint.constrained) {
        set("response_format", Some(response_format(schema)));
    }
    // llama.cpp's servers.
    set("grammar", ask.grammar.as_deref().map(Value::from));
    if endpoint.streaming {
        set("stream", Some(json!(true)));
        // Most servers omit token counts from streams unless asked.
        set("stream_options", quirks.stream_options.then(|| json!({"include_usage": true})));
    }
    body
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
                "tool_calls": message.calls.iter().map(|it| call(it, quirks)).collect::<Vec<_>>(),
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

/// Decodes the answer from a body.
///
/// # Errors
/// When the body has a different shape.
pub(super) fn decode(body: &Value) -> Result<Answer, Failure> {
    let choice =
        first_choice(body).ok_or_else(|| unexpected("choices with at least one entry", body))?;
    let message = choice
        .get("message")
        .filter(|message| message.is_object())
        .ok_or_else(|| unexpected("a message in the first choice", body))?;
    let text_of = |name: &str| message.get(name).and_then(content_text).filter(|it| !it.is_empty());
    let text = text_of("content").or_else(|| text_of("refusal")).unwrap_or_default();
    let calls = message.get("tool_calls").and_then(Value::as_array);
    let mut calls: Vec<ToolCall> = calls.into_iter().flatten().filter_map(read_call).collect();
    if calls.is_empty() {
        calls.extend(legacy_call(message));
    }
    Ok(Answer {
        text,
        calls,
        raw: has_more(message).then(|| message.clone()),
        reasoning: REASONING.into_iter().find_map(text_of),
        finish_reason: choice.get("finish_reason").and_then(Value::as_str).map(str::to_owned),
        usage: body
            .get("usage")
            .and_then(|usage| super::content::usage(usage, "prompt_tokens", "completion_tokens")),
        ..Answer::default()
    })
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

/// The pieces of a streamed answer.
#[derive(Debug, Default)]
pub(super) struct Stream {
    content: String,
    refusal: String,
    /// Under the endpoint's own field name, because it may expect it back.
    reasoning: Option<(&'static str, String)>,
    details: Vec<Value>,
    calls: Vec<CallPieces>,
    /// A call in the older form, which is sent back in that form.
    legacy: Option<CallPieces>,
    finish_reason: Option<Value>,
    usage: Option<Value>,
    has_choice: bool,
    is_done: bool,
}

/// The pieces of a call.
#[derive(Debug, Default)]
struct CallPieces {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    /// Vendor extras, such as a signature that the vendor expects back.
    rest: Map<String, Value>,
}

impl Assemble for Stream {
    fn event(&mut self, event: &Value) -> Seen {
        if let Some(usage) = event.get("usage").filter(|usage| usage.is_object()) {
            self.usage = Some(usage.clone());
        }
        // The last event has usage but no choice.
        let Some(choice) = first_choice(event) else {
            return Seen::default();
        };
        self.has_choice = true;
        if let Some(reason) = choice.get("finish_reason").filter(|reason| !reason.is_null()) {
            self.finish_reason = Some(reason.clone());
        }
        // Some servers send the whole message in one event.
        let delta = choice.get("delta").or_else(|| choice.get("message"));
        let token = delta.is_some_and(|delta| self.delta(delta));
        Seen { token, end: false }
    }

    fn done(&mut self) {
        self.is_done = true;
    }

    fn body(&mut self) -> Option<Value> {
        if !self.is_done && self.finish_reason.is_none() {
            return None;
        }
        let choices = if self.has_choice { vec![self.choice()] } else { Vec::new() };
        Some(json!({"choices": choices, "usage": self.usage}))
    }
}

impl Stream {
    fn delta(&mut self, delta: &Value) -> bool {
        let mut token = append(&mut self.content, delta.get("content"));
        token |= append(&mut self.refusal, delta.get("refusal"));
        // Only one of the names: servers that send two duplicate the text.
        let named =
            REASONING.into_iter().find(|name| delta.get(*name).is_some_and(Value::is_string));
        if let Some(name) = named {
            let (_, text) = self.reasoning.get_or_insert_with(|| (name, String::new()));
            token |= append(text, delta.get(name));
        }
        for detail in delta.get("reasoning_details").and_then(Value::as_array).into_iter().flatten()
        {
            merge_detail(&mut self.details, detail);
        }
        for call in delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            token |= self.call(call);
        }
        if let Some(function) = delta.get("function_call").filter(|it| it.is_object()) {
            token |= self.legacy.get_or_insert_default().add(&json!({"function": function}));
        }
        token
    }

    fn call(&mut self, delta: &Value) -> bool {
        let index = delta.get("index").and_then(Value::as_u64);
        let id = delta.get("id").and_then(Value::as_str).unwrap_or_default();
        let known = match index {
            Some(index) => self.calls.iter().rposition(|call| call.index == Some(index)),
            None if id.is_empty() => self.calls.len().checked_sub(1),
            None => self.calls.iter().position(|call| call.id == id),
        };
        // Several servers give every call index 0 and distinguish them by id.
        let known = known.filter(|at| {
            self.calls.get(*at).is_some_and(|it| id.is_empty() || it.id.is_empty() || it.id == id)
        });
        let at = known.unwrap_or(self.calls.len());
        if known.is_none() {
            self.calls.push(CallPieces { index, ..CallPieces::default() });
        }
        let Some(call) = self.calls.get_mut(at) else { return false };
        if call.id.is_empty() {
            id.clone_into(&mut call.id);
        }
        call.add(delta)
    }

    fn choice(&mut self) -> Value {
        let mut message = Map::new();
        message.insert("role".to_owned(), json!("assistant"));
        let calls = !self.calls.is_empty() || self.legacy.is_some();
        let silent = self.content.is_empty() && calls;
        message
            .insert("content".to_owned(), if silent { Value::Null } else { json!(self.content) });
        if !self.refusal.is_empty() {
            message.insert("refusal".to_owned(), json!(self.refusal));
        }
        if let Some((name, text)) = self.reasoning.take().filter(|(_, text)| !text.is_empty()) {
            message.insert(name.to_owned(), json!(text));
        }
        if !self.details.is_empty() {
            message.insert("reasoning_details".to_owned(), json!(self.details));
        }
        if !self.calls.is_empty() {
            let calls: Vec<Value> = self.calls.drain(..).map(CallPieces::into_value).collect();
            message.insert("tool_calls".to_owned(), json!(calls));
        }
        if let Some(CallPieces { name, arguments, .. }) = self.legacy.take() {
            let function = json!({"name": name, "arguments": arguments});
            message.insert("function_call".to_owned(), function);
        }
        json!({"message": message, "finish_reason": self.finish_reason})
    }
}

impl CallPieces {
    fn add(&mut self, delta: &Value) -> bool {
        for (name, value) in delta.as_object().into_iter().flatten() {
            if !["index", "id", "type", "function"].contains(&name.as_str()) {
                self.rest.insert(name.clone(), value.clone());
            }
        }
        let function = delta.get("function");
        let name =
            function.and_then(|it| it.get("name")).and_then(Value::as_str).unwrap_or_default();
        // The name comes once, or repeated in every piece.
        if self.name.is_empty() {
            name.clone_into(&mut self.name);
        }
        match function.and_then(|it| it.get("arguments")) {
            Some(Value::String(piece)) => self.arguments.push_str(piece),
            Some(object @ Value::Object(_)) => self.arguments = object.to_string(),
            _ => return !name.is_empty(),
        }
        true
    }

    fn into_value(self) -> Value {
        let mut call = Map::new();
        call.insert("id".to_owned(), json!(self.id));
        call.insert("type".to_owned(), json!("function"));
        call.insert("function".to_owned(), json!({"name": self.name, "arguments": self.arguments}));
        call.extend(self.rest);
        Value::Object(call)
    }
}

/// Merges OpenRouter's reasoning pieces: a piece with the same index and type continues the last one.
fn merge_detail(details: &mut Vec<Value>, piece: &Value) {
    let same = |last: &Value| {
        ["index", "type", "format"].iter().all(|name| last.get(name) == piece.get(name))
    };
    let Some(last) = details.last_mut().filter(|last| last.is_object() && same(last)) else {
        details.push(piece.clone());
        return;
    };
    for (name, value) in piece.as_object().into_iter().flatten() {
        match (last.get_mut(name), value) {
            (Some(Value::String(text)), Value::String(more))
                if ["text", "summary", "data"].contains(&name.as_str()) =>
            {
                text.push_str(more);
            }
            (_, Value::Null) => {}
            _ => last[name.as_str()] = value.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(body: Value) -> Answer {
        decode(&body).unwrap()
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
        let mistral = body(&endpoint, &ask, &BTreeSet::new());
        assert_eq!((&mistral["random_seed"], mistral.get("stream_options")), (&json!(7), None));
        let id = mistral["messages"][0]["tool_calls"][0]["id"].as_str().unwrap();
        assert!(id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{id}");
        assert_eq!(mistral["messages"][1]["tool_call_id"], id);
        let openai = Endpoint { preset: crate::Preset::OpenAi, ..endpoint.clone() };
        assert_eq!(body(&openai, &ask, &BTreeSet::new())["max_completion_tokens"], 5);
        // When the old name is rejected, the new one is tried.
        let refused = BTreeSet::from(["max_tokens".to_owned()]);
        assert_eq!(body(&endpoint, &ask, &refused)["max_completion_tokens"], 5);
    }

    #[test]
    fn answers_are_decoded() {
        let told = answer(json!({
            "choices": [{"message": {"content": "hi", "reasoning_content": "hm"}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 1},
        }));
        assert_eq!((told.text.as_str(), told.reasoning.as_deref()), ("hi", Some("hm")));
        assert_eq!(told.usage.unwrap().prompt_tokens, 3);
        let empty = answer(json!({"choices": [{"message": {"content": null}}]}));
        assert_eq!(empty.text, "");
        for body in
            [json!({}), json!({"choices": []}), json!([1]), json!({"choices": [{"message": 1}]})]
        {
            assert!(decode(&body).unwrap_err().message.contains("expected"), "{body}");
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
            tools: vec![Tool {
                name: "Add".to_owned(),
                description: "adds".to_owned(),
                parameters: json!({"type": "object"}),
            }],
            schema: None,
            grammar: None,
        };
        let body = body(&Endpoint::default(), &ask, &BTreeSet::new());
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
