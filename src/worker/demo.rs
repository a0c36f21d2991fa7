//! Answers the requests of the Demo page.

use super::ports::Browser;
use crate::messages::demo::{AskModel, JudgeAnswer, JudgeAnswers, ReadTable, WalkDialogue};
use crate::platform::cancel;
use record::SampleRecord;
use record::demo::{TableView, Walkthrough};
use runner::benchmark::Benchmark;
use runner::demo;

pub(super) fn walk(bench: &Benchmark, request: &WalkDialogue) -> Result<Walkthrough, String> {
    let dialogue = &request.dialogue;
    demo::walk(bench, dialogue).ok_or_else(|| unknown("dialogue", dialogue))
}

pub(super) fn judge(bench: &Benchmark, request: &JudgeAnswer) -> Result<SampleRecord, String> {
    judge_text(bench, &request.sample, &request.answer)
}

pub(super) fn judge_all(
    bench: &Benchmark,
    request: &JudgeAnswers,
) -> Result<Vec<SampleRecord>, String> {
    request.answers.iter().map(|(sample, answer)| judge_text(bench, sample, answer)).collect()
}

pub(super) async fn ask_model(
    bench: &Benchmark,
    request: &AskModel,
) -> Result<SampleRecord, String> {
    let AskModel { sample, settings, key } = request;
    // No cancel: a single request ends by its timeout at the latest.
    let (_switch, watch) = cancel::pair();
    let ports = Browser::new(watch);
    runner::run_one(bench, settings, key.as_ref(), &ports, sample)
        .await
        .ok_or_else(|| unknown("sample", sample))
}

pub(super) fn table(bench: &Benchmark, request: &ReadTable) -> Result<TableView, String> {
    let ReadTable { sample, table, answered } = request;
    demo::table_at(bench, sample, *table, *answered).ok_or_else(|| unknown("sample", sample))
}

fn judge_text(bench: &Benchmark, sample: &str, answer: &str) -> Result<SampleRecord, String> {
    demo::judge_text(bench, sample, answer).ok_or_else(|| unknown("sample", sample))
}

fn unknown(what: &str, id: &str) -> String {
    format!("The loaded data has no {what} {id}. Choose another from the list.")
}
