//! The request to compare endpoints.

use provider::ApiKey;
use record::RunSettings;
use record::compare::EndpointReport;
use record::metrics::Prices;
use serde::{Deserialize, Serialize};

/// Run endpoints side by side and compare them. Refused during a run.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct CompareEndpoints {
    /// The runs: the reference, the reference again, the others.
    pub runs: Vec<PlannedRun>,
}

/// A run of the comparison.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedRun {
    /// Its name in the tables.
    pub title: String,
    /// Its settings.
    pub settings: Box<RunSettings>,
    /// The endpoint's key, kept only during the comparison.
    #[serde(with = "provider::key::transfer")]
    pub key: Option<ApiKey>,
    /// Prices, if known.
    pub prices: Option<Prices>,
}

/// Progress of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndpointsProgress {
    /// The runs begin.
    Started {
        /// Samples of each run.
        planned: usize,
    },
    /// A run has a sample.
    Sample {
        /// Index of the run.
        run: usize,
        /// Whether it has an answer.
        answered: bool,
    },
    /// An endpoint stopped its run.
    Stopped {
        /// Index of the run.
        run: usize,
        /// The endpoint's reason and the remedy.
        reason: String,
    },
}

/// A comparison, once all runs have ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedEndpoints {
    /// The figures.
    pub report: Box<EndpointReport>,
    /// Whether the user cancelled.
    pub cancelled: bool,
}
