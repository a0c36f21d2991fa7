//! Benchmarks the scorer on every gold Call item, sent as a model's text. Includes parsing,
//! building the databases and replaying earlier calls.
//!
//! `original` judges the original's level 1 under every profile; it needs `../shared/apibank` and
//! the cached search model (`cargo xtask model`). `verdict` computes only the original's verdict,
//! like the original's own evaluator. `own` judges the Call dialogues of the built-in pack.
//! Single-threaded.

use criterion::{Criterion, Throughput};
use dataset::import::{Errata, Intake, Limits, import};
use dataset::{Ability, Pack};
use exchange::Answer;
use exchange::call;
use exchange::protocol::{Ask, Protocol, Sample, samples};
use retrieval::{Encoder, Hit};
use runner::answered;
use runner::benchmark::{Benchmark, Ranker};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    match original() {
        Some(bench) => {
            score(&mut criterion, "verdict", &bench, has_originals);
            score(&mut criterion, "original", &bench, is_right);
        }
        None => {
            eprintln!("SKIPPED the original's level 1: its data or the search model is missing")
        }
    }
    match dataset::builtin() {
        Ok(pack) => {
            score(
                &mut criterion,
                "own",
                &Benchmark::with_ranker(pack, Box::new(NoRanker)),
                is_right,
            );
        }
        Err(error) => eprintln!("SKIPPED the built-in pack: {error}"),
    }
    criterion.final_summary();
}

/// Judges one answer.
type Judge = fn(&Benchmark, &Sample<'_>, &str) -> bool;

/// Measures one pass over all gold Call items.
fn score(criterion: &mut Criterion, name: &str, bench: &Benchmark, judge: Judge) {
    let all = samples(&bench.pack);
    let items: Vec<(&Sample<'_>, String)> = all
        .iter()
        .filter(|sample| sample.ability() == Ability::Call)
        .filter_map(|sample| {
            let gold = sample.gold_call()?;
            Some((sample, call::format(&gold.api_name, &gold.param_dict)))
        })
        .collect();
    let right = items.iter().filter(|(sample, text)| judge(bench, sample, text)).count();
    println!("{name}: {right} of {} gold calls are right", items.len());
    let mut group = criterion.benchmark_group("score");
    group.throughput(Throughput::Elements(items.len() as u64));
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            items.iter().filter(|(sample, text)| judge(bench, black_box(sample), text)).count()
        });
    });
    group.finish();
}

/// Judges one answer under every profile.
fn is_right(bench: &Benchmark, sample: &Sample<'_>, text: &str) -> bool {
    let answer = Answer { text: text.to_owned(), ..Answer::default() };
    let record = answered(bench, Protocol::Bracket, sample, Ask::default(), answer);
    black_box(&record).verdicts.as_ref().is_some_and(|verdicts| verdicts.execution.correct)
}

/// Judges one answer only under `original`.
fn has_originals(bench: &Benchmark, sample: &Sample<'_>, text: &str) -> bool {
    let verdict = bench.original.as_ref().map(|evaluator| evaluator.judge(sample, text));
    black_box(verdict).is_some_and(|verdict| verdict.is_ok_and(|verdict| verdict.correct))
}

/// Call dialogues contain no searches.
struct NoRanker;

impl Ranker for NoRanker {
    fn rank(&self, _: apis::Suite, _: &str, _: usize) -> Vec<Hit> {
        Vec::new()
    }
}

/// The original's data with its evaluator; `None` if data or model are missing.
fn original() -> Option<Benchmark> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/apibank");
    let mut intake = Intake::new(Limits::default());
    collect(&folder, &folder, &mut intake)?;
    let files = intake.files.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    let (original, _) = import(files);
    let pack: Pack = original::pack(original, &Errata::builtin().ok()?).0;
    Some(Benchmark::imported(pack, Arc::new(encoder()?)))
}

/// Adds the files below a folder, with paths relative to `top`.
fn collect(top: &Path, folder: &Path, intake: &mut Intake) -> Option<()> {
    for entry in std::fs::read_dir(folder).ok()? {
        let path = entry.ok()?.path();
        if path.is_dir() {
            collect(top, &path, intake)?;
            continue;
        }
        let name = path.strip_prefix(top).ok()?.to_string_lossy().into_owned();
        let bytes = std::fs::read(&path).ok()?;
        if intake.accepts(&name, bytes.len() as u64) {
            intake.add(&name, bytes);
        }
    }
    Some(())
}

/// The search model from the cache of `cargo xtask model`.
fn encoder() -> Option<Encoder> {
    let cache = std::env::var_os("API_BANK_CACHE").map(PathBuf::from).or_else(|| {
        let base = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let base = base.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")));
        Some(base?.join("api-bank"))
    })?;
    let folder = cache.join("search").join("current");
    let model = std::fs::read(folder.join("model.onnx")).ok()?;
    let vocabulary = std::fs::read_to_string(folder.join("vocab.txt")).ok()?;
    Encoder::load(&model, &vocabulary).ok()
}
