//! What a run has so far, beside its record's file, so that nothing is lost when the program dies:
//! JSON lines, first the record without samples, then a sample a line. And earlier runs, read back
//! to be resumed.

use anyhow::{Context, Result};
use engine::record::{Limits, Outcome, Record, SampleRecord};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

/// What is put behind the record's name.
const ENDING: &str = "partial";

/// A journal that is being written.
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    /// The first failure to write; the run goes on without.
    broken: Option<std::io::Error>,
}

impl Journal {
    /// Begins the journal of a run whose record goes to `out`, with the samples that it has.
    pub(crate) fn begin(out: &Path, frame: &Record, kept: &[SampleRecord]) -> Result<Self> {
        let path = beside(out);
        let context = || format!("can't write {}", path.display());
        // A journal that is resumed is replaced only when the new one is whole.
        let fresh = path.with_extension("new");
        let mut file = File::create(&fresh).with_context(context)?;
        writeln!(file, "{}", serde_json::to_string(frame)?).with_context(context)?;
        for sample in kept {
            writeln!(file, "{}", serde_json::to_string(sample)?).with_context(context)?;
        }
        fs::rename(&fresh, &path).with_context(context)?;
        Ok(Journal { path, file, broken: None })
    }

    /// Adds a sample.
    pub(crate) fn add(&mut self, sample: &SampleRecord) {
        if self.broken.is_some() {
            return;
        }
        let line = serde_json::to_string(sample).map_err(std::io::Error::other);
        if let Err(error) = line.and_then(|line| writeln!(self.file, "{line}")) {
            eprintln!("{}: {error}. The run goes on without it.", self.path.display());
            self.broken = Some(error);
        }
    }

    /// The record is written: the journal is no longer needed.
    pub(crate) fn end(self) {
        if let Err(error) = fs::remove_file(&self.path) {
            eprintln!("{}: {error}", self.path.display());
        }
    }
}

fn beside(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(".");
    name.push(ENDING);
    PathBuf::from(name)
}

/// An earlier part of a run: its record, or the journal that was left in its place. Samples that
/// got no answer are left out, so that they are asked again.
pub(crate) fn earlier(path: &Path) -> Result<(Record, Vec<SampleRecord>)> {
    let journal = beside(path);
    let own = path.extension().is_some_and(|end| end == ENDING);
    let whole = fs::metadata(path).is_ok_and(|file| file.len() > 0);
    let (frame, mut samples) = if own || (!whole && journal.is_file()) {
        let path = if own { path } else { &journal };
        read_journal(path).with_context(|| format!("can't resume from {}", path.display()))?
    } else {
        let file = File::open(path).with_context(|| format!("can't read {}", path.display()))?;
        let mut record = Record::read_whole(BufReader::new(file), &Limits::DISK)
            .with_context(|| format!("can't resume from {}", path.display()))?;
        let samples = std::mem::take(&mut record.samples);
        (record, samples)
    };
    samples.retain(|sample| matches!(sample.outcome, Outcome::Answered(_)));
    // A journal has them in the order in which they came.
    samples.sort_by(|a, b| a.place().cmp(&b.place()));
    Ok((frame, samples))
}

fn read_journal(path: &Path) -> Result<(Record, Vec<SampleRecord>)> {
    let mut lines = BufReader::new(File::open(path)?).lines();
    let head = lines.next().context("expected a first line, got an empty file")??;
    let frame = Record::from_json(&head)?;
    let mut samples = Vec::new();
    for line in lines {
        // The last line may be torn: the program died while it was written.
        match serde_json::from_str::<SampleRecord>(&line?) {
            Ok(sample) => samples.push(sample),
            Err(_) => break,
        }
    }
    Ok((frame, samples))
}
