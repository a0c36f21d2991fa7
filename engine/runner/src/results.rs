//! Verifies the records of `results/` for the leaderboard.

use crate::benchmark::Benchmark;
use crate::{Verifier, VerifyError};
use record::leaderboard::{Entry, Refused};
use record::{Difference, Limits, Record, RecordError, unpacked};
use thiserror::Error;

/// Why a file is not in the leaderboard.
#[derive(Debug, Error)]
pub enum ResultError {
    /// Not a record, or not one of the built-in pack.
    #[error("{file}: {error}")]
    Unusable {
        /// The file's name.
        file: String,
        /// The reason.
        error: VerifyError,
    },
    /// A record of the wrong kind of run.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// A record that differs from its replay.
    #[error(
        "{file}: {}: recorded {}, recomputed {} ({count} differences)",
        first.path, first.recorded, first.recomputed
    )]
    Differs {
        /// The file's name.
        file: String,
        /// The first difference.
        first: Box<Difference>,
        /// All differences.
        count: usize,
    },
}

/// Reads a record's compressed file.
///
/// # Errors
/// When it is not a record, or too large for the page.
pub fn read(file: &str, bytes: &[u8]) -> Result<Record, ResultError> {
    let read = unpacked(bytes).map_err(|error| RecordError::Io(error.to_string()));
    let record = read.and_then(|input| Record::read_whole(input, &Limits::PAGE));
    record.map_err(|error| unusable(file, error.into()))
}

/// Replays every sample of a record and reduces it to a row's part. A built-in model is asked again.
///
/// # Errors
/// When the leaderboard does not take the record, or the replay differs.
pub fn verified(
    bench: &Benchmark,
    file: &str,
    bytes: usize,
    record: Record,
) -> Result<Entry, ResultError> {
    let failed = |error: VerifyError| unusable(file, error);
    let frame = Record { samples: Vec::new(), ..record.clone() };
    let bench = &bench.edition(record.pack.edition()).map_err(|error| failed(error.into()))?;
    let mut verifier = Verifier::new(bench, frame).map_err(failed)?;
    for sample in &record.samples {
        verifier.sample(sample).map_err(|error| failed(error.into()))?;
    }
    let found = verifier.finish().map_err(|error| failed(error.into()))?;
    if let Some(first) = found.differences.into_iter().next() {
        let (file, first) = (file.to_owned(), Box::new(first));
        return Err(ResultError::Differs { file, first, count: found.found });
    }
    Ok(Entry::new(file, bytes, &record, found.signatures)?)
}

/// As [`verified`], without replaying: for files that are verified elsewhere.
///
/// # Errors
/// When the leaderboard does not take the record.
pub fn trusted(file: &str, bytes: usize, record: &Record) -> Result<Entry, ResultError> {
    let digest = &record.digest;
    let signatures = record.signatures.iter().map(|it| record::jws::check(it, digest)).collect();
    Ok(Entry::new(file, bytes, record, signatures)?)
}

fn unusable(file: &str, error: VerifyError) -> ResultError {
    ResultError::Unusable { file: file.to_owned(), error }
}
