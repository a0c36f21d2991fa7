//! One answer, sent whole, streamed, and streamed with a cut at every byte, is the same answer in
//! every format and in every style of the servers.

use crate::support::{received, whole};
use exchange::Answer;
use proptest::prelude::*;
use provider::WireFormat;
use serde_json::{Map, Value, json};

/// What a model says.
#[derive(Debug, Clone)]
struct Said {
    reasoning: String,
    text: String,
    calls: Vec<(String, Map<String, Value>)>,
    prompt_tokens: u32,
    completion_tokens: u32,
}

/// How a server sends it.
#[derive(Debug, Clone, Copy)]
struct Style {
    /// UTF-16 units in a piece.
    piece: usize,
    /// Content as a list of parts.
    parts: bool,
    /// Every call has index 0.
    no_index: bool,
    /// Calls have no ids.
    no_ids: bool,
    /// A call's first event has no arguments.
    bare_name: bool,
    /// Every piece of a call repeats its name.
    named: bool,
    /// What ends a line.
    line_end: &'static str,
    /// A byte order mark comes first.
    mark: bool,
}

/// The first of 2048 characters that stand for halves of surrogate pairs until they are escaped.
const HALF: u32 = 0x10_F800;

/// The pieces of a text. Characters may be cut in two.
fn pieces(text: &str, size: usize) -> Vec<String> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let piece = |units: &[u16]| -> String {
        let read = char::decode_utf16(units.iter().copied());
        let half = |unit: u16| char::from_u32(HALF + u32::from(unit) - 0xD800).unwrap();
        read.map(|read| read.unwrap_or_else(|error| half(error.unpaired_surrogate()))).collect()
    };
    units.chunks(size).map(piece).collect()
}

/// JSON in which halves of characters are escaped, as Python's encoder does.
fn encoded(value: &Value) -> String {
    let mut out = String::new();
    for c in value.to_string().chars() {
        match u32::from(c).checked_sub(HALF) {
            Some(half) => out.push_str(&format!("\\u{:04x}", half + 0xD800)),
            None => out.push(c),
        }
    }
    out
}

fn sse(events: &[Value], done: bool, style: Style) -> String {
    let mut text = String::new();
    for event in events {
        if let Some(kind) = event.get("type").and_then(Value::as_str) {
            text.push_str(&format!("event: {kind}\n"));
        }
        text.push_str(&format!("data: {}\n\n", encoded(event)));
    }
    if done {
        text.push_str("data: [DONE]\n\n");
    }
    framed(&text, style)
}

fn framed(text: &str, style: Style) -> String {
    let mark = if style.mark { "\u{feff}" } else { "" };
    format!("{mark}{}", text.replace('\n', style.line_end))
}

fn id(at: usize, style: Style) -> String {
    if style.no_ids { String::new() } else { format!("call_{at}") }
}

fn usage(said: &Said) -> Value {
    json!({"prompt_tokens": said.prompt_tokens, "completion_tokens": said.completion_tokens})
}

/// The answer in one piece, and streamed.
fn sent(format: WireFormat, said: &Said, style: Style) -> (Value, String) {
    match format {
        WireFormat::ChatCompletions => (chat(said, style), chat_stream(said, style)),
        WireFormat::Completions => completions(said, style),
        WireFormat::Responses => responses(said, style),
        WireFormat::Messages => (messages(said, style), messages_stream(said, style)),
        WireFormat::Ollama => ollama(said, style),
    }
}

fn chat(said: &Said, style: Style) -> Value {
    let mut message = json!({"role": "assistant", "content": said.text});
    if style.parts {
        message["content"] = json!([
            {"type": "thinking", "thinking": [{"type": "text", "text": said.reasoning}]},
            {"type": "text", "text": said.text}, {"type": "reference", "reference_ids": [1]},
        ]);
    } else if !said.reasoning.is_empty() {
        message["reasoning_content"] = json!(said.reasoning);
    }
    let call = |(at, (name, arguments)): (usize, &(String, Map<String, Value>))| {
        let function = json!({"name": name, "arguments": json!(arguments).to_string()});
        json!({"id": id(at, style), "type": "function", "function": function})
    };
    let calls: Vec<Value> = said.calls.iter().enumerate().map(call).collect();
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    json!({
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": usage(said),
    })
}

fn chat_stream(said: &Said, style: Style) -> String {
    let event = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    let mut events = vec![event(json!({"role": "assistant", "content": ""}))];
    events.extend(pieces(&said.reasoning, style.piece).into_iter().map(|piece| {
        event(match style.parts {
            true => json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": piece}]}]}),
            false => json!({"reasoning_content": piece}),
        })
    }));
    events.extend(pieces(&said.text, style.piece).into_iter().map(|piece| {
        event(match style.parts {
            true => json!({"content": [{"type": "text", "text": piece}]}),
            false => json!({"content": piece}),
        })
    }));
    for (at, (name, arguments)) in said.calls.iter().enumerate() {
        let index = if style.no_index { 0 } else { at };
        let part = |first: bool, arguments: &str| {
            let mut function = json!({"arguments": arguments});
            if first || style.named {
                function["name"] = json!(name);
            }
            let call = json!({"index": index, "id": id(at, style), "type": "function", "function": function});
            event(json!({"tool_calls": [call]}))
        };
        let mut parts = pieces(&json!(arguments).to_string(), style.piece);
        if style.bare_name {
            parts.insert(0, String::new());
        }
        events.extend(parts.iter().enumerate().map(|(at, piece)| part(at == 0, piece)));
    }
    events.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}));
    events.push(json!({"choices": [], "usage": usage(said)}));
    sse(&events, true, style)
}

fn completions(said: &Said, style: Style) -> (Value, String) {
    let piece = |text: &str, reason: Option<&str>| json!({"choices": [{"index": 0, "text": text, "finish_reason": reason}]});
    let mut whole = piece(&said.text, Some("stop"));
    whole["usage"] = usage(said);
    let mut events: Vec<Value> =
        pieces(&said.text, style.piece).iter().map(|text| piece(text, None)).collect();
    events.push(piece("", Some("stop")));
    events.push(json!({"choices": [], "usage": usage(said)}));
    (whole, sse(&events, true, style))
}

fn responses(said: &Said, style: Style) -> (Value, String) {
    let mut items = vec![
        json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": said.reasoning}]}),
        json!({"type": "message", "content": [{"type": "output_text", "text": said.text}]}),
    ];
    items.extend(said.calls.iter().enumerate().map(|(at, (name, arguments))| {
        let arguments = json!(arguments).to_string();
        json!({"type": "function_call", "call_id": id(at, style), "name": name, "arguments": arguments})
    }));
    let response = |output: &[Value]| {
        json!({
            "status": "completed", "error": null, "output": output,
            "usage": {"input_tokens": said.prompt_tokens, "output_tokens": said.completion_tokens},
        })
    };
    let mut events =
        vec![json!({"type": "response.created", "response": {"status": "in_progress"}})];
    let deltas = pieces(&said.text, style.piece);
    events.extend(
        deltas.into_iter().map(|it| json!({"type": "response.output_text.delta", "delta": it})),
    );
    events.extend(items.iter().enumerate().map(
        |(at, item)| json!({"type": "response.output_item.done", "output_index": at, "item": item}),
    ));
    // The last event may hold the whole, or nothing.
    let last = if style.parts { response(&[]) } else { response(&items) };
    events.push(json!({"type": "response.completed", "response": last}));
    (response(&items), sse(&events, false, style))
}

fn messages(said: &Said, style: Style) -> Value {
    let mut blocks = Vec::new();
    if !said.reasoning.is_empty() {
        blocks.push(json!({"type": "thinking", "thinking": said.reasoning, "signature": "s"}));
    }
    blocks.push(json!({"type": "text", "text": said.text}));
    blocks.extend(said.calls.iter().enumerate().map(|(at, (name, arguments))| {
        json!({"type": "tool_use", "id": id(at, style), "name": name, "input": arguments})
    }));
    json!({
        "role": "assistant", "content": blocks, "stop_reason": "end_turn",
        "usage": {"input_tokens": said.prompt_tokens, "output_tokens": said.completion_tokens},
    })
}

fn messages_stream(said: &Said, style: Style) -> String {
    let whole = messages(said, style);
    let mut start = whole.clone();
    start["content"] = json!([]);
    start["stop_reason"] = Value::Null;
    start["usage"]["output_tokens"] = json!(1);
    let mut events =
        vec![json!({"type": "message_start", "message": start}), json!({"type": "ping"})];
    for (index, block) in whole["content"].as_array().unwrap().iter().enumerate() {
        let (member, kind, grown) = match block["type"].as_str().unwrap() {
            "thinking" => ("thinking", "thinking_delta", said.reasoning.clone()),
            "text" => ("text", "text_delta", said.text.clone()),
            _ => ("partial_json", "input_json_delta", block["input"].to_string()),
        };
        let mut begun = block.clone();
        for name in ["thinking", "text", "signature"] {
            if begun.get(name).is_some() {
                begun[name] = json!("");
            }
        }
        if begun.get("input").is_some() {
            begun["input"] = json!({});
        }
        events.push(json!({"type": "content_block_start", "index": index, "content_block": begun}));
        events.extend(pieces(&grown, style.piece).into_iter().map(|piece| {
            json!({"type": "content_block_delta", "index": index, "delta": {"type": kind, member: piece}})
        }));
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    let counts = json!({"output_tokens": said.completion_tokens});
    events.push(
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": counts}),
    );
    events.push(json!({"type": "message_stop"}));
    sse(&events, false, style)
}

fn ollama(said: &Said, style: Style) -> (Value, String) {
    let event = |member: &str, piece: Value| json!({"message": {"role": "assistant", "content": "", member: piece}, "done": false});
    let last = json!({
        "message": {"role": "assistant", "content": ""}, "done": true, "done_reason": "stop",
        "prompt_eval_count": said.prompt_tokens, "eval_count": said.completion_tokens,
    });
    let calls = said.calls.iter().enumerate().map(|(at, (name, arguments))| {
        json!({"id": id(at, style), "function": {"name": name, "arguments": arguments}})
    });
    let calls: Vec<Value> = calls.collect();
    let mut whole = last.clone();
    whole["message"] = json!({
        "role": "assistant", "content": said.text, "thinking": said.reasoning, "tool_calls": calls,
    });
    let mut events: Vec<Value> = Vec::new();
    events.extend(
        pieces(&said.reasoning, style.piece).into_iter().map(|it| event("thinking", it.into())),
    );
    events
        .extend(pieces(&said.text, style.piece).into_iter().map(|it| event("content", it.into())));
    events.extend(calls.into_iter().map(|call| event("tool_calls", json!([call]))));
    events.push(last);
    let lines: String = events.iter().map(|event| encoded(event) + "\n").collect();
    (whole, framed(&lines, style))
}

/// What must not depend on how an answer is sent.
#[derive(Debug, PartialEq)]
struct Gist<'a> {
    text: &'a str,
    calls: Vec<(&'a str, &'a str, Value)>,
    reasoning: Option<&'a str>,
    usage: Option<exchange::Usage>,
}

fn gist(answer: &Answer) -> Gist<'_> {
    let calls = answer.calls.iter().map(|call| {
        let arguments = serde_json::from_str(&call.arguments).unwrap();
        (call.id.as_str(), call.name.as_str(), arguments)
    });
    let (text, reasoning) = (answer.text.as_str(), answer.reasoning.as_deref());
    Gist { text, calls: calls.collect(), reasoning, usage: answer.usage }
}

fn word() -> impl Strategy<Value = String> {
    let c = prop_oneof![
        4 => prop::char::range('a', 'z'),
        1 => prop::sample::select(vec![' ', '\n', '"', '\\', 'ß', '日', '😀', '🇩', '\u{301}', '\u{2028}']),
    ];
    prop::collection::vec(c, 0..10).prop_map(|chars| chars.into_iter().collect())
}

fn said() -> impl Strategy<Value = Said> {
    let value = prop_oneof![
        word().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        Just(json!([1, {"a": null}])),
        Just(json!({})),
    ];
    let arguments = prop::collection::vec(("[a-z]{1,4}", value), 0..3)
        .prop_map(|members| members.into_iter().collect::<Map<String, Value>>());
    let name = prop::sample::select(vec!["Add", "GetToday"]).prop_map(str::to_owned);
    let calls = prop::collection::vec((name, arguments), 0..3);
    (word(), word(), calls, any::<u16>(), any::<u16>()).prop_map(
        |(reasoning, text, calls, prompt, completion)| Said {
            // A text of nothing but blanks is reasoning to nobody.
            reasoning: reasoning.trim().to_owned(),
            text,
            calls,
            prompt_tokens: prompt.into(),
            completion_tokens: completion.into(),
        },
    )
}

fn style() -> impl Strategy<Value = Style> {
    let line_end = prop::sample::select(vec!["\n", "\r\n", "\r"]);
    (1_usize..9, any::<[bool; 6]>(), line_end).prop_map(|(piece, flags, line_end)| {
        let [parts, no_index, no_ids, bare_name, named, mark] = flags;
        Style { piece, parts, no_index, no_ids, bare_name, named, line_end, mark }
    })
}

/// Checks the answer whole; returns its gist's source and the stream.
fn checked(
    format: WireFormat,
    said: &Said,
    style: Style,
) -> Result<(Answer, String), TestCaseError> {
    let (body, stream) = sent(format, said, style);
    let expected = whole(format, 200, &encoded(&body)).unwrap();
    prop_assert_eq!(&expected.text, &said.text);
    let is_text = format == WireFormat::Completions;
    prop_assert_eq!(expected.calls.len(), if is_text { 0 } else { said.calls.len() });
    let reasoning = Some(said.reasoning.as_str()).filter(|text| !text.is_empty() && !is_text);
    prop_assert_eq!(expected.reasoning.as_deref(), reasoning);
    prop_assert_eq!(expected.usage.unwrap().prompt_tokens, u64::from(said.prompt_tokens));
    Ok((expected, stream))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn an_answer_is_the_same_whole_and_streamed(said in said(), style in style()) {
        for format in WireFormat::ALL {
            let (expected, stream) = checked(format, &said, style)?;
            for size in [stream.len(), 1] {
                let answer = received(format, 200, stream.as_bytes().chunks(size)).unwrap();
                prop_assert_eq!(gist(&answer), gist(&expected), "pieces of {} of {}", size, stream);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2, ..ProptestConfig::default() })]

    #[test]
    fn an_answer_is_the_same_wherever_its_stream_is_cut(said in said(), style in style()) {
        for format in WireFormat::ALL {
            let (expected, stream) = checked(format, &said, style)?;
            for at in 0..=stream.len() {
                let (head, tail) = stream.as_bytes().split_at(at);
                let answer = received(format, 200, [head, tail].into_iter()).unwrap();
                prop_assert_eq!(gist(&answer), gist(&expected), "cut at {} of {}", at, stream);
            }
        }
    }
}
