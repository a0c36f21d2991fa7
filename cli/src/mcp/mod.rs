//! `api-bank mcp`: a Model Context Protocol server that offers one dialogue to an agent.
//!
//! The agent's calls run on fresh databases, as under the protocol `agent`: the same [`Episode`]
//! executes them, and the same code judges the end state.

mod server;
mod session;

use crate::choice::{EditionChoice, one_of};
use crate::journal::Journal;
use crate::lock::Lock;
use crate::options::{Episode, Options};
use crate::ports::Native;
use crate::shown::tell;
use crate::{FINISHED, INCOMPLETE, Usage, files, journal, output, resume, retriever, run};
use anyhow::{Context, Result};
use clap::Args;
use dataset::{Ability, Dialogue, Edition, Pack, Split, TaskId};
use exchange::protocol::Protocol;
use exchange::shorten;
use provider::Ports as _;
use record::{Agent, Model, Record, RunSettings, RunTimes, Subset};
use rmcp::ServiceExt as _;
use rmcp::transport::io::stdio_pipes;
use runner::benchmark::Benchmark;
use runner::in_run;
use server::Server;
use session::Session;
use std::path::{Path, PathBuf};
use tokio::runtime::Builder;
use tokio::sync::{mpsc, watch};

/// The maximum length of the agent's name and version in the record, in characters.
const LONGEST_NAME: usize = 100;

/// What to offer. The client starts this command and talks to it over standard input and output.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The id of the dialogue to offer, such as call/already-covered, or of a horizon task, such as
    /// horizon/errands-012-3.
    #[arg(long, value_name = "ID", required_unless_present_any = ["ability", "recover"])]
    dialogue: Option<String>,
    /// Offer the first dialogue of an ability instead.
    #[arg(long, value_parser = one_of(&Ability::ALL, Ability::as_str), conflicts_with = "dialogue")]
    ability: Option<Ability>,
    /// The record's file, written when the client disconnects.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Write the record out of the .partial file that a killed session left, instead of offering a
    /// dialogue.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dialogue", "ability"])]
    recover: Option<PathBuf>,
    /// Overwrite the record at --out.
    #[arg(long)]
    force: bool,
    /// The agent's name in the record; defaults to the name and version that the client gives.
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    #[command(flatten)]
    played: Options<Episode>,
    /// The original's data, as in `run`; by default the project's own.
    #[arg(long, value_name = "PATH")]
    pack: Vec<PathBuf>,
    #[command(flatten)]
    edition: EditionChoice,
    /// What answers searches, as in `run`: builtin, bm25, oracle or a folder.
    #[arg(long, value_name = "NAME|DIR")]
    retriever: Option<PathBuf>,
    /// The folder with model.onnx, vocab.txt and vectors.bin; defaults to `search` beside the
    /// program, else to the cache.
    #[arg(long, value_name = "DIR")]
    search_files: Option<PathBuf>,
}

/// Serves the dialogue, then writes the record.
pub(crate) fn run(arguments: &Arguments) -> Result<u8> {
    let out = &arguments.out;
    if files::is_standard(out) {
        let message = "--out: standard output carries the protocol; expected a file";
        return Err(Usage(message.to_owned()).into());
    }
    let _lock = Lock::of(out)?;
    if let Some(journal) = &arguments.recover {
        return recovered(journal, out);
    }
    if !arguments.force {
        resume::check_free(out, None, "")?;
    }
    output::check_writable(out)?;
    let bench = run::bench(&arguments.pack, arguments.search_files.as_deref())?;
    let own = retriever::Named::of_run(arguments.retriever.as_deref())?;
    let retriever = own.setting();
    let mut settings = RunSettings::new(Model::Agent(Agent::default()));
    arguments.played.apply(&mut settings);
    (settings.protocol, settings.retriever) = (Protocol::Agent, retriever);
    settings.edition = match arguments.dialogue.as_deref().and_then(TaskId::parse) {
        Some(_) => Edition::Horizon(settings.seed),
        None => arguments.edition.edition(),
    };
    let bench = own.offered(bench.edition(settings.edition)?)?;
    let (split, dialogue) = chosen(&bench.pack, arguments)?;
    settings.split = split;
    settings.abilities = vec![dialogue.ability];
    settings.subset = Subset::Dialogues(vec![dialogue.id.clone()]);
    runner::check(&bench, &settings).map_err(|error| Usage(error.to_string()))?;
    let agent_name = arguments.agent.as_deref();
    let frame = runner::head(&bench, &settings);
    let mut kept = Kept { out, agent_name, frame, journal: None, steps: 0 };
    let played = play(&bench, &settings, &mut kept)?;
    let Some((sample, client, times)) = played else {
        tell!("The agent called no tool and sent no reply: there is nothing to judge.");
        return Ok(INCOMPLETE);
    };
    settings.model = Model::Agent(agent(agent_name, client));
    let record = runner::head(&bench, &settings).filled(vec![sample], times);
    if let Err(error) = run::save(&record, out) {
        let command = |journal: &Path| resume::recover(journal, out);
        return Err(run::rescue(error, &record, kept.journal, command));
    }
    if let Some(journal) = kept.journal {
        journal.end();
    }
    tell!("{}", verdict(&record));
    Ok(FINISHED)
}

/// Writes the record of a session that was killed.
fn recovered(journal: &Path, out: &Path) -> Result<u8> {
    let kept = journal::read(journal)?;
    let (Model::Agent(_), Some(sample)) = (&kept.frame.model, kept.samples.last()) else {
        let message = "--recover: expected the .partial file of `api-bank mcp`, with a step";
        return Err(Usage(message.to_owned()).into());
    };
    let started_ms = kept.frame.times.started_ms;
    let finished_ms = sample.times.started_ms.saturating_add(sample.times.latency_ms);
    let times = RunTimes { started_ms, finished_ms: finished_ms.max(started_ms) };
    let record = kept.frame.clone().filled(vec![sample.clone()], times);
    run::save(&record, out)?;
    std::fs::remove_file(journal).with_context(|| format!("can't remove {}", journal.display()))?;
    tell!("{}", verdict(&record));
    Ok(FINISHED)
}

/// What a session has left so far: its journal has a row after each step.
struct Kept<'a> {
    out: &'a Path,
    /// The agent's name on the command line.
    agent_name: Option<&'a str>,
    frame: Record,
    journal: Option<Journal>,
    steps: usize,
}

impl Kept<'_> {
    /// Keeps the latest step, before its response is sent.
    fn keep(&mut self, session: &Session<'_>) {
        if session.steps() == self.steps || !output::is_replaceable(self.out) {
            return;
        }
        self.steps = session.steps();
        let sample = session.so_far();
        if self.journal.is_none() {
            self.frame.model = Model::Agent(agent(self.agent_name, session.client().cloned()));
            let started_ms = sample.times.started_ms;
            self.frame.times = RunTimes { started_ms, finished_ms: started_ms };
            match Journal::begin(self.out, &self.frame, &[]) {
                Ok(journal) => self.journal = Some(journal),
                Err(error) => return tell!("The session is in memory alone: {error:#}"),
            }
        }
        if let Some(journal) = &mut self.journal {
            journal.add(&sample);
        }
    }
}

/// The dialogue to offer, with its split.
fn chosen<'a>(pack: &'a Pack, arguments: &Arguments) -> Result<(Split, &'a Dialogue)> {
    let fits = |dialogue: &&Dialogue| match &arguments.dialogue {
        Some(id) => dialogue.id == *id,
        None => Some(dialogue.ability) == arguments.ability,
    };
    let found = Split::ALL.into_iter().find_map(|split| {
        let dialogue = pack.split(split).iter().find(fits)?;
        Some((split, dialogue))
    });
    let example = pack.dialogues.first().map_or("none", |dialogue| dialogue.id.as_str());
    Ok(found.ok_or_else(|| match &arguments.dialogue {
        Some(id) => Usage(format!("--dialogue: expected an id such as {example}, got {id:?}")),
        None => Usage("--ability: the data has no dialogue of it".to_owned()),
    })?)
}

/// The agent as the user or its client names it.
fn agent(given_name: Option<&str>, client: Option<Agent>) -> Agent {
    let Agent { name, version } = match given_name {
        Some(name) => Agent { name: name.to_owned(), version: String::new() },
        None => client.unwrap_or_default(),
    };
    Agent { name: shorten(&name, LONGEST_NAME), version: shorten(&version, LONGEST_NAME) }
}

fn verdict(record: &Record) -> String {
    let verdicts = record.samples.first().and_then(|sample| sample.verdicts.as_ref());
    let verdict = verdicts.map(|it| &it.execution);
    verdict.map_or_else(String::new, |verdict| {
        format!("{}: {}", if verdict.correct { "Correct" } else { "Wrong" }, verdict.explanation)
    })
}

/// What a session leaves: the sample, the client's name and the times.
type Played = (record::SampleRecord, Option<Agent>, RunTimes);

/// Serves until the client disconnects or the process is told to stop. `None` if the agent did
/// nothing.
fn play(bench: &Benchmark, settings: &RunSettings, kept: &mut Kept<'_>) -> Result<Option<Played>> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let ports = Native::new(watch::channel(false).1).context("can't start the clock")?;
    let started_ms = ports.now_ms();
    let bench = bench.prepared(settings);
    let sample = in_run(&bench, settings).into_iter().next();
    let sample =
        sample.ok_or_else(|| Usage("--dialogue: it has no line of the user".to_owned()))?;
    let bench = bench.of_sample(&sample);
    let mut session = Session::new(&bench, sample, settings, &ports);
    let served = runtime.block_on(serve(&mut session, kept));
    // A blocked read of standard input must not delay the record.
    runtime.shutdown_background();
    served?;
    let times = RunTimes { started_ms, finished_ms: ports.now_ms().max(started_ms) };
    Ok(session.finish().map(|(sample, client)| (sample, client, times)))
}

/// Serves one client.
async fn serve(session: &mut Session<'_>, kept: &mut Kept<'_>) -> Result<()> {
    let (asking, mut asked) = mpsc::channel(1);
    let server = Server::new(session.instructions(), asking);
    let stop = stopped();
    tokio::pin!(stop);
    let starting = server.serve(stdio_pipes());
    let service = tokio::select! {
        started = starting => started.context("no client of the Model Context Protocol connected")?,
        () = &mut stop => return Ok(()),
    };
    let ended = service.waiting();
    tokio::pin!(ended);
    loop {
        tokio::select! {
            biased;
            Some(request) = asked.recv() => {
                session.answer(request);
                kept.keep(session);
            }
            _ = &mut ended => break,
            () = &mut stop => break,
        }
    }
    Ok(())
}

/// Resolves when the process is told to stop.
async fn stopped() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => return,
                _ = tokio::signal::ctrl_c() => return,
            }
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
