//! Answers in every wire format, each as a stream and as the equivalent complete body.

use crate::support::{events, lines};
use provider::WireFormat;
use serde_json::{Value, json};

/// Answers in every format: the stream, and the equivalent complete body.
pub(crate) fn pairs() -> Vec<(WireFormat, String, Value)> {
    vec![
        chat(),
        chat_text(),
        chat_several(),
        chat_function_call(),
        responses(),
        messages(),
        ollama(),
        completions(),
        completions_several(),
    ]
}

/// Two interleaved answers, as requested by `n`.
pub(crate) fn chat_several() -> (WireFormat, String, Value) {
    let piece = |index: u32, text: &str| json!({"index": index, "delta": {"content": text}});
    let end =
        |index: u32, reason: &str| json!({"index": index, "delta": {}, "finish_reason": reason});
    let event = |choices: Value| json!({"choices": choices});
    let stream = events(
        &[
            event(json!([piece(1, "[Wrong")])),
            event(json!([piece(0, "[Get")])),
            event(json!([piece(1, "()]"), piece(0, "Today()]")])),
            event(json!([end(1, "length")])),
            event(json!([end(0, "stop")])),
        ],
        true,
    );
    let whole = |index: u32, text: &str, reason: &str| json!({"index": index, "message": {"content": text}, "finish_reason": reason});
    let choices = [whole(1, "[Wrong()]", "length"), whole(0, "[GetToday()]", "stop")];
    (WireFormat::ChatCompletions, stream, event(json!(choices)))
}

/// A call in the form of older servers, `function_call`.
pub(crate) fn chat_function_call() -> (WireFormat, String, Value) {
    let delta = |call: Value| json!({"choices": [{"index": 0, "delta": {"function_call": call}}]});
    let stream = events(
        &[
            json!({"choices": [{"index": 0, "delta": {"role": "assistant", "content": null}}]}),
            delta(json!({"name": "Add", "arguments": ""})),
            delta(json!({"arguments": "{\"x\":"})),
            delta(json!({"arguments": "\"ö\"}"})),
            json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "function_call"}]}),
        ],
        true,
    );
    let message = json!({
        "role": "assistant", "content": null,
        "function_call": {"name": "Add", "arguments": "{\"x\":\"ö\"}"},
    });
    let choice = json!({"index": 0, "message": message, "finish_reason": "function_call"});
    (WireFormat::ChatCompletions, stream, json!({"choices": [choice]}))
}

pub(crate) fn completions_several() -> (WireFormat, String, Value) {
    let piece = |index: u32, text: &str, reason: Option<&str>| json!({"index": index, "text": text, "finish_reason": reason});
    let event = |choices: Value| json!({"choices": choices});
    let stream = events(
        &[
            event(json!([piece(1, "no", None), piece(0, "[Get", None)])),
            event(json!([piece(1, "", Some("length"))])),
            event(json!([piece(0, "Today()]", Some("stop"))])),
        ],
        true,
    );
    let choices = [piece(1, "no", Some("length")), piece(0, "[GetToday()]", Some("stop"))];
    (WireFormat::Completions, stream, event(json!(choices)))
}

pub(crate) fn chat() -> (WireFormat, String, Value) {
    let delta = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    let part = |index: u32, call: Value| {
        delta(json!({"tool_calls": [merge(json!({"index": index}), call)]}))
    };
    let stream = events(
        &[
            delta(json!({"role": "assistant", "content": null, "reasoning_content": "hm"})),
            delta(json!({"reasoning_content": ", größer"})),
            part(
                0,
                json!({"id": "a", "type": "function", "function": {"name": "Add", "arguments": ""}}),
            ),
            part(0, json!({"function": {"arguments": "{\"x\":"}})),
            part(
                1,
                json!({"id": "b", "type": "function", "function": {"name": "Sub", "arguments": "{}"}}),
            ),
            part(0, json!({"function": {"arguments": "\"😀\"}"}})),
            json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}),
            json!({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}),
        ],
        true,
    );
    let call = |id: &str, name: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    let message = json!({
        "role": "assistant", "content": null, "reasoning_content": "hm, größer",
        "tool_calls": [call("a", "Add", "{\"x\":\"😀\"}"), call("b", "Sub", "{}")],
    });
    let body = json!({
        "choices": [{"message": message, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3},
    });
    (WireFormat::ChatCompletions, stream, body)
}

pub(crate) fn chat_text() -> (WireFormat, String, Value) {
    let delta = |text: &str| json!({"choices": [{"delta": {"content": text}}]});
    let mut stream = events(&[delta("[Get"), delta("Today()]")], false).replace('\n', "\r\n");
    // No final empty line and no [DONE]: a finish reason ends the stream too.
    stream.push_str("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}");
    let body = json!({"choices": [{
        "message": {"role": "assistant", "content": "[GetToday()]"}, "finish_reason": "stop",
    }]});
    (WireFormat::ChatCompletions, stream, body)
}

pub(crate) fn responses() -> (WireFormat, String, Value) {
    let item = json!({"type": "function_call", "call_id": "c", "name": "Add", "arguments": "{}"});
    let said = json!({"type": "message", "content": [{"type": "output_text", "text": "ö"}]});
    let response = |output: Value| {
        json!({
            "status": "completed", "error": null, "output": output,
            "usage": {"input_tokens": 7, "output_tokens": 3},
        })
    };
    let stream = events(
        &[
            json!({"type": "response.created", "response": {"status": "in_progress"}}),
            json!({"type": "response.output_text.delta", "delta": "ö"}),
            json!({"type": "response.output_item.done", "output_index": 0, "item": said}),
            json!({"type": "response.output_item.done", "output_index": 1, "item": item}),
            json!({"type": "response.completed", "response": response(json!([]))}),
        ],
        false,
    );
    (WireFormat::Responses, stream, response(json!([said, item])))
}

pub(crate) fn messages() -> (WireFormat, String, Value) {
    let block = |index: u32, delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
    let stream = events(
        &[
            json!({"type": "message_start", "message": {
                "role": "assistant", "content": [], "stop_reason": null,
                "usage": {"input_tokens": 7, "output_tokens": 1},
            }}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}}),
            block(0, json!({"type": "thinking_delta", "thinking": "hm"})),
            block(0, json!({"type": "signature_delta", "signature": "sig"})),
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "ping"}),
            json!({"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}),
            block(1, json!({"type": "text_delta", "text": "grö"})),
            block(1, json!({"type": "text_delta", "text": "ßer"})),
            json!({"type": "content_block_start", "index": 2, "content_block": {"type": "tool_use", "id": "t", "name": "Add", "input": {}}}),
            block(2, json!({"type": "input_json_delta", "partial_json": "{\"x\""})),
            block(2, json!({"type": "input_json_delta", "partial_json": ":1}"})),
            json!({"type": "content_block_start", "index": 3, "content_block": {"type": "tool_use", "id": "u", "name": "GetToday", "input": {}}}),
            json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 3}}),
            json!({"type": "message_stop"}),
        ],
        false,
    );
    let body = json!({
        "role": "assistant", "stop_reason": "tool_use",
        "usage": {"input_tokens": 7, "output_tokens": 3},
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "sig"},
            {"type": "text", "text": "größer"},
            {"type": "tool_use", "id": "t", "name": "Add", "input": {"x": 1}},
            {"type": "tool_use", "id": "u", "name": "GetToday", "input": {}},
        ],
    });
    (WireFormat::Messages, stream, body)
}

pub(crate) fn ollama() -> (WireFormat, String, Value) {
    let said = |message: Value| json!({"message": message, "done": false});
    let call = json!({"function": {"name": "Add", "arguments": {"x": "ß"}}});
    let last =
        json!({"done": true, "done_reason": "stop", "prompt_eval_count": 7, "eval_count": 3});
    let stream = lines(&[
        said(json!({"role": "assistant", "content": "", "thinking": "hm"})),
        said(json!({"role": "assistant", "content": "grö"})),
        said(json!({"role": "assistant", "content": "ßer", "tool_calls": [call]})),
        merge(json!({"message": {"role": "assistant", "content": ""}}), last.clone()),
    ]);
    let message = json!({
        "role": "assistant", "content": "größer", "thinking": "hm", "tool_calls": [call],
    });
    (WireFormat::Ollama, stream, merge(json!({"message": message}), last))
}

pub(crate) fn completions() -> (WireFormat, String, Value) {
    let piece = |text: &str| json!({"choices": [{"text": text, "finish_reason": null}]});
    let stream = events(
        &[
            piece(" [Get"),
            piece("Today()]"),
            json!({"choices": [{"text": "", "finish_reason": "stop"}]}),
            json!({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}),
        ],
        true,
    );
    let body = json!({
        "choices": [{"text": " [GetToday()]", "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3},
    });
    (WireFormat::Completions, stream, body)
}

pub(crate) fn merge(mut one: Value, other: Value) -> Value {
    if let (Some(one), Value::Object(other)) = (one.as_object_mut(), other) {
        one.extend(other);
    }
    one
}
