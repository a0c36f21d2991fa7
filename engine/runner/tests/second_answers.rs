//! Answers other than the gold one, right and wrong, against `execution`.
//!
//! `engine/scoring/labels/second_answers.jsonl` lists steps of the pack that have, or seemed to
//! have, a second right answer, and answers that a scorer once got wrong. Nothing is computed from
//! the list: it is a regression test, not a sample.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

#[allow(dead_code, reason = "shared with the record tests")]
mod bench_support;
mod labelled;

use dataset::{Dialogue, Pack, Turn};
use exchange::Answer;
use exchange::protocol::{Ask, Protocol, Sample, SampleKind};
use runner::answered;
use runner::benchmark::Benchmark;
use serde::Deserialize;
use std::collections::BTreeSet;

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Label {
    Right,
    Wrong,
}

#[derive(Deserialize)]
struct Row {
    /// `<dialogue>#<turn>`.
    step: String,
    label: Label,
    answer: String,
    why: String,
}

fn rows() -> Vec<Row> {
    let text = include_str!("../../scoring/labels/second_answers.jsonl");
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// The dialogue and turn of a step.
fn step(pack: &Pack, step: &str) -> (Dialogue, usize) {
    let (id, turn) = step.split_once('#').expect(step);
    let dialogue = labelled::dialogue(pack, id);
    (dialogue.unwrap_or_else(|| panic!("{step}: no dialogue")), turn.parse().expect(step))
}

/// The words of a wrong verdict, if `execution` disagrees with the label.
fn disagreement(bench: &Benchmark, row: &Row) -> Option<String> {
    let (dialogue, turn) = step(&bench.pack, &row.step);
    let kind = match &dialogue.turns[turn] {
        Turn::Api(_) => SampleKind::Call,
        other => {
            assert!(other.expects_no_call(), "{}: nothing is graded there", row.step);
            SampleKind::Restraint
        }
    };
    let sample = Sample::new(&dialogue, turn, kind);
    let answer = Answer { text: row.answer.clone(), ..Answer::default() };
    let record = answered(bench, Protocol::Bracket, &sample, Ask::default(), answer);
    let verdict = record.verdicts.unwrap().execution;
    (verdict.correct != matches!(row.label, Label::Right)).then(|| {
        format!(
            "{} {}\n    listed: {}\n    found: {}",
            row.step, row.answer, row.why, verdict.explanation
        )
    })
}

#[test]
fn second_answers_are_judged_as_listed() {
    let Some(bench) = bench_support::bench("second right answers") else { return };
    let wrong: Vec<String> = rows().iter().filter_map(|row| disagreement(&bench, row)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_answer_is_listed_twice_or_equals_the_gold_one() {
    let pack = dataset::builtin().unwrap();
    let mut seen = BTreeSet::new();
    for row in rows() {
        let (dialogue, turn) = step(&pack, &row.step);
        let gold = dialogue.turns[turn].as_call();
        let gold = gold.map(|it| exchange::call::format(&it.api_name, &it.param_dict));
        assert_ne!(gold.as_ref(), Some(&row.answer), "{}: the gold answer", row.step);
        assert!(seen.insert((row.step.clone(), row.answer.clone())), "{}: twice", row.step);
    }
}
