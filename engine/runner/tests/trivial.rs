//! Scores of the trivial models on the built-in pack, compared with the published table of the
//! Method page. `UPDATE=1` rewrites the table.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

#[allow(dead_code, unused_imports, reason = "runs with the search model, not with words alone")]
mod support;

use apis::search::{self, TOOL_SEARCHER};
use dataset::{Ability, Split};
use exchange::protocol::{Protocol, SampleKind};
use record::reference::trivial::{Cell, Group, Replies, TrivialTable};
use record::{Baseline, Gold, Model, RunSettings, SampleRecord};
use retrieval::{Encoder, Index, Search};
use runner::benchmark::Benchmark;
use scoring::Profile;
use std::collections::BTreeMap;
use std::{fs, thread};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../record/src/reference/trivial.json");

/// The built-in pack with the site's search model; `None` without the model files.
fn bench() -> Option<Benchmark> {
    let files = fixtures::search_files("the table of trivial models")?;
    let vocab = fs::read_to_string(files.join("vocab.txt")).unwrap();
    let encoder = Encoder::load(&fs::read(files.join("model.onnx")).unwrap(), &vocab).unwrap();
    let texts = search::texts();
    let index = Index::build(&encoder, texts.iter().map(|(s, n, t)| (*s, *n, t.as_str()))).unwrap();
    let search = Search::new(encoder, index.rounded()).unwrap();
    Some(Benchmark::new(dataset::builtin().unwrap(), search))
}

/// The group in which a sample counts; `None` for replies.
fn group(sample: &SampleRecord) -> Option<Group> {
    let due = match &sample.gold {
        Gold::Call(call) => Some(call.api_name.as_str()),
        Gold::Episode(calls) => calls.first().map(|call| call.api_name.as_str()),
        Gold::NoCall(_) => None,
        Gold::Reply(_) => return None,
    };
    let episode = sample.kind == SampleKind::Episode;
    let searches = due == Some(TOOL_SEARCHER) && !episode;
    Some(match (sample.hard.is_some(), due.is_some(), sample.ability) {
        (true, true, _) => Group::HardCalls,
        (true, false, _) => Group::HardWords,
        (false, false, Ability::Call) if episode => Group::Call,
        (false, false, Ability::Call) => Group::CallWords,
        (false, false, Ability::Plan) if !episode => Group::PlanWords,
        (false, false, _) => Group::RetrieveWords,
        (false, _, Ability::Call) => Group::Call,
        (false, _, Ability::Retrieve) if searches => Group::RetrieveSearches,
        (false, _, Ability::Retrieve) => Group::RetrieveCalls,
        (false, _, Ability::Plan) if searches => Group::PlanSearches,
        (false, _, Ability::Plan) => Group::PlanCalls,
    })
}

fn add(table: &mut TrivialTable, bench: &Benchmark, name: Baseline, protocol: Protocol) {
    let mut groups: BTreeMap<Group, [usize; 4]> = BTreeMap::new();
    let (mut rouge, mut replies) = (0.0, 0);
    for split in Split::ALL {
        // A model that repeats itself has failed a dialogue long before the sixth answer.
        let new = RunSettings::new(Model::Builtin { name });
        let settings = RunSettings { protocol, split, turn_limit: 6, ..new };
        for sample in support::run(bench, &settings).samples {
            if let Some(score) = sample.rouge_l {
                rouge += score;
                replies += 1;
            }
            let Some(group) = group(&sample) else { continue };
            let right = |profile| usize::from(sample.verdict(profile).unwrap().correct);
            let counts = groups.entry(group).or_default();
            counts[0] += 1;
            counts[1] += right(Profile::Execution);
            counts[2] += right(Profile::Exact);
            counts[3] += right(Profile::F1);
        }
    }
    table.cells.extend(groups.into_iter().map(|(group, [n, execution, exact, f1])| Cell {
        model: name,
        protocol,
        group,
        n,
        execution,
        exact,
        f1,
    }));
    if replies > 0 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1000")]
        let rouge_l = (1000.0 * rouge / replies as f64).round() as u32;
        table.replies.push(Replies { model: name, protocol, n: replies, rouge_l });
    }
}

/// One cell or mean per line, for readable diffs.
fn written(table: &TrivialTable) -> String {
    let lines = |of: Vec<String>| of.join(",\n  ");
    let cells = table.cells.iter().map(|cell| serde_json::to_string(cell).unwrap()).collect();
    let replies = table.replies.iter().map(|reply| serde_json::to_string(reply).unwrap()).collect();
    format!("{{\"cells\": [\n  {}\n], \"replies\": [\n  {}\n]}}\n", lines(cells), lines(replies))
}

#[test]
fn the_published_table_of_trivial_models_is_the_measured_one() {
    let Some(bench) = bench() else { return };
    let of = &|protocol| {
        let mut table = TrivialTable::default();
        Baseline::TRIVIAL.iter().for_each(|&name| add(&mut table, &bench, name, protocol));
        table
    };
    let mut table = TrivialTable::default();
    thread::scope(|scope| {
        for part in Protocol::ALL.map(|protocol| scope.spawn(move || of(protocol))) {
            let part = part.join().unwrap();
            table.cells.extend(part.cells);
            table.replies.extend(part.replies);
        }
    });
    let text = written(&table);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(FILE, &text).unwrap();
    }
    assert!(fs::read_to_string(FILE).unwrap() == text, "run with UPDATE=1 to rewrite the table");
    assert_eq!(table, serde_json::from_str::<TrivialTable>(&text).unwrap());
}

#[test]
fn no_trivial_model_passes_a_hard_dialogue() {
    let Some(bench) = bench() else { return };
    for &name in Baseline::TRIVIAL {
        let new = RunSettings::new(Model::Builtin { name });
        let settings = RunSettings { split: Split::Hard, ..new };
        let mut passed: BTreeMap<String, bool> = BTreeMap::new();
        for sample in support::run(&bench, &settings).samples {
            let rated = sample.kind.is_decision();
            let right = sample.verdict(Profile::Execution).is_some_and(|it| it.correct);
            let all = passed.entry(sample.dialogue).or_insert(true);
            *all &= right || !rated;
        }
        assert_eq!(passed.len(), 144);
        let passed: Vec<_> = passed.into_iter().filter(|(_, all)| *all).collect();
        assert!(passed.is_empty(), "{}: {passed:?}", name.as_str());
    }
}
