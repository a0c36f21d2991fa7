//! `api-bank tools write`, by which three agents write tasks at an endpoint, and `tools accept`.

use super::{read, write_pack};
use crate::endpoint::{EndpointArguments, key};
use crate::files::SearchFiles;
use crate::generate::finish;
use crate::network::network;
use crate::shown::{line, tell};
use crate::{FINISHED, Usage, output};
use anyhow::{Error, Result};
use clap::Args;
use dataset::own_tools::ToolsFile;
use generator::own::{MOST_TASKS, Outcome, TaskSettings, Writer, Written, estimate};
use generator::{Asking, Budget, GenerateError, Spent, generate};
use provider::Timeouts;
use std::cell::RefCell;
use std::path::PathBuf;

/// What to write.
#[derive(Debug, Args)]
pub(crate) struct WriteArguments {
    /// A pack, or a list of tools. Tools without tasks come first.
    file: PathBuf,
    /// The model's name at the endpoint. Running it on these tasks is marked.
    #[arg(long)]
    model: String,
    /// The endpoint. A temperature of 0 becomes 0.9, and a maximum answer length below 4096 tokens
    /// becomes 4096.
    #[command(flatten)]
    endpoint: EndpointArguments,
    /// The pack with the tasks, as drafts. It is written after each task; to continue, name it as the first
    /// FILE.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The number of tasks.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=MOST_TASKS as i64))]
    tasks: u32,
    /// Print the estimated requests and tokens, and send nothing.
    #[arg(long)]
    estimate: bool,
    /// Stop after this many requests.
    #[arg(long)]
    max_requests: Option<u64>,
    /// Stop after this many tokens, prompts and completions combined.
    #[arg(long)]
    max_tokens_spent: Option<u64>,
    /// Rejected answers per task before it is abandoned.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=20))]
    tries: u32,
    /// Requests in flight.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    concurrency: u32,
    /// Seconds to wait for a response before a request times out.
    #[arg(long, default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    timeout: u32,
    /// The folder with model.onnx, vocab.txt and vectors.bin; defaults as for run.
    #[arg(long, value_name = "DIR")]
    search_files: Option<PathBuf>,
}

/// What to accept.
#[derive(Debug, Args)]
pub(crate) struct AcceptArguments {
    /// The pack.
    pack: PathBuf,
    /// The tasks; all drafts if none is named.
    tasks: Vec<String>,
    /// The pack with them accepted.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Writes tasks until they are done or Ctrl-C stops it.
pub(crate) fn write(arguments: &WriteArguments) -> Result<u8> {
    let mut file = read(&arguments.file)?;
    let endpoint = arguments.endpoint.read(&arguments.model)?;
    let count = arguments.tasks as usize;
    tell!("{count} tasks: {}.", sentence(estimate(&file, count)));
    if arguments.estimate {
        return Ok(FINISHED);
    }
    file.written_by = Some(arguments.model.clone());
    let key = key(&endpoint)?;
    let encoder = SearchFiles::find(arguments.search_files.as_deref())?.encoder()?;
    let budget = Budget {
        requests: arguments.max_requests,
        tokens: arguments.max_tokens_spent,
        ..Budget::default()
    };
    let settings = TaskSettings { count, budget, seed: 1, tries: arguments.tries };
    let embed = |text: &str| encoder.encode(text);
    let mut writer = Writer::new(file.clone(), settings, &embed)?;
    let asking = Asking {
        concurrency: arguments.concurrency as usize,
        timeouts: Timeouts { headers_s: arguments.timeout, ..Timeouts::default() },
        ..Asking::new(endpoint)
    };
    let (runtime, _switch, ports) = network()?;
    let so_far = RefCell::new(file);
    let keep = async |written: Written| keep(&written, &mut so_far.borrow_mut(), arguments);
    let done = generate(&mut writer, &asking, key.as_ref(), &ports, &embed, keep);
    let stop = runtime.block_on(done).map_err(|error| match error {
        GenerateError::Keep(error) => error,
        other => other.into(),
    })?;
    let written = writer.accepted();
    tell!("{written} of {count} tasks written: {}.", sentence(writer.spent()));
    if written > 0 {
        tell!("They are drafts. Read them, then accept them: api-bank tools accept.");
    }
    let go_on = format!("Go on with {} as the file.", arguments.out.display());
    Ok(finish(&stop, "tasks were given up after too many rejections.", &go_on))
}

/// Adds an accepted task to the file on disk, or prints why an answer was rejected.
fn keep(written: &Written, file: &mut ToolsFile, arguments: &WriteArguments) -> Result<(), Error> {
    match &written.outcome {
        Outcome::Accepted { task } => {
            file.dialogues.push(task.clone());
            output::write(&arguments.out, &file.text())?;
            tell!("{}: {}, about {}", task.id, written.kind.as_str(), line(&written.tool));
        }
        Outcome::Rejected { reasons } => {
            for reason in reasons {
                tell!("rejected, about {}: {}", line(&written.tool), line(&reason.to_string()));
            }
        }
        Outcome::Failed { message } => tell!("no answer: {}", line(message)),
        Outcome::Passed => {}
    }
    Ok(())
}

fn sentence(spent: Spent) -> String {
    let about = if spent.estimated { "about " } else { "" };
    let Spent { requests, prompt_tokens, completion_tokens, .. } = spent;
    format!(
        "{requests} requests, {about}{prompt_tokens} tokens of prompts, {about}{completion_tokens} of \
         answers"
    )
}

/// Accepts drafts.
pub(crate) fn accept(arguments: &AcceptArguments) -> Result<u8> {
    let mut file = read(&arguments.pack)?;
    let named = &arguments.tasks;
    if let Some(unknown) = named.iter().find(|id| !file.dialogues.iter().any(|it| it.id == **id)) {
        return Err(Usage(format!("there is no task {unknown:?}")).into());
    }
    let mut count = 0;
    for task in &mut file.dialogues {
        if task.draft && (named.is_empty() || named.contains(&task.id)) {
            task.draft = false;
            count += 1;
        }
    }
    let code = write_pack(&file, &arguments.out)?;
    tell!("{count} tasks accepted.");
    Ok(code)
}
