//! The leaderboard that the site ships: the table, and the records that it links to.
//!
//! The engine makes the table. The cache keys it by a digest of its inputs.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use anyhow::{Context, Result};

use crate::{
    cache::Cache,
    process::{root, run},
    search::{BuildScope, compiled, digest_of},
};

/// The table's name in the site before hashing.
pub const TABLE: &str = "leaderboard.json";

/// Everything that the table depends on: the records, what reads and ranks them, and the data.
const INPUTS: [&str; 11] = [
    "results",
    "apis/src",
    "dataset/databases",
    "dataset/dialogues",
    "dataset/hard",
    "dataset/manifest.json",
    "dataset/src",
    "engine/record/src",
    "engine/runner/src/results.rs",
    "engine/scoring/src",
    "xtask/makers/src/leaderboard_files.rs",
];

/// Returns the folder with the table and its records, making it if the cache lacks it.
///
/// # Errors
/// When the engine does not compile, or a file in `results/` is no record of the leaderboard.
pub fn ensure(cache: &Cache) -> Result<PathBuf> {
    let digest = digest_of(&INPUTS, "")?;
    let folder = cache.leaderboard(&digest[..16]);
    if folder.is_dir() {
        println!("  leaderboard: found");
        return Ok(folder);
    }
    println!("  making the leaderboard (compiles the engine natively, minutes at first)");
    let started = Instant::now();
    let program = compiled("leaderboard-files", BuildScope::Makers)?;
    let part = folder.with_extension(format!("part-{}", std::process::id()));
    fs::create_dir_all(&part).with_context(|| format!("can't make {}", part.display()))?;
    run(Command::new(program).current_dir(root()).arg(root().join("results")).arg(&part))
        .context("the leaderboard could not be made")?;
    fs::rename(&part, &folder).with_context(|| format!("can't write {}", folder.display()))?;
    println!("  made the leaderboard in {:.0} s", started.elapsed().as_secs_f32());
    Ok(folder)
}

/// Copies the files of [`ensure`] into a folder.
///
/// # Errors
/// When a file can't be copied.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    let context = || format!("can't copy {} to {}", from.display(), to.display());
    for entry in fs::read_dir(from).with_context(context)? {
        let entry = entry.with_context(context)?;
        fs::copy(entry.path(), to.join(entry.file_name())).with_context(context)?;
    }
    Ok(())
}
