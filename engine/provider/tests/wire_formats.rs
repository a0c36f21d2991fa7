//! The wire formats as their users see them: bytes in, an answer or a failure out; and questions
//! through scripted ports.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use exchange::Answer;
use exchange::protocol::{Ask, Message, Role, ToolCall};
use futures::FutureExt;
use proptest::prelude::*;
use provider::Ports;
use provider::{
    Client, Collected, Endpoint, Failure, FailureClass, HttpHead, HttpRequest, HttpResponse,
    Receiver, Sink, Timeouts, TransportError, WireFormat,
};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::time::Duration;

fn endpoint(format: WireFormat) -> Endpoint {
    Endpoint {
        format,
        base_url: "http://h/v1".to_owned(),
        model: "m".to_owned(),
        ..Endpoint::default()
    }
}

/// What a response gives whose body comes in these pieces.
fn received<'a>(
    format: WireFormat,
    status: u16,
    pieces: impl Iterator<Item = &'a [u8]>,
) -> Result<Answer, Failure> {
    let endpoint = endpoint(format);
    let mut receiver = Receiver::new(&endpoint, None);
    receiver.head(HttpHead { status, retry_after: None });
    for piece in pieces {
        if receiver.bytes(piece).is_break() {
            break;
        }
    }
    receiver.finish()
}

fn whole(format: WireFormat, status: u16, body: &str) -> Result<Answer, Failure> {
    received(format, status, std::iter::once(body.as_bytes()))
}

/// Events as servers send them.
fn events(events: &[Value], done: bool) -> String {
    let mut text = ": a comment\n\n".to_owned();
    for event in events {
        if let Some(kind) = event.get("type").and_then(Value::as_str) {
            text.push_str(&format!("event: {kind}\n"));
        }
        text.push_str(&format!("data: {event}\n\n"));
    }
    if done {
        text.push_str("data: [DONE]\n\n");
    }
    text
}

fn lines(documents: &[Value]) -> String {
    documents.iter().map(|document| format!("{document}\n")).collect()
}

/// For each format a streamed answer, and the same one in a single piece.
fn pairs() -> Vec<(WireFormat, String, Value)> {
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

/// Two answers at once, as a body with `n` asks for, one piece of each in turn.
fn chat_several() -> (WireFormat, String, Value) {
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

/// A call in the form of older servers.
fn chat_function_call() -> (WireFormat, String, Value) {
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

fn completions_several() -> (WireFormat, String, Value) {
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

fn chat() -> (WireFormat, String, Value) {
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

fn chat_text() -> (WireFormat, String, Value) {
    let delta = |text: &str| json!({"choices": [{"delta": {"content": text}}]});
    let mut stream = events(&[delta("[Get"), delta("Today()]")], false).replace('\n', "\r\n");
    // Without an empty line and without [DONE]: a reason to stop is an end as well.
    stream.push_str("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}");
    let body = json!({"choices": [{
        "message": {"role": "assistant", "content": "[GetToday()]"}, "finish_reason": "stop",
    }]});
    (WireFormat::ChatCompletions, stream, body)
}

fn responses() -> (WireFormat, String, Value) {
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

fn messages() -> (WireFormat, String, Value) {
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

fn ollama() -> (WireFormat, String, Value) {
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

fn completions() -> (WireFormat, String, Value) {
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

fn merge(mut one: Value, other: Value) -> Value {
    if let (Some(one), Value::Object(other)) = (one.as_object_mut(), other) {
        one.extend(other);
    }
    one
}

#[test]
fn a_stream_cut_anywhere_gives_the_answer_of_the_whole() {
    for (format, stream, body) in pairs() {
        let expected = whole(format, 200, &body.to_string()).unwrap();
        assert!(!expected.text.is_empty() || !expected.calls.is_empty(), "{format:?}");
        let bytes = stream.as_bytes();
        for at in 0..=bytes.len() {
            let (head, tail) = bytes.split_at(at);
            let answer = received(format, 200, [head, tail].into_iter()).unwrap();
            assert_eq!(answer, expected, "{format:?} cut at {at}");
        }
        assert_eq!(received(format, 200, bytes.chunks(1)).unwrap(), expected, "{format:?}");
        // Printed over several lines, as some proxies do.
        let pretty = serde_json::to_string_pretty(&body).unwrap();
        assert_eq!(received(format, 200, pretty.as_bytes().chunks(3)).unwrap(), expected);
    }
}

/// Where the reason stands for which the first choice ended.
fn first_end(stream: &str) -> usize {
    let line = stream
        .lines()
        .find(|line| line.contains("finish_reason\":\"") && !line.contains("\"index\":1"));
    stream.find(line.unwrap()).unwrap() + line.unwrap().find("finish_reason\":\"").unwrap()
}

#[test]
fn a_stream_that_breaks_off_is_no_answer() {
    for (format, stream, _) in pairs() {
        // Up to the last event that the answer needs.
        let needed = match format {
            WireFormat::ChatCompletions | WireFormat::Completions => first_end(&stream),
            WireFormat::Responses => stream.find("response.completed").unwrap(),
            WireFormat::Messages => stream.find("stop_reason\":\"").unwrap(),
            WireFormat::Ollama => stream.find("\"done\":true").unwrap(),
        };
        for at in 1..needed {
            if !stream.is_char_boundary(at) {
                continue;
            }
            let failure = whole(format, 200, &stream[..at]).unwrap_err();
            assert_eq!(failure.class, FailureClass::Infrastructure, "{format:?} at {at}");
            assert!(failure.retry, "{format:?} at {at}");
        }
    }
}

#[test]
fn errors_within_a_stream_are_told() {
    let failed = json!({"error": {"message": "out of memory"}});
    for format in WireFormat::ALL {
        let body = if format == WireFormat::Ollama {
            lines(std::slice::from_ref(&failed))
        } else {
            events(std::slice::from_ref(&failed), true)
        };
        let failure = whole(format, 200, &body).unwrap_err();
        assert!(failure.message.contains("out of memory"), "{format:?}: {}", failure.message);
        let garbage = if format == WireFormat::Ollama { "{\"a\n" } else { "data: {\"a\n\n" };
        assert_eq!(whole(format, 200, garbage).unwrap_err().class, FailureClass::Infrastructure);
    }
    let groq = json!({"error": {"message": "no", "code": "tool_use_failed", "failed_generation": "[Add("}});
    let answer = whole(WireFormat::ChatCompletions, 200, &events(&[groq], false)).unwrap();
    assert_eq!((answer.text.as_str(), answer.fault.is_some()), ("[Add(", true));
}

#[test]
fn one_answer_is_read_and_a_legacy_call_is_a_call() {
    for (format, stream, body) in [chat_several(), completions_several()] {
        for text in [stream, body.to_string()] {
            let answer = whole(format, 200, &text).unwrap();
            let told = (answer.text.as_str(), answer.finish_reason.as_deref());
            assert_eq!(told, ("[GetToday()]", Some("stop")));
        }
    }
    let (format, stream, body) = chat_function_call();
    let call = ToolCall {
        id: String::new(),
        name: "Add".to_owned(),
        arguments: "{\"x\":\"ö\"}".to_owned(),
    };
    for text in [stream, body.to_string()] {
        assert_eq!(whole(format, 200, &text).unwrap().calls, std::slice::from_ref(&call));
    }
}

/// Tool calls as servers cut them that do not keep to the index.
#[test]
fn calls_are_told_apart_by_index_and_by_id() {
    let delta = |call: Value| json!({"choices": [{"delta": {"tool_calls": [call]}}]});
    let end = json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]});
    let names = |calls: &[Value]| {
        let mut all: Vec<Value> = calls.iter().cloned().map(delta).collect();
        all.push(end.clone());
        let answer = whole(WireFormat::ChatCompletions, 200, &events(&all, true)).unwrap();
        let shown = |call: &ToolCall| format!("{}:{}({})", call.id, call.name, call.arguments);
        answer.calls.iter().map(shown).collect::<Vec<_>>().join(" ")
    };
    let function = |name: &str, arguments: &str| json!({"name": name, "arguments": arguments});
    let same_index = [
        json!({"index": 0, "id": "a", "function": function("A", "{}")}),
        json!({"index": 0, "id": "b", "function": function("B", "{")}),
        json!({"index": 0, "function": {"arguments": "}"}}),
    ];
    assert_eq!(names(&same_index), "a:A({}) b:B({})");
    let no_index = [
        json!({"id": "a", "function": function("A", "{")}),
        json!({"function": {"arguments": "}"}}),
        json!({"id": "b", "function": {"name": "B", "arguments": {"x": 1}}}),
    ];
    assert_eq!(names(&no_index), "a:A({}) b:B({\"x\":1})");
    let repeated = [
        json!({"index": 0, "id": "a", "function": function("A", "{")}),
        json!({"index": 0, "id": "a", "function": function("A", "}")}),
    ];
    assert_eq!(names(&repeated), "a:A({})");
}

proptest! {
    #[test]
    fn no_bytes_make_a_decoder_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        status in prop::sample::select(vec![200_u16, 204, 400, 401, 429, 500]),
        size in 1_usize..40,
    ) {
        for format in WireFormat::ALL {
            let _ = received(format, status, bytes.chunks(size));
        }
    }

    #[test]
    fn no_json_makes_a_decoder_panic(body in any_json(), status in prop::sample::select(vec![200_u16, 400, 500])) {
        for format in WireFormat::ALL {
            let _ = whole(format, status, &body.to_string());
            let _ = whole(format, status, &lines(&[body.clone(), body.clone()]));
            let _ = whole(format, status, &events(&[body.clone(), body.clone()], true));
        }
    }

    #[test]
    fn no_mutation_of_a_stream_makes_a_decoder_panic(at in 0_usize..2000, byte in any::<u8>(), kept in 0_usize..2000) {
        for (format, stream, body) in pairs() {
            for text in [stream, body.to_string()] {
                let mut bytes = text.into_bytes();
                let at = at % bytes.len();
                bytes[at] = byte;
                bytes.truncate(kept.max(at + 1));
                let _ = received(format, 200, bytes.chunks(7));
            }
        }
    }
}

/// Documents out of the words that decoders look for.
fn any_json() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "choices",
        "message",
        "delta",
        "content",
        "tool_calls",
        "function",
        "arguments",
        "index",
        "error",
        "type",
        "output",
        "usage",
        "done",
        "finish_reason",
        "reasoning_details",
        "text",
        "content_block",
        "item",
        "response",
        "failed_generation",
        "detail",
        "loc",
        "param",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z_.]{0,12}".prop_map(Value::from),
        prop::sample::select(vec![
            "tool_use",
            "content_block_delta",
            "response.completed",
            "[DONE]"
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((word.clone(), inner), 0..5)
                .prop_map(|members| members.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
        ]
    })
}

/// Ports that answer from a list and take a millisecond a piece.
struct Scripted {
    answers: RefCell<VecDeque<(u16, String)>>,
    bodies: RefCell<Vec<Value>>,
    clock_ms: RefCell<u64>,
}

impl Scripted {
    fn new(answers: &[(u16, String)]) -> Self {
        Scripted {
            answers: RefCell::new(answers.iter().cloned().collect()),
            bodies: RefCell::default(),
            clock_ms: RefCell::default(),
        }
    }
}

impl Ports for Scripted {
    fn now_ms(&self) -> u64 {
        *self.clock_ms.borrow()
    }

    async fn send(
        &self,
        request: HttpRequest,
        _: Timeouts,
        sink: &mut dyn Sink,
    ) -> Result<(), TransportError> {
        let body = serde_json::from_str(&request.body.unwrap()).unwrap();
        self.bodies.borrow_mut().push(body);
        let Some((status, body)) = self.answers.borrow_mut().pop_front() else {
            return Err(TransportError::Unreachable("nobody there".to_owned()));
        };
        sink.head(HttpHead { status, retry_after: None });
        for piece in body.as_bytes().chunks(10) {
            *self.clock_ms.borrow_mut() += 1;
            if sink.bytes(piece).is_break() {
                break;
            }
        }
        Ok(())
    }

    async fn wait(&self, _: u32) {}

    fn cancelled(&self) -> bool {
        false
    }
}

fn question() -> Ask {
    Ask { messages: vec![Message::text(Role::User, "hi")], ..Ask::default() }
}

fn refuse(param: &str) -> (u16, String) {
    (
        400,
        json!({"error": {"message": format!("{param} is not supported"), "param": param}})
            .to_string(),
    )
}

#[test]
fn refused_parameters_are_dropped_once_and_remembered() {
    let endpoint = Endpoint {
        temperature: Some(0.0),
        top_p: Some(0.9),
        seed: Some(1),
        max_tokens: Some(64),
        ..endpoint(WireFormat::ChatCompletions)
    };
    let (_, _, body) = chat_text();
    let answer = (200, body.to_string());
    let script = [refuse("temperature"), refuse("max_tokens"), answer.clone(), answer];
    let ports = Scripted::new(&script);
    let client = Client::new(&endpoint, None, Timeouts::default());
    let ask =
        |client: &Client<'_>| client.ask(&question(), &ports).now_or_never().unwrap().unwrap();
    assert_eq!(ask(&client).unwrap().answer.text, "[GetToday()]");
    assert_eq!(client.dropped(), ["max_tokens", "temperature"]);
    ask(&client).unwrap();
    let bodies = ports.bodies.borrow();
    assert_eq!(bodies.len(), 4, "the second question needs no second try");
    for body in &bodies[2..] {
        assert_eq!((body.get("temperature"), body.get("max_tokens")), (None, None));
        assert_eq!((&body["top_p"], &body["max_completion_tokens"]), (&json!(0.9), &json!(64)));
    }
}

#[test]
fn an_endpoint_that_refuses_everything_is_asked_a_bounded_number_of_times() {
    let endpoint =
        Endpoint { temperature: Some(0.0), seed: Some(1), ..endpoint(WireFormat::ChatCompletions) };
    let all = "temperature, seed, model, messages are refused";
    let refusal = (400, json!({"error": {"message": all}}).to_string());
    let ports = Scripted::new(&vec![refusal; 50]);
    let client = Client::new(&endpoint, None, Timeouts::default());
    let failure = client.ask(&question(), &ports).now_or_never().unwrap().unwrap().unwrap_err();
    assert_eq!(failure.class, FailureClass::Configuration);
    assert_eq!(ports.bodies.borrow().len(), 3);
    let resumed = Client::new(&endpoint, None, Timeouts::default()).without(client.dropped());
    assert_eq!(resumed.dropped(), ["seed", "temperature"]);
}

#[test]
fn the_first_piece_of_a_stream_stops_the_clock() {
    let (format, stream, body) = chat_text();
    let endpoint = endpoint(format);
    let ports = Scripted::new(&[(200, stream.clone()), (200, body.to_string())]);
    let client = Client::new(&endpoint, None, Timeouts::default());
    let ask = || client.ask(&question(), &ports).now_or_never().unwrap().unwrap().unwrap();
    let first = ask().first_token_ms.unwrap();
    assert!(first > 0 && first < stream.len() as u64 / 10, "{first}");
    assert_eq!(ask().first_token_ms, None, "without a stream there is no first piece");
    let failure = client.ask(&question(), &ports).now_or_never().unwrap().unwrap().unwrap_err();
    assert_eq!(failure.status, None);
    assert!(failure.message.contains("(nobody there)"), "{}", failure.message);
}

#[test]
fn bodies_have_an_end() {
    let endpoint = endpoint(WireFormat::ChatCompletions);
    let mut receiver = Receiver::new(&endpoint, None);
    receiver.head(HttpHead { status: 200, retry_after: None });
    let piece = vec![b'x'; 1 << 20];
    let taken = (0..100).take_while(|_| receiver.bytes(&piece).is_continue()).count();
    assert!(taken <= 32, "{taken} MB were taken");
    assert!(receiver.finish().unwrap_err().message.contains("32 MB"));
    let mut whole = Collected::default();
    whole.head(HttpHead { status: 200, retry_after: Some(Duration::from_secs(3)) });
    let _ = whole.bytes("\u{feff}{}".as_bytes());
    let expected = HttpResponse {
        status: 200,
        retry_after: Some(Duration::from_secs(3)),
        body: "{}".to_owned(),
    };
    assert_eq!(whole.into_response(None), expected);
}
