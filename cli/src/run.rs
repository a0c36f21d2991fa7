//! `api-bank run`: runs the benchmark on a model and writes a record.

use crate::choice::{EditionChoice, one_of};
use crate::endpoint::{EndpointArguments, key};
use crate::files::{self, SearchFiles};
use crate::journal::Journal;
use crate::lock::Lock;
use crate::meter::Meter;
use crate::ports::Native;
use crate::shown::{put, say, shown, tell};
use crate::threshold::Thresholds;
use crate::{
    BELOW, CANCELLED, FINISHED, INCOMPLETE, Usage, journal, output, pack, resume, retriever, table,
};
use anyhow::{Context, Result, anyhow, bail};
use apis::search::SearchResults;
use clap::Args;
use dataset::{Ability, Split};
use exchange::protocol::{DescribedApis, Prompts, Protocol, Steps};
use provider::Ports;
use provider::{ApiKey, Timeouts};
use record::Baseline;
use record::reference::{NAMED, NamedProtocol};
use record::{MOST_TRIALS, RunSettings, Shard, Subset};
use record::{Model, Outcome, Record, RunTimes, SampleRecord, Status};
use retrieval::{Index, Search};
use runner::benchmark::Benchmark;
use runner::{Asked, Run, Verifier, VerifyError};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

/// What to run. The defaults match the page's, so that the records are the same.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A built-in model: gold-replay, keyword-baseline, or a trivial one (says-nothing,
    /// repeats-the-user, calls-the-first-api, calls-every-api, searches-forever, refuses-politely,
    /// claims-success, obeys-tool-results); with --endpoint or --preset, the model's
    /// name there.
    #[arg(long, required_unless_present = "resume", conflicts_with = "resume")]
    model: Option<String>,
    #[command(flatten)]
    endpoint: EndpointArguments,
    /// Resume a run from its record, if it was cancelled or has samples without an answer, or from
    /// the .partial file that a crashed run leaves. Asks only the missing samples, with the
    /// record's settings. A damaged record is repaired from the .partial file next to it.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["variant", "language"])]
    resume: Option<PathBuf>,
    /// With --resume: the record is of another version of the data. Keeps its answers where the prompt
    /// is the same, judges them anew, and asks the rest. Needs another file at --out. Only for the
    /// protocols bracket and paper.
    #[arg(long, requires_all = ["resume", "out"])]
    reuse_answers: bool,
    /// The record's file; - is standard output. With --resume, defaults to the resumed record.
    #[arg(long, value_name = "FILE", required_unless_present_any = ["resume", "estimate"])]
    out: Option<PathBuf>,
    /// Print the number of samples, requests and tokens of the run, and the smallest difference
    /// between two models that it can show, without running it.
    #[arg(long, conflicts_with_all = ["resume", "out"])]
    estimate: bool,
    /// Overwrite the record or the unfinished run at --out.
    #[arg(long)]
    force: bool,
    /// The original's data, in any of its released layouts: a folder, a file, or a zip or tar.gz
    /// archive; can be repeated. Defaults to the built-in pack.
    #[arg(long, value_name = "PATH")]
    pack: Vec<PathBuf>,
    #[command(flatten)]
    edition: EditionChoice,
    /// The split to run: the evaluation set, or the 144 hard dialogues, which are reported separately.
    #[arg(long, value_parser = one_of(&Split::ALL, Split::as_str), default_value = "standard", conflicts_with = "resume")]
    split: Split,
    /// The abilities to run; the hard split has only Call.
    #[arg(
        long, value_delimiter = ',', value_parser = one_of(&Ability::ALL, Ability::as_str), default_value = "call,retrieve,plan",
        conflicts_with = "resume"
    )]
    abilities: Vec<Ability>,
    /// How the model is prompted: bracket (calls as text), tools (native tool calls), all-tools
    /// (every API described, no search), agent (the model's own calls are executed, and the end
    /// state decides).
    #[arg(long, value_parser = one_of(&Protocol::ALL, Protocol::as_str), default_value = "bracket", conflicts_with = "resume")]
    protocol: Protocol,
    /// The steps of each dialogue to ask: all, or first for only the first call.
    #[arg(long, value_parser = one_of(&Steps::ALL, Steps::as_str), default_value = "all", conflicts_with = "resume")]
    steps: Steps,
    /// The protocol and steps of published numbers, instead of --protocol and --steps: paper,
    /// first-step (Tool-N1, ToolACE-R) or step-replay (pull request 229 on the original).
    #[arg(
        long, value_name = "NAME", value_parser = one_of(&NAMED, |it| it.name),
        conflicts_with_all = ["resume", "protocol", "steps"]
    )]
    published: Option<NamedProtocol>,
    /// Trials per sample; with more than one, pass^k is reported.
    #[arg(
        long, default_value_t = 1, conflicts_with = "resume",
        value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_TRIALS))
    )]
    trials: u32,
    /// The maximum number of answers per dialogue under the protocol agent.
    #[arg(long, default_value_t = record::turn_limit(), conflicts_with = "resume")]
    turn_limit: usize,
    /// The APIs that prompts of Call describe: the dialogue's own, as in the paper, 15 with
    /// distractors, or all. The hard split has its own distractors.
    #[arg(long, value_parser = one_of(&DescribedApis::ALL, DescribedApis::as_str), default_value = "15", conflicts_with = "resume")]
    described_apis: DescribedApis,
    /// How many APIs a search returns: 5, or 1 as in the paper. Imported data always has 1.
    #[arg(long, value_parser = one_of(&SearchResults::ALL, SearchResults::as_str), default_value = "5", conflicts_with = "resume")]
    search_results: SearchResults,
    /// What answers searches: builtin, bm25, oracle (the API that the gold search finds comes first),
    /// or a folder with model.onnx and tokenizer.json. With --resume only a folder, if the record
    /// needs one.
    #[arg(long, value_name = "NAME|DIR")]
    retriever: Option<PathBuf>,
    /// A JSON file that replaces the built-in prompts: {"version": …, "parts": {"call": {"system":
    /// …, "user": …}, …}}. The record marks them as custom.
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    prompts: Option<PathBuf>,
    /// The subset of the data: all, a percentage of each ability's dialogues such as 10%, a number
    /// of dialogues per ability, or comma-separated dialogue ids.
    #[arg(long, value_parser = subset, default_value = "all", conflicts_with = "resume")]
    subset: Subset,
    /// Seed for the subset and the order.
    #[arg(long, default_value_t = 1, conflicts_with = "resume")]
    seed: u32,
    /// One shard of a run split across machines, such as 3/8; `api-bank merge` combines the records.
    #[arg(long, value_name = "PART/PARTS", conflicts_with = "resume")]
    shard: Option<Shard>,
    /// Requests in flight; defaults to what suits the server.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100))]
    concurrency: Option<u32>,
    /// Retries per failed request.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=20))]
    retries: u32,
    /// Seconds to wait for a response before a request times out.
    #[arg(long, default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    timeout: u32,
    /// The maximum number of seconds from an answer's first byte to its last.
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    body_timeout: u32,
    /// The folder with model.onnx, vocab.txt and vectors.bin; defaults to search beside the program,
    /// else to search/current in $API_BANK_CACHE, $XDG_CACHE_HOME/api-bank or ~/.cache/api-bank.
    #[arg(long, value_name = "DIR")]
    search_files: Option<PathBuf>,
    #[command(flatten)]
    thresholds: Thresholds,
}

/// Parses the value of --subset.
pub(crate) fn subset(text: &str) -> Result<Subset, String> {
    let text = text.trim();
    let percent = |share: &str| share.trim().parse().ok().filter(|it| (1..=100).contains(it));
    let known = match text.strip_suffix('%') {
        _ if text == "all" => Some(Subset::All),
        _ if text.contains('/') => {
            Some(Subset::Dialogues(text.split(',').map(|id| id.trim().to_owned()).collect()))
        }
        Some(share) => percent(share).map(Subset::Percent),
        None => text.parse().ok().filter(|count| *count > 0).map(Subset::PerAbility),
    };
    known.ok_or_else(|| {
        "expected all, a share such as 10%, a number of dialogues, or ids such as \
         call/already-covered,plan/scary-movie-shed"
            .to_owned()
    })
}

/// Runs the benchmark, prints the table and writes the record.
pub(crate) fn run(arguments: &Arguments) -> Result<u8> {
    if arguments.estimate {
        return estimate(arguments);
    }
    let out = &out(arguments)?;
    if arguments.reuse_answers && is_resumed(arguments, out) {
        let message = "--reuse-answers: name another file at --out, so that the old record is kept";
        bail!(Usage(message.to_owned()));
    }
    let _lock = Lock::of(out)?;
    // Another process may be writing the resumed run.
    let resumed = arguments.resume.as_deref().filter(|_| !is_resumed(arguments, out));
    let resumed = resumed.map(|path| journal::record_of(path).unwrap_or_else(|| path.to_owned()));
    let _other = match resumed.as_deref().map(Lock::of) {
        Some(Err(error)) if error.is::<Usage>() => return Err(error),
        other => other,
    };
    if !arguments.force {
        resume::check_free(out, arguments.resume.as_deref(), &more(arguments))?;
    }
    let earlier = arguments.resume.as_deref().map(resume::earlier).transpose()?;
    let own = retriever::Named::of_run(arguments.retriever.as_deref())?;
    let settings = match &earlier {
        Some((frame, _)) => {
            if let Model::Endpoint(recorded) = &frame.model {
                arguments.endpoint.agrees_with(recorded)?;
            }
            retry_policy(arguments, frame.settings())
        }
        None => RunSettings { retriever: own.setting(), ..settings(arguments)? },
    };
    let key = match &settings.model {
        Model::Endpoint(endpoint) => key(endpoint)?,
        Model::Builtin { .. } | Model::Agent(_) => None,
    };
    if let Some(published) = &arguments.published {
        tell_of(published, arguments.pack.is_empty());
    }
    output::check_writable(out)?;
    let bench = bench(&arguments.pack, arguments.search_files.as_deref())?;
    let bench = own.offered(bench.edition(settings.edition)?)?;
    runner::check(&bench, &settings).map_err(|error| Usage(error.to_string()))?;
    let mut started_ms = None;
    let kept = match earlier {
        Some((_, samples)) if arguments.reuse_answers => {
            let answers = samples.len();
            let kept = runner::reused(&bench, &settings, samples).map_err(Usage)?;
            tell!("{} of {answers} answers are kept.", kept.len());
            kept
        }
        Some((frame, samples)) => {
            started_ms = Some(frame.times.started_ms).filter(|ms| *ms > 0);
            fitting(&bench, frame, &samples)?;
            samples
        }
        None => Vec::new(),
    };
    let frame = runner::head(&bench, &settings);
    let mut journal = match output::is_replaceable(out) {
        true => Some(Journal::begin(out, &frame, &kept)?),
        false => None,
    };
    let (mut record, stopped) = record(&bench, &settings, key.as_ref(), kept, journal.as_mut())?;
    record.times.started_ms = started_ms.unwrap_or(record.times.started_ms);
    if let Err(error) = save(&record, out) {
        let command = |path: &Path| resume::command(path, out, &more(arguments));
        return Err(rescue(error, &record, journal, command));
    }
    if let Some(journal) = journal {
        journal.end();
    }
    let results = table::results(&record, arguments.thresholds.profile());
    if files::is_standard(out) {
        eprint!("{}", shown(&results));
    } else {
        put(&shown(&results));
    }
    let code = finish(&record, &arguments.thresholds);
    if let Some(reason) = stopped.filter(|_| record.status == Status::Cancelled) {
        eprintln!("{}", stopped_because(&reason, out, &more(arguments)));
    }
    Ok(code)
}

/// Prints the size of a run instead of running it.
fn estimate(arguments: &Arguments) -> Result<u8> {
    let settings = settings(arguments)?;
    let bench = bench(&arguments.pack, arguments.search_files.as_deref())?;
    let bench = bench.edition(settings.edition)?;
    runner::check(&bench, &settings).map_err(|error| Usage(error.to_string()))?;
    let found = runner::estimate(&bench, &settings);
    say!(
        "{} samples of {} dialogues, {} requests, about {:.0} prompt tokens and {:.0} answer tokens.",
        found.samples,
        found.dialogues,
        found.requests,
        found.prompt_tokens(),
        found.answer_tokens()
    );
    match found.smallest_difference {
        Some(share) => say!(
            "The smallest difference between two models that it can show: about {:.1} points.",
            100.0 * share
        ),
        None => say!("It is too small to show any difference between two models."),
    }
    Ok(FINISHED)
}

/// The message after the endpoint stopped a run.
fn stopped_because(reason: &str, out: &Path, more: &str) -> String {
    let asked = "The run stopped early; what is missing was not scored.";
    if files::is_standard(out) {
        return format!("{reason}\n{asked} Save the record to resume it with --resume FILE.");
    }
    format!("{reason}\n{asked} Go on with: {}", resume::command(out, out, more))
}

/// The record's file: `--out`, or else the resumed record.
fn out(arguments: &Arguments) -> Result<PathBuf> {
    let resumed = || {
        let path = arguments.resume.as_deref()?;
        Some(journal::record_of(path).unwrap_or_else(|| path.to_owned()))
    };
    let out = arguments.out.clone().or_else(resumed);
    Ok(out.ok_or_else(|| Usage("--out: expected a file".to_owned()))?)
}

/// Whether a file is the record that is resumed, or the one of the journal that is.
fn is_resumed(arguments: &Arguments, out: &Path) -> bool {
    arguments.resume.as_deref().is_some_and(|resumed| {
        let record = journal::record_of(resumed).unwrap_or_else(|| resumed.to_owned());
        resume::same_file(&record, out)
    })
}

/// The options, apart from `--resume` and `--out`, that a command needs to resume this run.
fn more(arguments: &Arguments) -> String {
    let word = |name: &str, path: Option<&Path>| {
        path.map_or_else(String::new, |path| format!(" {name} {}", resume::shell(path)))
    };
    let packs: Vec<String> =
        arguments.pack.iter().map(|place| word("--pack", Some(place))).collect();
    word("--endpoint", arguments.endpoint.address().map(Path::new))
        + &packs.concat()
        + &word("--search-files", arguments.search_files.as_deref())
        + &word("--retriever", arguments.retriever.as_deref().filter(|it| retriever::is_folder(it)))
}

/// Writes a record without copying it in memory.
pub(crate) fn save(record: &Record, out: &Path) -> Result<()> {
    output::write_with(out, |out| Ok(record.write(out)?))
}

/// Saves a record that can't be written to `out`, and adds its place to the error: the journal,
/// else the folder for temporary files, else standard output. `command` writes the record out of its
/// journal.
pub(crate) fn rescue(
    error: anyhow::Error,
    record: &Record,
    journal: Option<Journal>,
    command: impl FnOnce(&Path) -> String,
) -> anyhow::Error {
    if let Some(mut journal) = journal
        && journal.is_whole()
    {
        let (path, command) = (journal.path().display(), command(journal.path()));
        return error.context(format!(
            "the record is not saved, but every sample is in {path}. Make room, then write it with \
             `{command}`"
        ));
    }
    let kept = output::write_temporary(".json", |out| Ok(record.write(out)?));
    let place = match kept {
        Ok(path) => format!("it is in {}: move it to a place of yours", path.display()),
        Err(_) => match save(record, Path::new(files::STANDARD)) {
            Ok(()) => "it is printed on standard output instead".to_owned(),
            Err(_) => "and there is no other place for it".to_owned(),
        },
    };
    error.context(format!("the record can't be saved where it was to be; {place}"))
}

/// Rejects samples that this program would judge differently: one version must judge all of a
/// record.
fn fitting(bench: &Benchmark, frame: Record, samples: &[SampleRecord]) -> Result<()> {
    let verifier = Verifier::new(bench, Record { samples: Vec::new(), ..frame });
    let mut verifier = verifier.map_err(|error| match error {
        VerifyError::Pack { .. } => anyhow!(
            "{error}; or keep its answers where the prompt is the same, with --reuse-answers and \
             another file at --out"
        ),
        _ => error.into(),
    })?;
    samples.iter().try_for_each(|sample| verifier.sample(sample))?;
    if let Some(difference) = verifier.first_difference() {
        bail!(
            "this record cannot be resumed: {} is {} there and {} here. Run anew, or use the \
             version that made it",
            difference.path,
            difference.recorded,
            difference.recomputed
        );
    }
    Ok(())
}

pub(crate) fn settings(arguments: &Arguments) -> Result<RunSettings> {
    let wanted = arguments.model.as_deref().unwrap_or_default();
    let model = if arguments.endpoint.is_given() {
        Model::Endpoint(arguments.endpoint.read(wanted)?)
    } else {
        let name = Baseline::named(wanted).ok_or_else(|| {
            let known = Baseline::ALL.map(Baseline::as_str).join(", ");
            Usage(format!(
                "--model: expected one of {known}, got {wanted:?}. For a model of an endpoint name \
                 its address with --endpoint, or a --preset"
            ))
        })?;
        Model::Builtin { name }
    };
    let mut settings = RunSettings::new(model);
    settings.edition = arguments.edition.edition();
    settings.split = arguments.split;
    settings.abilities.clone_from(&arguments.abilities);
    settings.abilities.sort_unstable();
    settings.abilities.dedup();
    settings.protocol = arguments.protocol;
    settings.steps = arguments.steps;
    if let Some(published) = &arguments.published {
        settings.protocol = published.protocol;
        settings.steps = published.steps;
    }
    settings.trials = arguments.trials;
    settings.turn_limit = arguments.turn_limit;
    settings.described_apis = arguments.described_apis;
    settings.search_results = arguments.search_results;
    settings.subset = arguments.subset.clone();
    settings.seed = arguments.seed;
    settings.shard = arguments.shard;
    settings.custom_prompts =
        arguments.prompts.as_deref().map(|file| prompts(file, settings.protocol)).transpose()?;
    settings.check().map_err(|error| Usage(error.to_string()))?;
    Ok(retry_policy(arguments, settings))
}

/// Prints what a named protocol leaves out, and the numbers to compare it with.
fn tell_of(it: &NamedProtocol, own_data: bool) {
    let NamedProtocol { name, profile, asks, leaves_out, published, .. } = it;
    tell!("{name}: {asks}");
    tell!("Left out: {leaves_out}");
    tell!("Published: {published}");
    if own_data {
        tell!("Published numbers are on the original's data: give it with --pack.");
    }
    tell!("Compare under the profile {}: api-bank report --profile {0}", profile.as_str());
}

/// Applies concurrency, retries and timeouts, which affect no result.
fn retry_policy(arguments: &Arguments, mut settings: RunSettings) -> RunSettings {
    let suits = match &settings.model {
        Model::Builtin { .. } | Model::Agent(_) => 1,
        Model::Endpoint(endpoint) => endpoint.server().facts().concurrency,
    };
    settings.concurrency = arguments.concurrency.map_or(suits, |count| count as usize);
    settings.retries = arguments.retries;
    settings.timeouts = Timeouts { headers_s: arguments.timeout, body_s: arguments.body_timeout };
    settings
}

/// Loads prompts from a file and checks them.
fn prompts(file: &Path, protocol: Protocol) -> Result<Prompts> {
    let text = files::text(file).context("can't read the prompts")?;
    let prompts = Prompts::read(protocol, &text);
    Ok(prompts.map_err(|error| Usage(format!("--prompts: {error}")))?)
}

/// Loads a pack with API Search: imported from `places`, or the built-in one if there are none.
pub(crate) fn bench(places: &[PathBuf], search_files: Option<&Path>) -> Result<Benchmark> {
    let files = SearchFiles::find(search_files)?;
    if !places.is_empty() {
        return Ok(Benchmark::imported(pack::runnable(places)?, Arc::new(files.encoder()?)));
    }
    let index = Index::from_bytes(&files.vectors()?).with_context(|| files.damaged())?;
    let search = Search::new(files.encoder()?, index).with_context(|| files.damaged())?;
    let pack = dataset::builtin().context("the data set of this program is damaged")?;
    Ok(Benchmark::new(pack, search))
}

/// Maximum number of answers waiting for their verdict: built-in models answer faster than they can
/// be judged, and a cancelled run should end soon.
const WAITING: usize = 1024;

/// Runs, and returns why the endpoint stopped the run early, if it did. A separate thread judges
/// and saves answers, so that the endpoint never waits for it.
fn record(
    bench: &Benchmark,
    settings: &RunSettings,
    key: Option<&ApiKey>,
    kept: Vec<SampleRecord>,
    mut journal: Option<&mut Journal>,
) -> Result<(Record, Option<String>)> {
    let network = || "can't start the network";
    let runtime = Builder::new_current_thread().enable_all().build().with_context(network)?;
    let (switch, stop) = stop_switch(&runtime);
    let ports = Native::new(stop).with_context(network)?;
    let started_ms = ports.now_ms();
    let run = Run::new(bench, settings);
    let missing = run.missing(&kept);
    let mut meter = Meter::new(run.planned(), &kept);
    let mut samples = kept;
    let (asked, answers) = mpsc::sync_channel(WAITING);
    let Asked { dropped, stopped } = thread::scope(|scope| {
        scope.spawn(|| {
            for came in answers {
                let sample = run.judge(came);
                meter.report(&sample);
                if let Some(journal) = journal.as_mut() {
                    journal.add(&sample);
                    stop_if_stuck(journal, &switch);
                }
                samples.push(sample);
            }
        });
        // The receiver is gone only after a panic, which the scope propagates.
        runtime.block_on(run.ask(missing, key, &ports, move |came| drop(asked.send(came))))
    });
    meter.end();
    let finished_ms = ports.now_ms().max(started_ms);
    Ok((run.record(samples, dropped, RunTimes { started_ms, finished_ms }), stopped))
}

/// Stops a run whose samples are in memory alone.
pub(crate) fn stop_if_stuck(journal: &Journal, switch: &watch::Sender<bool>) {
    if journal.is_stuck() && !switch.send_replace(true) {
        tell!(
            "Too many samples are in memory alone, because {} can't be written: the run stops.",
            journal.path().display()
        );
    }
}

/// Turns true at the first Ctrl-C, or by its sender; a second Ctrl-C exits immediately.
pub(crate) fn stop_switch(runtime: &Runtime) -> (watch::Sender<bool>, watch::Receiver<bool>) {
    let (switch, stop) = watch::channel(false);
    let by_key = switch.clone();
    runtime.spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            tell!("\nStopping. What is done will be written; Ctrl-C again gives it up.");
            by_key.send_replace(true);
        }
        if tokio::signal::ctrl_c().await.is_ok() {
            std::process::exit(CANCELLED.into());
        }
    });
    (switch, stop)
}

/// Reports unscored samples and missed thresholds, and returns the exit code.
pub(crate) fn finish(record: &Record, thresholds: &Thresholds) -> u8 {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for sample in &record.samples {
        if let Outcome::Failed { message, .. } = &sample.outcome {
            *reasons.entry(message).or_default() += 1;
        }
    }
    for (reason, count) in &reasons {
        tell!("Not scored, {count}: {reason}");
    }
    let missed = thresholds.missed(record);
    missed.iter().for_each(|sentence| tell!("{sentence}"));
    match record.status {
        Status::Cancelled => CANCELLED,
        Status::Finished if !missed.is_empty() => BELOW,
        Status::Finished if reasons.is_empty() || thresholds.allows_failed() => FINISHED,
        Status::Finished => INCOMPLETE,
    }
}
