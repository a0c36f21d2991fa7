//! The folder of a generation: settings, journal and, after the end, the set.

use crate::{Usage, output};
use anyhow::{Context, Result, bail};
use generator::{FORMAT, JournalEntry, Settings, training_set};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

/// A generation's folder, with its journal open for writing.
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
    /// Opens a folder. A new folder gets `settings`; a resumed one keeps its targets, seed and
    /// tries, and takes only the budget from `settings`. The journal is locked until it is dropped.
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
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .with_context(|| format!("can't write {}", path.display()))?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            let message = format!("{} is in use by another process", folder.display());
            bail!(Usage(message));
        }
        let settings = match begun {
            true => Settings { budget: settings.budget, ..head(folder)?.settings },
            false => settings,
        };
        let head = Head { format: FORMAT.to_owned(), settings: settings.clone() };
        let text = serde_json::to_string_pretty(&head).context("the settings")?;
        output::write(&folder.join("settings.json"), &(text + "\n"))?;
        if begun {
            drop_broken_line(&path)?;
        }
        Ok((Journal { folder: folder.to_owned(), file }, settings))
    }

    /// Streams every entry to `take`, so the journal is never in memory as a whole.
    pub(super) fn replay(&self, mut take: impl FnMut(JournalEntry) -> Result<()>) -> Result<()> {
        let path = self.folder.join("journal.jsonl");
        let file = File::open(&path).with_context(|| format!("can't read {}", path.display()))?;
        for (number, line) in BufReader::new(file).lines().enumerate() {
            let place = || format!("{}, line {}", path.display(), number + 1);
            let entry = serde_json::from_str(&line.with_context(place)?).with_context(place)?;
            take(entry).with_context(place)?;
        }
        Ok(())
    }

    /// Appends an entry, unbuffered: it survives a crash of the program.
    pub(super) fn append(&self, entry: &JournalEntry) -> Result<()> {
        let line = serde_json::to_string(entry).context("the entry")? + "\n";
        let path = || format!("can't write {}", self.folder.join("journal.jsonl").display());
        (&self.file).write_all(line.as_bytes()).with_context(path)
    }

    /// Writes the set assembled from the journal.
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
            output::write(&path, &text)?;
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

/// Drops a last line without a line feed, left by a crash; its request is sent again.
fn drop_broken_line(path: &Path) -> Result<()> {
    // Bytes, not text: the crash may have split a character.
    let bytes = fs::read(path).with_context(|| format!("can't read {}", path.display()))?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    if whole < bytes.len() {
        let file = OpenOptions::new().write(true).open(path);
        file.and_then(|file| file.set_len(whole as u64))
            .with_context(|| format!("can't write {}", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use generator::{Budget, Targets};

    #[test]
    fn a_generation_has_one_process() {
        let folder = tempfile::tempdir().unwrap();
        let settings = || Settings {
            targets: Targets { call: 1, retrieve: 0, plan: 0, domains: 1, apis: 1 },
            budget: Budget::default(),
            seed: 1,
            tries: 1,
        };
        let first = Journal::open(folder.path(), settings(), false).unwrap();
        let second = Journal::open(folder.path(), settings(), true).err().unwrap();
        assert!(format!("{second:#}").contains("in use by another process"), "{second:#}");
        drop(first);
        Journal::open(folder.path(), settings(), true).unwrap();
    }

    #[test]
    fn a_line_is_dropped_wherever_it_was_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let (whole, last) = ("{\"name\": \"für\"}\n", "{\"name\": \"天气 🌦\"}");
        for cut in 0..=last.len() {
            let bytes = [whole.as_bytes(), &last.as_bytes()[..cut]].concat();
            fs::write(&path, bytes).unwrap();
            drop_broken_line(&path).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), whole, "cut at {cut}");
        }
    }
}
