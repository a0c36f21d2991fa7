//! Ollama's own format, `/api/chat`: unlike its `/v1`, it accepts the context length, and it
//! streams one JSON document per line.
//!
//! Source: Ollama's API reference. Older versions omit call ids; arguments are an object.

use super::chat_completions::{read_call, tool};
use super::{Assemble, Facts, Seen, Wire};
use crate::content::{Content, append, arguments_object, flat_text, members, token_counts, tools};
use crate::error_response::unexpected;
use crate::{Endpoint, Failure};
use exchange::Answer;
use exchange::protocol::{Ask, Message, Role};
use serde_json::{Map, Value, json};

/// The format.
pub(super) struct Ollama;

/// Its constants.
pub(super) const FACTS: Facts = Facts {
    title: "Ollama",
    path: "api/chat",
    models_path: "api/tags",
    own_prefixes: &["/v1", "/api"],
    required: &["model", "messages", "tools"],
    streams_lines: true,
    takes_context: true,
    ..Facts::USUAL
};

impl Wire for Ollama {
    fn body(&self, endpoint: &Endpoint, ask: &Ask) -> Result<Map<String, Value>, Failure> {
        let options = members([
            ("temperature", endpoint.temperature.map(Value::from)),
            ("top_p", endpoint.top_p.map(Value::from)),
            ("seed", endpoint.seed.map(Value::from)),
            ("num_predict", endpoint.max_tokens.map(Value::from)),
            ("num_ctx", endpoint.num_ctx.map(Value::from)),
        ]);
        Ok(members([
            ("model", Some(json!(endpoint.model.trim()))),
            ("messages", Some(messages(&ask.messages))),
            ("tools", tools(ask, tool)),
            // Streaming is the default.
            ("stream", Some(json!(endpoint.streaming))),
            // A prompt that does not fit must fail, not be truncated silently.
            ("truncate", Some(json!(false))),
            ("options", (!options.is_empty()).then_some(Value::Object(options))),
            ("format", endpoint.schema(ask).cloned()),
        ]))
    }

    fn decode(&self, body: &Value) -> Result<Answer, Failure> {
        let message = body
            .get("message")
            .filter(|message| message.is_object())
            .ok_or_else(|| unexpected("a message", body))?;
        let mut content = Content::default();
        content.add(message.get("content").unwrap_or(&Value::Null));
        let (among_parts, text) = content.split();
        let thinking = message.get("thinking").map(flat_text).filter(|text| !text.is_empty());
        let reasoning = thinking.or(among_parts);
        let calls = message.get("tool_calls").and_then(Value::as_array);
        let calls: Vec<_> = calls.into_iter().flatten().filter_map(read_call).collect();
        Ok(Answer {
            text,
            raw: (!calls.is_empty() || message.get("thinking").is_some()).then(|| message.clone()),
            calls,
            reasoning,
            finish_reason: finish_reason(body),
            usage: token_counts(body, "prompt_eval_count", "eval_count"),
            ..Answer::default()
        })
    }

    fn stream(&self) -> Box<dyn Assemble> {
        Box::<Stream>::default()
    }
}

fn messages(messages: &[Message]) -> Value {
    messages.iter().enumerate().map(|(at, it)| message(it, messages.get(..at))).collect()
}

fn message(message: &Message, before: Option<&[Message]>) -> Value {
    if let Some(raw) = message.raw.as_ref().filter(|raw| raw.is_object()) {
        return raw.clone();
    }
    match message.role {
        Role::Tool => json!({
            "role": "tool",
            "tool_name": answered_tool(message, before.unwrap_or_default()),
            "content": &*message.content,
        }),
        Role::Assistant if !message.calls.is_empty() => {
            let calls = message.calls.iter().map(|call| {
                json!({"function": {
                    "name": call.name, "arguments": arguments_object(&call.arguments),
                }})
            });
            json!({
                "role": "assistant",
                "content": &*message.content,
                "tool_calls": calls.collect::<Vec<_>>(),
            })
        }
        role => json!({"role": role, "content": &*message.content}),
    }
}

/// The name of the tool that a result belongs to: by id, or else by position after the calls.
fn answered_tool<'a>(result: &Message, before: &'a [Message]) -> &'a str {
    let id = result.call_id.as_deref().unwrap_or_default();
    let calls = before.iter().rposition(|message| !message.calls.is_empty());
    let Some((at, asked)) = calls.and_then(|at| Some((at, before.get(at)?))) else { return "" };
    let nth = before.iter().skip(at + 1).filter(|message| message.role == Role::Tool).count();
    let by_id = asked.calls.iter().find(|call| !id.is_empty() && call.id == id);
    by_id.or_else(|| asked.calls.get(nth)).map_or("", |call| call.name.as_str())
}

/// Older versions give no reason.
fn finish_reason(body: &Value) -> Option<String> {
    let is_done = body.get("done") == Some(&Value::Bool(true));
    let reason = body.get("done_reason").and_then(Value::as_str);
    reason.or(is_done.then_some("stop")).map(str::to_owned)
}

/// The lines of a streamed answer.
#[derive(Debug, Default)]
struct Stream {
    content: Content,
    thinking: String,
    calls: Vec<Value>,
    last: Option<Map<String, Value>>,
}

impl Assemble for Stream {
    fn event(&mut self, event: &Value) -> Seen {
        let message = event.get("message");
        let piece = |name: &str| message.and_then(|message| message.get(name));
        let mut token = piece("content").is_some_and(|content| self.content.add(content));
        token |= append(&mut self.thinking, piece("thinking"));
        if let Some(calls) = piece("tool_calls").and_then(Value::as_array) {
            token |= !calls.is_empty();
            self.calls.extend(calls.iter().cloned());
        }
        let end = event.get("done") == Some(&Value::Bool(true));
        if end {
            self.last = event.as_object().cloned();
        }
        Seen { token, end }
    }

    fn is_complete(&self) -> bool {
        self.last.is_some()
    }

    fn body(&mut self) -> Value {
        let mut body = self.last.take().unwrap_or_default();
        let mut message = Map::new();
        message.insert("role".to_owned(), json!("assistant"));
        message.insert("content".to_owned(), std::mem::take(&mut self.content).into_value());
        if !self.thinking.is_empty() {
            message.insert("thinking".to_owned(), json!(self.thinking));
        }
        if !self.calls.is_empty() {
            message.insert("tool_calls".to_owned(), json!(self.calls));
        }
        body.insert("message".to_owned(), Value::Object(message));
        Value::Object(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use exchange::protocol::{Tool, ToolCall};

    fn call(id: &str, name: &str) -> ToolCall {
        ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: "{\"a\":1}".to_owned() }
    }

    #[test]
    fn settings_are_sent_under_options() {
        let endpoint = Endpoint {
            model: "m".to_owned(),
            temperature: Some(0.0),
            max_tokens: Some(9),
            num_ctx: Some(8192),
            constrained: true,
            ..Endpoint::default()
        };
        let schema = Some(json!({"type": "object"}));
        let body = Ollama.body(&endpoint, &Ask { schema, ..Ask::default() }).unwrap();
        let options = json!({"temperature": 0.0, "num_predict": 9, "num_ctx": 8192});
        assert_eq!(body["options"], options);
        assert_eq!((&body["truncate"], &body["stream"]), (&json!(false), &json!(false)));
        assert_eq!(body["format"]["type"], "object");
    }

    #[test]
    fn a_conversation_with_tools_round_trips() {
        let asked = [call("", "Add"), call("", "Sub")];
        let ask = Ask {
            messages: vec![
                Message::text(Role::User, "both?"),
                Message::calls(asked.to_vec()),
                Message::result("", "2"),
                Message::result("", "0"),
                Message::calls(vec![call("x", "Mul"), call("y", "Div")]),
                Message::result("y", "1"),
            ],
            tools: vec![Tool {
                name: "Add".to_owned(),
                description: String::new(),
                parameters: json!({}),
            }],
            schema: None,
            grammar: None,
        };
        let body = Ollama.body(&Endpoint::default(), &ask).unwrap();
        let sent = &body["messages"];
        let names = [2, 3, 5].map(|at| sent[at]["tool_name"].as_str().unwrap());
        assert_eq!(names, ["Add", "Sub", "Div"]);
        assert_eq!(sent[1]["tool_calls"][0]["function"]["arguments"], json!({"a": 1}));
        let answer = Ollama
            .decode(&json!({
                "message": sent[1], "done_reason": "stop", "prompt_eval_count": 5, "eval_count": 2,
            }))
            .unwrap();
        assert_eq!(answer.calls, asked);
        assert_eq!(answer.raw.as_ref(), Some(&sent[1]));
        assert_eq!(answer.usage.unwrap().completion_tokens, 2);
    }

    #[test]
    fn thinking_is_separate_from_the_text() {
        let answer =
            Ollama.decode(&json!({"message": {"content": "yes", "thinking": "hm"}})).unwrap();
        assert_eq!((answer.text.as_str(), answer.reasoning.as_deref()), ("yes", Some("hm")));
        assert!(Ollama.decode(&json!({"done": true})).unwrap_err().message.contains("a message"));
    }
}
