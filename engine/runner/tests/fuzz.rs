//! Fuzz tests: mutated inputs must not cause a panic, a hang or excessive memory use. Accepted
//! records must round-trip.
//!
//! `API_BANK_FUZZ_SECONDS` sets the duration of each test: one second by default, a minute in
//! `.ci/run`. A failing case prints its number; `API_BANK_FUZZ_CASE` reruns only that case.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that fails may panic")]
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a test has a clock; the engine has none"
)]

use dataset::import::{Intake, Limits as ImportLimits, archive, import};
use dataset::{Ability, Dialogue, Pack};
use exchange::call::{parse, parse_all, read_native, read_text};
use exchange::protocol::ToolCall;
use exchange::{Answer, reasoning};
use provider::{Endpoint, HttpHead, Receiver, Sink, WireFormat};
use record::{Limits, Record};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A case that takes longer counts as a hang.
const HANGS: Duration = Duration::from_secs(60);
/// The maximum length of an input, in bytes.
const LONGEST: usize = 1 << 16;
/// The maximum peak memory of the process, in MB.
const MEMORY_MB: u64 = 1024;

/// Reproducible random numbers: xorshift64* (Vigna, 2016).
struct Choices(u64);

impl Choices {
    fn new(case: u64) -> Self {
        Choices(case.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit.max(1) as u64).unwrap()
    }

    fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

/// Tokens that parsers look for or find hard to parse.
const PIECES: [&str; 34] = [
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    "\"",
    "'",
    ":",
    ",",
    "=",
    "\\",
    "\\u0000",
    "\\ud800",
    "\n",
    "\r\n\r\n",
    "data: ",
    "event: ",
    "[DONE]",
    "null",
    "true",
    "-0",
    "1e999",
    "NaN",
    "18446744073709551616",
    "é",
    "\u{1f600}",
    "\u{0}",
    "\u{feff}",
    "\u{202e}",
    "[[[[[[[[",
    "{\"a\":{\"a\":",
    "<script>",
    "None",
];

/// Mutates a random seed: changes bytes; deletes, repeats or transplants parts.
fn spoilt(seeds: &[&[u8]], choices: &mut Choices) -> Vec<u8> {
    let mut bytes = choices.pick(seeds).to_vec();
    for _ in 0..=choices.below(6) {
        let at = choices.below(bytes.len() + 1);
        let end = at + choices.below((bytes.len() - at).min(200) + 1);
        match choices.below(7) {
            0 if at < bytes.len() => bytes[at] = (choices.next() & 0xff) as u8,
            1 => drop(bytes.drain(at..end)),
            2 => bytes.truncate(at),
            3 => {
                let part = bytes[at..end].to_vec();
                let times = 1 + choices.below(2000 / (part.len() + 1) + 1);
                let part = part.repeat(times);
                bytes.splice(at..at, part);
            }
            4 => {
                let other = choices.pick(seeds);
                let from = choices.below(other.len());
                let to = from + choices.below((other.len() - from).min(300) + 1);
                bytes.splice(at..end, other[from..to].iter().copied());
            }
            _ => drop(bytes.splice(at..end, choices.pick(&PIECES).bytes())),
        }
    }
    bytes.truncate(LONGEST);
    bytes
}

/// Runs `check` on mutated inputs until time is up.
fn fuzz(name: &'static str, seeds: &[&[u8]], check: impl Fn(&[u8], &mut Choices)) {
    let number = |variable: &str| std::env::var(variable).ok().and_then(|text| text.parse().ok());
    if let Some(case) = number("API_BANK_FUZZ_CASE") {
        let mut choices = Choices::new(case);
        let input = spoilt(seeds, &mut choices);
        println!("{name}, case {case}: {}", input.escape_ascii());
        return check(&input, &mut choices);
    }
    let seconds = number("API_BANK_FUZZ_SECONDS").unwrap_or(1);
    let started = Instant::now();
    let watch = Watch::start(name);
    // Every run starts at a different case number, which reproduces the input.
    let first = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |it| u64::from(it.subsec_nanos()) << 32);
    let mut case = first;
    while started.elapsed() < Duration::from_secs(seconds) {
        watch.case(case);
        let mut choices = Choices::new(case);
        let input = spoilt(seeds, &mut choices);
        check(&input, &mut choices);
        case += 1;
    }
    println!("{name}: {} cases in {seconds} s", case - first);
    match peak_mb() {
        Some(mb) => assert!(mb < MEMORY_MB, "{name}: {mb} MB at the highest"),
        None => println!("SKIPPED the limit of memory: this system does not tell it"),
    }
}

/// Reports the case number of a panic or a hang.
struct Watch {
    name: &'static str,
    /// The current case and its start.
    now: Arc<(AtomicU64, Mutex<Instant>)>,
}

impl Watch {
    fn start(name: &'static str) -> Self {
        let now = Arc::new((AtomicU64::new(0), Mutex::new(Instant::now())));
        let weak = Arc::downgrade(&now);
        std::thread::spawn(move || {
            while let Some(now) = weak.upgrade() {
                if now.1.lock().is_ok_and(|began| began.elapsed() > HANGS) {
                    eprintln!("{name}: case {} has no end", now.0.load(Ordering::Relaxed));
                    std::process::abort();
                }
                drop(now);
                std::thread::sleep(Duration::from_millis(500));
            }
        });
        Watch { name, now }
    }

    fn case(&self, case: u64) {
        self.now.0.store(case, Ordering::Relaxed);
        *self.now.1.lock().unwrap() = Instant::now();
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let case = self.now.0.load(Ordering::Relaxed);
            eprintln!("{}: API_BANK_FUZZ_CASE={case} repeats it", self.name);
        }
    }
}

/// Peak memory of this process in MB, if the system reports it.
fn peak_mb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kb| kb / 1024)
}

#[test]
fn the_call_parser() {
    let seeds: [&[u8]; 8] = [
        b"[AddAlarm(token='o9i8u7y6t5', time='2024-05-24 07:30:00')]",
        b"API-Request: [ToolSearcher(keywords=\"book a hotel\")]->",
        b"I'll look. [BookHotel(hotel_name='Hilton', rooms=2, prices=[1.5, -2e3], on={'a': None})] ok",
        b"```python\nGetUserToken(username=\"foo\", password='b\\'ar')\n```",
        b"{\"token\": \"x\", \"tags\": [1, true, null], \"more\": {\"deep\": \"\\u00e9\"}}",
        b"[Calculator(formula='(1+2)*3')][Calculator(formula='4')]",
        b"<tool_call>{\"name\": \"Wiki\", \"arguments\": {\"keyword\": \"tea\"}}</tool_call>",
        "[Translate(src='中文', tgt=“fr”)]".as_bytes(),
    ];
    fuzz("call parser", &seeds, |input, _| {
        let text = String::from_utf8_lossy(input).into_owned();
        let call = parse(&text);
        assert_eq!(call.as_ref().ok(), parse(&text).as_ref().ok(), "parsing is deterministic");
        if let Ok(call) = &call {
            assert!(!call.name.is_empty());
        }
        let native = ToolCall { id: "1".to_owned(), name: "A".to_owned(), arguments: text.clone() };
        let mut answer = Answer { text: text.clone(), ..Answer::default() };
        let _ = read_native(&answer, &|name| name.len() > 3);
        let _ = read_text(parse_all(&text), &answer, &|name| name.len() > 3);
        let _ = reasoning::split(&text);
        answer.calls.push(native);
        let _ = read_native(&answer, &|name| name.len() > 3);
    });
}

#[test]
fn the_stream_decoder() {
    let seeds: [&[u8]; 9] = [
        b": hi\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"[A(a='1')]\"}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"A\",\"arguments\":\"{\\\"a\\\":\"}}]}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"1}\"}}]},\"finish_reason\":\"tool_calls\"}],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}\n\ndata: [DONE]\n\n",
        b"{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"x\",\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"A\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"stop\"}]}",
        b"event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"A\",\"input\":{}}}\n\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\":1}\"}}\n\nevent: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":9}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
        b"{\"type\":\"message\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"A\",\"input\":{\"a\":[1]}}],\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":1,\"output_tokens\":2}}",
        b"event: response.output_item.added\ndata: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"A\",\"arguments\":\"\"}}\n\nevent: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"hi\"}]}],\"usage\":{\"input_tokens\":1,\"output_tokens\":2}}}\n\n",
        b"{\"message\":{\"role\":\"assistant\",\"content\":\"a\",\"thinking\":\"b\"},\"done\":false}\n{\"message\":{\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"A\",\"arguments\":{\"a\":1}}}]},\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":4}\n",
        b"{\"error\":{\"message\":\"too long\",\"type\":\"invalid_request_error\",\"param\":\"max_tokens\",\"code\":null}}",
        b"data: {\"choices\":[{\"text\":\"[A()]\",\"index\":0,\"finish_reason\":\"length\"}]}\r\n\r\n",
        b"<!doctype html><html><body>502 Bad Gateway</body></html>",
    ];
    fuzz("stream decoder", &seeds, |input, choices| {
        let status = [200, 200, 200, 400, 429, 500][choices.below(6)];
        let size = 1 + choices.below(40);
        for format in WireFormat::ALL {
            let pieces = received(format, status, input.chunks(size));
            let whole = received(format, status, std::iter::once(input));
            assert_eq!(pieces, whole, "{format:?} in pieces of {size}");
        }
    });
}

#[test]
fn the_header_of_a_model() {
    let model = gguf::tiny::model();
    let whole = &model[..12_000];
    let part = gguf::tiny::write(&gguf::tiny::Fields::default(), &gguf::tiny::tensors()[..1]);
    fuzz("GGUF header", &[whole, &part[..200], b"GGUF\x03\0\0\0"], |input, choices| {
        let size = input.len() as u64 * (1 + choices.below(60) as u64);
        let Ok(header) = gguf::read(input, size) else { return };
        if let Ok((model, _)) = gguf::Model::of(&[header]) {
            let _ = model.check(1 << 32);
            assert!(model.context(4096, 1 << 32) <= 4096);
        }
    });
}

/// The result of decoding a body, as comparable text.
fn received<'a>(format: WireFormat, status: u16, pieces: impl Iterator<Item = &'a [u8]>) -> String {
    let base_url = "http://h/v1".to_owned();
    let endpoint = Endpoint { format, base_url, model: "m".to_owned(), ..Endpoint::default() };
    let mut receiver = Receiver::new(&endpoint, None);
    receiver.head(HttpHead { status, retry_after: None });
    for piece in pieces {
        if receiver.bytes(piece).is_break() {
            break;
        }
    }
    format!("{:?}", receiver.finish())
}

#[test]
fn the_record_reader() {
    let first = include_bytes!("../../record/tests/data/record_v1.json");
    let record = Record::from_json(std::str::from_utf8(first).unwrap()).unwrap();
    let (samples, times) = (record.samples.clone(), record.times);
    let current = record.filled(samples, times).to_json().unwrap();
    let seeds: [&[u8]; 3] =
        [first, current.as_bytes(), b"{\"schema_version\": 2, \"samples\": []}"];
    fuzz("record reader", &seeds, |input, _| {
        // Accepted input must round-trip.
        let Ok(record) = Record::read_whole(input, &Limits::PAGE) else { return };
        let text = record.to_json().unwrap();
        let again = Record::from_json(&text).unwrap();
        assert_eq!(again.to_json().unwrap(), text);
    });
}

#[test]
fn the_pack_importers() {
    let paths = [
        "manifest.json",
        "dialogues/call/a.jsonl",
        "dialogues/plan/b.json",
        "lv1-lv2-samples/level-1-given-desc/A-level-1-1.jsonl",
        "init_database/Stock.json",
        "test-data/level-3.json",
        "test-data/level-1-api.json",
        "test-data/level-3-batch-inf.json",
        "planning-tables.json",
        "pools.json",
        "lv3_apis/a.py",
        "lv3-samples/a.json",
        "a.zip",
        "a.tar.gz",
    ];
    let stock = br#"{"ABC": {"2023-01-02": 4.5}}"#;
    let file = ("init_database/Stock.json".to_owned(), String::from_utf8_lossy(stock).into_owned());
    let zip = archive(&[file]).unwrap();
    let seeds: [&[u8]; 10] = [
        br#"{"name": "p", "version": "1", "today": "2024-05-24", "seed": 1}"#,
        br#"{"role": "User", "text": "t"}
{"role": "API", "api_name": "Wiki", "param_dict": {"keyword": "t"}, "result": {"api_name": "Wiki", "input": {"keyword": "t"}, "output": null, "exception": "x"}}"#,
        br#"{"requirement": "r", "response": "s", "apis": [{"api_name": "Wiki", "input": {"keyword": "tea"}, "output": null}]}"#,
        stock,
        br#"[{"requirement": "r", "response": "s", "apis": [{"api_name": "ToolSearcher", "input": {"keywords": "tea"}, "output": {"name": "T"}}]}]"#,
        br#"[{"file": "A-level-1-1.jsonl", "id": 1, "instruction": "i", "input": "User: Hi", "expected_output": "API-Request: [Wiki(keyword='t')]"}]"#,
        br#"{"LikeCount": {"database": {"1": 10}}}"#,
        br#"{"dialogue": [{"name": "A", "description": "d"}]}"#,
        b"class LikeCount(API):\n    description = 'a' \\\n     \"b\"\n    def __init__(self):\n        self.database = {1: (2, None)}",
        &zip,
    ];
    fuzz("pack importers", &seeds, |input, choices| {
        let path = choices.pick(&paths);
        let mut intake = Intake::new(ImportLimits::default());
        intake.add(path, input.to_vec());
        let text = String::from_utf8_lossy(input);
        let others = [seeds[0], seeds[1], seeds[2]].map(String::from_utf8_lossy);
        let files = [
            (path, text.as_ref()),
            (paths[0], others[0].as_ref()),
            (paths[1], others[1].as_ref()),
            (paths[2], others[2].as_ref()),
        ];
        let (original, _) = import(files);
        let _ = original.world();
        let _ = Pack::load(files);
        let _ = Dialogue::read_lines("a.jsonl", Ability::Call, &text);
        let _ = Dialogue::read_plan("b.json", &text);
    });
}
