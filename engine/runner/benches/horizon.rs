//! Benchmarks a grid of 128 horizon tasks, on one thread: `generate` makes the tasks of all tiers, and
//! `play` replays the gold calls of a tier, judges them and computes the record's digest.

#![allow(clippy::expect_used, reason = "a benchmark fails by panicking")]

#[path = "../tests/support/mod.rs"]
mod support;

use criterion::{Criterion, Throughput};
use dataset::{TaskId, Tier};
use record::{Baseline, Model, RunSettings, Subset};
use std::hint::black_box;
use std::time::Duration;

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .measurement_time(Duration::from_secs(10))
        .configure_from_args();
    let mut settings = RunSettings::new(Model::Builtin { name: Baseline::GoldReplay });
    settings.play_horizon();
    let bench = match support::bench().edition(settings.edition) {
        Ok(bench) => bench,
        Err(error) => return eprintln!("SKIPPED the horizon tasks: {error}"),
    };
    let ids = || bench.pack.dialogues.iter().map(|dialogue| dialogue.id.clone());
    let mut group = criterion.benchmark_group("horizon");
    group.throughput(Throughput::Elements(ids().count() as u64));
    if let Ok(pack) = dataset::builtin() {
        group.bench_function("generate", |bencher| {
            bencher.iter_with_setup(|| pack.clone(), |pack| black_box(horizon::tasks(1, pack)));
        });
    }
    for tier in Tier::ALL {
        let of_tier = |id: &String| TaskId::parse(id).is_some_and(|id| id.tier == tier);
        let tasks: Vec<String> = ids().filter(of_tier).collect();
        group.throughput(Throughput::Elements(tasks.len() as u64));
        let settings = RunSettings { subset: Subset::Dialogues(tasks), ..settings.clone() };
        let record = support::run(&bench, &settings);
        println!("{}: {:?}", tier.as_str(), record.to_json().map(|it| it.len()));
        group.bench_function(format!("play/{}", tier.as_str()), |bencher| {
            bencher.iter(|| support::run(&bench, black_box(&settings)));
        });
    }
    group.finish();
    criterion.final_summary();
}
