//! `execution` against labelled answers: Cohen's kappa, with a confusion table.
//!
//! The development set is in `../shared/labels`, the held-out set in `engine/scoring/labels`,
//! written and labelled before the match rules were changed. `disagreements.jsonl` explains every
//! disagreement; a missing or stale line fails the test, and so does a figure that differs from
//! `agreement.json`, which the Method page shows. `UPDATE=1` rewrites the figures.
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

use apis::search::{SearchResults, TOOL_SEARCHER};
use dataset::{Ability, Dialogue, Turn};
use exchange::Answer;
use exchange::protocol::{Ask, Protocol, Sample, SampleKind};
use runner::answered;
use runner::benchmark::Benchmark;
use scoring::labels::{Agreement, LabelSet, Searches};
use scoring::{Confusion, Profile, Verdict};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A labelled step of a dialogue.
#[derive(Deserialize)]
struct Item {
    id: String,
    history: Vec<Value>,
    gold: Value,
    /// The turns that follow, up to the next utterance.
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

/// The dialogue of an item, as far as known, and the index of the step.
fn dialogue(item: &Item, bench: &Benchmark) -> (Dialogue, usize) {
    let (id, turn) = item.id.split_once('#').unwrap();
    let turn: usize = turn.parse().unwrap();
    let folder = id.split('/').next().unwrap();
    let ability = Ability::ALL.into_iter().find(|it| it.as_str() == folder);
    let gold = match item.gold.get("no_call") {
        Some(_) => json!({"role": "AI", "text": item.gold["text"], "expect": "no_call"}),
        None => item.gold.clone(),
    };
    let known = labelled::dialogue(&bench.pack, id);
    let known = known.as_ref();
    let hard = known.and_then(|it| it.hard.clone());
    let mut turns: Vec<Turn> = item.history.iter().chain([&gold]).map(read_turn).collect();
    assert_eq!(turns.len(), turn + 1, "{}", item.id);
    // The shared items end at the gold call; take the rest from the pack if it has the same step.
    let rest = known.filter(|it| same_step(&it.turns, &turns)).map(|it| &it.turns[turns.len()..]);
    let rest = rest.unwrap_or_default().to_vec();
    turns.extend(if item.next.is_empty() {
        rest
    } else {
        item.next.iter().map(read_turn).collect()
    });
    let ability = ability.unwrap_or(Ability::Call);
    (Dialogue { id: id.to_owned(), ability, turns, hard, earlier: 0 }, turn)
}

/// Parses a turn. In the shared items, results of Plan dialogues are wrapped twice.
fn read_turn(turn: &Value) -> Turn {
    let mut turn = turn.clone();
    if let Some(result) = turn.get_mut("result")
        && result.get("api_name").is_none()
    {
        *result = result["output"].take();
    }
    serde_json::from_value(turn).unwrap()
}

/// Whether `turns` starts with the utterances and calls of `begin`.
fn same_step(turns: &[Turn], begin: &[Turn]) -> bool {
    let same = |(a, b): (&Turn, &Turn)| match (a, b) {
        (Turn::Api(a), Turn::Api(b)) => a.api_name == b.api_name && a.param_dict == b.param_dict,
        (Turn::User { text: a }, Turn::User { text: b })
        | (Turn::Assistant { text: a, .. }, Turn::Assistant { text: b, .. }) => a == b,
        _ => false,
    };
    turns.len() >= begin.len() && turns.iter().zip(begin).all(same)
}

fn verdicts(bench: &Benchmark, item: &Item, answer: &str) -> (Verdict, Verdict) {
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

/// The files of a set: items, answers.
type Files = (LabelSet, [PathBuf; 2]);

/// The results for one set.
struct Compared {
    agreements: Vec<Agreement>,
    /// Answers on which `execution` disagrees with the label, with the verdict.
    disagreements: BTreeMap<String, String>,
    /// The disagreements on searches that are labelled wrong and found right.
    accepted_searches: BTreeSet<String>,
}

fn compare(bench: &Benchmark, (set, [items, answers]): &Files, searches: Searches) -> Compared {
    let results = match searches {
        Searches::Five => SearchResults::Five,
        Searches::One | Searches::LeftOut => SearchResults::One,
    };
    let bench = &bench.returning(results);
    let items: BTreeMap<String, Item> =
        rows::<Item>(items).into_iter().map(|item| (item.id.clone(), item)).collect();
    let mut tables = [Confusion::default(); 2];
    let mut disagreements = BTreeMap::new();
    let mut accepted_searches = BTreeSet::new();
    for labelled in rows::<Labelled>(answers) {
        let right = match labelled.label.as_str() {
            "right" => true,
            "wrong" => false,
            other => panic!("{}: label {other}", labelled.pid),
        };
        let item = &items[&labelled.id];
        let search = item.gold["api_name"] == TOOL_SEARCHER;
        if search && searches == Searches::LeftOut {
            continue;
        }
        let (execution, exact) = verdicts(bench, item, &labelled.answer);
        tables[0].add(right, execution.correct);
        tables[1].add(right, exact.correct);
        if execution.correct != right {
            let line = format!(
                "{} {} labelled {}: {}\n    {}",
                labelled.pid, labelled.id, labelled.label, labelled.answer, execution.explanation
            );
            if search && !right {
                accepted_searches.insert(labelled.pid.clone());
            }
            disagreements.insert(labelled.pid, line);
        }
    }
    let agreements = [Profile::Execution, Profile::Exact]
        .into_iter()
        .zip(tables)
        .filter(|(profile, _)| searches.profiles().contains(profile))
        .map(|(profile, table)| Agreement { set: *set, searches, profile, table })
        .collect();
    Compared { agreements, disagreements, accepted_searches }
}

fn print(agreement: &Agreement) {
    let table = agreement.table;
    println!(
        "{:?} {:?} {}: n {}, kappa {:.3}\n               found right  found wrong\n  label right  {:11}  {:11}\n  label wrong  {:11}  {:11}",
        agreement.set,
        agreement.searches,
        agreement.profile.as_str(),
        table.n(),
        table.kappa(),
        table.true_positives,
        table.false_negatives,
        table.false_positives,
        table.true_negatives,
    );
}

#[test]
fn verdicts_agree_with_the_labels() {
    let what = "the agreement with labelled answers";
    let Some(shared) = fixtures::shared("labels", what) else { return };
    let Some(bench) = bench_support::bench(what) else { return };
    let sets: [Files; 2] = [
        (LabelSet::Development, ["items.jsonl", "answers.jsonl"].map(|it| shared.join(it))),
        (LabelSet::HeldOut, ["items.jsonl", "answers.jsonl"].map(own)),
    ];
    let compared = Searches::ALL
        .map(|searches| sets.iter().map(|set| compare(&bench, set, searches)).collect::<Vec<_>>());
    let agreements: Vec<Agreement> =
        compared.iter().flatten().flat_map(|it| it.agreements.clone()).collect();
    agreements.iter().for_each(print);
    let [one, five, left_out] = compared;
    let mut explained = BTreeSet::new();
    for row in rows::<Disagreement>(&own("disagreements.jsonl")) {
        assert!(row.reason.len() > 20, "{}: say why", row.pid);
        assert!(explained.insert(row.pid.clone()), "{} is duplicated", row.pid);
    }
    let mut found = BTreeSet::new();
    for (pid, line) in one.iter().flat_map(|compared| &compared.disagreements) {
        println!("{line}");
        found.insert(pid.clone());
    }
    let file = own("agreement.json");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, format!("{:#}\n", json!(agreements))).unwrap();
    }
    let published: Vec<Agreement> =
        serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(published, agreements, "UPDATE=1 rewrites the figures");
    let unexplained: Vec<_> = found.difference(&explained).collect();
    assert!(unexplained.is_empty(), "disagreements without a reason: {unexplained:?}");
    let stale: Vec<_> = explained.difference(&found).collect();
    assert!(stale.is_empty(), "these agree now, delete their lines: {stale:?}");
    // Five results accept more searches, never fewer, and change nothing else.
    for compared in five {
        let others = compared.disagreements.keys();
        let others: Vec<_> =
            others.filter(|it| !compared.accepted_searches.contains(*it)).collect();
        assert_eq!(others, Vec::<&String>::new(), "with five results");
    }
    for compared in left_out {
        assert_eq!(compared.disagreements, BTreeMap::new(), "without searches");
    }
}
