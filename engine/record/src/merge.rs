//! Merges the records of a run's shards.
//!
//! Merging is commutative and associative; all shards together have the digest of the unsharded run.

use super::{Record, RunTimes, Shards};
use serde_json::Value;
use std::collections::BTreeSet;
use thiserror::Error;

/// Why records can't be merged.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MergeError {
    /// There are no records.
    #[error("expected at least one record")]
    Nothing,
    /// The records belong to different runs.
    #[error(
        "{field} differs, so these are no parts of one run: {first} and {second}. Run all parts \
         with the same settings, data and program"
    )]
    Foreign {
        /// The differing field.
        field: String,
        /// The first record's value.
        first: String,
        /// The other record's value.
        second: String,
    },
    /// A record of a whole run.
    #[error("shard: expected records of parts (run with --shard), got one of a whole run")]
    Whole,
    /// The same shard twice.
    #[error("shard.parts: part {0} stands in two of the records; leave one of them out")]
    Overlap(u32),
    /// The same sample in two shards.
    #[error("samples: {0} stands in two of the records, though their parts differ")]
    Sample(String),
}

/// Fields that may differ between shards of a run.
const OWN: [&str; 9] = [
    "shard",
    "status",
    "planned",
    "times",
    "summary",
    "digest",
    "signatures",
    "dropped_parameters",
    "samples",
];

/// Merges shards. A single record is returned unchanged; several lose their signatures, each of
/// which covers one shard only.
///
/// # Errors
/// When the records are not distinct shards of one run.
pub fn merge(records: Vec<Record>) -> Result<Record, MergeError> {
    let mut records = records.into_iter();
    let mut whole = records.next().ok_or(MergeError::Nothing)?;
    let mut samples = std::mem::take(&mut whole.samples);
    let mut alone = true;
    for mut part in records {
        samples.append(&mut part.samples);
        whole = joined(whole, part)?;
        alone = false;
    }
    if alone {
        return Ok(Record { samples, ..whole });
    }
    let mut known = BTreeSet::new();
    if let Some(twice) = samples.iter().find(|sample| !known.insert(sample.id.as_str())) {
        return Err(MergeError::Sample(twice.id.clone()));
    }
    let times = whole.times;
    Ok(whole.filled(samples, times))
}

/// Merges all fields except the samples and the fields derived from them.
fn joined(mut first: Record, second: Record) -> Result<Record, MergeError> {
    same_run(&first, &second)?;
    let shards = united(&first, &second)?;
    let dropped: BTreeSet<String> =
        first.dropped_parameters.drain(..).chain(second.dropped_parameters).collect();
    let times = RunTimes {
        started_ms: first.times.started_ms.min(second.times.started_ms),
        finished_ms: first.times.finished_ms.max(second.times.finished_ms),
    };
    let whole = shards.parts.len() == shards.of as usize;
    Ok(Record {
        shard: (!whole).then_some(shards),
        planned: first.planned + second.planned,
        dropped_parameters: dropped.into_iter().collect(),
        times,
        signatures: Vec::new(),
        ..first
    })
}

fn same_run(first: &Record, second: &Record) -> Result<(), MergeError> {
    let fields = |record: &Record| match serde_json::to_value(record) {
        Ok(Value::Object(fields)) => fields,
        _ => serde_json::Map::new(),
    };
    let (a, b) = (fields(first), fields(second));
    let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    for name in names.into_iter().filter(|name| !OWN.contains(&name.as_str())) {
        if a.get(name) != b.get(name) {
            let (field, first, second) = deepest(name, a.get(name), b.get(name));
            return Err(MergeError::Foreign { field, first, second });
        }
    }
    Ok(())
}

/// The path of the first difference, with both values.
fn deepest(path: &str, a: Option<&Value>, b: Option<&Value>) -> (String, String, String) {
    if let (Some(Value::Object(first)), Some(Value::Object(second))) = (a, b) {
        let names: BTreeSet<&String> = first.keys().chain(second.keys()).collect();
        if let Some(name) = names.into_iter().find(|name| first.get(*name) != second.get(*name)) {
            return deepest(&format!("{path}.{name}"), first.get(name), second.get(name));
        }
    }
    let shown = |value: Option<&Value>| {
        let text = value.map_or_else(|| "nothing".to_owned(), Value::to_string);
        exchange::shorten(&text, 80)
    };
    (path.to_owned(), shown(a), shown(b))
}

fn united(first: &Record, second: &Record) -> Result<Shards, MergeError> {
    let (Some(a), Some(b)) = (&first.shard, &second.shard) else { return Err(MergeError::Whole) };
    if a.of != b.of {
        let (first, second) = (a.of.to_string(), b.of.to_string());
        return Err(MergeError::Foreign { field: "shard.of".to_owned(), first, second });
    }
    if let Some(part) = a.parts.iter().find(|part| b.parts.contains(part)) {
        return Err(MergeError::Overlap(*part));
    }
    let parts: BTreeSet<u32> = a.parts.iter().chain(&b.parts).copied().collect();
    Ok(Shards { of: a.of, parts: parts.into_iter().collect() })
}
