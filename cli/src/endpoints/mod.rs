//! `api-bank compare-endpoints`: one model behind several endpoints, asked side by side.

mod file;
mod shown;

use crate::journal::Journal;
use crate::lock::Lock;
use crate::network::network;
use crate::shown::{put, say, tell};
use crate::{CANCELLED, FINISHED, INCOMPLETE, Usage, output, resume, run};
use anyhow::{Context, Result};
use clap::Args;
use dataset::Edition;
use file::{File, KeyOf, Named};
use futures::future::join_all;
use provider::Ports as _;
use record::compare::{EndpointRun, endpoints};
use record::{Outcome, Record, RunSettings, RunTimes, SampleRecord, Status};
use runner::benchmark::Benchmark;
use runner::side_by_side::{Gate, Gated};
use runner::{Asked, Response, Run};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;

/// Answers waiting for their verdict, at most.
const WAITING: usize = 1024;

/// What to compare.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A TOML file: settings of the run, and two to six tables [[endpoint]] with a name, the options
    /// of `run` that describe an endpoint (preset, endpoint, model, temperature, …) and prices per
    /// million tokens. The first endpoint is the reference; it is asked twice, which gives the noise
    /// floor.
    file: PathBuf,
    /// The environment variable with the key for an origin or a whole address, such as
    /// https://openrouter.ai=OPENROUTER_KEY; repeat for several. Others get no key.
    #[arg(long, value_name = "ORIGIN=VARIABLE")]
    key: Vec<KeyOf>,
    /// An address of the file that is no preset's own, repeated: requests go to no other. A whole
    /// address in --key is repeated too.
    #[arg(long, value_name = "URL")]
    address: Vec<String>,
    /// The folder for the records, one per run.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Overwrite the records in the folder.
    #[arg(long)]
    force: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// The original's data, as in `run`; by default the project's own.
    #[arg(long, value_name = "PATH")]
    pack: Vec<PathBuf>,
    /// The folder with model.onnx, vocab.txt and vectors.bin; defaults to `search` beside the
    /// program, else to the cache.
    #[arg(long, value_name = "DIR")]
    search_files: Option<PathBuf>,
}

/// One run of the comparison.
struct Planned<'a> {
    title: String,
    endpoint: &'a Named,
    settings: RunSettings,
    out: PathBuf,
    _lock: Option<Lock>,
}

/// Runs all endpoints, writes their records and prints the comparison.
pub(crate) fn run(arguments: &Arguments) -> Result<u8> {
    let file = File::read(&arguments.file)?;
    let named = file.endpoints(&arguments.key, &arguments.address)?;
    let planned = planned(&file, &named, arguments)?;
    for run in &planned {
        let endpoint = &run.endpoint.endpoint;
        let address = endpoint.prompt_address().map_err(|error| Usage(error.message))?;
        let with = if run.endpoint.key.is_some() { "with a key" } else { "without a key" };
        tell!("{}: {} at {address}, {with}", run.title, endpoint.model);
    }
    let edition = file.edition()?;
    if edition != Edition::Original && !arguments.pack.is_empty() {
        let message = "--pack: variants and languages are of the built-in pack";
        return Err(Usage(message.to_owned()).into());
    }
    let bench = run::bench(&arguments.pack, arguments.search_files.as_deref())?;
    let bench = bench.edition(edition)?;
    for run in &planned {
        runner::check(&bench, &run.settings).map_err(|error| Usage(error.to_string()))?;
    }
    let mut records = Vec::new();
    for ((record, journal), run) in asked(&bench, &planned)?.into_iter().zip(&planned) {
        if let Err(error) = run::save(&record, &run.out) {
            let command = |path: &Path| resume::command(path, &run.out, "");
            return Err(run::rescue(error, &record, Some(journal), command));
        }
        journal.end();
        records.push(record);
    }
    let runs: Vec<EndpointRun<'_>> = records
        .iter()
        .zip(&planned)
        .map(|(record, run)| EndpointRun { record, prices: run.endpoint.prices })
        .collect();
    let report = endpoints(&runs);
    let titles: Vec<&str> = planned.iter().map(|run| run.title.as_str()).collect();
    match arguments.json {
        true => put(&(shown::as_json(&titles, &report)? + "\n")),
        false => say!("{}", shown::as_text(&titles, &report).trim_end()),
    }
    let failed = |record: &Record| {
        record.samples.iter().any(|sample| matches!(sample.outcome, Outcome::Failed { .. }))
    };
    Ok(if records.iter().any(|record| record.status == Status::Cancelled) {
        CANCELLED
    } else if records.iter().any(failed) {
        INCOMPLETE
    } else {
        FINISHED
    })
}

/// The runs: the reference, the reference again, then the others.
fn planned<'a>(file: &File, named: &'a [Named], arguments: &Arguments) -> Result<Vec<Planned<'a>>> {
    std::fs::create_dir_all(&arguments.out)
        .with_context(|| format!("can't make {}", arguments.out.display()))?;
    let again = named.first().map(|endpoint| (endpoint, " again", "-again"));
    let mut runs: Vec<_> = named.iter().map(|endpoint| (endpoint, "", "")).collect();
    runs.splice(1..1, again);
    let plan = |(endpoint, title, ending): (&'a Named, &str, &str)| {
        let out = arguments.out.join(format!("{}{ending}.json", endpoint.name));
        let lock = Lock::of(&out)?;
        if !arguments.force {
            resume::check_free(&out, None, "")?;
        }
        output::check_writable(&out)?;
        let settings = file.settings(&endpoint.endpoint)?;
        let title = format!("{}{title}", endpoint.name);
        Ok(Planned { title, endpoint, settings, out, _lock: lock })
    };
    runs.into_iter().map(plan).collect()
}

/// A run with its samples so far.
struct Kept {
    journal: Journal,
    samples: Vec<SampleRecord>,
}

/// Asks all endpoints side by side. A separate thread judges and saves answers.
fn asked(bench: &Benchmark, planned: &[Planned<'_>]) -> Result<Vec<(Record, Journal)>> {
    let (runtime, switch, ports) = network()?;
    let started_ms = ports.now_ms();
    let runs: Vec<Run<'_>> = planned.iter().map(|run| Run::new(bench, &run.settings)).collect();
    let mut kept = planned
        .iter()
        .map(|run| {
            let frame = runner::head(bench, &run.settings);
            Ok(Kept { journal: Journal::begin(&run.out, &frame, &[])?, samples: Vec::new() })
        })
        .collect::<Result<Vec<Kept>>>()?;
    let gate = Gate::new(planned.len());
    let (answered, answers) = mpsc::sync_channel::<(usize, Response<'_>)>(WAITING);
    let asked: Vec<Asked> = thread::scope(|scope| {
        scope.spawn(|| {
            for (index, came) in answers {
                let Some((run, kept)) = runs.get(index).zip(kept.get_mut(index)) else {
                    continue;
                };
                let sample = run.judge(came);
                kept.journal.add(&sample);
                run::stop_if_stuck(&kept.journal, &switch);
                kept.samples.push(sample);
            }
        });
        let asking = runs.iter().zip(planned).enumerate().map(|(index, (run, plan))| {
            let (gate, ports, answered) = (&gate, &ports, answered.clone());
            async move {
                let gated = Gated { ports, gate, run: index };
                let response = |came| {
                    gate.done(index);
                    // The receiver is gone only after a panic, which the scope propagates.
                    drop(answered.send((index, came)));
                };
                let key = plan.endpoint.key.as_ref();
                let asked = run.ask(run.missing(&[]), key, &gated, response).await;
                gate.ended(index);
                asked
            }
        });
        let all = runtime.block_on(gate.joined(join_all(asking), ports.stopped()));
        drop(answered);
        all
    });
    let times = RunTimes { started_ms, finished_ms: ports.now_ms().max(started_ms) };
    let mut records = Vec::new();
    for (((run, plan), kept), asked) in runs.iter().zip(planned).zip(kept).zip(asked) {
        if let Some(reason) = asked.stopped {
            tell!("{} stopped early: {reason}", plan.title);
        }
        records.push((run.record(kept.samples, asked.dropped, times), kept.journal));
    }
    Ok(records)
}
