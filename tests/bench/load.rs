//! Runs against the scripted endpoint with 20 ms answers: the engine's overhead per answer, and the
//! share of the possible throughput.
//!
//! Every run is paired with the same number of bare requests, sent the same way but without the
//! engine: their overhead is the browser's or the network's, not the engine's. Throughput is
//! measured against their latency.
//!
//! The browser has six requests in flight, its limit per host over HTTP/1.1 (HTTP/2 would need TLS,
//! which the endpoint lacks). The command line has a hundred.

use std::{
    env,
    fs::File,
    io::BufReader,
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Error, Result, ensure};
use dataset::{Ability, Split};
use exchange::protocol::{DescribedApis, Prompts, Protocol, ask, plan};
use futures::{StreamExt, TryStreamExt, future, stream};
use provider::{Endpoint, WireFormat};
use record::{Limits, Model, Record, RunSettings};
use scripted_endpoint::{Config, Gold, Rule, Script, ScriptedEndpoint};
use serde_json::json;
use tokio::{process::Command, runtime::Builder, sync::oneshot};
use xtask::bench::{Figure, Figures};

use crate::{
    numbers::{mean, median},
    stage::Stage,
    workers::{Ran, Started},
};

/// The endpoint's time per answer.
const ANSWER: Duration = Duration::from_millis(20);
/// Repeats per run.
const REPEATS: usize = 5;
/// Requests in flight, from the browser and from the command line.
const BROWSER: usize = 6;
const NATIVE: usize = 100;
/// Trials of the native run, so that it lasts seconds: connecting and the first searches are over soon.
const TRIALS: u32 = 20;

/// Measures both the browser and the command line.
pub async fn measure(figures: &mut Figures) -> Result<()> {
    browser(figures).await?;
    native(figures).await
}

/// Runs the endpoint on a separate thread, which costs less than sharing one runtime: the endpoint
/// uses the cores that it measures.
async fn endpoint() -> Result<Served> {
    let config = Config { slow: ANSWER, ..Config::new(Script::all(Rule::Slow)) };
    let (tell, receiver) = oneshot::channel();
    let (stop, stopped) = oneshot::channel::<()>();
    let runtime = Builder::new_current_thread().enable_all().build()?;
    thread::spawn(move || {
        runtime.block_on(async {
            let started = match Gold::builtin() {
                Ok(gold) => ScriptedEndpoint::start(gold, config).await.map_err(Error::from),
                Err(error) => Err(error.into()),
            };
            // Skip serving if the receiver is gone.
            if tell.send(started).is_ok() {
                let _ = stopped.await;
            }
        });
    });
    Ok(Served { endpoint: receiver.await??, _stop: stop })
}

/// An endpoint that stops when dropped.
struct Served {
    endpoint: ScriptedEndpoint,
    _stop: oneshot::Sender<()>,
}

/// A run measured at both ends, times in milliseconds.
struct Seen {
    /// The number of samples in the run.
    samples: usize,
    /// The run's duration.
    took: f64,
    /// The endpoint's mean time per answer.
    own: f64,
    /// The program's CPU time on all cores, if known.
    computed: Option<f64>,
    /// A bare request's overhead over the endpoint's time, and bare requests per second.
    bare: (f64, f64),
}

impl Seen {
    fn new(samples: usize, took: f64, server: &Served) -> Self {
        let own: Vec<f64> = server
            .endpoint
            .requests()
            .iter()
            .filter(|seen| seen.sample.is_some())
            .filter_map(|seen| Some(seen.took?.as_secs_f64() * 1e3))
            .collect();
        Seen { samples, took, own: mean(&own), computed: None, bare: (0.0, 0.0) }
    }

    /// A sample's overhead in its slot over the endpoint's time.
    fn more(&self, flight: usize) -> f64 {
        self.took * flight as f64 / self.samples as f64 - self.own
    }

    /// Samples per second.
    fn rate(&self) -> f64 {
        1e3 * self.samples as f64 / self.took
    }

    /// The same run, with the figures of bare requests.
    fn beside(self, bare: &Seen, flight: usize) -> Self {
        Seen { bare: (bare.more(flight), bare.rate()), ..self }
    }
}

/// Adds the rows of runs with `flight` requests in flight.
fn add(figures: &mut Figures, flight: usize, runs: &[Seen], how: &str) {
    let of = |figure: &dyn Fn(&Seen) -> f64| median(&runs.iter().map(figure).collect::<Vec<_>>());
    let more = of(&|run| run.more(flight));
    let bare = of(&|run| run.bare.0);
    let overhead = of(&|run| run.more(flight) - run.bare.0);
    let reached = of(&|run| run.rate());
    let possible = of(&|run| 1e3 * flight as f64 / run.own);
    let samples = runs.first().map_or(0, |run| run.samples);
    let computed = of(&|run| run.computed.unwrap_or_default() / run.samples as f64);
    let computed = if computed > 0.0 {
        format!("; the program computed {computed:.2} ms a sample, on all cores together")
    } else {
        String::new()
    };
    let how = format!(
        "median of {} runs of {samples} samples {how}; the endpoint, asked to take {} ms, itself took \
         {:.2} ms an answer",
        runs.len(),
        ANSWER.as_millis(),
        of(&|run| run.own)
    );
    let note = format!(
        "{how}; a sample held its place {more:.2} ms more, a bare request {bare:.2} ms: the difference is \
         the engine's{computed}"
    );
    figures.add(&format!("overhead-{flight}"), Figure::new(overhead, note));
    let bare = of(&|run| run.bare.1);
    let note = format!(
        "{how}, which would allow {possible:.0} a second: {:.1} % of them were reached, by bare requests \
         {:.1} %",
        100.0 * reached / possible,
        100.0 * bare / possible
    );
    figures.add(&format!("throughput-{flight}"), Figure::beside(reached, bare, note));
}

/// The body of a bare request: a sample of medium length, so that the endpoint has typical work.
fn question() -> Result<String> {
    let pack = dataset::builtin()?;
    let protocol = Protocol::default();
    // As a run asks, or the endpoint does not know the sample and answers at once.
    let apis = DescribedApis::default();
    let plan = plan(protocol, &pack, Split::Standard, &Ability::ALL, 1, apis);
    let bodies = plan.samples.into_iter().map(|sample| {
        let asked = ask(protocol, Prompts::builtin(protocol), &sample, &pack.world);
        json!({ "model": "scripted", "stream": true, "messages": asked.messages }).to_string()
    });
    let mut bodies: Vec<String> = bodies.collect();
    bodies.sort_by_key(String::len);
    let middle = bodies.len() / 2;
    bodies.into_iter().nth(middle).context("the pack has no samples")
}

async fn browser(figures: &mut Figures) -> Result<()> {
    let stage = Stage::start().await?;
    stage.open_bench().await?;
    stage.call::<Started>("start", &[json!("ours"), json!({})]).await?;
    let question = question()?;
    let mut runs = Vec::new();
    for _ in 0..REPEATS {
        let server = endpoint().await?;
        let model = Model::Endpoint(Endpoint {
            format: WireFormat::ChatCompletions,
            base_url: server.endpoint.url(),
            model: "scripted".to_owned(),
            temperature: Some(0.0),
            streaming: true,
            ..Endpoint::default()
        });
        let settings = RunSettings { concurrency: BROWSER, ..RunSettings::new(model) };
        let ran: Ran = stage.call("run", &[serde_json::to_value(settings)?]).await?;
        ensure!(ran.status == "finished", "the run ended as {}", ran.status);
        let seen = Seen::new(ran.samples, ran.from_start, &server);
        let server = endpoint().await?;
        let given = [json!(address(&server)), json!(question), json!(seen.samples), json!(BROWSER)];
        let took: f64 = stage.call("bare", &given).await?;
        let bare = Seen::new(seen.samples, took, &server);
        runs.push(seen.beside(&bare, BROWSER));
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
    let question = question()?;
    let mut runs = Vec::new();
    for _ in 0..REPEATS {
        let server = endpoint().await?;
        let out = dir.path().join("record.json");
        // The shell reports its children's CPU time.
        let output = Command::new("sh")
            .args(["-c", "\"$@\" >&2 || exit; times", "sh"])
            .arg(&program)
            .args(["run", "--model", "scripted", "--format", "chat-completions", "--endpoint"])
            .arg(server.endpoint.url())
            .args(["--concurrency", &NATIVE.to_string(), "--trials", &TRIALS.to_string(), "--out"])
            .arg(&out)
            .output()
            .await
            .with_context(|| format!("can't start {}", program.display()))?;
        ensure!(
            output.status.success(),
            "api-bank run ended with {}: {}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
        let record = Record::read_whole(BufReader::new(File::open(&out)?), &Limits::DISK)?;
        let took = record.times.finished_ms.saturating_sub(record.times.started_ms);
        let computed = children_ms(&String::from_utf8_lossy(&output.stdout));
        let seen = Seen { computed, ..Seen::new(record.samples.len(), took as f64, &server) };
        std::fs::remove_file(&out)?;
        let server = endpoint().await?;
        let (to, question, count) = (address(&server), question.clone(), seen.samples);
        let took = tokio::task::spawn_blocking(move || {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(bare(&to, &question, count))
        });
        let took = took.await??;
        let bare = Seen::new(seen.samples, took, &server);
        runs.push(seen.beside(&bare, NATIVE));
    }
    add(figures, NATIVE, &runs, "by `api-bank run`, over HTTP/1.1, endpoint on the same cores");
    Ok(())
}

/// The URL for prompts.
fn address(server: &Served) -> String {
    format!("{}/chat/completions", server.endpoint.url())
}

/// Sends `count` bare requests, [`NATIVE`] at a time; the total time in milliseconds.
async fn bare(address: &str, question: &str, count: usize) -> Result<f64> {
    let client = reqwest::Client::new();
    let started = Instant::now();
    stream::iter(0..count)
        .map(|_| async {
            let request = client.post(address).header("content-type", "application/json");
            let answer = request.body(question.to_owned()).send().await?.error_for_status()?;
            answer.bytes().await.map(drop)
        })
        .buffer_unordered(NATIVE)
        .try_for_each(|()| future::ready(Ok::<_, reqwest::Error>(())))
        .await?;
    Ok(started.elapsed().as_secs_f64() * 1e3)
}

/// The CPU time of a shell's children in milliseconds: the second line of its `times`, such as
/// `0m1.25s 0m0.50s` (user and system time).
fn children_ms(times: &str) -> Option<f64> {
    let seconds = |time: &str| -> Option<f64> {
        let (minutes, seconds) = time.strip_suffix('s')?.split_once('m')?;
        Some(60.0 * minutes.parse::<f64>().ok()? + seconds.parse::<f64>().ok()?)
    };
    let all: Option<Vec<f64>> = times.lines().nth(1)?.split_whitespace().map(seconds).collect();
    Some(1e3 * all?.iter().sum::<f64>())
}
