//! Exports a record to other programs' formats, sample by sample.

mod csv;
mod evallog;
mod predictions;

use crate::{Record, RecordError, SampleRecord};
use serde::{Deserialize, Serialize};
use std::io::Write;

/// An export format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// CSV, one row per sample (RFC 4180, UTF-8).
    Csv,
    /// A version 2 log for `inspect_ai`.
    EvalLog,
    /// JSON lines for the original's evaluators and `api-bank score`.
    Predictions,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 3] = [Format::Csv, Format::EvalLog, Format::Predictions];

    /// The identifier.
    pub const fn as_str(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::EvalLog => "evallog",
            Format::Predictions => "predictions",
        }
    }

    /// The button label.
    pub const fn title(self) -> &'static str {
        match self {
            Format::Csv => "CSV",
            Format::EvalLog => "EvalLog",
            Format::Predictions => "Predictions",
        }
    }

    /// The file extension.
    pub const fn ending(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::EvalLog => "eval.json",
            Format::Predictions => "predictions.jsonl",
        }
    }
}

/// Writes a record's samples in an export format.
#[derive(Debug)]
pub enum Exporter<W: Write> {
    #[doc(hidden)]
    Csv(Box<csv::Table<W>>),
    #[doc(hidden)]
    EvalLog(Box<evallog::Log<W>>),
    #[doc(hidden)]
    Predictions(predictions::Lines<W>),
}

impl<W: Write> Exporter<W> {
    /// Starts a file for a record; the record's own samples are ignored.
    ///
    /// # Errors
    /// When the output can't be written.
    pub fn new(format: Format, record: &Record, out: W) -> Result<Self, RecordError> {
        Ok(match format {
            Format::Csv => Exporter::Csv(Box::new(csv::Table::new(out)?)),
            Format::EvalLog => Exporter::EvalLog(Box::new(evallog::Log::new(record, out)?)),
            Format::Predictions => Exporter::Predictions(predictions::Lines::new(out)),
        })
    }

    /// Writes the next sample, in the record's order.
    ///
    /// # Errors
    /// When the output can't be written.
    pub fn sample(&mut self, sample: &SampleRecord) -> Result<(), RecordError> {
        match self {
            Exporter::Csv(table) => table.sample(sample),
            Exporter::EvalLog(log) => log.sample(sample),
            Exporter::Predictions(lines) => lines.sample(sample),
        }
    }

    /// Finishes the file.
    ///
    /// # Errors
    /// When the output can't be written.
    pub fn finish(self) -> Result<W, RecordError> {
        match self {
            Exporter::Csv(table) => table.finish(),
            Exporter::EvalLog(log) => log.finish(),
            Exporter::Predictions(lines) => lines.finish(),
        }
    }
}

fn lost(error: &impl ToString) -> RecordError {
    RecordError::Io(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_the_names_in_json() {
        for it in Format::ALL {
            assert_eq!(serde_json::json!(it), it.as_str());
        }
    }
}
