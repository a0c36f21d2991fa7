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

use dataset::{Dialogue, Turn};
use exchange::Answer;
use exchange::protocol::{Ask, Protocol, Sample, SampleKind};
use runner::answered;
use runner::benchmark::Benchmark;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

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

/// The dialogue and turn of a step; panics unless a call or a reply without a call is graded there.
fn step<'a>(bench: &'a Benchmark, step: &str) -> (&'a Dialogue, usize) {
    let (id, turn) = step.split_once('#').expect(step);
    let mut all = bench.pack.dialogues.iter().chain(&bench.pack.hard);
    let dialogue = all.find(|it| it.id == id).unwrap_or_else(|| panic!("{step}: no dialogue"));
    (dialogue, turn.parse().expect(step))
}

/// The words of a wrong verdict, if `execution` disagrees with the label.
fn disagreement(bench: &Benchmark, row: &Row) -> Option<String> {
    let (dialogue, turn) = step(bench, &row.step);
    let kind = match &dialogue.turns[turn] {
        Turn::Api(_) => SampleKind::Call,
        other => {
            assert!(other.expects_no_call(), "{}: nothing is graded there", row.step);
            SampleKind::Restraint
        }
    };
    let sample = Sample::new(dialogue, turn, kind);
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
    let gold: BTreeMap<String, String> = (pack.dialogues.iter().chain(&pack.hard))
        .flat_map(|dialogue| {
            dialogue.turns.iter().enumerate().filter_map(|(turn, said)| {
                let call = said.as_call()?;
                let text = exchange::call::format(&call.api_name, &call.param_dict);
                Some((format!("{}#{turn}", dialogue.id), text))
            })
        })
        .collect();
    let mut seen = BTreeSet::new();
    for row in rows() {
        assert_ne!(gold.get(&row.step), Some(&row.answer), "{}: the gold answer", row.step);
        assert!(seen.insert((row.step.clone(), row.answer.clone())), "{}: twice", row.step);
    }
}
