//! `execution` against labelled answers: Cohen's kappa, with a confusion table.
//!
//! Two sets: 140 answers in `../shared/labels`, and 160 in `engine/scoring/labels`, written and
//! labelled before the match rules were changed. Every disagreement has a line with its reason in
//! `disagreements.jsonl`; a missing or stale line fails the test, and so does a figure that differs
//! from `agreement.json`, which the Method page shows. `API_BANK_BLESS=1` writes the figures anew.
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

use dataset::{Ability, Dialogue, Turn};
use exchange::Answer;
use exchange::protocol::{Ask, Protocol, Sample, SampleKind};
use runner::answered;
use runner::bench::Bench;
use scoring::labels::{Agreement, LabelSet};
use scoring::{Profile, Verdict};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A step of a dialogue.
#[derive(Deserialize)]
struct Item {
    id: String,
    history: Vec<Value>,
    gold: Value,
    /// What follows, up to the next utterance.
    #[serde(default)]
    next: Vec<Value>,
}

#[derive(Deserialize)]
struct Labelled {
    pid: String,
    id: String,
    answer: String,
    label: String,
}

#[derive(Deserialize)]
struct Disagreement {
    pid: String,
    reason: String,
}

fn own(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../scoring/labels").join(file)
}

fn rows<T: DeserializeOwned>(file: &Path) -> Vec<T> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// The dialogue of an item as far as it is known, and the step's index.
fn dialogue(item: &Item, bench: &Bench) -> (Dialogue, usize) {
    let (id, turn) = item.id.split_once('#').unwrap();
    let turn: usize = turn.parse().unwrap();
    let folder = id.split('/').next().unwrap();
    let ability = Ability::ALL.into_iter().find(|it| it.as_str() == folder);
    let gold = match item.gold.get("no_call") {
        Some(_) => json!({"role": "AI", "text": item.gold["text"], "expect": "no_call"}),
        None => item.gold.clone(),
    };
    let known = bench.pack.dialogues.iter().chain(&bench.pack.hard).find(|it| it.id == id);
    let hard = known.and_then(|it| it.hard.clone());
    let mut turns: Vec<Turn> = item.history.iter().chain([&gold]).map(read_turn).collect();
    assert_eq!(turns.len(), turn + 1, "{}", item.id);
    // The shared items end at the gold call: the rest comes from the pack, if it has the same step.
    let rest = known.filter(|it| same_step(&it.turns, &turns)).map(|it| &it.turns[turns.len()..]);
    let rest = rest.unwrap_or_default().to_vec();
    turns.extend(if item.next.is_empty() {
        rest
    } else {
        item.next.iter().map(read_turn).collect()
    });
    let ability = ability.unwrap_or(Ability::Call);
    (Dialogue { id: id.to_owned(), ability, turns, hard }, turn)
}

/// A turn; the shared items wrap the results of Plan dialogues once more.
fn read_turn(turn: &Value) -> Turn {
    let mut turn = turn.clone();
    if let Some(result) = turn.get_mut("result")
        && result.get("api_name").is_none()
    {
        *result = result["output"].take();
    }
    serde_json::from_value(turn).unwrap()
}

/// Whether the turns begin with the same words and calls.
fn same_step(turns: &[Turn], begin: &[Turn]) -> bool {
    let same = |(a, b): (&Turn, &Turn)| match (a, b) {
        (Turn::Api(a), Turn::Api(b)) => a.api_name == b.api_name && a.param_dict == b.param_dict,
        (Turn::User { text: a }, Turn::User { text: b })
        | (Turn::Assistant { text: a, .. }, Turn::Assistant { text: b, .. }) => a == b,
        _ => false,
    };
    turns.len() >= begin.len() && turns.iter().zip(begin).all(same)
}

fn verdicts(bench: &Bench, item: &Item, answer: &str) -> (Verdict, Verdict) {
    let (dialogue, turn) = dialogue(item, bench);
    let kind = match dialogue.turns[turn] {
        Turn::Api(_) => SampleKind::Call,
        _ => SampleKind::Restraint,
    };
    let sample = Sample::new(&dialogue, turn, kind);
    let answer = Answer { text: answer.to_owned(), ..Answer::default() };
    let record = answered(bench, Protocol::Bracket, &sample, Ask::default(), answer);
    let verdicts = record.verdicts.unwrap();
    (verdicts.execution, verdicts.exact)
}

/// What a set came to.
struct Compared {
    tables: [Agreement; 2],
    /// Answers on which `execution` disagrees with the label, with the verdict.
    disagreements: BTreeMap<String, String>,
}

fn compare(bench: &Bench, set: LabelSet, items: &Path, answers: &Path) -> Compared {
    let items: BTreeMap<String, Item> =
        rows::<Item>(items).into_iter().map(|item| (item.id.clone(), item)).collect();
    let mut tables =
        [Profile::Execution, Profile::Exact].map(|profile| Agreement::new(set, profile));
    let mut disagreements = BTreeMap::new();
    for labelled in rows::<Labelled>(answers) {
        let right = match labelled.label.as_str() {
            "right" => true,
            "wrong" => false,
            other => panic!("{}: label {other}", labelled.pid),
        };
        let (execution, exact) = verdicts(bench, &items[&labelled.id], &labelled.answer);
        tables[0].add(right, execution.correct);
        tables[1].add(right, exact.correct);
        if execution.correct != right {
            let line = format!(
                "{} {} labelled {}: {}\n    {}",
                labelled.pid, labelled.id, labelled.label, labelled.answer, execution.explanation
            );
            disagreements.insert(labelled.pid, line);
        }
    }
    Compared { tables, disagreements }
}

fn print(table: &Agreement) {
    println!(
        "{:?} {}: n {}, kappa {:.3}\n               found right  found wrong\n  label right  {:11}  {:11}\n  label wrong  {:11}  {:11}",
        table.set,
        table.profile.as_str(),
        table.n(),
        table.kappa(),
        table.right_right,
        table.right_wrong,
        table.wrong_right,
        table.wrong_wrong,
    );
}

#[test]
fn verdicts_agree_with_the_labels() {
    let what = "the agreement with labelled answers";
    let Some(shared) = fixtures::shared("labels", what) else { return };
    let Some(bench) = bench_support::bench(what) else { return };
    let sets = [
        compare(
            &bench,
            LabelSet::Development,
            &shared.join("items.jsonl"),
            &shared.join("answers.jsonl"),
        ),
        compare(&bench, LabelSet::HeldOut, &own("items.jsonl"), &own("answers.jsonl")),
    ];
    let mut explained = BTreeSet::new();
    for row in rows::<Disagreement>(&own("disagreements.jsonl")) {
        assert!(row.reason.len() > 20, "{}: say why", row.pid);
        assert!(explained.insert(row.pid.clone()), "{} stands twice", row.pid);
    }
    let mut found = BTreeSet::new();
    for compared in &sets {
        compared.tables.iter().for_each(print);
        for (pid, line) in &compared.disagreements {
            println!("{line}");
            found.insert(pid.clone());
        }
    }
    let tables: Vec<Agreement> = sets.iter().flat_map(|compared| compared.tables).collect();
    let file = own("agreement.json");
    if std::env::var_os("API_BANK_BLESS").is_some() {
        std::fs::write(&file, format!("{:#}\n", json!(tables))).unwrap();
    }
    let published: Vec<Agreement> =
        serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(published, tables, "API_BANK_BLESS=1 writes the figures anew");
    let unexplained: Vec<_> = found.difference(&explained).collect();
    assert!(unexplained.is_empty(), "disagreements without a reason: {unexplained:?}");
    let stale: Vec<_> = explained.difference(&found).collect();
    assert!(stale.is_empty(), "these agree by now, drop their lines: {stale:?}");
}
