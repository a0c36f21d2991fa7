//! API Search computes the same bits everywhere: natively with any processor features, and in
//! WebAssembly.
//!
//! `dataset/search/vectors.bin` and the digests in `data` are checked in. A machine
//! that computes anything else fails here, before its runs could differ from published ones.
//! `UPDATE=1 cargo test -p ranking --test wasm` writes them again when descriptions of APIs, users'
//! words or the encoder changed.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use apis::{search, store::hex};
use ranking::{Query, QueryFiles, QueryKind};
use retrieval::{Encoder, Index};
use sha2::{Digest, Sha256};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test;

const VECTORS: &str = include_str!("data/vectors.digest");
const RANKINGS: &str = include_str!("data/rankings.digest");

/// The model's file and vocabulary; `None` natively where the cache lacks them.
#[cfg(not(target_arch = "wasm32"))]
fn files() -> Option<(Vec<u8>, String)> {
    let folder = fixtures::search_files("API Search, bit for bit")?;
    let read = |name| std::fs::read(folder.join(name)).unwrap();
    Some((read("model.onnx"), String::from_utf8(read("vocab.txt")).unwrap()))
}

/// From the folder that `cargo xtask test` names when it compiles this test for Node.
#[cfg(target_arch = "wasm32")]
fn files() -> Option<(Vec<u8>, String)> {
    #[wasm_bindgen::prelude::wasm_bindgen(module = "fs")]
    extern "C" {
        #[wasm_bindgen(js_name = readFileSync)]
        fn read(path: &str) -> Vec<u8>;
    }
    let folder = option_env!("API_BANK_SEARCH_FILES").expect("compiled by cargo xtask test");
    let vocabulary = String::from_utf8(read(&format!("{folder}/vocab.txt"))).unwrap();
    Some((read(&format!("{folder}/model.onnx")), vocabulary))
}

fn encoder() -> Option<Encoder> {
    let (model, vocabulary) = files()?;
    Some(Encoder::load(&model, &vocabulary).unwrap())
}

fn index(encoder: &Encoder) -> Index {
    let texts = search::texts();
    let texts = texts.iter().map(|(suite, name, text)| (*suite, *name, text.as_str()));
    Index::build(encoder, texts).unwrap()
}

/// The index that the site ships: rounded vectors, and the rankings of all that users say, with
/// which the keyword baseline searches.
#[cfg(not(target_arch = "wasm32"))]
fn shipped(encoder: &Encoder) -> Vec<u8> {
    let mut index = index(encoder).rounded();
    let pack = dataset::builtin().unwrap();
    let said = pack.dialogues.iter().chain(&pack.hard).flat_map(|dialogue| {
        let suite = dialogue.ability.suite().as_str();
        dialogue.turns.iter().filter_map(move |turn| match turn {
            dataset::Turn::User { text } => Some((suite, text.as_str())),
            _ => None,
        })
    });
    index.remember(encoder, said.collect::<std::collections::BTreeSet<_>>()).unwrap();
    index.to_bytes()
}

/// Compares with a checked-in digest, or writes it.
fn check(name: &str, known: &str, hash: Sha256) {
    let digest = hex(&hash.finalize());
    #[cfg(not(target_arch = "wasm32"))]
    if std::env::var_os("UPDATE").is_some() {
        let file = format!("{}/tests/data/{name}.digest", env!("CARGO_MANIFEST_DIR"));
        std::fs::write(file, format!("{digest}\n")).unwrap();
        return;
    }
    assert_eq!(digest, known.trim(), "{name}: not the bits that other machines compute");
}

/// Every bit of the vectors of all search texts.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
#[cfg_attr(not(target_arch = "wasm32"), test)]
fn vectors_are_the_same_everywhere() {
    let Some(encoder) = encoder() else { return };
    let mut hash = Sha256::new();
    for entry in index(&encoder).entries {
        hash.update(&entry.name);
        entry.vector.iter().for_each(|number| hash.update(number.to_bits().to_le_bytes()));
    }
    check("vectors", VECTORS, hash);
}

/// Names and cosines of all APIs for each built-in query.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
#[cfg_attr(not(target_arch = "wasm32"), test)]
fn rankings_are_the_same_everywhere() {
    let Some(encoder) = encoder() else { return };
    let index = index(&encoder).rounded();
    let pack = dataset::builtin().unwrap();
    let queries = QueryKind::BUILTIN.into_iter();
    let queries = queries.map(|kind| Query::builtin(&pack, QueryFiles::BUILTIN, kind).unwrap());
    let mut hash = Sha256::new();
    for query in queries.flatten() {
        hash.update(&query.text);
        let vector = encoder.encode_query(&query.text).unwrap();
        for hit in index.rank(query.suite.unwrap().as_str(), &vector, usize::MAX) {
            hash.update(&hit.name);
            hash.update(hit.cosine.to_bits().to_le_bytes());
        }
    }
    check("rankings", RANKINGS, hash);
}

#[cfg(not(target_arch = "wasm32"))]
#[test]
fn the_shipped_vectors_are_those_of_their_sources() {
    let Some(encoder) = encoder() else { return };
    let made = shipped(&encoder);
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../dataset/search/vectors.bin");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(file, made).unwrap();
        return;
    }
    // Not assert_eq!, which would print them.
    assert!(
        std::fs::read(file).unwrap() == made,
        "dataset/search/vectors.bin is not what this machine computes"
    );
}

/// The same test program on processors with fewer features: without AVX-512, FMA and AVX2.
#[cfg(all(not(target_arch = "wasm32"), target_arch = "x86_64"))]
#[test]
fn fewer_processor_features_change_no_bit() {
    if files().is_none() || std::env::var_os("UPDATE").is_some() {
        return;
    }
    for features in ["-avx512f", "-fma", "-avx2,-fma", "-avx,-avx2,-fma,-avx512f"] {
        let test = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "vectors_are_the_same_everywhere"])
            .args(["rankings_are_the_same_everywhere"])
            .env("TRACT_CPU_ISA", features)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&test.stdout);
        assert!(test.status.success() && said.contains("2 passed"), "{features}: {said}");
    }
}
