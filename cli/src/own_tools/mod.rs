//! `api-bank tools`: packs of your own tools.

mod write;

use crate::files::{self, SearchFiles};
use crate::shown::{line, put, tell};
use crate::table::aligned;
use crate::{BELOW, FINISHED, Usage, output, pack};
use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use dataset::own_tools::{self, Tool, ToolsFile, checks, example, listing, logs};
use ranking::{near_duplicates, parse_own_tools, vectors};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Context lengths of small models, in tokens.
const CONTEXTS: [usize; 2] = [8_192, 32_768];

/// What to do with a pack of tools.
#[derive(Debug, Subcommand)]
pub(crate) enum Arguments {
    /// List tools and what in them would confuse a model; of a pack, check its tasks too. Exits with 4
    /// if a task fails a check.
    Check(CheckArguments),
    /// Replace a tool's description; run again and compare to see what that does.
    Describe(DescribeArguments),
    /// Write tasks at an endpoint: a model plays the user, the assistant and the tester, three requests
    /// a task. Each task passes the checks before the test, and is a draft until you accept it.
    Write(write::WriteArguments),
    /// Accept drafts that you have read. Runs leave drafts out.
    Accept(write::AcceptArguments),
    /// Add the conversations of a log as tasks: JSON lines of messages, as the SDKs of OpenAI and
    /// Anthropic write them, or an EvalLog of Inspect.
    Add(AddArguments),
    /// Write the example: the tools of a made-up web shop as OpenAPI, and a pack with 40 tasks.
    Example(ExampleArguments),
}

/// What to check.
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// A pack, or a list of tools: OpenAI's or Anthropic's `tools`, the result of MCP's `tools/list`,
    /// or OpenAPI 3 as JSON or YAML. - is standard input.
    file: PathBuf,
    /// The folder with model.onnx, vocab.txt and vectors.bin, which finds near-duplicates; defaults as
    /// for run.
    #[arg(long, value_name = "DIR")]
    search_files: Option<PathBuf>,
    /// Write the tools as a pack without tasks, or the pack with its digest renewed.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// What to replace.
#[derive(Debug, Args)]
pub(crate) struct DescribeArguments {
    /// The pack.
    pack: PathBuf,
    /// The tool.
    tool: String,
    /// The new description.
    description: String,
    /// The changed pack.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// What to add.
#[derive(Debug, Args)]
pub(crate) struct AddArguments {
    /// A pack, or a list of tools.
    file: PathBuf,
    /// The log.
    log: PathBuf,
    /// The model that answered in the log, if the log does not name it; running it on these tasks is
    /// marked.
    #[arg(long, value_name = "MODEL")]
    written_by: Option<String>,
    /// The pack with the tasks.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Where to write the example.
#[derive(Debug, Args)]
pub(crate) struct ExampleArguments {
    /// The folder.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Overwrite files that are there.
    #[arg(long)]
    force: bool,
}

/// Runs a subcommand.
pub(crate) fn run(arguments: &Arguments) -> Result<u8> {
    match arguments {
        Arguments::Check(arguments) => check(arguments),
        Arguments::Describe(arguments) => describe(arguments),
        Arguments::Write(arguments) => write::write(arguments),
        Arguments::Accept(arguments) => write::accept(arguments),
        Arguments::Add(arguments) => add(arguments),
        Arguments::Example(arguments) => write_example(arguments),
    }
}

/// A file of tools, as a pack; one without tasks if it is only a list.
fn read(file: &Path) -> Result<ToolsFile> {
    let context = || file.display().to_string();
    if let Some(text) = pack::own_tools(file)? {
        return ToolsFile::read(&text).with_context(context);
    }
    let bytes = files::read(file)?;
    let tools = parse_own_tools(&bytes).with_context(context)?;
    let name = file.file_stem().map_or_else(|| "tools".into(), |it| it.to_string_lossy());
    let pack = ToolsFile::new(&name, tools);
    // Limits that a list does not have.
    ToolsFile::read(&pack.text()).with_context(context)
}

fn check(arguments: &CheckArguments) -> Result<u8> {
    let file = read(&arguments.file)?;
    put(&tools_text(&file.tools));
    put(&alike(&file.tools, arguments.search_files.as_deref()));
    if let Some(out) = &arguments.out {
        output::write(out, &file.text())?;
    }
    if file.dialogues.is_empty() {
        put("\nNo tasks.\n");
        return Ok(FINISHED);
    }
    let tools = file.toolset();
    let dialogues = file.read_dialogues(&tools)?;
    let found = checks::check(&dialogues, &tools, &file.today.to_string());
    let mut text = format!("\n{} tasks, {} findings.\n", dialogues.len(), found.len());
    let drafts = file.dialogues.iter().filter(|dialogue| dialogue.draft).count();
    if drafts > 0 {
        let _ = writeln!(text, "{drafts} are drafts, which runs leave out.");
    }
    for finding in &found {
        let _ = writeln!(text, "{}", line(&finding.to_string()));
    }
    put(&text);
    Ok(if found.is_empty() { FINISHED } else { BELOW })
}

/// The tools as a table, what would confuse a model, and how much of a context they take.
fn tools_text(tools: &[Tool]) -> String {
    let listed = listing::rows(tools);
    let mut rows = vec![["Tool", "Tokens", "Parameters"].map(str::to_owned).to_vec()];
    rows.extend(
        listed
            .iter()
            .map(|row| vec![row.name.clone(), row.tokens.to_string(), row.parameters.join(", ")]),
    );
    let mut text = aligned(&rows);
    let tokens: usize = listed.iter().map(|row| row.tokens).sum();
    let _ = write!(text, "\nAll {} tools take about {tokens} tokens of a prompt", tools.len());
    match CONTEXTS.iter().find(|context| tokens > **context) {
        Some(context) => {
            let _ = writeln!(text, ": more than a context of {context} holds.");
        }
        None => text.push_str(".\n"),
    }
    for row in &listed {
        for problem in &row.problems {
            let _ = writeln!(text, "{} {}.", line(&row.name), line(&problem.to_string()));
        }
    }
    text
}

/// The pairs that the search model takes for nearly the same.
fn alike(tools: &[Tool], search_files: Option<&Path>) -> String {
    let encoder = SearchFiles::find(search_files).and_then(|files| files.encoder());
    let encoder = match encoder {
        Ok(encoder) => encoder,
        Err(error) => {
            tell!("Near-duplicates are not looked for: {error:#}");
            return String::new();
        }
    };
    let pairs = match vectors(tools, &encoder) {
        Ok(vectors) => near_duplicates(tools, &vectors),
        Err(error) => return format!("Near-duplicates can't be found: {error}.\n"),
    };
    let mut text = String::new();
    for pair in pairs {
        let (one, other) = (line(&pair.names[0]), line(&pair.names[1]));
        let _ =
            writeln!(text, "{one} and {other} read nearly the same: cosine {:.2}.", pair.cosine);
    }
    text
}

fn describe(arguments: &DescribeArguments) -> Result<u8> {
    let mut file = read(&arguments.pack)?;
    let name = &arguments.tool;
    let Some(tool) = file.tools.iter_mut().find(|tool| tool.name == *name) else {
        let known: Vec<&str> = file.tools.iter().map(|tool| tool.name.as_str()).collect();
        return Err(Usage(format!("expected one of {}, got {name:?}", known.join(", "))).into());
    };
    tool.description.clone_from(&arguments.description);
    write_pack(&file, &arguments.out)
}

fn add(arguments: &AddArguments) -> Result<u8> {
    let mut file = read(&arguments.file)?;
    let log = files::text(&arguments.log)?;
    let added = logs::read(&log).with_context(|| arguments.log.display().to_string())?;
    let count = added.len();
    file.add(added);
    if let Some(model) = arguments.written_by.clone().or_else(|| logs::model(&log)) {
        file.written_by = Some(model);
    }
    write_pack(&file, &arguments.out)?;
    tell!("{count} tasks added. Check them: what the assistant did counts as right.");
    Ok(FINISHED)
}

/// Writes a changed pack, within the limits.
fn write_pack(file: &ToolsFile, out: &Path) -> Result<u8> {
    let text = file.text();
    let file = ToolsFile::read(&text)?;
    file.read_dialogues(&file.toolset())?;
    output::write(out, &text)?;
    Ok(FINISHED)
}

fn write_example(arguments: &ExampleArguments) -> Result<u8> {
    let folder = &arguments.out;
    fs::create_dir_all(folder).with_context(|| format!("can't make {}", folder.display()))?;
    let files = [("shop.openapi.yaml", example::OPENAPI), ("shop.json", example::PACK)];
    for (name, _) in files.iter().filter(|_| !arguments.force) {
        if folder.join(name).exists() {
            bail!("{} is there already: use --force to overwrite it", folder.join(name).display());
        }
    }
    for (name, text) in files {
        output::write(&folder.join(name), text)?;
    }
    let own_tools::ToolsFile { tools, dialogues, .. } = ToolsFile::read(example::PACK)?;
    tell!("{} tools and {} tasks are in {}.", tools.len(), dialogues.len(), folder.display());
    Ok(FINISHED)
}
