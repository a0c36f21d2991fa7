//! API Search over the project's own pool: phrases as people put them, written
//! before any search was run, against the files that the site ships.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use engine::bench::search_texts;
use engine::retrieval::{Encoder, Index, Search};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Phrase {
    suite: String,
    api: String,
    phrase: String,
}

/// Ranks of the annotated APIs, from 1.
#[derive(Default)]
struct Tally {
    n: usize,
    top1: usize,
    top3: usize,
    reciprocal: f64,
}

fn phrases() -> Vec<Phrase> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dataset/search/phrases");
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
        .iter()
        .flat_map(|file| {
            let text = fs::read_to_string(file).unwrap();
            let lines: Vec<Phrase> =
                text.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
            lines
        })
        .collect()
}

/// The files in the cache, where `cargo xtask model` puts them.
fn search_files() -> Option<PathBuf> {
    let cache = std::env::var_os("API_BANK_CACHE")
        .map(PathBuf::from)
        .or_else(|| {
            std::env::var_os("XDG_CACHE_HOME").map(|dir| PathBuf::from(dir).join("api-bank"))
        })
        .or_else(|| std::env::home_dir().map(|home| home.join(".cache/api-bank")))?;
    let files = cache.join("search/current");
    files.join("weights.bin").is_file().then_some(files)
}

#[test]
fn the_phrases_cover_the_pool() {
    let phrases = phrases();
    assert!(phrases.len() >= 300, "{} phrases", phrases.len());
    for (suite, name, _) in search_texts() {
        let n = phrases.iter().filter(|phrase| phrase.suite == suite && phrase.api == name).count();
        assert!(n >= 3, "{suite} {name} has {n} phrases");
    }
    for phrase in &phrases {
        assert!(
            search_texts()
                .iter()
                .any(|(suite, name, _)| *suite == phrase.suite && *name == phrase.api),
            "{} {} is not in the pool",
            phrase.suite,
            phrase.api
        );
    }
}

#[test]
fn the_annotated_api_comes_first() {
    let Some(files) = search_files() else {
        eprintln!("SKIPPED: no search files in the cache; `cargo xtask model` makes them");
        return;
    };
    let vocab = fs::read_to_string(files.join("vocab.txt")).unwrap();
    let encoder = Encoder::load(&fs::read(files.join("weights.bin")).unwrap(), &vocab).unwrap();
    let texts = search_texts();
    let index = Index::build(&encoder, texts.iter().map(|(s, n, t)| (*s, *n, t.as_str()))).unwrap();
    let mut search = Search::new(encoder, index).unwrap();
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for phrase in phrases() {
        let hits = search.search(&phrase.suite, &phrase.phrase, usize::MAX).unwrap();
        let rank = hits.iter().position(|hit| hit.name == phrase.api).map(|index| index + 1);
        let tally = tallies.entry(phrase.suite.clone()).or_default();
        tally.n += 1;
        tally.top1 += usize::from(rank == Some(1));
        tally.top3 += usize::from(rank.is_some_and(|rank| rank <= 3));
        tally.reciprocal += rank.map_or(0.0, |rank| 1.0 / rank as f64);
        if rank != Some(1) {
            let first = hits.first().map_or("nothing", |hit| hit.name.as_str());
            println!(
                "{} {:?}: {first} before {} ({rank:?})",
                phrase.suite, phrase.phrase, phrase.api
            );
        }
    }
    for (suite, tally) in &tallies {
        let n = tally.n as f64;
        println!(
            "{suite}: n {}, top-1 {:.3}, top-3 {:.3}, MRR {:.3}",
            tally.n,
            tally.top1 as f64 / n,
            tally.top3 as f64 / n,
            tally.reciprocal / n
        );
    }
    for (suite, tally) in &tallies {
        let top1 = tally.top1 as f64 / tally.n as f64;
        assert!(top1 >= 0.95, "{suite}: top-1 is {top1:.3}, expected 0.95 or more");
    }
}
