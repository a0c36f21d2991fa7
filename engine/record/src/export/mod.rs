//! A record in the forms of other programs, written sample by sample.

mod csv;
mod evallog;
mod predictions;

use crate::{Record, RecordError, SampleRecord};
use serde::{Deserialize, Serialize};
use std::io::Write;

/// A form that a record can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// A table, one row a sample (RFC 4180, UTF-8).
    Csv,
    /// A log of version 2 that `inspect_ai` reads.
    EvalLog,
    /// Lines that the original's evaluators and `api-bank score` read.
    Predictions,
}

impl Format {
    /// Every form.
    pub const ALL: [Format; 3] = [Format::Csv, Format::EvalLog, Format::Predictions];

    /// The identifier.
    pub const fn as_str(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::EvalLog => "evallog",
            Format::Predictions => "predictions",
        }
    }

    /// What stands on a button.
    pub const fn title(self) -> &'static str {
        match self {
            Format::Csv => "CSV",
            Format::EvalLog => "EvalLog",
            Format::Predictions => "Predictions",
        }
    }

    /// How a file's name ends.
    pub const fn ending(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::EvalLog => "eval.json",
            Format::Predictions => "predictions.jsonl",
        }
    }
}

/// Writes a record's samples in a form.
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
    /// Begins a file for a record; the samples in it are not looked at.
    ///
    /// # Errors
    /// When it cannot be written.
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
    /// When it cannot be written.
    pub fn sample(&mut self, sample: &SampleRecord) -> Result<(), RecordError> {
        match self {
            Exporter::Csv(table) => table.sample(sample),
            Exporter::EvalLog(log) => log.sample(sample),
            Exporter::Predictions(lines) => lines.sample(sample),
        }
    }

    /// Ends the file.
    ///
    /// # Errors
    /// When it cannot be written.
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
