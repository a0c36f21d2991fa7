//! `api-bank training`: checks, counts and exports training sets.

mod check;
mod export;
mod stats;

use crate::files;
use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use generator::set::TrainingSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Maximum file size in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// What to do with a set.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run every check that needs no model but API Search's; exit with 3 if there are findings.
    Check(check::Arguments),
    /// Count dialogues, turns, calls, APIs and domains by ability, next to the paper's figures.
    Stats(stats::Arguments),
    /// Export a set to the formats of trainers and benchmarks; converts the original's rows and
    /// ToolAlpaca.
    Export(export::Arguments),
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<u8> {
    match &arguments.command {
        Command::Check(arguments) => check::run(arguments),
        Command::Stats(arguments) => stats::run(arguments),
        Command::Export(arguments) => export::run(arguments),
    }
}

/// Loads a set from its folder.
fn load(folder: &Path) -> Result<TrainingSet> {
    let mut files: Vec<(String, String)> = Vec::new();
    for part in ["domains", "rejected"] {
        let mut paths: Vec<PathBuf> =
            match fs::read_dir(folder.join(part)) {
                Ok(entries) => entries
                    .map(|entry| Ok(entry?.path()))
                    .collect::<std::io::Result<_>>()
                    .with_context(|| format!("can't list {}", folder.join(part).display()))?,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
                Err(error) => {
                    return Err(error)
                        .with_context(|| format!("can't list {}", folder.join(part).display()));
                }
            };
        paths.retain(|path| path.extension().is_some_and(|end| end == "json"));
        paths.sort();
        for path in paths {
            let text = files::bounded_text(&path, MAX_BYTES)?;
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            files.push((format!("{part}/{name}"), text));
        }
    }
    if files.is_empty() {
        bail!("{} holds no training set: expected domains/<domain>.json", folder.display());
    }
    let set = TrainingSet::read(files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    set.with_context(|| folder.display().to_string())
}
