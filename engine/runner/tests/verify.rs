//! Verification: an honest record is consistent, and every single change is detected. Merging: the
//! shards of a run, in any order, give the record of the whole run.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod bench_support;

use apis::search::SearchResults;
use bench_support::{bench, record};
use dataset::Ability;
use exchange::protocol::Protocol;
use proptest::prelude::*;
use provider::Endpoint;
use record::{Limits, Model, Record, RecordError, Verification, merge};
use record::{RunSettings, Shard, Subset};
use runner::benchmark::Benchmark;
use runner::{VerifyError, verify};
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn settings(protocol: Protocol) -> RunSettings {
    let endpoint = Endpoint {
        base_url: "http://localhost:1/v1".to_owned(),
        model: "m".to_owned(),
        ..Endpoint::default()
    };
    RunSettings {
        protocol,
        subset: Subset::PerAbility(2),
        seed: 3,
        ..RunSettings::new(Model::Endpoint(endpoint))
    }
}

fn check(bench: &Benchmark, file: &str) -> Result<Verification, VerifyError> {
    verify(|| Ok::<_, RecordError>(file.as_bytes()), bench, &Limits::DISK, |_, _| {})
}

#[test]
fn an_honest_record_is_consistent_under_every_protocol() {
    let Some(bench) = bench("verification") else { return };
    for protocol in Protocol::ALL {
        let trials = if protocol.is_agent() { 2 } else { 1 };
        let record = record(&bench, &RunSettings { trials, ..settings(protocol) });
        assert!(record.samples.iter().any(|sample| sample.verdicts.is_some()));
        let found = check(&bench, &record.to_json().unwrap()).unwrap();
        assert!(found.holds(), "{}: {:#?}", protocol.as_str(), found.differences);
        assert_eq!(found.samples, record.samples.len());
    }
}

#[test]
fn a_record_that_names_no_number_of_results_has_one() {
    let Some(bench) = bench("a record with one search result") else { return };
    let settings =
        RunSettings { search_results: SearchResults::One, ..settings(Protocol::Bracket) };
    let file = record(&bench, &settings).to_json().unwrap();
    let value: Value = serde_json::from_str(&file).unwrap();
    assert!(value["search"].get("results").is_none(), "omitted, as in older records");
    let found = check(&bench, &file).unwrap();
    assert!(found.holds(), "{:#?}", found.differences);
}

/// Collects the leaves of a value, one for each path without list indices.
fn leaves(value: &Value, path: &str, kind: &str, out: &mut BTreeMap<String, String>) {
    let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (key, item) in fields {
                let key = escaped(key);
                leaves(item, &format!("{path}/{key}"), &format!("{kind}/{key}"), out);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                leaves(item, &format!("{path}/{index}"), &format!("{kind}/*"), out);
            }
        }
        _ => {
            out.entry(kind.to_owned()).or_insert_with(|| path.to_owned());
        }
    }
}

fn changed(value: &Value) -> Value {
    match value {
        Value::String(text) => json!(format!("{text}x")),
        Value::Bool(flag) => json!(!flag),
        Value::Number(number) => match number.as_u64() {
            Some(whole) => json!(whole + 1),
            None => json!(number.as_f64().unwrap() + 0.125),
        },
        Value::Null => json!(true),
        Value::Array(_) => json!([1]),
        Value::Object(_) => json!({"x": 1}),
    }
}

/// Whether a field can't be recomputed: times, external input, limits that were not reached.
fn is_given(kind: &str) -> bool {
    let outside = ["/times", "/app", "/model", "/dropped_parameters", "/turn_limit"];
    let of_sample = ["/times", "/outcome", "/attempts", "/retries"];
    let of_step = ["/times", "/answer", "/attempts"];
    let starts = |kind: &str, list: &[&str]| list.iter().any(|prefix| kind.starts_with(prefix));
    match kind.strip_prefix("/samples/*") {
        Some(rest) => {
            let step = rest.strip_prefix("/episode/steps/*");
            starts(rest, &of_sample) || step.is_some_and(|step| starts(step, &of_step))
        }
        None => starts(kind, &outside),
    }
}

/// The file with a matching digest; `None` if it is no longer a valid record.
fn resealed(file: &str) -> Option<String> {
    let mut record = Record::from_json(file).ok()?;
    record.digest = record.computed_digest().unwrap();
    Some(record.to_json().unwrap())
}

#[test]
fn every_single_change_is_detected() {
    let Some(bench) = bench("changes of a record") else { return };
    let (mut kinds, mut given) = (0, 0);
    for protocol in [Protocol::Bracket, Protocol::Agent] {
        let subset = Subset::PerAbility(1);
        // Episodes are large, so one ability has to do.
        let abilities = match protocol {
            Protocol::Agent => vec![Ability::Retrieve],
            _ => Ability::ALL.to_vec(),
        };
        let record = record(&bench, &RunSettings { subset, abilities, ..settings(protocol) });
        let whole = serde_json::to_value(&record).unwrap();
        let mut found = BTreeMap::new();
        leaves(&whole, "", "", &mut found);
        for (kind, path) in found {
            let mut file = whole.clone();
            let leaf = file.pointer_mut(&path).unwrap();
            *leaf = changed(leaf);
            let file = file.to_string();
            let holds = |file: &str| check(&bench, file).is_ok_and(|found| found.holds());
            let timed = kind.contains("/times/") || kind.starts_with("/times");
            assert!(timed || !holds(&file), "{path} was changed and nothing was found");
            kinds += 1;
            if is_given(&kind) {
                given += 1;
            } else if kind != "/digest"
                && let Some(resealed) = resealed(&file)
            {
                assert!(!holds(&resealed), "{path} was changed, with a new digest");
            }
        }
    }
    println!("{kinds} kinds of fields, {given} of them given from outside");
    assert!(kinds > 150 && given * 2 < kinds);
}

#[test]
fn samples_cannot_be_dropped_duplicated_or_moved() {
    let Some(bench) = bench("samples of a record") else { return };
    let record = record(&bench, &settings(Protocol::Bracket));
    type Change = fn(&mut Record);
    let changes: [(Change, &str); 4] = [
        (|record| drop(record.samples.pop()), "status"),
        (|record| record.samples.push(record.samples[0].clone()), "a second time"),
        (|record| record.samples.swap(0, 1), "out of order"),
        (|record| record.samples[0].id.push('9'), "no such sample"),
    ];
    for (change, part) in changes {
        let mut record = record.clone();
        change(&mut record);
        record.digest = record.computed_digest().unwrap();
        let found = check(&bench, &record.to_json().unwrap()).unwrap();
        let differences = format!("{:?}", found.differences);
        assert!(!found.holds() && differences.contains(part), "{part}: {differences}");
    }
}

#[test]
fn a_record_of_another_pack_names_the_pack_it_needs() {
    let Some(bench) = bench("records of other packs") else { return };
    let mut record = record(&bench, &settings(Protocol::Bracket));
    record.pack.name = "mine".to_owned();
    let error = check(&bench, &record.to_json().unwrap()).unwrap_err().to_string();
    assert!(error.contains("needs the pack mine"), "{error}");
    let mut record = Record { pack: bench.pack.source(), ..record };
    record.trials = u32::MAX;
    let error = check(&bench, &record.to_json().unwrap()).unwrap_err().to_string();
    assert!(error.contains("trials: expected 1 to"), "{error}");
}

#[test]
fn parts_of_a_run_make_the_run_in_any_order() {
    let Some(bench) = bench("merging the parts of a run") else { return };
    let settings = RunSettings { subset: Subset::PerAbility(4), ..settings(Protocol::Bracket) };
    let of = 4;
    let parts: Vec<Record> = (1..=of)
        .map(|part| {
            let shard = Some(Shard { part, of });
            record(&bench, &RunSettings { shard, ..settings.clone() })
        })
        .collect();
    let whole = record(&bench, &settings);
    assert_eq!(parts.iter().map(|part| part.planned).sum::<usize>(), whole.planned);
    for part in &parts {
        let found = check(&bench, &part.to_json().unwrap()).unwrap();
        assert!(found.holds(), "{:#?}", found.differences);
    }
    let merged = merge(parts.clone()).unwrap();
    let found = check(&bench, &merged.to_json().unwrap()).unwrap();
    assert!(found.holds(), "{:#?}", found.differences);
    assert_eq!(merged.digest, whole.digest);
    assert_eq!(merged, whole);

    let half = merge(vec![parts[2].clone(), parts[0].clone()]).unwrap();
    assert_eq!(half.shard.as_ref().unwrap().parts, [1, 3]);
    let found = check(&bench, &half.to_json().unwrap()).unwrap();
    assert!(found.holds(), "{:#?}", found.differences);

    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 24,
        ..ProptestConfig::default()
    });
    let order = Just((0..of as usize).collect::<Vec<_>>()).prop_shuffle();
    runner
        .run(&(order, 0..3_usize), |(order, cut)| {
            let pick = |range: &[usize]| range.iter().map(|index| parts[*index].clone()).collect();
            let left = merge(pick(&order[..=cut])).unwrap();
            let right = merge(pick(&order[cut + 1..])).unwrap();
            let both = merge(vec![right, left]).unwrap();
            prop_assert_eq!(&both.digest, &merged.digest);
            prop_assert_eq!(both, merged.clone());
            Ok(())
        })
        .unwrap();

    let refused = |records: Vec<Record>, part: &str| {
        let error = merge(records).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    refused(vec![half.clone(), parts[0].clone()], "part 1 stands in two");
    refused(vec![whole.clone(), parts[0].clone()], "one of a whole run");
    let mut foreign = parts[1].clone();
    foreign.seed = 4;
    refused(vec![parts[0].clone(), foreign], "seed differs");
    let mut foreign = parts[1].clone();
    foreign.pack.digest = "0".to_owned();
    refused(vec![parts[0].clone(), foreign], "pack.digest differs");
    refused(Vec::new(), "at least one");
}
