//! Input from models and files must not make a parser panic or hang.
//!
//! `fuzz.rs` covers streams and records.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that fails may panic")]

use dataset::import::{FileKind, Intake, Limits, import};
use dataset::{Ability, Dialogue, Pack};
use exchange::Answer;
use exchange::call::{parse, parse_all, read_native, read_text};
use exchange::protocol::ToolCall;
use proptest::prelude::*;

/// Size of a large input, in bytes.
const LARGE: usize = 4 << 20;

/// At this size a quadratic algorithm would run for hours.
#[test]
fn megabytes_are_parsed_quickly() {
    for piece in
        ["(", "[", "A(", "[A(", "[A(a=", "[A(a='x', ", "[A(a=[", "\\", "'", "A ( ", "{", "é("]
    {
        let text = piece.repeat(LARGE / piece.len());
        let _ = parse(&text);
        let call = ToolCall { id: String::new(), name: "A".to_owned(), arguments: text };
        let _ =
            read_native(&Answer { calls: vec![call], ..Answer::default() }, &|name| name == "A");
    }
    let _ = parse(&format!("{}(", " ".repeat(LARGE)));
    let _ = parse(&format!("[{}(", "A".repeat(LARGE)));
}

/// Files of the original's layouts with plausible contents.
const FILES: [(&str, &str); 8] = [
    (
        "lv1-lv2-samples/level-1-given-desc/A-level-1-1.jsonl",
        r#"{"role": "API", "api_name": "Wiki", "param_dict": {"keyword": "t"}, "result": {"api_name": "Wiki", "input": {"keyword": "t"}, "output": null, "exception": "x"}}"#,
    ),
    ("init_database/Stock.json", r#"{"ABC": {"2023-01-02": 4.5}}"#),
    (
        "test-data/level-3.json",
        r#"[{"requirement": "r", "response": "s", "apis": [{"api_name": "ToolSearcher", "input": {"keywords": "tea"}, "output": {"name": "T"}}]}]"#,
    ),
    (
        "test-data/level-1-api.json",
        r#"[{"file": "A-level-1-1.jsonl", "id": 1, "instruction": "i", "input": "User: Hi", "expected_output": "API-Request: [Wiki(keyword='t')]"}]"#,
    ),
    (
        "test-data/level-3-batch-inf.json",
        r#"[{"sample_id": 1, "api_id": 0, "instruction": "i", "input": "p", "output": "o"}]"#,
    ),
    ("planning-tables.json", r#"{"LikeCount": {"database": {"1": 10}}}"#),
    ("pools.json", r#"{"dialogue": [{"name": "A", "description": "d"}]}"#),
    (
        "lv3_apis/like_count.py",
        "class LikeCount(API):\n    description = 'd'\n    input_parameters = {}\n    output_parameters = {}\n    \
         def __init__(self):\n        self.database = {1: 10}\n",
    ),
];

/// Values of unexpected types.
const ODD: [&str; 12] = [
    "null",
    "true",
    "-1",
    "1e999",
    "18446744073709551616",
    "\"\\u0000\"",
    "[]",
    "{}",
    "[[[[[[[[",
    "\"<script>alert(1)</script>\"",
    "\"\\ud800\"",
    ",",
];

/// The text with `length` bytes at `from` replaced, adjusted to character boundaries.
fn spoilt(text: &str, from: usize, length: usize, with: &str) -> String {
    let floor = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let from = floor(from % (text.len() + 1));
    let to = floor(from + length).max(from);
    format!("{}{with}{}", &text[..from], &text[to..])
}

proptest! {
    #[test]
    fn mutated_files_are_imported_or_reported(
        file in 0..FILES.len(),
        from in 0_usize..400,
        length in 0_usize..60,
        with in prop::sample::select(ODD.to_vec()),
    ) {
        let files = FILES.iter().enumerate().map(|(index, (path, text))| {
            let text = if index == file { spoilt(text, from, length, with) } else { (*text).to_owned() };
            (*path, text)
        });
        let files: Vec<(&str, String)> = files.collect();
        let (original, _) = import(files.iter().map(|(path, text)| (*path, text.as_str())));
        let _ = original.world();
    }

    #[test]
    fn any_text_under_any_name_is_imported_or_reported(
        file in 0..FILES.len(),
        text in "\\PC{0,120}",
        folder in "[a-z\\\\/.-]{0,20}",
    ) {
        let path = format!("{folder}/{}", FILES[file].0);
        let (original, _) = import([(path.as_str(), text.as_str())]);
        let _ = original.world();
    }

    #[test]
    fn any_bytes_are_accepted_or_rejected(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        zip in any::<bool>(),
        name in "[a-z/\\\\.]{0,12}",
    ) {
        // The magic bytes of an archive get past the type check.
        let bytes = if zip { [b"PK\x03\x04", bytes.as_slice()].concat() } else { bytes };
        for end in ["zip", "json", "jsonl", "txt"] {
            let path = format!("{name}.{end}");
            let mut intake = Intake::new(Limits::default());
            intake.add(&path, bytes.clone());
            let noted = intake.files.len() + intake.refused.len() + intake.ignored;
            prop_assert!(FileKind::of(&path) == FileKind::Archive || noted == 1, "{path}: {noted}");
        }
    }

    #[test]
    fn mutated_packs_and_dialogues_are_rejected_or_loaded(
        from in 0_usize..400,
        length in 0_usize..60,
        with in prop::sample::select(ODD.to_vec()),
    ) {
        let manifest = r#"{"name": "p", "version": "1", "today": "2024-05-24", "seed": 1}"#;
        let manifest = spoilt(manifest, from, length, with);
        let dialogue = spoilt(FILES[0].1, from, length, with);
        let plan = spoilt(r#"{"requirement": "r", "response": "s", "apis": []}"#, from, length, with);
        let files = [
            ("manifest.json", manifest.as_str()),
            ("dialogues/call/a.jsonl", dialogue.as_str()),
            ("dialogues/plan/b.json", plan.as_str()),
        ];
        let _ = Pack::load(files);
        let _ = Dialogue::read_lines("a.jsonl", Ability::Call, &dialogue);
        let _ = Dialogue::read_plan("b.json", &plan);
    }

    #[test]
    fn no_fragment_of_a_call_makes_the_parser_panic(
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "[", "]", "(", ")", "Api", "Get", "=", "'", "\"", ",", " ", "\n", "\\", "{", "}",
                "None", "True", "1e5", "-", "0x", "é", "\u{1f600}", "token", "[Wiki(keyword='a')]",
            ]),
            0..40,
        ),
    ) {
        let text = pieces.concat();
        let call = ToolCall { id: String::new(), name: "A".to_owned(), arguments: text.clone() };
        let answer = Answer { text: text.clone(), calls: vec![call], ..Answer::default() };
        let _ = read_native(&answer, &|name| name == "A");
        let _ = read_text(parse_all(&text), &answer, &|name| name == "A");
        if let Ok(call) = parse(&text) {
            prop_assert!(!call.name.is_empty());
        }
    }
}
