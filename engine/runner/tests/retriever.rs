//! Runs whose searches another retriever answers: what changes, what the record says, and that the
//! verifier rebuilds it.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use apis::Suite;
use dataset::Ability;
use exchange::protocol::{Protocol, SampleKind};
use record::{
    Baseline, EmbeddingModel, Limits, Model, Record, RecordError, Retriever, RunSettings, Subset,
    Verification,
};
use runner::benchmark::Benchmark;
use runner::{VerifyError, verify};
use support::{bench, run};

fn settings(retriever: Option<Retriever>, protocol: Protocol) -> RunSettings {
    let model = Model::Builtin { name: Baseline::KeywordBaseline };
    RunSettings {
        retriever,
        protocol,
        abilities: vec![Ability::Retrieve, Ability::Plan],
        subset: Subset::PerAbility(8),
        ..RunSettings::new(model)
    }
}

fn check(bench: &Benchmark, record: &Record) -> Result<Verification, VerifyError> {
    let file = record.to_json().unwrap();
    verify(|| Ok::<_, RecordError>(file.as_bytes()), bench, &Limits::DISK, |_, _| {})
}

/// Right and scored searches.
fn searches(record: &Record) -> (usize, usize) {
    let gold = |sample: &&record::SampleRecord| match &sample.gold {
        record::Gold::Call(call) => call.is_search(),
        _ => false,
    };
    let of = record.samples.iter().filter(gold).filter_map(|sample| sample.verdicts.as_ref());
    let verdicts: Vec<bool> = of.map(|it| it.execution.correct).collect();
    (verdicts.iter().filter(|right| **right).count(), verdicts.len())
}

#[test]
fn a_record_names_its_retriever_and_is_verified_with_it() {
    let bench = bench();
    for protocol in [Protocol::Bracket, Protocol::Agent] {
        for retriever in [Retriever::BM25, Retriever::Oracle] {
            let record = run(&bench, &settings(Some(retriever.clone()), protocol));
            assert_eq!(record.search.retriever.as_ref(), Some(&retriever));
            let found = check(&bench, &record).unwrap();
            assert!(found.holds(), "{}: {:#?}", retriever.title(), found.differences);
            let warnings: Vec<&str> =
                found.disclosure.warnings.iter().map(record::Warning::code).collect();
            assert!(warnings.contains(&"other-retriever"), "{warnings:?}");
            // Without its retriever, the record is inconsistent.
            let mut forged = record;
            forged.search.retriever = None;
            forged.digest = forged.computed_digest().unwrap();
            assert!(!check(&bench, &forged).unwrap().holds(), "{}", retriever.title());
        }
    }
}

#[test]
fn the_oracle_makes_every_search_right() {
    let bench = bench();
    let plain = run(&bench, &settings(None, Protocol::Bracket));
    let oracle = run(&bench, &settings(Some(Retriever::Oracle), Protocol::Bracket));
    let ((right, n), (before, _)) = (searches(&oracle), searches(&plain));
    assert_eq!(right, n);
    assert!(before < n, "a word search finds all {n}: it tests nothing");
    let notes = record::compare::against(&plain, &oracle, scoring::Profile::Execution);
    assert!(
        notes.caveats.iter().any(|caveat| caveat == "The retriever differs: builtin and oracle."),
        "{:?}",
        notes.caveats
    );
}

#[test]
fn the_oracle_knows_only_the_search_that_is_due() {
    let bench = bench();
    let settings = settings(Some(Retriever::Oracle), Protocol::Bracket);
    let prepared = bench.prepared(&settings);
    let samples = runner::in_run(&bench, &settings);
    let best = |bench: &Benchmark, suite: Suite| bench.world.search.best(suite, "qqqq", 1).unwrap();
    for sample in samples.iter().filter(|sample| sample.kind == SampleKind::Call) {
        let gold = sample.gold_call().unwrap();
        let found = best(&prepared.of_sample(sample), sample.ability().suite());
        if gold.is_search() {
            assert_eq!(found.first(), apis::search::needed(&gold.result).as_ref());
        } else {
            assert_eq!(found, best(&bench, sample.ability().suite()));
        }
    }
}

#[test]
fn a_users_model_needs_its_files() {
    let bench = bench();
    let model = EmbeddingModel {
        name: "mine".to_owned(),
        digest: "0123456789abcdef".to_owned(),
        tokenizer_digest: "t".to_owned(),
        pooling: "mean".to_owned(),
        max_tokens: 128,
        query_prefix: String::new(),
        passage_prefix: String::new(),
    };
    let settings = settings(Some(Retriever::Model(model)), Protocol::Bracket);
    let error = runner::check(&bench, &settings).unwrap_err().to_string();
    assert!(error.contains("\"mine\"") && error.contains("--retriever DIR"), "{error}");
    let record = run(&bench, &settings);
    assert_eq!(record.search.model, "mine");
    let error = check(&bench, &record).unwrap_err().to_string();
    assert!(error.starts_with("search.retriever: "), "{error}");
    assert!(error.contains("--retriever DIR"), "{error}");
}

#[test]
fn parameters_out_of_range_are_named() {
    let bench = bench();
    let mut record = run(&bench, &settings(Some(Retriever::BM25), Protocol::Bracket));
    record.search.retriever = Some(Retriever::Bm25 { k1: 1e9, b: 0.75 });
    let error = check(&bench, &record).unwrap_err().to_string();
    assert_eq!(error, "search.retriever.k1: expected 0 to 10, got 1000000000");
}
