//! `api-bank training export`: exports a set to the formats of trainers and benchmarks.

use super::load;
use crate::choice::one_of;
use crate::shown::tell;
use crate::{FINISHED, files, output};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use exchange::protocol::{DescribedApis, MENU};
use generator::export::{Format, pack, recipe};
use generator::import::{released, toolalpaca};
use generator::set::TrainingSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// What to write, and where.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The set's folder, or a file of ToolAlpaca's training data.
    source: PathBuf,
    /// The output format.
    #[arg(long, value_enum)]
    format: Shape,
    /// For prompts: the APIs that Call describes, as in `run`.
    #[arg(
        long, value_parser = one_of(&[DescribedApis::Own, DescribedApis::Fifteen], DescribedApis::as_str),
        default_value = "own"
    )]
    described_apis: DescribedApis,
    /// For prompts: seed of the distractors.
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Export the rejected dialogues as well, as if nothing had been checked.
    #[arg(long)]
    with_rejected: bool,
    /// The file to write, or the folder for pack and set; - is standard output.
    #[arg(long, value_name = "PATH")]
    out: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Shape {
    /// Instruction, input and output, as the original released them.
    Instructions,
    /// Chats with native tool calls, one dialogue per line.
    Chat,
    /// The benchmark's own prompts with their answers, one line per step, for training/.
    Prompts,
    /// A pack with recorded results, for import into the page.
    Pack,
    /// The project's own format of a training set.
    Set,
    /// An Axolotl config with the paper's settings; it expects the chats in chat.jsonl.
    Recipe,
}

/// Writes the export.
pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let set = source(&arguments.source)?;
    let set = if arguments.with_rejected { set.with_rejected() } else { set };
    let out = &arguments.out;
    match arguments.format {
        Shape::Instructions => output::write(out, &Format::Instructions.file(&set)?)?,
        Shape::Chat => output::write(out, &Format::Chat.file(&set)?)?,
        Shape::Prompts => {
            let described = (arguments.described_apis == DescribedApis::Fifteen).then_some(MENU);
            let format = Format::Prompts { described, seed: arguments.seed };
            output::write(out, &format.file(&set)?)?;
        }
        Shape::Recipe => output::write(out, &recipe::axolotl("chat.jsonl"))?,
        Shape::Pack => folder(out, pack::files(&set))?,
        Shape::Set => folder(out, set.files())?,
    }
    Ok(FINISHED)
}

/// Loads a set from its folder, or converts a file.
fn source(path: &Path) -> Result<TrainingSet> {
    if path.is_dir() {
        return load(path);
    }
    let text = files::text(path)?;
    if let Ok(rows) = serde_json::from_str::<Vec<_>>(&text) {
        let dialogues = released::read(&rows).with_context(|| path.display().to_string())?;
        return Ok(released::set(dialogues));
    }
    match toolalpaca::read(&text) {
        Ok(converted) => {
            for (reason, count) in &converted.skipped {
                tell!("Left out, {count}: {reason}");
            }
            Ok(converted.set())
        }
        Err(error) => bail!(
            "{}: expected a folder with domains/, released training rows, or ToolAlpaca's list of \
             APIs: {error}",
            path.display()
        ),
    }
}

fn folder(out: &Path, files: Vec<(String, String)>) -> Result<()> {
    if files::is_standard(out) {
        bail!("--out: expected a folder for this shape");
    }
    // Check before writing anything: an imported set's file names are untrusted.
    for (name, _) in &files {
        let inside = |part: Component<'_>| matches!(part, Component::Normal(_));
        if name.contains(['\\', '\0', ':']) || !Path::new(name).components().all(inside) {
            bail!("{name:?} does not name a file in the folder: rename its domain");
        }
    }
    for (name, text) in files {
        let path = out.join(&name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)
                .with_context(|| format!("can't make {}", parent.display()))?;
        }
        output::write(&path, &text)?;
    }
    Ok(())
}
