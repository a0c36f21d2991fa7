//! `api-bank run`: the benchmark on a model, to a record.

use crate::endpoint::{EndpointArguments, key};
use crate::files::{self, SearchFiles};
use crate::ports::Native;
use crate::{CANCELLED, FINISHED, INCOMPLETE, Usage, pack, table};
use anyhow::{Context, Result};
use clap::Args;
use dataset::{Ability, Split};
use engine::baseline::Baseline;
use engine::bench::Bench;
use engine::protocol::{Prompts, Protocol};
use engine::provider::Timeouts;
use engine::record::{Model, Outcome, Record, SampleRecord, Status};
use engine::retrieval::{Index, Search};
use engine::runner::{self, MOST_TRIALS, Progress, RunSettings};
use engine::scoring::Profile;
use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::watch;

/// What to run. The defaults are the page's, so that the records are the same.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A built-in model, gold-replay or keyword-baseline; with --endpoint or --preset the model's
    /// name there.
    #[arg(long)]
    model: String,
    #[command(flatten)]
    endpoint: EndpointArguments,
    /// The record's file; - is standard output.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Imported data to run on, a folder or a zip archive in any of the original's released
    /// layouts; by default the project's own.
    #[arg(long, value_name = "PATH")]
    pack: Option<PathBuf>,
    /// The split to run: the evaluation set, or the 60 hard dialogues that are reported apart.
    #[arg(long, value_parser = split, default_value = "standard")]
    split: Split,
    /// The abilities to run; the hard split has Call only.
    #[arg(long, value_delimiter = ',', value_parser = ability, default_value = "call,retrieve,plan")]
    abilities: Vec<Ability>,
    /// How the model is asked: bracket (calls as text), tools (native tool calls), all-tools (the
    /// whole pool described, no search), agent (the model's own calls run, the end state decides).
    #[arg(long, value_parser = protocol, default_value = "bracket")]
    protocol: Protocol,
    /// How often each sample is asked; with more than one, pass^k is told.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_TRIALS)))]
    trials: u32,
    /// Answers that a model may give in a dialogue under agent.
    #[arg(long, default_value_t = runner::turn_limit())]
    turn_limit: usize,
    /// A JSON file with prompt texts in place of the project's own: {"version": …, "parts":
    /// {"call": {"system": …, "user": …}, …}}. The record marks them as custom.
    #[arg(long, value_name = "FILE")]
    prompts: Option<PathBuf>,
    /// Requests in flight; by default what suits the server.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100))]
    concurrency: Option<u32>,
    /// How often a failed request is tried again.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=20))]
    retries: u32,
    /// Seconds until a request is given up that nothing comes back for.
    #[arg(long, default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    timeout: u32,
    /// Seconds that an answer may take from its first byte to its last.
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    body_timeout: u32,
    /// The folder with weights.bin, vocab.txt and vectors.bin; by default search/current in
    /// $API_BANK_CACHE, $XDG_CACHE_HOME/api-bank or ~/.cache/api-bank.
    #[arg(long, value_name = "DIR")]
    search_files: Option<PathBuf>,
}

fn ability(text: &str) -> Result<Ability, String> {
    let known = Ability::ALL.into_iter().find(|ability| ability.as_str() == text.trim());
    known.ok_or_else(|| "expected call, retrieve or plan".to_owned())
}

fn split(text: &str) -> Result<Split, String> {
    let known = Split::ALL.into_iter().find(|split| split.as_str() == text.trim());
    known.ok_or_else(|| "expected standard or hard".to_owned())
}

fn protocol(text: &str) -> Result<Protocol, String> {
    Protocol::named(text.trim())
        .ok_or_else(|| "expected bracket, tools, all-tools or agent".to_owned())
}

/// Runs, prints the table, writes the record.
pub(crate) fn run(arguments: &Arguments) -> Result<u8> {
    let settings = settings(arguments)?;
    let key = key()?;
    files::check_writable(&arguments.out)?;
    let bench = bench(arguments.pack.as_deref(), arguments.search_files.as_deref())?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("can't start the network")?;
    let record = runtime.block_on(record(&bench, &settings, key.as_deref()))?;
    files::write(&arguments.out, &record.to_json()?)?;
    let results = table::results(&record);
    if files::is_standard(&arguments.out) {
        eprint!("{results}");
    } else {
        print!("{results}");
    }
    Ok(finish(&record))
}

fn settings(arguments: &Arguments) -> Result<RunSettings> {
    let model = if arguments.endpoint.is_given() {
        Model::Endpoint(arguments.endpoint.read(&arguments.model)?)
    } else {
        let name = Baseline::ALL.into_iter().find(|it| it.as_str() == arguments.model);
        let name = name.ok_or_else(|| {
            Usage(format!(
                "--model: expected gold-replay or keyword-baseline, got {:?}. For a model of an \
                 endpoint name its address with --endpoint, or a --preset",
                arguments.model
            ))
        })?;
        Model::Builtin { name }
    };
    let suits = match &model {
        Model::Builtin { .. } => 1,
        Model::Endpoint(endpoint) => endpoint.server().facts().concurrency,
    };
    let mut settings = RunSettings::new(model);
    settings.split = arguments.split;
    settings.abilities.clone_from(&arguments.abilities);
    settings.abilities.sort_unstable();
    settings.abilities.dedup();
    settings.protocol = arguments.protocol;
    settings.trials = arguments.trials;
    settings.turn_limit = arguments.turn_limit;
    settings.custom_prompts =
        arguments.prompts.as_deref().map(|file| prompts(file, arguments.protocol)).transpose()?;
    settings.check().map_err(|error| Usage(error.to_string()))?;
    settings.concurrency = arguments.concurrency.map_or(suits, |count| count as usize);
    settings.retries = arguments.retries;
    settings.timeouts = Timeouts { headers_s: arguments.timeout, body_s: arguments.body_timeout };
    Ok(settings)
}

/// Prompt texts of a file, checked.
fn prompts(file: &Path, protocol: Protocol) -> Result<Prompts> {
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("can't read the prompts {}", file.display()))?;
    let prompts = Prompts::read(protocol, &text);
    Ok(prompts.map_err(|error| Usage(format!("--prompts: {error}")))?)
}

/// The pack with API Search: a folder's, or the built-in one.
fn bench(pack: Option<&Path>, search_files: Option<&Path>) -> Result<Bench> {
    let files = SearchFiles::find(search_files)?;
    if let Some(folder) = pack {
        return Ok(Bench::imported(pack::runnable(folder)?, Arc::new(files.encoder()?)));
    }
    let index = Index::from_bytes(&files.vectors()?).with_context(|| files.damaged())?;
    let search = Search::new(files.encoder()?, index).with_context(|| files.damaged())?;
    let pack = dataset::builtin().context("the data set of this program is damaged")?;
    Ok(Bench::new(pack, search))
}

/// The run itself; Ctrl-C ends it early, a second one at once.
async fn record(bench: &Bench, settings: &RunSettings, key: Option<&str>) -> Result<Record> {
    let (switch, stop) = watch::channel(false);
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            eprintln!("\nStopping. What is done will be written; Ctrl-C again gives it up.");
            switch.send_replace(true);
        }
        if tokio::signal::ctrl_c().await.is_ok() {
            std::process::exit(CANCELLED.into());
        }
    });
    let ports = Native::new(stop).context("can't start the network")?;
    let mut meter = Meter::default();
    let report = |progress| meter.report(progress);
    let record = runner::run(bench, settings, key, &ports, report).await;
    meter.end();
    Ok(record)
}

/// Progress on standard error: one line that is written over on a terminal, else
/// a line each tenth.
#[derive(Default)]
struct Meter {
    planned: BTreeMap<Ability, usize>,
    done: BTreeMap<Ability, usize>,
    calls: usize,
    right: usize,
    failed: usize,
    tenth: usize,
    wrote: bool,
}

impl Meter {
    fn report(&mut self, progress: Progress) {
        match progress {
            Progress::Started { planned } => self.planned = planned.into_iter().collect(),
            Progress::Sample(sample) => self.count(&sample),
        }
        let total: usize = self.planned.values().sum();
        let done: usize = self.done.values().sum();
        let tenth = 10 * done / total.max(1);
        let mut stderr = std::io::stderr().lock();
        // Nothing can be done about a progress line that cannot be written.
        if stderr.is_terminal() {
            let _ = write!(stderr, "\r\x1b[2K{}", self.line());
            let _ = stderr.flush();
            self.wrote = true;
        } else if tenth > self.tenth {
            let _ = writeln!(stderr, "{}", self.line());
        }
        self.tenth = tenth;
    }

    fn count(&mut self, sample: &SampleRecord) {
        *self.done.entry(sample.ability).or_default() += 1;
        if matches!(sample.outcome, Outcome::Failed { .. }) {
            self.failed += 1;
        } else if sample.kind.is_decision()
            && let Some(verdict) = sample.verdict(Profile::Execution)
        {
            self.calls += 1;
            self.right += usize::from(verdict.correct);
        }
    }

    fn line(&self) -> String {
        let abilities: Vec<String> = self
            .planned
            .iter()
            .map(|(ability, planned)| {
                let done = self.done.get(ability).copied().unwrap_or(0);
                format!("{} {done}/{planned}", ability.title())
            })
            .collect();
        let failed = match self.failed {
            0 => String::new(),
            count => format!(", {count} not scored"),
        };
        format!("{}: {} of {} calls right{failed}", abilities.join(", "), self.right, self.calls)
    }

    fn end(&self) {
        if self.wrote {
            eprintln!();
        }
    }
}

/// Says what was not scored and why, and gives the exit code.
fn finish(record: &Record) -> u8 {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for sample in &record.samples {
        if let Outcome::Failed { message, .. } = &sample.outcome {
            *reasons.entry(message).or_default() += 1;
        }
    }
    for (reason, count) in &reasons {
        eprintln!("Not scored, {count}: {reason}");
    }
    match record.status {
        Status::Cancelled => CANCELLED,
        Status::Finished if reasons.is_empty() => FINISHED,
        Status::Finished => INCOMPLETE,
    }
}
