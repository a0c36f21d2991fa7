//! Export to the model hub's `.eval_results/*.yaml`: one entry for all samples and one for each
//! ability, under the profile `execution`.
//!
//! Source: `_eval_results.py` of huggingface_hub 2.4; a test reads an export with it.

use super::{evallog, lost};
use crate::{Record, RecordError, SampleRecord, Summarizer};
use dataset::Ability;
use scoring::Profile;
use serde_json::{Value, json};
use std::io::Write;

/// Stands for the hub's dataset that has the benchmark; whoever publishes the file names it.
const DATASET: &str = "OWNER/api-bank";

/// An export in progress.
#[derive(Debug)]
pub struct Entries<W> {
    out: W,
    protocol: &'static str,
    date: Value,
    /// Follows the numbers in each entry's notes.
    setup: String,
    summarizer: Summarizer,
}

impl<W: Write> Entries<W> {
    pub(super) fn new(record: &Record, out: W) -> Self {
        let protocol = record.protocol.as_str();
        let setup = format!(
            "protocol {protocol}, prompts {}, {} {}, {} split, record sha256 {}",
            record.prompts,
            record.pack.name,
            record.pack.full_version(),
            record.split.as_str(),
            record.digest
        );
        Entries {
            out,
            protocol,
            date: evallog::time(record.times.finished_ms),
            setup,
            summarizer: Summarizer::new(Profile::Execution),
        }
    }

    pub(super) fn sample(&mut self, sample: &SampleRecord) {
        self.summarizer.add(sample);
    }

    pub(super) fn finish(mut self) -> Result<W, RecordError> {
        let summary = self.summarizer.clone().finish();
        let mut text = format!(
            "# Replace {DATASET} by the benchmark's dataset on the hub. Values are percentages.\n"
        );
        for row in summary.rows.iter().rev().filter(|row| row.kind.is_none()) {
            // For episodes the dialogue is judged, otherwise each call.
            let rate = if row.calls.n > 0 { row.calls } else { row.dialogues };
            let Some(value) = rate.value() else { continue };
            let percent = |share: f64| (share * 10_000.0).round() / 100.0;
            let interval = rate.interval.map_or_else(String::new, |it| {
                format!(", 95 % interval {} to {}", percent(it.low), percent(it.high))
            });
            let task = match row.ability.map(Ability::as_str) {
                Some(ability) => format!("{}_{ability}", self.protocol),
                None => self.protocol.to_owned(),
            };
            let notes = format!("profile execution, n {}{interval}, {}", rate.n, self.setup);
            text.push_str(&entry(&task, percent(value), &self.date, &notes));
        }
        self.out.write_all(text.as_bytes()).map_err(|error| lost(&error))?;
        self.out.flush().map_err(|error| lost(&error))?;
        Ok(self.out)
    }
}

/// One entry. Strings are quoted as in JSON, which YAML reads.
fn entry(task: &str, value: f64, date: &Value, notes: &str) -> String {
    let mut text = format!(
        "- dataset:\n    id: {}\n    task_id: {}\n  value: {value}\n",
        json!(DATASET),
        json!(task)
    );
    if !date.is_null() {
        text.push_str(&format!("  date: {date}\n"));
    }
    text.push_str(&format!("  notes: {}\n", json!(notes)));
    text
}
