//! The native part: runs the engine's benchmarks and reads criterion's estimates.

use std::fs;

use anyhow::{Context, Result};
use serde_json::Value;

use super::{
    Figure, Figures,
    goals::{ORIGINAL_CALLS, ORIGINAL_SECONDS},
    optimized, selection,
};
use crate::{
    cache::Cache,
    process::{cargo, run, target},
    search,
};

/// Runs the scorer's benchmark.
pub(super) fn measure(cache: &Cache) -> Result<Figures> {
    // Searching the original's data needs the model's files.
    search::ensure(cache)?;
    // Remove old estimates, so that they are not taken for new ones.
    let left = target().join("criterion").join("score");
    if left.exists() {
        fs::remove_dir_all(&left).with_context(|| format!("can't empty {}", left.display()))?;
    }
    optimized()?;
    run(cargo().args(["bench", "--quiet"]).args(selection()).args(["--bench", "scoring"]))?;
    let mut figures = Figures::default();
    let scaled = |(calls, seconds): (f64, f64)| seconds / calls * ORIGINAL_CALLS;
    let (ours, note) = match (estimate("verdict")?, estimate("original")?) {
        (Some(verdict), Some(all)) => {
            let note = format!(
                "median of criterion's samples over {} gold calls of the original's level 1 as far as it \
                 is in ../shared, scaled to 399: the original's own verdict, as the original gives it; \
                 with every other profile and the whole record beside it {:.1} ms ({:.0}×)",
                verdict.0,
                1e3 * scaled(all),
                ORIGINAL_SECONDS / scaled(all)
            );
            (scaled(verdict), note)
        }
        _ => {
            let own = estimate("own")?.context("criterion left no estimate")?;
            let note = format!(
                "median of criterion's samples over {} gold calls of the built-in pack's Call \
                 dialogues, as the original's are not there, scaled to 399, every profile",
                own.0
            );
            (scaled(own), note)
        }
    };
    figures.add("score-native", Figure::beside(ours, ORIGINAL_SECONDS, note));
    Ok(figures)
}

/// Calls and seconds of one benchmark; `None` if it was not run this time.
fn estimate(data: &str) -> Result<Option<(f64, f64)>> {
    let dir = target().join("criterion").join("score").join(data).join("new");
    let (Ok(estimates), Ok(benchmark)) = (
        fs::read_to_string(dir.join("estimates.json")),
        fs::read_to_string(dir.join("benchmark.json")),
    ) else {
        return Ok(None);
    };
    let damaged = || format!("a file of criterion in {} is damaged", dir.display());
    let estimates: Value = serde_json::from_str(&estimates).with_context(damaged)?;
    let benchmark: Value = serde_json::from_str(&benchmark).with_context(damaged)?;
    let nanoseconds = estimates["median"]["point_estimate"].as_f64();
    let calls = benchmark["throughput"]["Elements"].as_f64();
    let both = calls.zip(nanoseconds.map(|it| it * 1e-9));
    both.map(Some).with_context(|| format!("{} has another form than expected", dir.display()))
}
