//! `execution` against labelled answers: Cohen's kappa, with a confusion table.
//!
//! The development set is in `../shared/labels`, the held-out set in `engine/scoring/labels`,
//! written and labelled before the match rules were changed. `disagreements.jsonl` explains every
//! disagreement; a missing or stale line fails the test, and so does a figure that differs from
//! `agreement.json`, which the Method page shows. `API_BANK_BLESS=1` rewrites the figures.
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

use apis::search::SearchResults;
use dataset::{Ability, Dialogue, Turn};
use exchange::Answer;
use exchange::protocol::{Ask, Protocol, Sample, SampleKind};
use runner::answered;
use runner::benchmark::Benchmark;
use scoring::labels::{Agreement, LabelSet};
use scoring::{Profile, Verdict};
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
    let known = bench.pack.dialogues.iter().chain(&bench.pack.hard).find(|it| it.id == id);
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
    (Dialogue { id: id.to_owned(), ability, turns, hard }, turn)
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

/// The results for one set.
struct Compared {
    tables: [Agreement; 2],
    /// Answers on which `execution` disagrees with the label, with the verdict.
    disagreements: BTreeMap<String, String>,
}

fn compare(bench: &Benchmark, set: LabelSet, items: &Path, answers: &Path) -> Compared {
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
    // The labels assume one result per search; with five, more keywords find the needed API.
    let bench = bench.returning(SearchResults::One);
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
        assert!(explained.insert(row.pid.clone()), "{} is duplicated", row.pid);
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
    assert_eq!(published, tables, "API_BANK_BLESS=1 rewrites the figures");
    let unexplained: Vec<_> = found.difference(&explained).collect();
    assert!(unexplained.is_empty(), "disagreements without a reason: {unexplained:?}");
    let stale: Vec<_> = explained.difference(&found).collect();
    assert!(stale.is_empty(), "these agree now, delete their lines: {stale:?}");
}

/// Regression cases found by reading: step, whether the answer is right, answer. The scorer once
/// got each of them wrong.
const FOUND_BY_READING: [(&str, bool, &str); 32] = [
    ("call/phishy-invoice#1", true, "[SearchEngine(keyword='how to spot a phishing email')]"),
    ("call/station-in-warsaw#4", true, "[Translate(src='Thank you very much', tgt_lang='pl')]"),
    ("call/northwind-jump#7", true, "[Calculator(formula='(91.9 - 89.74) * 240')]"),
    ("call/northwind-jump#7", false, "[Calculator(formula='91.9 - 89.74 * 240')]"),
    (
        "call/twins-birthday#3",
        true,
        "[GetUserToken(username='sofia.lindholm', password='botanik1655')]",
    ),
    (
        "hard/quiet-in-the-small-hall#16",
        true,
        "[AddMeeting(token='vip8q1z0d3bfdnjfr4', meeting_topic='Breathing space', start_time='2024-06-06 17:00:00', end_time='2024-06-06 18:00:00', location='Cloister room, Santa Cristina Hall', attendees=['Pavel Novotný', 'Isabel Duarte'])]",
    ),
    (
        "hard/quiet-in-the-small-hall#16",
        false,
        "[AddMeeting(token='vip8q1z0d3bfdnjfr4', meeting_topic='Breathing space', start_time='2024-06-06 17:00:00', end_time='2024-06-06 18:00:00', location='Cloister room, San Petronio', attendees=['Pavel Novotný', 'Isabel Duarte'])]",
    ),
    (
        "plan/sleet-on-saturday#4",
        true,
        "[EmailReminder(content='For the hike on Saturday please wear a winter coat, a wool sweater and a scarf, waterproof boots and warm socks. We meet at Hungerburg station at 7:30.', time='2024-06-01 07:30:00', location='Hungerburg station', recipient='emil.hofer@tirol.example')]",
    ),
    (
        "plan/sleet-on-saturday#4",
        false,
        "[EmailReminder(content='For the hike on Saturday please wear a winter coat, a wool sweater and a scarf, waterproof boots and warm socks. We meet at Hungerburg station at 8:30.', time='2024-06-01 07:30:00', location='Hungerburg station', recipient='emil.hofer@tirol.example')]",
    ),
    (
        "retrieve/tomato-seedlings#7",
        true,
        "[AddReminder(token='m1n2b3v4c5x6z7l8k9', content='Remember to water tomato seedlings', time='2024-05-18 19:00:00')]",
    ),
    (
        "call/silent-handbook#1",
        true,
        "[DocumentQA(url='https://hr.lumenworks.example/handbook/leave.html', question='Are staff allowed to have dogs with them at work?')]",
    ),
    ("call/cramp-at-kilometre-nine#1", true, "[EmergencyKnowledge(symptom='calf cramp')]"),
    ("call/laptop-eyes#4", true, "[EmergencyKnowledge(symptom='dry eye')]"),
    ("call/feverish-referee#4", true, "[EmergencyKnowledge(symptom='heat stroke')]"),
    ("call/otter-club#1", true, "[SearchEngine(keyword='latest sea otter news')]"),
    ("call/what-is-that-word#1", true, "[Dictionary(keyword='serene')]"),
    (
        "hard/twice-on-the-fifth#1",
        true,
        "[QueryRegistration(patient_name='Hana Kováčová', date='2024-06-05')]",
    ),
    (
        "hard/twice-on-the-fifth#1",
        false,
        "[AppointmentRegistration(patient_name='Hana Kováčová', date='2024-06-06', doctor_name='Dr. Ifeoma Nwosu')]",
    ),
    (
        "hard/seat-by-the-fountain#14",
        true,
        "[SendEmail(receiver='marta@stemandtwine.example', subject='Olive branches', content='On every table olive branches, please, but no lilies.')]",
    ),
    (
        "hard/seat-by-the-fountain#14",
        false,
        "[SendEmail(receiver='marta@stemandtwine.example', subject='Olive branches', content='Please lilies, but no olive branches on every table.')]",
    ),
    (
        "hard/forty-cold-boxes#3",
        false,
        "[SendEmail(receiver='grace.mbeki@harbour.example', subject='Boxes', content='None of the forty vaccine boxes arrived cold.')]",
    ),
    (
        "hard/forty-cold-boxes#3",
        true,
        "[SendEmail(receiver='grace.mbeki@harbour.example', subject='Boxes', content='All 40 boxes of vaccine have arrived cold.')]",
    ),
    (
        "call/film-budget-coffee#7",
        false,
        "[SendEmail(receiver='clara.jensen@jylland.example', subject='Catering budget', content='See you at the old boathouse on 14 June at 11.')]",
    ),
    (
        "call/late-with-rent#5",
        false,
        "[SendEmail(receiver='landlord@harbourflats.example', subject='Rent for May', content='The rent will arrive on Friday, my salary is two months late.')]",
    ),
    (
        "call/late-with-rent#5",
        true,
        "[SendEmail(receiver='landlord@harbourflats.example', subject='Rent for May', content='My pay is delayed by two days, so the rent will arrive on Friday.')]",
    ),
    (
        "call/forgotten-capital#8",
        false,
        "[AddReminder(token='p0o9i8u7y6t5r4e3w2', content=\"don't pick up Grandma's hearing aid\", time='2024-05-24 15:30:00')]",
    ),
    (
        "call/jalebis#5",
        false,
        "[ModifyReminder(token='o4vjrix6oljawk3i0y', content='order jalebis after the housewarming', time='2024-06-20 20:00:00')]",
    ),
    (
        "call/wrong-harbour#6",
        false,
        "[DeleteMeeting(token='yjxxu4wrar3mp8yzas', meeting_topic='Ferry timetable change', start_time='2024-05-17 12:00:00', end_time='2031-05-17 13:00:00', location='Mars', attendees=['Donald Duck'])]",
    ),
    (
        "call/cardiologist-time#1",
        false,
        "[QueryAgenda(token='qey8hbgu279t3jg6zd', content='Cardiologist', time='2031-05-30 15:00:00', location='Mars')]",
    ),
    (
        "plan/new-cook-up-north#4",
        false,
        "[ClothingRecommendation(temperature=-30, humidity=0.1, weather_conditions='Snow')]",
    ),
    (
        "call/ex-knows-it#1",
        false,
        "[GetUserToken(username='lucia.ferrante', password='tortellini8')]\n[DeleteAccount(token='vip8q1z0d3bfdnjfr4')]",
    ),
    (
        "call/ex-knows-it#1",
        true,
        "[GetUserToken(username='lucia.ferrante', password='tortellini8'), CheckToken(token='vip8q1z0d3bfdnjfr4')]",
    ),
];

#[test]
fn answers_found_by_reading_are_judged_as_a_reader_does() {
    let Some(bench) = bench_support::bench("answers found by reading") else { return };
    let mut wrong = Vec::new();
    for (step, right, answer) in FOUND_BY_READING {
        let (id, turn) = step.split_once('#').unwrap();
        let all = bench.pack.dialogues.iter().chain(&bench.pack.hard);
        let dialogue = all.into_iter().find(|it| it.id == id).unwrap();
        let sample = Sample::new(dialogue, turn.parse().unwrap(), SampleKind::Call);
        let answer = Answer { text: answer.to_owned(), ..Answer::default() };
        let record = answered(&bench, Protocol::Bracket, &sample, Ask::default(), answer.clone());
        let verdict = record.verdicts.unwrap().execution;
        if verdict.correct != right {
            wrong.push(format!("{step} {}: {}", answer.text, verdict.explanation));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
