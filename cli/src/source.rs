//! A record as input: a file, or standard input.

use crate::files;
use anyhow::{Context, Result};
use record::{Limits, Record, RecordError, unpacked};
use std::fs::File;
use std::io::{BufReader, Cursor, Read};
use std::path::Path;

/// An input that can be read more than once; standard input is kept in memory.
pub(crate) enum Source<'a> {
    File(&'a Path),
    Kept(Vec<u8>),
}

impl<'a> Source<'a> {
    pub(crate) fn new(path: &'a Path) -> Result<Self> {
        Ok(match files::is_standard(path) {
            true => Source::Kept(files::read(path)?),
            false => Source::File(path),
        })
    }

    /// Opens the input; decompresses gzip.
    pub(crate) fn open(&self) -> Result<Box<dyn Read + '_>, RecordError> {
        let opened = match self {
            Source::Kept(bytes) => unpacked(Cursor::new(bytes)),
            Source::File(path) => File::open(path)
                .and_then(|file| unpacked(BufReader::with_capacity(1 << 16, file)))
                .map_err(|error| {
                    std::io::Error::other(format!("can't read {}: {error}", path.display()))
                }),
        };
        opened.map_err(|error| RecordError::Io(error.to_string()))
    }
}

/// Reads a record from a file or standard input.
pub(crate) fn whole(path: &Path) -> Result<Record> {
    let source = Source::new(path)?;
    let record = source.open().and_then(|input| Record::read_whole(input, &Limits::DISK));
    record.with_context(|| path.display().to_string())
}
