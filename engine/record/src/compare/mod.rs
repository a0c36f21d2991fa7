//! Compares runs on the same samples, with the first run as the baseline.

mod paired;

pub use paired::Paired;

use crate::{Outcome, Record, SampleRecord};
use dataset::Ability;
use scoring::Profile;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The maximum number of records in a comparison.
pub const MAX_RECORDS: usize = 8;

/// A run compared with the baseline run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Against {
    /// Differences in how the two were measured, in words; empty if there are none.
    pub caveats: Vec<String>,
    /// Calls: one row per ability, then the total.
    pub rows: Vec<Row>,
    /// Calls with a verdict in one run only.
    pub unmatched: usize,
}

/// One ability, or the total, of two runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The ability; `None` for the total.
    pub ability: Option<Ability>,
    /// The samples with a verdict in both runs.
    pub paired: Paired,
}

/// A sample on which the runs disagree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disagreement {
    /// `<dialogue>#<turn>`.
    pub id: String,
    /// What the dialogue measures.
    pub ability: Ability,
    /// Whether each run is correct; `None` where a run has no verdict.
    pub correct: Vec<Option<bool>>,
}

/// Compares a run with the baseline run under a profile.
pub fn against(base: &Record, other: &Record, profile: Profile) -> Against {
    let known = verdicts(base, profile);
    let theirs = verdicts(other, profile);
    let mut rows: BTreeMap<Ability, Paired> = BTreeMap::new();
    let mut all = Paired::default();
    let mut matched = 0;
    for (id, (ability, first)) in &known {
        if let Some((_, second)) = theirs.get(id) {
            rows.entry(*ability).or_default().count(*first, *second);
            all.count(*first, *second);
            matched += 1;
        }
    }
    let mut rows: Vec<Row> =
        rows.into_iter().map(|(ability, paired)| Row { ability: Some(ability), paired }).collect();
    rows.push(Row { ability: None, paired: all });
    let unmatched = known.len() + theirs.len() - 2 * matched;
    Against { caveats: caveats(base, other), rows, unmatched }
}

/// The samples that some runs get right and others wrong, in the baseline run's order.
pub fn disagreements(records: &[&Record], profile: Profile) -> Vec<Disagreement> {
    let Some(base) = records.first() else { return Vec::new() };
    let by_run: Vec<_> = records.iter().map(|record| verdicts(record, profile)).collect();
    let mut found: Vec<Disagreement> = Vec::new();
    for sample in &base.samples {
        let correct: Vec<Option<bool>> = by_run
            .iter()
            .map(|run| run.get(sample.id.as_str()).map(|(_, correct)| *correct))
            .collect();
        if correct.contains(&Some(true)) && correct.contains(&Some(false)) {
            found.push(Disagreement { id: sample.id.clone(), ability: sample.ability, correct });
        }
    }
    found
}

fn verdicts(record: &Record, profile: Profile) -> BTreeMap<&str, (Ability, bool)> {
    let judged = |sample: &'_ SampleRecord| {
        matches!(sample.outcome, Outcome::Answered(_))
            .then(|| sample.verdict(profile))
            .flatten()
            .map(|verdict| verdict.correct)
    };
    record
        .samples
        .iter()
        .filter_map(|sample| Some((sample.id.as_str(), (sample.ability, judged(sample)?))))
        .collect()
}

/// Differences in how two runs were measured.
fn caveats(base: &Record, other: &Record) -> Vec<String> {
    let mut found = Vec::new();
    let mut differ = |what: &str, first: &str, second: &str| {
        if first != second {
            found.push(format!("{what} differs: {first} and {second}."));
        }
    };
    let named = |record: &Record| {
        let digest = record.pack.digest.get(..8).unwrap_or(&record.pack.digest);
        format!("{} {} ({digest})", record.pack.name, record.pack.version)
    };
    differ("The data set", &named(base), &named(other));
    differ("The protocol", base.protocol.as_str(), other.protocol.as_str());
    differ("The prompt text", &base.prompts, &other.prompts);
    let searcher = |record: &Record| record.search.digest.get(..8).unwrap_or_default().to_owned();
    differ("The model of API Search", &searcher(base), &searcher(other));
    found
}
