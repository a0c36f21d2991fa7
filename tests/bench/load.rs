//! Runs against the scripted endpoint with answers that take 20 ms: what the engine adds to them,
//! and how much of the possible throughput is reached.
//!
//! From the browser six requests are in flight: that is what it opens to one host by HTTP/1.1, and
//! HTTP/2 would need TLS, which the endpoint has not. A hundred are in flight from the command line.

use std::{env, path::PathBuf, time::Duration};

use anyhow::{Context, Result, ensure};
use engine::{
    provider::{Endpoint, WireFormat},
    record::{Limits, Model, Record},
    runner::RunSettings,
};
use scripted_endpoint::{Config, Gold, Rule, Script, ScriptedEndpoint};
use serde_json::json;
use tokio::process::Command;
use xtask::bench::{Figure, Figures};

use crate::{
    numbers::{mean, median},
    stage::Stage,
    workers::Ran,
};

/// How long each answer takes.
const ANSWER: Duration = Duration::from_millis(20);
/// How often each run is repeated.
const REPEATS: usize = 3;
/// Requests in flight, from the browser and from the command line.
const BROWSER: usize = 6;
const NATIVE: usize = 100;
/// Trials of the native run, so that it lasts seconds.
const TRIALS: u32 = 5;

/// Measures both.
pub async fn measure(figures: &mut Figures) -> Result<()> {
    browser(figures).await?;
    native(figures).await
}

async fn endpoint() -> Result<ScriptedEndpoint> {
    let config = Config { slow: ANSWER, ..Config::new(Script::all(Rule::Slow)) };
    Ok(ScriptedEndpoint::start(Gold::builtin()?, config).await?)
}

/// One run as it was seen from both ends, times in milliseconds.
struct Seen {
    /// Samples of the run.
    samples: usize,
    /// How long it took.
    took: f64,
    /// How long the endpoint took for an answer, on the mean.
    own: f64,
}

impl Seen {
    fn new(samples: usize, took: f64, server: &ScriptedEndpoint) -> Self {
        let own: Vec<f64> = server
            .requests()
            .iter()
            .filter(|seen| seen.sample.is_some())
            .filter_map(|seen| Some(seen.took?.as_secs_f64() * 1e3))
            .collect();
        Seen { samples, took, own: mean(&own) }
    }
}

/// Adds the rows of runs with so many requests in flight.
fn add(figures: &mut Figures, flight: usize, runs: &[Seen], how: &str) {
    let of = |figure: fn(&Seen, f64) -> f64| {
        let all: Vec<f64> = runs.iter().map(|run| figure(run, flight as f64)).collect();
        median(&all)
    };
    // A sample holds its place among those in flight for this long.
    let overhead = of(|run, flight| run.took * flight / run.samples as f64 - run.own);
    let reached = of(|run, _| 1e3 * run.samples as f64 / run.took);
    let possible = of(|run, flight| 1e3 * flight / run.own);
    let samples = runs.first().map_or(0, |run| run.samples);
    let note = format!(
        "median of {} runs of {samples} samples {how}; the endpoint itself took {:.2} ms an answer",
        runs.len(),
        of(|run, _| run.own)
    );
    figures.add(&format!("overhead-{flight}"), Figure::new(overhead, note.clone()));
    figures.add(&format!("throughput-{flight}"), Figure::beside(reached, possible, note));
}

async fn browser(figures: &mut Figures) -> Result<()> {
    let stage = Stage::start().await?;
    stage.open_bench().await?;
    stage.call::<f64>("start", &[json!("ours"), json!({})]).await?;
    let mut runs = Vec::new();
    for _ in 0..REPEATS {
        let server = endpoint().await?;
        let model = Model::Endpoint(Endpoint {
            format: WireFormat::ChatCompletions,
            base_url: server.url(),
            model: "scripted".to_owned(),
            temperature: Some(0.0),
            streaming: true,
            ..Endpoint::default()
        });
        let settings = RunSettings { concurrency: BROWSER, ..RunSettings::new(model) };
        let ran: Ran = stage.call("run", &[serde_json::to_value(settings)?]).await?;
        ensure!(ran.status == "finished", "the run ended as {}", ran.status);
        runs.push(Seen::new(ran.samples, ran.from_start, &server));
    }
    stage.browser.quit().await;
    add(figures, BROWSER, &runs, "by the shipped worker, each kept in IndexedDB, over HTTP/1.1");
    Ok(())
}

async fn native(figures: &mut Figures) -> Result<()> {
    let Some(program) = env::var_os("API_BANK_BENCH_PROGRAM").map(PathBuf::from) else {
        println!("  SKIPPED the native runs: API_BANK_BENCH_PROGRAM names no api-bank");
        return Ok(());
    };
    let dir = tempfile::tempdir()?;
    let mut runs = Vec::new();
    for _ in 0..REPEATS {
        let server = endpoint().await?;
        let out = dir.path().join("record.json");
        let status = Command::new(&program)
            .args(["run", "--model", "scripted", "--format", "chat-completions", "--endpoint"])
            .arg(server.url())
            .args(["--concurrency", &NATIVE.to_string(), "--trials", &TRIALS.to_string(), "--out"])
            .arg(&out)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .status()
            .await
            .with_context(|| format!("can't start {}", program.display()))?;
        ensure!(status.success(), "api-bank run ended with {status}");
        let record = Record::read_whole(std::fs::File::open(&out)?, &Limits::DISK)?;
        let took = record.times.finished_ms.saturating_sub(record.times.started_ms);
        runs.push(Seen::new(record.samples.len(), took as f64, &server));
        std::fs::remove_file(&out)?;
    }
    add(figures, NATIVE, &runs, "by `api-bank run`, over HTTP/1.1, endpoint on the same cores");
    Ok(())
}
