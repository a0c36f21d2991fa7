//! The records of `results/`: every built-in model gives its answers again, and every other record
//! verifies. `UPDATE=1` writes the built-in models' records.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

#[allow(dead_code, unused_imports, reason = "runs with the search model, not with words alone")]
mod support;

use dataset::{Edition, Language, Split};
use record::leaderboard::{ENDING, Kind, Leaderboard, slug};
use record::metrics::horizon::MOST_TASKS;
use record::{Baseline, Model, Record, RunSettings, SampleRecord, Subset};
use retrieval::{Encoder, Index, Search};
use runner::benchmark::Benchmark;
use runner::results;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::{env, fs, thread};

/// How to write them.
const AGAIN: &str = "write it again with `UPDATE=1 cargo test -p runner --test results`";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results")
}

/// The built-in pack with the search model of the site; `None` without its files.
fn bench() -> Option<Benchmark> {
    let files = fixtures::search_files("the records of results/")?;
    let vocab = fs::read_to_string(files.join("vocab.txt")).unwrap();
    let encoder = Encoder::load(&fs::read(files.join("model.onnx")).unwrap(), &vocab).unwrap();
    let index = Index::from_bytes(&fs::read(files.join("vectors.bin")).unwrap()).unwrap();
    Some(Benchmark::new(dataset::builtin().unwrap(), Search::new(encoder, index).unwrap()))
}

/// The built-in records: those of the hard split and of the languages only of the references, and the
/// horizon of the keyword baseline, to keep the repository small.
fn builtin() -> Vec<(Baseline, Split, Edition)> {
    let original = Edition::Original;
    let standard = Baseline::ALL.iter().map(|name| (*name, Split::Standard, original));
    let hard = Baseline::REFERENCE.iter().map(|name| (*name, Split::Hard, original));
    let languages = Language::ALL.into_iter().flat_map(|language| {
        let of = move |name: &Baseline| (*name, Split::Standard, Edition::Language(language));
        Baseline::REFERENCE.iter().map(of)
    });
    let horizon = (Baseline::KeywordBaseline, Split::Standard, Edition::Horizon(1));
    standard.chain(hard).chain(languages).chain([horizon]).collect()
}

/// A run with the default settings. Without times, the same code gives the same file.
fn made(
    bench: &Benchmark,
    (name, split, edition): (Baseline, Split, Edition),
    subset: Subset,
) -> Record {
    let new = RunSettings::new(Model::Builtin { name });
    let bench = bench.edition(edition).unwrap();
    let mut settings = RunSettings { edition, split, subset, ..new };
    if let Edition::Horizon(seed) = edition {
        settings.seed = seed;
        settings.subset = Subset::PerAbility(MOST_TASKS);
        settings.play_horizon();
    }
    support::run(&bench, &settings).without_times()
}

/// The share of the dialogues that is run again: a search takes a hundred times as long as any other
/// answer.
fn share(name: Baseline, split: Split) -> Subset {
    let searches = [Baseline::KeywordBaseline, Baseline::SearchesForever].contains(&name);
    if searches && split == Split::Standard { Subset::Percent(20) } else { Subset::All }
}

fn check(bench: &Benchmark, (name, split, edition): (Baseline, Split, Edition)) {
    let made = made(bench, (name, split, edition), share(name, split));
    let whole = Record { subset: Subset::All, ..made.clone() };
    let file = format!("{}{ENDING}", slug(&whole));
    let bytes = fs::read(folder().join(&file));
    let bytes = bytes.unwrap_or_else(|error| panic!("{file}: {error}. {AGAIN}"));
    let known = results::read(&file, &bytes).unwrap();
    assert_eq!(known.pack, made.pack, "{file}: {AGAIN}");
    let samples: BTreeMap<&str, &SampleRecord> =
        known.samples.iter().map(|sample| (sample.id.as_str(), sample)).collect();
    for sample in &made.samples {
        assert_eq!(Some(&sample), samples.get(sample.id.as_str()), "{file}: {AGAIN}");
    }
    if !matches!(made.subset, Subset::Percent(_)) {
        // The build changes with every source file; the results need not.
        let made = Record { app: known.app.clone(), ..made };
        assert_eq!(made.computed_digest().unwrap(), known.digest, "{file}: {AGAIN}");
    }
}

fn write(bench: &Benchmark, of: (Baseline, Split, Edition)) {
    let made = made(bench, of, Subset::All);
    let path = folder().join(format!("{}{ENDING}", slug(&made)));
    fs::write(path, made.to_gzip().unwrap()).unwrap();
}

#[test]
fn every_record_is_reproduced_or_verifies() {
    let Some(bench) = bench() else { return };
    let work = match env::var_os("UPDATE") {
        Some(_) => write,
        None => check,
    };
    let left = Mutex::new(builtin());
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(of) = { left.lock().unwrap().pop() } {
                    work(&bench, of);
                }
            });
        }
    });
    let (entries, models): (Vec<_>, BTreeSet<_>) = files()
        .into_iter()
        .map(|(file, bytes)| {
            let record = results::read(&file, &bytes).unwrap();
            let model = record.model.title().to_owned();
            let is_builtin = matches!(record.model, Model::Builtin { .. });
            let entry = match is_builtin {
                true => results::trusted(&file, bytes.len(), &record),
                false => results::verified(&bench, &file, bytes.len(), record),
            };
            (entry.unwrap_or_else(|error| panic!("{error}")), model)
        })
        .unzip();
    let board = Leaderboard::of(bench.pack.source(), entries).unwrap();
    assert_eq!(board.rows.len(), models.len(), "one row per model");
    let gold = board.rows.iter().find(|row| row.model == "Gold replay").unwrap();
    assert_eq!((gold.scores[0].rank, gold.kind), (None, Kind::Reference));
    let horizons: Vec<_> = board.horizons.iter().map(|horizon| horizon.model.as_str()).collect();
    // With calls as text, and with native ones.
    let qwen = "qwen2.5-coder-1.5b-instruct";
    assert_eq!(horizons, [qwen, "Keyword baseline", qwen]);
}

/// Names and bytes of the files, by name.
fn files() -> Vec<(String, Vec<u8>)> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), fs::read(path).unwrap())).collect()
}

#[test]
fn the_records_stay_small() {
    let bytes: usize = files().iter().map(|(_, bytes)| bytes.len()).sum();
    let most = 20 << 20;
    assert!(bytes <= most, "{bytes} bytes of records; the repository holds at most {most}");
}
