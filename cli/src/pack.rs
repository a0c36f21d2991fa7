//! The original's data from a folder.

use anyhow::{Context, Result, bail};
use dataset::Pack;
use dataset::import::{Errata, Original, import};
use engine::imported;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders below this depth are not looked into.
const MAX_DEPTH: usize = 8;
/// Larger files are no part of a pack: the largest of the original has 2.5 MB.
const MAX_BYTES: u64 = 64 << 20;

/// Reads a pack; says on standard error what is missing or damaged.
pub(crate) fn load(folder: &Path) -> Result<Original> {
    let mut paths = Vec::new();
    collect(folder, 0, &mut paths)?;
    let mut files = Vec::with_capacity(paths.len());
    for path in &paths {
        match fs::read_to_string(path) {
            Ok(text) => files.push((path.to_string_lossy().into_owned(), text)),
            Err(error) => eprintln!("{}: {error}", path.display()),
        }
    }
    let (original, report) =
        import(files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    for problem in &report.problems {
        eprintln!("{problem}");
    }
    if report.is_empty() {
        bail!(
            "{} holds no part of API-Bank: expected lv1-lv2-samples, init_database or test-data",
            folder.display()
        );
    }
    for missing in &report.missing {
        eprintln!("Missing in the pack: {missing}");
    }
    Ok(original)
}

/// JSON and JSONL files below a folder, hidden ones aside.
fn collect(folder: &Path, depth: usize, paths: &mut Vec<PathBuf>) -> Result<()> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("can't list {}", folder.display()))?;
    for entry in entries {
        let path = entry.with_context(|| format!("can't list {}", folder.display()))?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')) {
            continue;
        }
        let Ok(metadata) = fs::metadata(&path) else { continue };
        if metadata.is_dir() {
            if depth < MAX_DEPTH {
                collect(&path, depth + 1, paths)?;
            }
        } else if path.extension().is_some_and(|end| end == "json" || end == "jsonl")
            && metadata.len() <= MAX_BYTES
        {
            paths.push(path);
        }
    }
    Ok(())
}

/// Reads imported data as a pack that runs; says on standard error what of it cannot be used.
pub(crate) fn runnable(folder: &Path) -> Result<Pack> {
    let (pack, problems) = imported::pack(load(folder)?, &Errata::builtin()?);
    for problem in problems {
        eprintln!("{problem}");
    }
    Ok(pack)
}
