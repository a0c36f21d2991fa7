//! Python packages in the cache, each set in a folder of its own for `PYTHONPATH`.

use std::{fs, path::PathBuf};

use anyhow::{Context, Result};

use crate::{cache::Cache, model::pip, process::run};

/// A package with its version, pinned.
pub type Pinned = (&'static str, &'static str);

/// The reader that the exported logs are checked with.
pub const INSPECT_AI: Pinned = ("inspect_ai", "0.3.285");

/// The folder that holds these packages and what they need, fetched when the cache lacks them.
///
/// # Errors
/// When Python is missing or a package can't be fetched.
pub fn ensure(cache: &Cache, packages: &[Pinned], megabytes: u32) -> Result<PathBuf> {
    let title = packages.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" with ");
    let versions = packages.iter().map(|(_, version)| *version).collect::<Vec<_>>().join("-");
    let (first, _) = packages.first().context("no package is named")?;
    let folder = cache.tool(first, &versions);
    let mark = folder.join("installed");
    if mark.is_file() {
        println!("  {title}: found");
        return Ok(folder);
    }
    println!("  fetching {title} ({megabytes} MB)");
    // What an interrupted install left would stand in the way of the next one.
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .with_context(|| format!("can't remove {}", folder.display()))?;
    }
    fs::create_dir_all(&folder).with_context(|| format!("can't make {}", folder.display()))?;
    let wanted: Vec<String> =
        packages.iter().map(|(name, version)| format!("{name}=={version}")).collect();
    let mut install = pip()?;
    install.args(["install", "--quiet", "--disable-pip-version-check", "--target"]);
    install.arg(&folder).args(&wanted);
    run(&mut install).with_context(|| format!("by hand: pip install {}", wanted.join(" ")))?;
    fs::write(&mark, "").with_context(|| format!("can't write {}", mark.display()))?;
    Ok(folder)
}
