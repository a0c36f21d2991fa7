//! The judge that looks up declarations against every labelled answer there is: right answers refused,
//! wrong ones accepted and kappa, by kind of step.
//!
//! Sets: `../shared/labels-1.3`, the project's own labels and the list of second answers. The dialogues
//! are read from their files, so that an edit shows without a new build. `SHOW=1` prints disagreements;
//! `ANSWERS=FILE` judges other answers, lines of `{"id": "call/x#3", "answer": "…", "label": "right"}`.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking, and prints its tables"
)]

#[allow(dead_code, reason = "shared with the record tests")]
mod bench_support;
mod labelled;

use dataset::{Dialogue, Pack, Split, Turn};
use exchange::Answer;
use exchange::protocol::{Ask, Protocol, Sample, SampleKind};
use runner::benchmark::Benchmark;
use scoring::{Confusion, Verdict};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The labels that belong to the pack as it is.
const CURRENT: &str = "labels of version 1.3";

/// A labelled answer to a step of the pack.
#[derive(Deserialize)]
struct Row {
    #[serde(alias = "step")]
    id: String,
    answer: String,
    label: String,
    #[serde(default)]
    why: String,
}

/// The pack as its files are now.
fn pack() -> Pack {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dataset");
    let mut files = vec![root.join("manifest.json")];
    for folder in ["databases", "dialogues/call", "dialogues/retrieve", "dialogues/plan", "hard"] {
        files.extend(fs::read_dir(root.join(folder)).unwrap().map(|it| it.unwrap().path()));
    }
    let texts: Vec<(String, String)> = files
        .iter()
        .map(|file| {
            let path = file.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
            (path, fs::read_to_string(file).unwrap())
        })
        .collect();
    Pack::load(texts.iter().map(|(path, text)| (path.as_str(), text.as_str()))).unwrap()
}

fn rows<T: DeserializeOwned>(file: &Path) -> Vec<T> {
    let text = fs::read_to_string(file).unwrap();
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

fn verdict(bench: &Benchmark, dialogue: &Dialogue, turn: usize, text: &str) -> Verdict {
    let kind = match &dialogue.turns[turn] {
        Turn::Api(_) => SampleKind::Call,
        _ => SampleKind::Restraint,
    };
    let sample = Sample::new(dialogue, turn, kind);
    let answer = Answer { text: text.to_owned(), ..Answer::default() };
    let record = runner::answered(bench, Protocol::Bracket, &sample, Ask::default(), answer);
    record.verdicts.unwrap().execution
}

/// The kind of a step: calls and searches by split.
fn kind(dialogue: &Dialogue, turn: usize) -> &'static str {
    match (&dialogue.turns[turn], dialogue.split()) {
        (Turn::Api(call), _) if call.is_search() => "searches",
        (Turn::Api(_), Split::Standard) => "calls, standard",
        (Turn::Api(_), Split::Hard) => "calls, hard",
        _ => "no-call",
    }
}

type Tables = BTreeMap<&'static str, Confusion>;

fn print(set: &str, tables: &Tables) {
    println!("\n{set}");
    println!("{:<18}{:>22}{:>22}{:>8}", "steps", "right refused", "wrong accepted", "kappa");
    for (kind, it) in tables {
        let right = it.true_positives + it.false_negatives;
        let wrong = it.false_positives + it.true_negatives;
        println!(
            "{kind:<18}{:>14} of {right:>4}{:>14} of {wrong:>4}{:>8.3}",
            it.false_negatives,
            it.false_positives,
            it.kappa()
        );
    }
}

/// The dialogue of a labelled step with the declarations of the pack. Labels of an older version belong
/// to the dialogue as it was; `None` if the pack has nothing like the step.
fn declared_dialogue(pack: &Pack, id: &str, turn: usize, current: bool) -> Option<Dialogue> {
    let own = pack.dialogue(id)?;
    if current {
        return Some(own.clone());
    }
    let mut dialogue = labelled::dialogue(pack, id)?;
    let same = |a: &Turn, b: &Turn| match (a, b) {
        (Turn::Api(a), Turn::Api(b)) => a.api_name == b.api_name && a.param_dict == b.param_dict,
        (Turn::Assistant { .. }, Turn::Assistant { .. }) => true,
        (Turn::User { .. }, Turn::User { .. }) => true,
        _ => false,
    };
    if dialogue.turns.len() == own.turns.len() && same(&dialogue.turns[turn], &own.turns[turn]) {
        for (turn, own) in dialogue.turns.iter_mut().zip(&own.turns) {
            if same(turn, own) {
                turn.clone_from(own);
            }
        }
        return Some(dialogue);
    }
    None
}

/// The steps of a set in the pack, with its answers. Steps that have changed since are left out.
fn compare(set: &str, bench: &Benchmark, pack: &Pack, rows: Vec<Row>) -> Tables {
    let mut tables = Tables::new();
    let mut left_out = 0;
    let show = std::env::var_os("SHOW").is_some();
    for row in rows {
        let right = match row.label.as_str() {
            "right" => true,
            "wrong" => false,
            _ => continue,
        };
        let (id, turn) = row.id.split_once('#').unwrap();
        let turn: usize = turn.trim_end_matches("-stop").parse().unwrap();
        let Some(dialogue) = declared_dialogue(pack, id, turn, set == CURRENT) else {
            left_out += 1;
            continue;
        };
        let verdict = verdict(bench, &dialogue, turn, &row.answer);
        let kind = kind(&dialogue, turn);
        tables.entry(kind).or_default().add(right, verdict.correct);
        let asked = std::env::var_os("ANSWERS").is_some();
        if asked || (show && verdict.correct != right && kind != "no-call") {
            println!(
                "{set}, {kind}: {} labelled {}, found {} ({})\n    {}\n    {}",
                row.id,
                row.label,
                if verdict.correct { "right" } else { "wrong" },
                row.why,
                row.answer.replace('\n', " // "),
                verdict.explanation,
            );
        }
    }
    print(set, &tables);
    println!("left out, because the dialogue has changed: {left_out}");
    tables
}

fn own(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../scoring/labels").join(file)
}

#[test]
fn declared_facts_agree_with_the_labels() {
    let what = "the agreement of declared facts with labelled answers";
    let Some(shared) = fixtures::shared("labels-1.3", what) else { return };
    let Some(bench) = bench_support::bench(what) else { return };
    let pack = pack();
    if let Some(file) = std::env::var_os("ANSWERS") {
        compare(CURRENT, &bench, &pack, rows(Path::new(&file)));
        return;
    }
    compare(CURRENT, &bench, &pack, rows(&shared.join("answers.jsonl")));
    if let Some(shared) = fixtures::shared("labels", what) {
        compare("development", &bench, &pack, rows(&shared.join("answers.jsonl")));
    }
    compare("held out", &bench, &pack, rows(&own("answers.jsonl")));
    compare("second answers", &bench, &pack, rows(&own("second_answers.jsonl")));
}
