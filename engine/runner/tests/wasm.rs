//! Determinism across platforms: natively and in WebAssembly, formatting, parsing, executing and
//! judging the pack's gold gives the checked-in digest. So do the records of whole runs under every
//! protocol.
//!
//! `UPDATE=1 cargo test -p runner --test wasm` rewrites the digests.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use apis::store::hex;
use dataset::Split;
use exchange::call;
use exchange::protocol::Protocol;
use exchange::protocol::{Prompts, SampleKind, ask, samples_of, world_at};
use record::Baseline;
use record::RunSettings;
use record::{Model, SignatureState, jws};
use scoring::rouge::rouge_l;
use scoring::{judge, no_call};
use sha2::{Digest, Sha256};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test;

const DIGEST: &str = include_str!("data/replay.digest");
const RECORDS: &str = include_str!("data/records.digest");

/// The number of gold calls, without searches, and the digest of their replay.
fn replay() -> (usize, String) {
    let pack = dataset::builtin().expect("the embedded pack is valid");
    let mut hash = Sha256::new();
    let mut calls = 0;
    let all = Split::ALL.into_iter().flat_map(|split| samples_of(&pack, split));
    for sample in all {
        let prompts = Prompts::builtin(Protocol::Bracket);
        for message in ask(Protocol::Bracket, prompts, &sample, &pack.world).messages {
            hash.update(message.content.as_bytes());
        }
        if sample.kind == SampleKind::Restraint {
            let gold = sample.gold_reply().expect("words");
            let parsed = call::parse(gold);
            let suite = sample.ability().suite();
            let (verdict, _) =
                no_call::judge(suite.into(), sample.hard(), gold, parsed.as_ref(), &pack.world);
            assert!(verdict.correct, "{}: {verdict:?}", sample.id());
            hash.update(verdict.explanation);
            continue;
        }
        if sample.kind == SampleKind::Reply {
            let gold = sample.gold_reply().expect("a reply");
            let score = rouge_l(gold, gold).expect("a reply has words").f1;
            assert!(score > 0.999, "{} against itself: {score}", sample.id());
            hash.update(score.to_le_bytes());
            continue;
        }
        let gold = sample.gold_call().expect("a call");
        if gold.is_search() {
            continue;
        }
        let parsed = call::parse(&call::format(&gold.api_name, &gold.param_dict));
        let world = world_at(&sample, &pack.world);
        let judgement = judge(sample.ability().suite(), gold, parsed.as_ref(), &world);
        assert!(judgement.execution.correct, "{}: {:?}", sample.id(), judgement.execution);
        assert!(judgement.exact.correct, "{}: {:?}", sample.id(), judgement.exact);
        assert_eq!(judgement.gold.result, gold.result, "{} is not as recorded", sample.id());
        hash.update(serde_json::to_string(&judgement.gold).expect("an effect is JSON"));
        calls += 1;
    }
    (calls, hex(&hash.finalize()))
}

/// The digest of the reference models' records under every protocol, without times.
fn records() -> String {
    let bench = support::bench();
    let mut hash = Sha256::new();
    let splits = |protocol| Split::ALL.map(|split| (protocol, split));
    for (protocol, split) in Protocol::ALL.into_iter().flat_map(splits) {
        for &name in Baseline::REFERENCE {
            let model = Model::Builtin { name };
            let settings = RunSettings { protocol, split, ..RunSettings::new(model) };
            let record = support::run(&bench, &settings).without_times();
            let total = record.summary.rows.last().expect("a total");
            if name == Baseline::GoldReplay {
                let wrong = &total.errors;
                assert!(wrong.is_empty(), "{} {}: {wrong:?}", protocol.as_str(), split.as_str());
                assert!(!record.samples.is_empty(), "{} {}", protocol.as_str(), split.as_str());
            }
            // Skip the head, which names the build.
            hash.update(serde_json::to_string(&record.samples).expect("samples are JSON"));
            hash.update(serde_json::to_string(&record.summary).expect("numbers are JSON"));
        }
    }
    hex(&hash.finalize())
}

/// Compares with the checked-in digest, or writes it.
fn check(digest: &str, known: &str, file: &str) {
    #[cfg(not(target_arch = "wasm32"))]
    if std::env::var_os("UPDATE").is_some() {
        let file = format!("{}/tests/data/{file}", env!("CARGO_MANIFEST_DIR"));
        std::fs::write(file, format!("{digest}\n")).expect("the digest is written");
        return;
    }
    assert_eq!(
        digest,
        known.trim(),
        "{file}: run with UPDATE=1 when pack, prompts or record changed"
    );
}

#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
#[cfg_attr(not(target_arch = "wasm32"), test)]
fn the_gold_replay_is_the_same_everywhere() {
    let (calls, digest) = replay();
    assert!(calls > 0);
    check(&digest, DIGEST, "replay.digest");
}

/// Ed25519 is deterministic: the same key gives the same signature on every platform.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
#[cfg_attr(not(target_arch = "wasm32"), test)]
fn signatures_are_the_same_everywhere() {
    let (digest, key) = ("d1ge57", [7; jws::KEY_BYTES]);
    let signature = jws::sign(digest, &key, Some("Ada")).expect("a digest and a name");
    assert_eq!(jws::check(&signature, digest).state, SignatureState::Valid);
    assert_eq!(jws::check(&signature, "another").state, SignatureState::Broken);
    let hash = hex(&Sha256::digest(signature.0));
    assert_eq!(hash, "2180f7f7662e8aeafbdd8468271773cd3191d7be5c1191c48d754326944c1a89");
}

#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
#[cfg_attr(not(target_arch = "wasm32"), test)]
fn records_are_the_same_everywhere() {
    check(&records(), RECORDS, "records.digest");
}
