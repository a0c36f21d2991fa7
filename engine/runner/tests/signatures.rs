//! Signatures cover a record's digest: they don't affect it, and break when it changes.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod bench_support;

use bench_support::{bench, record};
use provider::Endpoint;
use record::jws;
use record::jws::SignError;
use record::{
    Limits, MOST_SIGNATURES, Model, Record, RecordError, Signature, SignatureState, Verification,
    merge,
};
use record::{RunSettings, Shard, Subset};
use runner::benchmark::Benchmark;
use runner::{VerifyError, verify};

const ADA: [u8; 32] = [1; 32];
const BOB: [u8; 32] = [2; 32];

fn settings() -> RunSettings {
    let endpoint = Endpoint { model: "m".to_owned(), ..Endpoint::default() };
    let subset = Subset::PerAbility(1);
    RunSettings { subset, ..RunSettings::new(Model::Endpoint(endpoint)) }
}

fn check(bench: &Benchmark, record: &Record) -> Result<Verification, VerifyError> {
    let file = record.to_json().unwrap();
    let open = || Ok::<_, RecordError>(file.as_bytes());
    verify(open, bench, &Limits::DISK, |_, _| {})
}

fn signed(record: &Record, by: &[u8; 32], name: Option<&str>) -> Record {
    let mut signed = record.clone();
    signed.add_signature(jws::sign(&record.digest, by, name).unwrap()).unwrap();
    signed
}

fn states(found: &Verification) -> Vec<&str> {
    found.signatures.iter().map(|signature| signature.state.as_str()).collect()
}

#[test]
fn several_people_sign_and_the_digest_stays() {
    let Some(bench) = bench("signatures") else { return };
    let plain = record(&bench, &settings());
    let found = check(&bench, &plain).unwrap();
    assert!(found.signatures.is_empty() && found.disclosure.warns("unsigned"));

    let both = signed(&signed(&plain, &ADA, Some("Ada")), &BOB, None);
    assert_eq!(both.digest, plain.digest);
    assert_eq!(both.computed_digest().unwrap(), plain.digest);
    let found = check(&bench, &both).unwrap();
    assert!(found.holds(), "{:#?}", found.differences);
    assert_eq!(states(&found), ["valid", "valid"]);
    assert!(!found.disclosure.warns("unsigned"));
    let names: Vec<Option<&str>> = found.signatures.iter().map(|it| it.signer.as_deref()).collect();
    assert_eq!(names, [Some("Ada"), None]);
    let keys = [ADA, BOB].map(|key| Some(jws::fingerprint(&jws::public_key(&key))));
    assert!(found.signatures.iter().map(|signature| &signature.fingerprint).eq(&keys));
    // A signature does not prove the source of the answers.
    assert!(found.verdict().contains("no proof"));

    // A second signature with the same key replaces the first.
    let again = signed(&both, &ADA, Some("Ada Lovelace"));
    let found = check(&bench, &again).unwrap();
    let names: Vec<Option<&str>> = found.signatures.iter().map(|it| it.signer.as_deref()).collect();
    assert_eq!(names, [None, Some("Ada Lovelace")]);
}

#[test]
fn a_changed_record_breaks_its_signatures_and_a_foreign_one_does_not_fit() {
    let Some(bench) = bench("broken signatures") else { return };
    let plain = record(&bench, &settings());
    let good = signed(&plain, &ADA, Some("Ada"));

    // With the old, signed digest, and with the recomputed one.
    let mut changed = good.clone();
    changed.dropped_parameters = vec!["seed".to_owned()];
    let found = check(&bench, &changed).unwrap();
    assert!(!found.holds());
    assert_eq!(states(&found), ["broken"]);
    changed.digest = changed.computed_digest().unwrap();
    let found = check(&bench, &changed).unwrap();
    assert!(found.holds(), "{:#?}", found.differences);
    assert_eq!(states(&found), ["broken"]);
    assert!(found.disclosure.warns("broken-signature") && !found.disclosure.warns("unsigned"));
    assert_eq!(found.disclosure.warnings[0].code(), "broken-signature");
    // Without a recorded digest, signatures are checked against the computed one.
    let found = check(&bench, &Record { digest: String::new(), ..good.clone() }).unwrap();
    assert_eq!(states(&found), ["valid"]);

    // A signature copied from another record, and a malformed one.
    let other = record(&bench, &RunSettings { seed: 9, ..settings() });
    let mut foreign = good.clone();
    foreign.signatures.push(jws::sign(&other.digest, &BOB, None).unwrap());
    foreign.signatures.push(Signature("gpg".to_owned()));
    let found = check(&bench, &foreign).unwrap();
    assert_eq!(states(&found), ["valid", "broken", "unreadable"]);
    assert!(found.disclosure.warns("unreadable-signature"));
    assert!(matches!(&found.signatures[2].state,
        SignatureState::Unreadable { reason } if reason.contains("detached JWS")));
}

#[test]
fn a_record_without_signatures_keeps_its_bytes() {
    let Some(bench) = bench("unsigned records") else { return };
    let plain = record(&bench, &settings());
    let text = plain.to_json().unwrap();
    assert!(!text.contains("signatures"));
    assert_eq!(Record::from_json(&text).unwrap().to_json().unwrap(), text);
    let good = signed(&plain, &ADA, None);
    let read = Record::from_json(&good.to_json().unwrap()).unwrap();
    assert_eq!(read, good);
    assert_eq!(Record { signatures: Vec::new(), ..read }.to_json().unwrap(), text);
}

#[test]
fn signatures_are_dropped_when_the_digest_changes() {
    let Some(bench) = bench("signatures of parts") else { return };
    let plain = record(&bench, &settings());
    let good = signed(&plain, &ADA, None);
    let (samples, times) = (good.samples.clone(), good.times);
    assert_eq!(good.clone().filled(samples.clone(), times).signatures, good.signatures);
    let short = samples[1..].to_vec();
    assert!(good.clone().filled(short, times).signatures.is_empty());

    let part = |part| {
        let shard = Some(Shard { part, of: 2 });
        record(&bench, &RunSettings { shard, subset: Subset::PerAbility(2), ..settings() })
    };
    let (first, second) = (signed(&part(1), &ADA, None), part(2));
    let merged = merge(vec![first.clone(), second.clone()]).unwrap();
    assert!(merged.signatures.is_empty());
    assert_eq!(merged, merge(vec![second, first.clone()]).unwrap());
    assert_eq!(merge(vec![first.clone()]).unwrap(), first);
}

#[test]
fn the_number_of_signatures_is_limited() {
    let Some(bench) = bench("many signatures") else { return };
    let mut many = record(&bench, &settings());
    for key in 0..MOST_SIGNATURES {
        many = signed(&many, &[u8::try_from(key).unwrap() + 1; 32], None);
    }
    assert_eq!(check(&bench, &many).unwrap().signatures.len(), MOST_SIGNATURES);
    let more = jws::sign(&many.digest, &[99; 32], None).unwrap();
    assert_eq!(many.clone().add_signature(more.clone()), Err(SignError::Full));
    many.signatures.push(more);
    let refused = check(&bench, &many).unwrap_err().to_string();
    assert!(refused.contains("signatures: expected at most 32, got 33"), "{refused}");
}
