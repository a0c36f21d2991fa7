//! The native part: the engine's own benchmarks, whose estimates are read from where criterion
//! leaves them.

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
    search::{self, Beside},
};

/// Runs the benchmark of the scorer.
pub(super) fn measure(cache: &Cache) -> Result<Figures> {
    // The original's data is searched with the model's files, which have to be there.
    search::ensure_beside(cache, Beside::Tests)?;
    // Estimates of an earlier time would be taken for this one's.
    let left = target().join("criterion").join("score");
    if left.exists() {
        fs::remove_dir_all(&left).with_context(|| format!("can't empty {}", left.display()))?;
    }
    optimized()?;
    run(cargo().args(["bench", "--quiet"]).args(selection()).args(["--bench", "scoring"]))?;
    let mut figures = Figures::default();
    let (name, calls, seconds) = match estimate("original")? {
        Some((calls, seconds)) => {
            ("the original's level 1 as far as it is in ../shared", calls, seconds)
        }
        None => {
            let (calls, seconds) = estimate("own")?.context("criterion left no estimate")?;
            (
                "the Call dialogues of the built-in pack, as the original's are not there",
                calls,
                seconds,
            )
        }
    };
    let note = format!(
        "median of criterion's samples over {calls} gold calls of {name}, all profiles, {:.1} µs a call, scaled to 399",
        1e6 * seconds / calls
    );
    let ours = seconds / calls * ORIGINAL_CALLS;
    figures.add("score-native", Figure::beside(ours, ORIGINAL_SECONDS, note));
    Ok(figures)
}

/// Calls and seconds of one benchmark; `None` when it was not run this time.
fn estimate(data: &str) -> Result<Option<(f64, f64)>> {
    let dir = target().join("criterion").join("score").join(data).join("new");
    let (Ok(estimates), Ok(benchmark)) = (
        fs::read_to_string(dir.join("estimates.json")),
        fs::read_to_string(dir.join("benchmark.json")),
    ) else {
        return Ok(None);
    };
    let estimates: Value = serde_json::from_str(&estimates)?;
    let benchmark: Value = serde_json::from_str(&benchmark)?;
    let nanoseconds = estimates["median"]["point_estimate"].as_f64();
    let calls = benchmark["throughput"]["Elements"].as_f64();
    let both = calls.zip(nanoseconds.map(|it| it * 1e-9));
    both.map(Some).context("criterion writes its estimates in another form")
}
