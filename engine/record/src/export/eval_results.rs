//! Export to the model hub's `.eval_results/*.yaml`: one entry for all samples and one for each
//! ability, under the profile `execution`.
//!
//! The hub ranks entries by the tasks of `dataset/eval.yaml`, which a test holds to those written here.
//!
//! Source: `_eval_results.py` of huggingface_hub 2.4; a test reads an export with it.

use super::{evallog, lost};
use crate::{Record, RecordError, SampleRecord, Summarizer};
use dataset::{Ability, Split};
use exchange::protocol::Protocol;
use scoring::Profile;
use serde_json::{Value, json};
use std::io::Write;

/// Stands for the hub's dataset that has the benchmark; whoever publishes the file names it.
const DATASET: &str = "OWNER/api-bank";

/// An export in progress.
#[derive(Debug)]
pub struct Entries<W> {
    out: W,
    protocol: Protocol,
    split: Split,
    /// Whether the benchmark on the hub has this edition of the data.
    is_ranked: bool,
    date: Value,
    /// Follows the numbers in each entry's notes.
    setup: String,
    summarizer: Summarizer,
}

impl<W: Write> Entries<W> {
    pub(super) fn new(record: &Record, out: W) -> Self {
        let setup = format!(
            "protocol {}, prompts {}, {} {}, {} split, {}, record sha256 {}",
            record.protocol.as_str(),
            record.prompts,
            record.pack.name,
            record.pack.full_version(),
            record.split.as_str(),
            record.subset,
            record.digest
        );
        Entries {
            out,
            protocol: record.protocol,
            split: record.split,
            is_ranked: record.pack.edition().is_original(),
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
        let rows = summary.rows.iter().rev().filter(|row| row.kind.is_none() && self.is_ranked);
        let mut text = match self.is_ranked {
            true => format!(
                "# Replace {DATASET} by the benchmark's dataset on the hub. Values are percentages.\n"
            ),
            false => "# The benchmark on the hub has no task for this edition of the data.\n[]\n"
                .to_owned(),
        };
        for row in rows {
            // For episodes the dialogue is judged, otherwise each call.
            let rate = if row.calls.n > 0 { row.calls } else { row.dialogues };
            let Some(value) = rate.value() else { continue };
            let percent = |share: f64| (share * 10_000.0).round() / 100.0;
            let interval = rate.interval.map_or_else(String::new, |interval| {
                format!(", 95 % interval {} to {}", percent(interval.low), percent(interval.high))
            });
            let task = task(self.protocol, self.split, row.ability);
            let notes = format!("profile execution, n {}{interval}, {}", rate.n, self.setup);
            text.push_str(&entry(&task, percent(value), &self.date, &notes));
        }
        self.out.write_all(text.as_bytes()).map_err(|error| lost(&error))?;
        self.out.flush().map_err(|error| lost(&error))?;
        Ok(self.out)
    }
}

/// The id of a task on the hub.
fn task(protocol: Protocol, split: Split, ability: Option<Ability>) -> String {
    let parts = [
        Some(protocol.as_str()),
        Some(split.as_str()).filter(|_| split != Split::default()),
        ability.map(Ability::as_str),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("_")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_benchmarks_file_has_every_task() {
        let file = include_str!("../../../../dataset/eval.yaml");
        let splits = |split| match split {
            Split::Standard => Ability::ALL.into_iter().map(Some).collect(),
            // It has only Call dialogues.
            Split::Hard => vec![Some(Ability::Call)],
        };
        let mut tasks = Vec::new();
        for protocol in Protocol::ALL {
            for split in Split::ALL {
                for ability in std::iter::once(None).chain(splits(split)) {
                    let split_name = split.as_str();
                    let id = task(protocol, split, ability);
                    tasks.push(format!(
                        "  - id: {id}\n    config: default\n    split: {split_name}\n"
                    ));
                }
            }
        }
        let listed = file.split_once("tasks:\n").unwrap().1;
        assert_eq!(listed, tasks.concat());
    }

    #[test]
    fn another_edition_of_the_data_has_no_entry() {
        let mut record =
            Record::from_json(include_str!("../../tests/data/record_v1.json")).unwrap();
        let exported = |record: &Record| {
            let mut entries = Entries::new(record, Vec::new());
            record.samples.iter().for_each(|sample| entries.sample(sample));
            String::from_utf8(entries.finish().unwrap()).unwrap()
        };
        let text = exported(&record);
        assert!(text.contains("task_id") && text.contains(&record.subset.to_string()), "{text}");
        record.pack.variant = Some(7);
        let text = exported(&record);
        assert!(text.ends_with("\n[]\n") && !text.contains("task_id"), "{text}");
    }
}
