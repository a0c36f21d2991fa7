//! Verdicts against every labelled answer there is: right answers refused, wrong ones accepted and kappa,
//! by what is due. `UPDATE=1` writes the figures that the Method page shows.
//!
//! Sets: `../shared/labels-1.3`, the project's own labels and the list of answers once got wrong. The
//! dialogues are read from their files, so that an edit shows without a new build. `SHOW=1` prints
//! disagreements; `ANSWERS=FILE` judges other answers, lines of `{"id": "call/x#3", "answer": "…",
//! "label": "right"}`.
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

use dataset::{Dialogue, Pack, Split, Turn};
use exchange::Answer;
use exchange::protocol::{Ask, Protocol, Sample, SampleKind};
use record::SampleRecord;
use runner::benchmark::Benchmark;
use scoring::labels::{Agreement, Due, LabelSet};
use scoring::{Confusion, ErrorClass};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

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
        files.extend(fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path()));
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

fn judged(bench: &Benchmark, dialogue: &Dialogue, turn: usize, text: &str) -> SampleRecord {
    let kind = match &dialogue.turns[turn] {
        Turn::Api(_) => SampleKind::Call,
        _ => SampleKind::Restraint,
    };
    let sample = Sample::new(dialogue, turn, kind);
    let answer = Answer { text: text.to_owned(), ..Answer::default() };
    runner::answered(bench, Protocol::Bracket, &sample, Ask::default(), answer)
}

fn due(dialogue: &Dialogue, turn: usize) -> Due {
    match (&dialogue.turns[turn], dialogue.split()) {
        (Turn::Api(call), _) if call.is_search() => Due::Search,
        (Turn::Api(_), Split::Standard) => Due::Call,
        (Turn::Api(_), Split::Hard) => Due::HardCall,
        _ => Due::Words,
    }
}

/// Judges the answers of a set and prints the table.
fn compare(set: LabelSet, bench: &Benchmark, pack: &Pack, rows: Vec<Row>) -> Vec<Agreement> {
    let mut tables: BTreeMap<Due, Confusion> = BTreeMap::new();
    let asked = std::env::var_os("ANSWERS").is_some();
    let show = std::env::var_os("SHOW").is_some();
    for row in rows {
        let right = match row.label.as_str() {
            "right" => true,
            "wrong" => false,
            _ => continue,
        };
        let (id, turn) = row.id.split_once('#').unwrap();
        let turn: usize = turn.trim_end_matches("-stop").parse().unwrap();
        let dialogue = pack.dialogue(id).unwrap_or_else(|| panic!("{id} is no dialogue"));
        let sample = judged(bench, dialogue, turn, &row.answer);
        let verdict = &sample.verdicts.as_ref().unwrap().execution;
        let due = due(dialogue, turn);
        if due == Due::Words {
            // Whatever words say, they are no call; whatever form a call has, it is one.
            let refused = [ErrorClass::UnneededApiCall, ErrorClass::FalseApiCallFormat];
            assert!(
                verdict.error_class.is_none_or(|class| refused.contains(&class)),
                "{}: {verdict:?}",
                row.id
            );
            assert!(verdict.correct || !right, "{}: words are refused: {verdict:?}", row.id);
            assert!(sample.parsed.is_none() || !verdict.correct, "{}: a call passes", row.id);
        }
        tables.entry(due).or_default().add(right, verdict.correct);
        if asked || (show && verdict.correct != right && due != Due::Words) {
            println!(
                "{set:?}, {due:?}: {} labelled {}, found {} ({})\n    {}\n    {}",
                row.id,
                row.label,
                if verdict.correct { "right" } else { "wrong" },
                row.why,
                row.answer.replace('\n', " // "),
                verdict.explanation,
            );
        }
    }
    println!("\n{set:?}");
    println!("{:<12}{:>22}{:>22}{:>8}", "due", "right refused", "wrong accepted", "kappa");
    for (due, it) in &tables {
        let right = it.true_positives + it.false_negatives;
        let wrong = it.false_positives + it.true_negatives;
        println!(
            "{:<12}{:>14} of {right:>4}{:>14} of {wrong:>4}{:>8.3}",
            format!("{due:?}"),
            it.false_negatives,
            it.false_positives,
            it.kappa()
        );
    }
    tables.into_iter().map(|(due, table)| Agreement { set, due, table }).collect()
}

fn own(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../scoring/labels").join(file)
}

#[test]
fn verdicts_agree_with_labels() {
    let what = "the agreement of verdicts with labelled answers";
    let Some(shared) = fixtures::shared("labels-1.3", what) else { return };
    let Some(bench) = bench_support::bench(what) else { return };
    let pack = pack();
    if let Some(file) = std::env::var_os("ANSWERS") {
        compare(LabelSet::Readers, &bench, &pack, rows(Path::new(&file)));
        return;
    }
    let mut all = compare(LabelSet::Readers, &bench, &pack, rows(&shared.join("answers.jsonl")));
    for (due, least) in [(Due::Call, 0.96), (Due::HardCall, 0.93)] {
        let table = all.iter().find(|label| label.due == due).unwrap().table;
        let share = |part: u32, rest: u32| f64::from(part) / f64::from(part + rest);
        assert!(table.kappa() >= least, "{due:?}: kappa {}", table.kappa());
        assert!(share(table.false_negatives, table.true_positives) <= 0.02, "{due:?}: {table:?}");
        assert!(share(table.false_positives, table.true_negatives) <= 0.03, "{due:?}: {table:?}");
    }
    all.extend(compare(LabelSet::Own, &bench, &pack, rows(&own("answers.jsonl"))));
    all.extend(compare(LabelSet::Known, &bench, &pack, rows(&own("second_answers.jsonl"))));
    let lines: Vec<String> = all.iter().map(|it| serde_json::to_string(it).unwrap()).collect();
    let text = format!("[\n {}\n]\n", lines.join(",\n "));
    if std::env::var_os("UPDATE").is_some() {
        fs::write(own("agreement.json"), &text).unwrap();
    }
    let again = "run with UPDATE=1 to rewrite the figures of the Method page";
    assert!(fs::read_to_string(own("agreement.json")).unwrap() == text, "{again}");
}
