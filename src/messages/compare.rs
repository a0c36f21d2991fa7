//! Requests of the Compare page.

use dataset::Ability;
use record::Rate;
use record::compare::{Against, Disagreement, Report};
use record::metrics::horizon::HorizonRow;
use scoring::{ErrorClass, Profile};
use serde::{Deserialize, Serialize};

/// Change the list of compared records, then compare. The worker keeps the list.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct CompareRecords {
    /// The change.
    pub change: Change,
    /// The profile of the numbers.
    pub profile: Profile,
    /// The difference below which models count as equal, 0 to 1.
    pub margin: f64,
}

/// A change of the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// No change.
    Keep,
    /// Remove all records.
    Clear,
    /// Add the record file beside the request, compressed or not.
    AddFile,
    /// Add the last run of this page.
    AddLast,
    /// Add a run of this browser's database.
    AddStored {
        /// Its id.
        id: String,
    },
    /// Remove a record.
    Remove {
        /// Its index.
        index: usize,
    },
    /// Make a record the base, with which the others are compared.
    Base {
        /// Its index.
        index: usize,
    },
}

/// One sample in all records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompareSample {
    /// Its id, without a trial.
    pub sample: String,
    /// The profile of the verdicts.
    pub profile: Profile,
}

/// The comparison of all records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The records; the first is the base.
    pub records: Vec<Column>,
    /// All pairs, and the noise floor.
    pub report: Report,
    /// The margin that the pairs are compared with, 0 to 1.
    pub margin: f64,
    /// The others against the base, in their order.
    pub against: Vec<Against>,
    /// The samples on which they differ.
    pub disagreements: Vec<Disagreement>,
}

/// One sample in all records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleComparison {
    /// Its id.
    pub sample: String,
    /// The gold answer.
    pub gold: String,
    /// Each record's answer; `None` if it lacks the sample.
    pub sides: Vec<Option<Side>>,
}

/// A record of the comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// The model.
    pub title: String,
    /// The protocol.
    pub protocol: String,
    /// The retriever, unless it is the built-in one.
    pub retriever: Option<String>,
    /// Name and version of the pack.
    pub pack: String,
    /// Whether it has every planned sample.
    pub complete: bool,
    /// Calls by ability, then all together; dialogues under `agent`.
    pub rates: Vec<(Option<Ability>, Rate)>,
    /// Wrong answers by error class.
    pub errors: Vec<(ErrorClass, usize)>,
    /// The judged calls, searches and no-call steps, or dialogues, of which these are a part.
    pub decisions: usize,
    /// The horizon over all tasks; `None` for other runs.
    pub horizon: Option<HorizonRow>,
}

/// A record's answer to a sample.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Side {
    /// The answer, or why there is none.
    pub text: String,
    /// Whether it is right; `None` if it was not judged.
    pub correct: Option<bool>,
    /// The verdict in words.
    pub explanation: String,
}
