//! The server side of the wire formats: decodes prompts, encodes answers, whole or streamed.

use provider::WireFormat;
use serde_json::{Map, Value, json};

/// A prompt, independent of the format.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Question {
    /// The model's name.
    pub model: String,
    /// All texts joined, instructions first.
    pub text: String,
    /// Tool names.
    pub tools: Vec<String>,
    /// Whether to stream the answer.
    pub stream: bool,
}

/// The answer: text or a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// A text.
    Text(String),
    /// A tool call.
    Call {
        /// Its name.
        name: String,
        /// Its arguments.
        arguments: Map<String, Value>,
    },
}

/// Joins the texts of a prompt into the key of its sample: formats split prompts differently.
pub fn joined<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// Decodes a prompt.
pub fn read(format: WireFormat, body: &Value) -> Question {
    let text = match format {
        WireFormat::Completions => text_of(&body["prompt"]),
        WireFormat::Responses => said(&body["instructions"], &body["input"]),
        WireFormat::Messages => said(&body["system"], &body["messages"]),
        WireFormat::ChatCompletions | WireFormat::Ollama => said(&Value::Null, &body["messages"]),
    };
    let tools = body["tools"].as_array().into_iter().flatten().filter_map(|tool| {
        let named = tool.get("name").or_else(|| tool["function"].get("name"));
        named?.as_str().map(str::to_owned)
    });
    Question {
        model: text_of(&body["model"]),
        text,
        tools: tools.collect(),
        // Ollama streams by default.
        stream: body["stream"].as_bool().unwrap_or(format == WireFormat::Ollama),
    }
}

fn said(instructions: &Value, messages: &Value) -> String {
    let messages = messages.as_array().into_iter().flatten();
    let contents: Vec<String> = std::iter::once(text_of(instructions))
        .chain(messages.map(|message| match message.get("output") {
            Some(output) => text_of(output),
            None => text_of(&message["content"]),
        }))
        .collect();
    joined(contents.iter().map(String::as_str))
}

/// A string, or the joined text parts.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<String> = parts
                .iter()
                .map(|part| text_of(part.get("text").unwrap_or(&part["content"])))
                .collect();
            joined(texts.iter().map(String::as_str))
        }
        _ => String::new(),
    }
}

/// The metadata of an answer.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// The model's name.
    pub model: &'a str,
    /// The number of prompt tokens.
    pub prompt_tokens: u64,
}

/// The token count of every answer.
const ANSWER_TOKENS: u64 = 2;
/// The id of every call.
const CALL_ID: &str = "scripted1";

/// The answer in one piece.
pub fn whole(format: WireFormat, frame: Frame<'_>, said: &Said) -> Value {
    let (model, prompt) = (frame.model, frame.prompt_tokens);
    let usage = json!({"prompt_tokens": prompt, "completion_tokens": ANSWER_TOKENS});
    match format {
        WireFormat::ChatCompletions => json!({
            "id": "scripted", "object": "chat.completion", "model": model, "usage": usage,
            "choices": [{"index": 0, "message": chat_message(said), "finish_reason": finish(said)}],
        }),
        WireFormat::Completions => json!({
            "id": "scripted", "object": "text_completion", "model": model, "usage": usage,
            "choices": [{"index": 0, "text": text(said), "finish_reason": "stop"}],
        }),
        WireFormat::Responses => json!({
            "id": "scripted", "object": "response", "model": model, "status": "completed",
            "error": null, "output": [response_item(said)],
            "usage": {"input_tokens": prompt, "output_tokens": ANSWER_TOKENS},
        }),
        WireFormat::Messages => {
            let mut message = message_start(frame);
            message["content"] = json!([block(said)]);
            message["stop_reason"] = json!(stop_reason(said));
            message
        }
        WireFormat::Ollama => {
            let mut last = ollama_end(frame);
            last["message"] = ollama_message(said);
            last
        }
    }
}

/// The streamed answer: content type and pieces.
pub fn streamed(format: WireFormat, frame: Frame<'_>, said: &Said) -> (&'static str, Vec<String>) {
    let events = |values: Vec<Value>, done: bool| {
        let mut pieces: Vec<String> = values
            .into_iter()
            .map(|value| match value.get("type").and_then(Value::as_str) {
                Some(kind) => format!("event: {kind}\ndata: {value}\n\n"),
                None => format!("data: {value}\n\n"),
            })
            .collect();
        if done {
            pieces.push("data: [DONE]\n\n".to_owned());
        }
        ("text/event-stream", pieces)
    };
    match format {
        WireFormat::ChatCompletions => events(chat_pieces(frame, said), true),
        WireFormat::Completions => events(completion_pieces(frame, said), true),
        WireFormat::Responses => events(response_pieces(frame, said), false),
        WireFormat::Messages => events(message_pieces(frame, said), false),
        WireFormat::Ollama => {
            let pieces = ollama_pieces(frame, said);
            let lines = pieces.into_iter().map(|value| format!("{value}\n")).collect();
            ("application/x-ndjson", lines)
        }
    }
}

fn text(said: &Said) -> &str {
    match said {
        Said::Text(text) => text,
        Said::Call { .. } => "",
    }
}

fn finish(said: &Said) -> &'static str {
    if matches!(said, Said::Call { .. }) { "tool_calls" } else { "stop" }
}

fn stop_reason(said: &Said) -> &'static str {
    if matches!(said, Said::Call { .. }) { "tool_use" } else { "end_turn" }
}

/// A text split in the middle.
fn halves(text: &str) -> [&str; 2] {
    let middle = (text.len() / 2..=text.len()).find(|at| text.is_char_boundary(*at));
    let (head, tail) = text.split_at(middle.unwrap_or(0));
    [head, tail]
}

fn chat_message(said: &Said) -> Value {
    match said {
        Said::Text(text) => json!({"role": "assistant", "content": text}),
        Said::Call { name, arguments } => {
            let function = json!({"name": name, "arguments": json!(arguments).to_string()});
            let call = json!({"id": CALL_ID, "type": "function", "function": function});
            json!({"role": "assistant", "content": null, "tool_calls": [call]})
        }
    }
}

fn chat_pieces(frame: Frame<'_>, said: &Said) -> Vec<Value> {
    let piece = |delta: Value, reason: Value| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]});
    let mut pieces = vec![piece(json!({"role": "assistant", "content": null}), Value::Null)];
    match said {
        Said::Text(text) => {
            let parts = halves(text);
            pieces.extend(parts.map(|part| piece(json!({"content": part}), Value::Null)));
        }
        Said::Call { name, arguments } => {
            let call = |call: Value| piece(json!({"tool_calls": [call]}), Value::Null);
            let function = json!({"name": name, "arguments": ""});
            pieces.push(call(
                json!({"index": 0, "id": CALL_ID, "type": "function", "function": function}),
            ));
            let arguments = json!(arguments).to_string();
            let parts = halves(&arguments);
            pieces.extend(
                parts.map(|part| call(json!({"index": 0, "function": {"arguments": part}}))),
            );
        }
    }
    pieces.push(piece(json!({}), json!(finish(said))));
    let usage = json!({"prompt_tokens": frame.prompt_tokens, "completion_tokens": ANSWER_TOKENS});
    pieces.push(json!({"choices": [], "usage": usage}));
    pieces
}

fn completion_pieces(frame: Frame<'_>, said: &Said) -> Vec<Value> {
    let piece = |text: &str, reason: Value| json!({"choices": [{"index": 0, "text": text, "finish_reason": reason}]});
    let mut pieces: Vec<Value> = halves(text(said)).map(|part| piece(part, Value::Null)).into();
    pieces.push(piece("", json!("stop")));
    let usage = json!({"prompt_tokens": frame.prompt_tokens, "completion_tokens": ANSWER_TOKENS});
    pieces.push(json!({"choices": [], "usage": usage}));
    pieces
}

fn response_item(said: &Said) -> Value {
    match said {
        Said::Text(text) => {
            let part = json!({"type": "output_text", "text": text});
            json!({"type": "message", "role": "assistant", "content": [part]})
        }
        Said::Call { name, arguments } => json!({
            "type": "function_call", "call_id": CALL_ID, "name": name,
            "arguments": json!(arguments).to_string(),
        }),
    }
}

fn response_pieces(frame: Frame<'_>, said: &Said) -> Vec<Value> {
    let mut pieces =
        vec![json!({"type": "response.created", "response": {"status": "in_progress"}})];
    let (kind, grown) = match said {
        Said::Text(text) => ("response.output_text.delta", text.clone()),
        Said::Call { arguments, .. } => {
            ("response.function_call_arguments.delta", json!(arguments).to_string())
        }
    };
    pieces.extend(halves(&grown).map(|part| json!({"type": kind, "delta": part})));
    pieces.push(json!({
        "type": "response.output_item.done", "output_index": 0, "item": response_item(said),
    }));
    let whole = whole(WireFormat::Responses, frame, said);
    pieces.push(json!({"type": "response.completed", "response": whole}));
    pieces
}

fn message_start(frame: Frame<'_>) -> Value {
    json!({
        "id": "scripted", "type": "message", "role": "assistant", "model": frame.model,
        "content": [], "stop_reason": null,
        "usage": {"input_tokens": frame.prompt_tokens, "output_tokens": ANSWER_TOKENS},
    })
}

fn block(said: &Said) -> Value {
    match said {
        Said::Text(text) => json!({"type": "text", "text": text}),
        Said::Call { name, arguments } => {
            json!({"type": "tool_use", "id": CALL_ID, "name": name, "input": arguments})
        }
    }
}

fn message_pieces(frame: Frame<'_>, said: &Said) -> Vec<Value> {
    let (start, kind, member, grown) = match said {
        Said::Text(text) => {
            (json!({"type": "text", "text": ""}), "text_delta", "text", text.clone())
        }
        Said::Call { name, arguments } => (
            json!({"type": "tool_use", "id": CALL_ID, "name": name, "input": {}}),
            "input_json_delta",
            "partial_json",
            json!(arguments).to_string(),
        ),
    };
    let mut pieces = vec![
        json!({"type": "message_start", "message": message_start(frame)}),
        json!({"type": "content_block_start", "index": 0, "content_block": start}),
        json!({"type": "ping"}),
    ];
    pieces.extend(halves(&grown).map(|part| {
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": kind, member: part}})
    }));
    let delta = json!({"stop_reason": stop_reason(said)});
    pieces.extend([
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": ANSWER_TOKENS}}),
        json!({"type": "message_stop"}),
    ]);
    pieces
}

fn ollama_message(said: &Said) -> Value {
    match said {
        Said::Text(text) => json!({"role": "assistant", "content": text}),
        Said::Call { name, arguments } => {
            let function = json!({"name": name, "arguments": arguments});
            json!({"role": "assistant", "content": "", "tool_calls": [{"function": function}]})
        }
    }
}

fn ollama_end(frame: Frame<'_>) -> Value {
    json!({
        "model": frame.model, "done": true, "done_reason": "stop",
        "prompt_eval_count": frame.prompt_tokens, "eval_count": ANSWER_TOKENS,
    })
}

fn ollama_pieces(frame: Frame<'_>, said: &Said) -> Vec<Value> {
    let piece = |message: Value| json!({"model": frame.model, "message": message, "done": false});
    let mut pieces: Vec<Value> = match said {
        Said::Text(text) => {
            halves(text).map(|part| piece(json!({"role": "assistant", "content": part}))).into()
        }
        Said::Call { .. } => vec![piece(ollama_message(said))],
    };
    let mut last = ollama_end(frame);
    last["message"] = json!({"role": "assistant", "content": ""});
    pieces.push(last);
    pieces
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use exchange::protocol::{Ask, Message, Role, Tool};
    use provider::{Endpoint, HttpHead, HttpResponse, Receiver, Sink};

    use super::*;

    /// Round-trips the engine's encoders through this decoder, and this encoder through the
    /// engine's decoders.
    #[test]
    fn every_format_is_understood_both_ways() {
        let call = Said::Call {
            name: "Add".to_owned(),
            arguments: Map::from_iter([("größe".to_owned(), json!(1))]),
        };
        for format in WireFormat::ALL {
            for said in [Said::Text("[Grüß()]".to_owned()), Said::Text(String::new()), call.clone()]
            {
                let takes_tools = format != WireFormat::Completions;
                if takes_tools || matches!(said, Said::Text(_)) {
                    understood(format, &said, takes_tools);
                }
            }
        }
    }

    fn understood(format: WireFormat, said: &Said, takes_tools: bool) {
        let messages =
            vec![Message::text(Role::System, "Be brief."), Message::text(Role::User, "1+1?")];
        let parameters = json!({"type": "object"});
        let tool = Tool { name: "Add".to_owned(), description: String::new(), parameters };
        let tools = if takes_tools { vec![tool] } else { Vec::new() };
        let ask = Ask { messages, tools, ..Ask::default() };
        let endpoint = Endpoint {
            format,
            base_url: "http://h/v1".to_owned(),
            model: "m".to_owned(),
            streaming: true,
            ..Endpoint::default()
        };
        let request = endpoint.request(&ask, None, &BTreeSet::new()).unwrap().request;
        let question = read(format, &serde_json::from_str(&request.body.unwrap()).unwrap());
        assert_eq!(question.text, "Be brief.\n\n1+1?", "{format:?}");
        assert!(question.stream && question.model == "m", "{format:?}");
        assert_eq!(question.tools.len(), usize::from(takes_tools), "{format:?}");

        let frame = Frame { model: "m", prompt_tokens: 9 };
        let body = whole(format, frame, said).to_string();
        let response = HttpResponse { status: 200, retry_after: None, body };
        let answer = endpoint.decode(&response).unwrap();
        match said {
            Said::Text(text) => assert_eq!(&answer.text, text, "{format:?}"),
            Said::Call { arguments, .. } => {
                let read: Value = serde_json::from_str(&answer.calls[0].arguments).unwrap();
                assert_eq!(read, json!(arguments), "{format:?}");
            }
        }
        assert_eq!(answer.usage.unwrap().prompt_tokens, 9, "{format:?}");

        let mut receiver = Receiver::new(&endpoint, None);
        receiver.head(HttpHead { status: 200, retry_after: None });
        for piece in streamed(format, frame, said).1 {
            if receiver.bytes(piece.as_bytes()).is_break() {
                break;
            }
        }
        assert_eq!(receiver.finish().unwrap(), answer, "{format:?}");
    }
}
