//! Decoding of answers, streamed and complete.

use crate::answers::{chat_function_call, chat_several, completions_several, pairs};
use crate::support::{endpoint, events, lines, received, whole};
use exchange::protocol::ToolCall;
use provider::{Collected, FailureClass, HttpHead, HttpResponse, Receiver, Sink, WireFormat};
use serde_json::{Value, json};
use std::time::Duration;

#[test]
fn a_stream_split_anywhere_gives_the_same_answer_as_a_body() {
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
        // Pretty-printed, as by some proxies.
        let pretty = serde_json::to_string_pretty(&body).unwrap();
        assert_eq!(received(format, 200, pretty.as_bytes().chunks(3)).unwrap(), expected);
    }
}

/// Position of the first choice's finish reason.
fn first_end(stream: &str) -> usize {
    let line = stream
        .lines()
        .find(|line| line.contains("finish_reason\":\"") && !line.contains("\"index\":1"));
    stream.find(line.unwrap()).unwrap() + line.unwrap().find("finish_reason\":\"").unwrap()
}

#[test]
fn a_stream_that_breaks_off_is_a_failure() {
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
fn errors_within_a_stream_are_reported() {
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
fn the_first_choice_and_legacy_calls_are_decoded() {
    for (format, stream, body) in [chat_several(), completions_several()] {
        for text in [stream, body.to_string()] {
            let answer = whole(format, 200, &text).unwrap();
            let decoded = (answer.text.as_str(), answer.finish_reason.as_deref());
            assert_eq!(decoded, ("[GetToday()]", Some("stop")));
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

/// Tool calls from servers that misuse or omit the index.
#[test]
fn calls_are_distinguished_by_index_and_by_id() {
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

#[test]
fn bodies_are_limited_in_size() {
    let endpoint = endpoint(WireFormat::ChatCompletions);
    let mut receiver = Receiver::new(&endpoint, None);
    receiver.head(HttpHead { status: 200, retry_after: None });
    let piece = vec![b'x'; 1 << 20];
    let taken = (0..100).take_while(|_| receiver.bytes(&piece).is_continue()).count();
    assert!(taken <= 32, "{taken} MB were accepted");
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
