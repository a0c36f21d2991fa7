//! The journal of a run in progress, next to its record's file, so that a crash loses nothing. JSON
//! lines: first the record without samples, then one sample per line.

use crate::output;
use crate::shown::tell;
use anyhow::{Context, Result, anyhow};
use record::{Limits, Record, SampleRecord};
use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The extension appended to the record's file name.
const ENDING: &str = "partial";

/// The start of every sample's row.
const BEGINNING: &str = "{\"id\":";

/// The path of the journal that belongs to a record's file.
pub(crate) fn beside(record: &Path) -> PathBuf {
    let mut name = record.as_os_str().to_owned();
    name.push(".");
    name.push(ENDING);
    PathBuf::from(name)
}

/// The record's file that a journal belongs to; `None` if the name is not a journal's.
pub(crate) fn record_of(path: &Path) -> Option<PathBuf> {
    path.extension().is_some_and(|end| end == ENDING).then(|| path.with_extension(""))
}

/// The number of samples that may be in memory alone: asking for more would be paying for what the
/// next crash takes.
const MOST_UNSAVED: usize = 64;

/// A journal open for writing.
pub(crate) struct Journal {
    path: PathBuf,
    rows: Rows<File>,
    /// Whether the last write failed, so that consecutive failures are reported once.
    failing: bool,
    /// Whether a sample could not be serialized.
    lacking: bool,
    /// Samples added since the file is gone.
    lost: usize,
}

impl Journal {
    /// Starts the journal of a run that writes its record to `out`, with the samples done so far.
    /// An existing journal is replaced once the new one is on disk.
    pub(crate) fn begin(out: &Path, frame: &Record, kept: &[SampleRecord]) -> Result<Self> {
        let path = beside(out);
        let file = output::replace(&path, |file| {
            writeln!(file, "{}", serde_json::to_string(frame)?)?;
            for sample in kept {
                writeln!(file, "{}", serde_json::to_string(sample)?)?;
            }
            Ok(())
        })?;
        let whole = file.metadata().with_context(|| path.display().to_string())?.len();
        let rows = Rows::new(file, whole);
        Ok(Journal { path, rows, failing: false, lacking: false, lost: 0 })
    }

    /// Appends a sample. If the write fails, the row stays in memory until the next write.
    pub(crate) fn add(&mut self, sample: &SampleRecord) {
        let row = serde_json::to_string(sample).map_err(io::Error::other);
        self.lacking |= row.is_err();
        match row.and_then(|row| self.rows.add(row)) {
            Err(error) if !self.failing => tell!(
                "can't write {}: {error}. The run goes on, its samples wait in memory.",
                self.path.display()
            ),
            Ok(()) if self.failing => tell!("{} is whole again.", self.path.display()),
            _ => {}
        }
        self.failing = self.rows.waits();
        if self.lost > 0 || !self.is_there() {
            self.lost += 1;
            if self.lost == 1 {
                let path = self.path.display();
                tell!("{path} is gone. The run goes on, its samples wait in memory.");
            }
        }
    }

    /// Whether the path still names the file that rows go to: its folder may have been moved or
    /// removed.
    fn is_there(&self) -> bool {
        fs::metadata(&self.path).is_ok_and(|it| it.is_file() && it.len() >= self.rows.whole)
    }

    /// Whether so many samples are in memory alone that the run must stop.
    pub(crate) fn is_stuck(&self) -> bool {
        self.rows.waiting.len().max(self.lost) >= MOST_UNSAVED
    }

    /// Retries the pending writes and syncs; returns whether every sample is on disk, under the
    /// journal's path.
    pub(crate) fn is_whole(&mut self) -> bool {
        let has_all = !self.lacking && self.lost == 0 && self.is_there();
        has_all && self.rows.flush().and_then(|()| self.rows.sink.sync_all()).is_ok()
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Deletes the journal, because the record has been written.
    pub(crate) fn end(self) {
        if let Err(error) = fs::remove_file(&self.path)
            && error.kind() != io::ErrorKind::NotFound
        {
            tell!("can't remove {}: {error}", self.path.display());
        }
    }
}

/// Where rows are written.
trait Sink: Write {
    /// Truncates to `length` bytes and continues from there.
    fn cut(&mut self, length: u64) -> io::Result<()>;
}

impl Sink for File {
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)?;
        self.seek(SeekFrom::Start(length)).map(drop)
    }
}

/// Writes rows completely and in order; failed writes are retried.
struct Rows<S> {
    sink: S,
    /// Bytes known to end with a complete row.
    whole: u64,
    /// Whether part of a row may follow them.
    torn: bool,
    waiting: VecDeque<String>,
}

impl<S: Sink> Rows<S> {
    fn new(sink: S, whole: u64) -> Self {
        Rows { sink, whole, torn: false, waiting: VecDeque::new() }
    }

    fn add(&mut self, row: String) -> io::Result<()> {
        self.waiting.push_back(row + "\n");
        self.flush()
    }

    fn waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    fn flush(&mut self) -> io::Result<()> {
        while let Some(row) = self.waiting.front() {
            if self.torn {
                self.sink.cut(self.whole)?;
            }
            self.torn = true;
            self.sink.write_all(row.as_bytes())?;
            self.torn = false;
            self.whole += row.len() as u64;
            self.waiting.pop_front();
        }
        Ok(())
    }
}

/// A journal that was read back.
#[derive(Debug)]
pub(crate) struct Kept {
    /// The record without samples.
    pub(crate) frame: Record,
    /// Every readable row, in the order written.
    pub(crate) samples: Vec<SampleRecord>,
    /// The number of unreadable rows.
    pub(crate) unreadable: usize,
}

/// Reads a journal, complete or torn: counts torn rows and continues after them.
///
/// # Errors
/// When the file or its first line, which describes the run, can't be read.
pub(crate) fn read(path: &Path) -> Result<Kept> {
    let file = File::open(path).with_context(|| format!("can't read {}", path.display()))?;
    read_rows(BufReader::new(file)).with_context(|| format!("can't read {}", path.display()))
}

fn read_rows(mut input: impl BufRead) -> Result<Kept> {
    let mut line = Vec::new();
    next_line(&mut input, &mut line)?;
    let frame = Record::read_whole(line.as_slice(), &Limits::DISK)
        .context("its first line, which says what was run, is damaged")?;
    let mut kept = Kept { frame, samples: Vec::new(), unreadable: 0 };
    while next_line(&mut input, &mut line)? {
        match row(&line) {
            _ if line.trim_ascii().is_empty() => {}
            (Some(sample), whole) => {
                kept.samples.push(sample);
                kept.unreadable += usize::from(!whole);
            }
            (None, _) => kept.unreadable += 1,
        }
    }
    Ok(kept)
}

/// Reads up to and including the next line feed; false at the end of the file.
fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> Result<bool> {
    line.clear();
    let most = Limits::DISK.value;
    let read = input.by_ref().take(most).read_until(b'\n', line)?;
    if read as u64 == most && !line.ends_with(b"\n") {
        return Err(anyhow!("a line is longer than {} MB", most >> 20));
    }
    Ok(read > 0)
}

/// Parses a line's sample, and returns whether it is the whole line: after a torn row, a later run
/// may have continued on the same line.
fn row(line: &[u8]) -> (Option<SampleRecord>, bool) {
    if let Ok(sample) = serde_json::from_slice(line) {
        return (Some(sample), true);
    }
    let beginnings = line.windows(BEGINNING.len()).enumerate().skip(1);
    let later = beginnings.filter(|(_, text)| *text == BEGINNING.as_bytes());
    let sample = later
        .filter_map(|(at, _)| line.get(at..))
        .find_map(|rest| serde_json::from_slice::<SampleRecord>(rest).ok());
    (sample, false)
}

#[cfg(test)]
mod tests;
