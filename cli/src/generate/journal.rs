//! The folder of a generation: settings, journal, and at the end the set.

use crate::{Usage, files};
use anyhow::{Context, Result, bail};
use engine::generator::{Entry, FORMAT, Settings, training_set};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

/// A folder with a journal that is open for writing.
pub(super) struct Journal {
    folder: PathBuf,
    file: File,
}

#[derive(Serialize, Deserialize)]
struct Head {
    format: String,
    settings: Settings,
}

impl Journal {
    /// Opens a folder. A new one gets `settings`; one that is resumed keeps its own targets, seed
    /// and tries, and takes only the budget over.
    pub(super) fn open(
        folder: &Path,
        settings: Settings,
        resume: bool,
    ) -> Result<(Self, Settings)> {
        fs::create_dir_all(folder).with_context(|| format!("can't make {}", folder.display()))?;
        let path = folder.join("journal.jsonl");
        let begun = path.exists();
        if begun && !resume {
            let folder = folder.display();
            let message = format!("{folder} has a journal already: add --resume, or name another");
            bail!(Usage(message));
        }
        let settings = match begun {
            true => Settings { budget: settings.budget, ..head(folder)?.settings },
            false => settings,
        };
        let head = Head { format: FORMAT.to_owned(), settings: settings.clone() };
        let text = serde_json::to_string_pretty(&head).context("the settings")?;
        files::write(&folder.join("settings.json"), &(text + "\n"))?;
        if begun {
            drop_broken_line(&path)?;
        }
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .with_context(|| format!("can't write {}", path.display()))?;
        Ok((Journal { folder: folder.to_owned(), file }, settings))
    }

    /// Every entry, one at a time.
    pub(super) fn replay(&self, mut take: impl FnMut(Entry) -> Result<()>) -> Result<()> {
        let path = self.folder.join("journal.jsonl");
        let file = File::open(&path).with_context(|| format!("can't read {}", path.display()))?;
        for (number, line) in BufReader::new(file).lines().enumerate() {
            let place = || format!("{}, line {}", path.display(), number + 1);
            let entry = serde_json::from_str(&line.with_context(place)?).with_context(place)?;
            take(entry).with_context(place)?;
        }
        Ok(())
    }

    /// Writes an entry, to the disk.
    pub(super) fn append(&self, entry: &Entry) -> Result<()> {
        let line = serde_json::to_string(entry).context("the entry")? + "\n";
        (&self.file).write_all(line.as_bytes()).context("can't write the journal")
    }

    /// Writes the set that the journal amounts to.
    pub(super) fn write_set(&self) -> Result<()> {
        let mut entries = Vec::new();
        self.replay(|entry| {
            entries.push(entry);
            Ok(())
        })?;
        for (name, text) in training_set(entries).files() {
            let path = self.folder.join(&name);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)
                    .with_context(|| format!("can't make {}", parent.display()))?;
            }
            files::write(&path, &text)?;
        }
        Ok(())
    }
}

fn head(folder: &Path) -> Result<Head> {
    let path = folder.join("settings.json");
    let text =
        fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
    let head: Head =
        serde_json::from_str(&text).with_context(|| format!("can't read {}", path.display()))?;
    if head.format != FORMAT {
        bail!("{}: expected {FORMAT}, got {:?}", path.display(), head.format);
    }
    Ok(head)
}

/// A line that a crash cut off has no end: its answer is asked for again.
fn drop_broken_line(path: &Path) -> Result<()> {
    let text =
        fs::read_to_string(path).with_context(|| format!("can't read {}", path.display()))?;
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    if whole < text.len() {
        let file = OpenOptions::new().write(true).open(path);
        file.and_then(|file| file.set_len(whole as u64))
            .with_context(|| format!("can't write {}", path.display()))?;
    }
    Ok(())
}
