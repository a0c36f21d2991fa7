//! Makes the leaderboard that the site ships out of the records in `results/`. `cargo xtask` runs it
//! (`xtask/src/leaderboard.rs`).

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use clap::Parser;
use dataset::Language;
use record::leaderboard::{ENDING, Leaderboard};
use runner::results;

#[derive(Debug, Parser)]
struct Task {
    /// The folder with the records.
    results: PathBuf,
    /// The folder to write to: the table, and a copy of each record in it.
    out: PathBuf,
}

/// The records are verified by a test, and by the workflow of every change to them: replaying them
/// takes longer than everything else in a build. Records of other data are left out, so that a
/// changed dialogue can be tried before they are run again.
fn main() -> Result<()> {
    let Task { results: folder, out } = Task::parse();
    let pack = dataset::builtin()?.source();
    let mut packs = vec![pack.clone()];
    for language in Language::ALL {
        packs.push(dataset::builtin_in(language)?.source());
    }
    let mut entries = Vec::new();
    for path in list(&folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = fs::read(&path).with_context(|| format!("can't read {}", path.display()))?;
        let record = results::read(&name, &bytes)?;
        if !packs.contains(&record.pack) {
            println!("  {name} is of other data, and is left out");
            continue;
        }
        let entry = results::trusted(&name, bytes.len(), &record)?;
        entries.push(entry.with_integrity(format!("integrity-of:{name}")));
        write(&out.join(&name), &bytes)?;
    }
    let board = Leaderboard::of(pack, entries)?;
    write(&out.join("leaderboard.json"), serde_json::to_string(&board)?.as_bytes())
}

/// The records, by name.
fn list(folder: &Path) -> Result<Vec<PathBuf>> {
    let context = || format!("can't list {}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(context)? {
        let path = entry.with_context(context)?.path();
        if path.to_string_lossy().ends_with(ENDING) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn write(file: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(file, bytes).with_context(|| format!("can't write {}", file.display()))
}
