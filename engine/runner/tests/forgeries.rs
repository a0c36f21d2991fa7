//! Forged but consistent records, whose numbers and digest match their content. Verification must
//! disclose each forgery.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod bench_support;

use bench_support::{bench, record};
use exchange::protocol::{Prompts, Protocol, Sample, ask, history};
use provider::{Endpoint, Failure};
use record::Baseline;
use record::{
    Limits, Model, Record, RecordError, SampleRecord, SignatureState, Status, Verification,
    Warning, jws,
};
use record::{RunSettings, Shard, Subset};
use runner::benchmark::Benchmark;
use runner::verify;
use runner::{answered, failed, in_run};
use scoring::Profile;
use std::collections::{BTreeMap, BTreeSet};

fn settings() -> RunSettings {
    let endpoint = Endpoint {
        base_url: "http://localhost:1/v1".to_owned(),
        model: "model-x".to_owned(),
        ..Endpoint::default()
    };
    RunSettings {
        // The keyword baseline, whose answers these are, gets some dialogues right.
        protocol: Protocol::Paper,
        subset: Subset::PerAbility(25),
        seed: 3,
        ..RunSettings::new(Model::Endpoint(endpoint))
    }
}

fn check(bench: &Benchmark, record: &Record) -> Verification {
    let file = record.to_json().unwrap();
    let open = || Ok::<_, RecordError>(file.as_bytes());
    verify(open, bench, &Limits::DISK, |_, _| {}).unwrap()
}

/// The record with its samples replaced, and numbers, status and digest recomputed.
fn refilled(record: &Record, samples: Vec<SampleRecord>) -> Record {
    record.clone().filled(samples, record.times)
}

/// The record with each sample replaced by `change`.
fn changed(
    bench: &Benchmark,
    settings: &RunSettings,
    record: &Record,
    change: impl Fn(&Sample<'_>, &SampleRecord) -> SampleRecord,
) -> Record {
    let plan: BTreeMap<String, Sample<'_>> =
        in_run(bench, settings).into_iter().map(|sample| (sample.id(), sample)).collect();
    let samples = record.samples.iter().map(|sample| change(&plan[&sample.id], sample)).collect();
    refilled(record, samples)
}

fn is_wrong(sample: &SampleRecord) -> bool {
    sample.verdict(Profile::Execution).is_some_and(|it| !it.correct)
}

/// A sample with the gold answer.
fn by_gold(bench: &Benchmark, sample: &Sample<'_>) -> SampleRecord {
    let settings = settings();
    let before = history(settings.protocol, sample, &bench.world);
    let answer =
        runner::baseline::answer(Baseline::GoldReplay, bench, settings.protocol, sample, &before)
            .unwrap();
    let asked = ask(settings.protocol, settings.prompts(), sample, &bench.world);
    SampleRecord { attempts: 1, ..answered(bench, settings.protocol, sample, asked, answer) }
}

#[test]
fn answers_replaced_by_gold_are_consistent_and_no_proof_of_authorship() {
    let Some(bench) = bench("forged answers") else { return };
    let honest = record(&bench, &settings());
    assert!(honest.samples.iter().any(is_wrong));
    let forged = changed(&bench, &settings(), &honest, |sample, _| by_gold(&bench, sample));
    let found = check(&bench, &forged);
    assert!(found.holds(), "{:#?}", found.differences);
    assert_eq!(found.disclosure.accuracy.value(), Some(1.0));
    assert!(found.verdict().contains("no proof that model-x wrote them"), "{}", found.verdict());
    assert!(found.disclosure.warns("unsigned"));

    // Carry the honest record's signature over to the forgery.
    let key = [1; 32];
    let mut signed = honest.clone();
    signed.add_signature(jws::sign(&honest.digest, &key, Some("Ada")).unwrap()).unwrap();
    assert_eq!(check(&bench, &signed).signatures[0].state, SignatureState::Valid);
    let forged = Record { signatures: signed.signatures, ..forged };
    let found = check(&bench, &forged);
    assert!(found.holds(), "{:#?}", found.differences);
    assert_eq!(found.signatures[0].state, SignatureState::Broken);
    assert!(found.disclosure.warns("broken-signature"));
}

#[test]
fn a_built_in_model_is_asked_again_and_needs_no_author() {
    let Some(bench) = bench("forged baselines") else { return };
    let settings = settings();
    let forged =
        changed(&bench, &settings, &record(&bench, &settings), |sample, _| by_gold(&bench, sample));
    let model = |name| Record { model: Model::Builtin { name }, ..forged.clone() };
    let gold = model(Baseline::GoldReplay);
    let gold = refilled(&gold, gold.samples.clone());
    let found = check(&bench, &gold);
    assert!(found.holds() && !found.disclosure.warns("unsigned"), "{:#?}", found.differences);
    assert!(!found.verdict().contains("no proof"), "{}", found.verdict());
    let keyword = model(Baseline::KeywordBaseline);
    let keyword = refilled(&keyword, keyword.samples.clone());
    let found = check(&bench, &keyword);
    assert!(!found.holds());
    // The disclosure shows recomputed values, not recorded ones.
    assert!(found.disclosure.accuracy.value() < Some(1.0));
}

#[test]
fn wrong_answers_turned_into_failures_are_counted() {
    let Some(bench) = bench("forged failures") else { return };
    let honest = record(&bench, &settings());
    let wrong = honest.samples.iter().filter(|sample| is_wrong(sample)).count();
    assert!(wrong > 0);
    let forged = changed(&bench, &settings(), &honest, |sample, recorded| {
        if !is_wrong(recorded) {
            return recorded.clone();
        }
        let asked = ask(settings().protocol, settings().prompts(), sample, &bench.world);
        SampleRecord { attempts: 1, ..failed(sample, asked, &Failure::infrastructure("HTTP 500")) }
    });
    let found = check(&bench, &forged);
    assert!(found.holds(), "{:#?}", found.differences);
    let disclosure = &found.disclosure;
    let total = forged.summary.rows.last().unwrap();
    assert_eq!(disclosure.accuracy, total.calls);
    assert_eq!(disclosure.accuracy.value(), Some(1.0));
    let failed = total.failed;
    assert!(failed >= wrong);
    let samples = forged.samples.len();
    assert!(disclosure.warnings.contains(&Warning::NotScored { failed, samples }));
    assert_eq!(disclosure.not_scored(), failed as f64 / samples as f64);
    let calls = forged.samples.iter().filter(|it| it.counts_for(Profile::Execution)).count();
    assert_eq!(
        (disclosure.failures_wrong.right, disclosure.failures_wrong.n),
        (total.calls.right, calls)
    );
    assert!(disclosure.failures_wrong.value() < Some(1.0));
    assert_eq!(disclosure.missing_wrong, None);
}

#[test]
fn wrong_samples_dropped_from_a_cancelled_run_are_counted() {
    let Some(bench) = bench("dropped samples") else { return };
    let honest = record(&bench, &settings());
    let right: Vec<SampleRecord> =
        honest.samples.iter().filter(|sample| !is_wrong(sample)).cloned().collect();
    let dropped = honest.samples.len() - right.len();
    assert!(dropped > 0);
    let forged = refilled(&honest, right);
    assert_eq!(forged.status, Status::Cancelled);
    let found = check(&bench, &forged);
    assert!(found.holds(), "{:#?}", found.differences);
    let disclosure = &found.disclosure;
    assert_eq!(disclosure.status, Status::Cancelled);
    assert_eq!(
        (disclosure.samples, disclosure.planned),
        (honest.samples.len() - dropped, honest.planned)
    );
    let planned = honest.planned;
    assert!(disclosure.warnings.contains(&Warning::Missing { missing: dropped, planned }));
    let calls = honest.samples.iter().filter(|it| it.counts_for(Profile::Execution)).count();
    let missing_wrong = disclosure.missing_wrong.unwrap();
    assert_eq!((missing_wrong.right, missing_wrong.n), (disclosure.accuracy.right, calls));
    assert!(missing_wrong.value() < disclosure.accuracy.value());

    // Claiming the status of a finished run makes the record inconsistent.
    let mut finished = Record { status: Status::Finished, ..forged };
    finished.digest = finished.computed_digest().unwrap();
    let found = check(&bench, &finished);
    assert!(!found.holds() && found.differences.iter().any(|it| it.path == "status"));
    assert!(found.disclosure.warns("missing"));
    // So does claiming a smaller plan.
    finished.planned = finished.samples.len();
    finished.digest = finished.computed_digest().unwrap();
    let found = check(&bench, &finished);
    assert!(!found.holds() && found.differences.iter().any(|it| it.path == "planned"));
}

#[test]
fn a_subset_of_the_right_dialogues_is_named_as_hand_picked() {
    let Some(bench) = bench("picked dialogues") else { return };
    let honest = record(&bench, &settings());
    let dialogues = |keep: &dyn Fn(&SampleRecord) -> bool| -> BTreeSet<String> {
        honest.samples.iter().filter(|sample| keep(sample)).map(|it| it.dialogue.clone()).collect()
    };
    let wrong = dialogues(&|sample| {
        is_wrong(sample)
            || sample.kind.is_decision() && sample.verdict(Profile::Execution).is_none()
    });
    let right: Vec<String> = dialogues(&|_| true).difference(&wrong).cloned().collect();
    assert!(!right.is_empty() && !wrong.is_empty());
    let picked = RunSettings { subset: Subset::Dialogues(right.clone()), ..settings() };
    let found = check(&bench, &record(&bench, &picked));
    assert!(found.holds(), "{:#?}", found.differences);
    assert_eq!(found.disclosure.accuracy.value(), Some(1.0));
    assert_eq!(found.disclosure.subset, Subset::Dialogues(right.clone()));
    let warning = Warning::HandPicked { dialogues: right.len() };
    assert!(warning.text().contains("hand-picked"));
    assert!(found.disclosure.warnings.contains(&warning));
    assert!(!check(&bench, &honest).disclosure.warns("hand-picked"));
}

#[test]
fn changes_of_prompts_parameters_and_parts_are_named() {
    let Some(bench) = bench("disclosed settings") else { return };
    let protocol = settings().protocol;
    let mut parts = Prompts::builtin(protocol).parts.clone();
    parts.values_mut().for_each(|text| text.system.push_str("\nThink twice."));
    let prompts = Prompts::custom(protocol, parts).unwrap();
    let shard = Some(Shard { part: 1, of: 2 });
    let settings = RunSettings { custom_prompts: Some(prompts), shard, ..settings() };
    let mut record = record(&bench, &settings);
    record.dropped_parameters = vec!["seed".to_owned()];
    let record = refilled(&record, record.samples.clone());
    let found = check(&bench, &record);
    assert!(found.holds(), "{:#?}", found.differences);
    let disclosure = &found.disclosure;
    assert!(disclosure.custom_prompts && disclosure.warns("custom-prompts"));
    assert_eq!(disclosure.dropped_parameters, ["seed"]);
    assert!(disclosure.warns("dropped-parameters"));
    assert!(disclosure.warnings.contains(&Warning::PartOfRun { parts: 1, of: 2 }));
}

#[test]
fn under_agent_whole_dialogues_are_counted() {
    let Some(bench) = bench("disclosed episodes") else { return };
    let settings = RunSettings { protocol: Protocol::Agent, trials: 2, ..settings() };
    let record = record(&bench, &settings);
    let found = check(&bench, &record);
    let total = record.summary.rows.last().unwrap();
    assert_eq!(found.disclosure.accuracy, total.dialogues);
    assert_eq!(found.disclosure.failures_wrong.n, record.samples.len());
}

#[test]
fn a_warning_has_its_code_in_json() {
    let warnings = [
        Warning::Unsigned,
        Warning::BrokenSignature { signatures: 1 },
        Warning::UnreadableSignature { signatures: 1 },
        Warning::NotScored { failed: 1, samples: 2 },
        Warning::Missing { missing: 1, planned: 2 },
        Warning::PartOfRun { parts: 1, of: 2 },
        Warning::HandPicked { dialogues: 2 },
        Warning::CustomPrompts,
        Warning::OtherRetriever { name: "bm25".to_owned() },
        Warning::DroppedParameters { names: vec!["seed".to_owned()] },
        Warning::OtherProfile { profile: Profile::F1 },
        Warning::NoDigest,
    ];
    for warning in warnings {
        assert_eq!(serde_json::to_value(&warning).unwrap()["code"], warning.code());
        assert!(warning.text().ends_with('.'), "{}", warning.text());
    }
}
