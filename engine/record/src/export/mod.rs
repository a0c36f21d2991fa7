//! Exports a record to other programs' formats, sample by sample.

mod csv;
mod eval_results;
mod evallog;
mod every_eval;
mod predictions;

pub use csv::table;

use crate::{Record, RecordError, SampleRecord};
use serde::{Deserialize, Serialize};
use std::io::Write;
use strum::{EnumCount, IntoStaticStr, VariantArray};

/// An export format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[derive(EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// CSV, one row per sample (RFC 4180, UTF-8).
    Csv,
    /// A version 2 log for `inspect_ai`.
    EvalLog,
    /// JSON lines for the original's evaluators and `api-bank score`.
    Predictions,
    /// The aggregate file of Every Eval Ever, schema 0.3.0.
    #[serde(rename = "every-eval")]
    #[strum(serialize = "every-eval")]
    EveryEval,
    /// The samples file of Every Eval Ever.
    #[serde(rename = "every-eval-samples")]
    #[strum(serialize = "every-eval-samples")]
    EveryEvalSamples,
    /// A model hub's `.eval_results/*.yaml`.
    #[serde(rename = "eval-results")]
    #[strum(serialize = "eval-results")]
    EvalResults,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; Format::COUNT] = *Format::VARIANTS.first_chunk().unwrap();

    /// The identifier.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The button label.
    pub const fn title(self) -> &'static str {
        match self {
            Format::Csv => "CSV",
            Format::EvalLog => "EvalLog",
            Format::Predictions => "Predictions",
            Format::EveryEval => "Every Eval Ever",
            Format::EveryEvalSamples => "Every Eval Ever samples",
            Format::EvalResults => "Hub results",
        }
    }

    /// The file extension.
    pub const fn ending(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::EvalLog => "eval.json",
            Format::Predictions => "predictions.jsonl",
            Format::EveryEval => "every-eval.json",
            Format::EveryEvalSamples => "every-eval_samples.jsonl",
            Format::EvalResults => "eval-results.yaml",
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
    #[doc(hidden)]
    EveryEval(Box<every_eval::Aggregate<W>>),
    #[doc(hidden)]
    EveryEvalSamples(every_eval::Samples<W>),
    #[doc(hidden)]
    EvalResults(Box<eval_results::Entries<W>>),
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
            Format::EveryEval => {
                Exporter::EveryEval(Box::new(every_eval::Aggregate::new(record, out)))
            }
            Format::EveryEvalSamples => {
                Exporter::EveryEvalSamples(every_eval::Samples::new(record, out))
            }
            Format::EvalResults => {
                Exporter::EvalResults(Box::new(eval_results::Entries::new(record, out)))
            }
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
            Exporter::EveryEvalSamples(rows) => rows.sample(sample),
            Exporter::EveryEval(aggregate) => {
                aggregate.sample(sample);
                Ok(())
            }
            Exporter::EvalResults(entries) => {
                entries.sample(sample);
                Ok(())
            }
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
            Exporter::EveryEval(aggregate) => aggregate.finish(),
            Exporter::EveryEvalSamples(rows) => rows.finish(),
            Exporter::EvalResults(entries) => entries.finish(),
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
