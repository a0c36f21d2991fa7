//! Requests about a run: start, pause, cancel.

use dataset::{Ability, Source};
use provider::ApiKey;
use record::{RunSettings, SampleRecord, Status};
use serde::{Deserialize, Serialize};

/// Start, resume, repeat or open a run, and show it. Refused during a run.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct StartRun {
    /// Which run.
    pub origin: RunOrigin,
    /// The endpoint's key, kept only during the run.
    #[serde(with = "provider::key::transfer")]
    pub key: Option<ApiKey>,
}

/// Where a run comes from.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunOrigin {
    /// A new run.
    New(Box<RunSettings>),
    /// A stored run, to be resumed; refused while another tab runs it.
    Stored {
        /// The run.
        id: String,
        /// Whether to retry samples without an answer.
        again: bool,
    },
    /// The worker's last run, to retry its samples without an answer.
    Last,
    /// A stored run, to be shown without any request.
    Opened {
        /// The run.
        id: String,
        /// Whether to mark an unfinished run as ended.
        conclude: bool,
    },
}

/// Progress of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunProgress {
    /// It starts, is resumed, or is opened.
    Started {
        /// Its id among the stored runs; `None` without storage.
        id: Option<String>,
        /// Its settings.
        settings: Box<RunSettings>,
        /// Samples by ability.
        planned: Vec<(Ability, usize)>,
    },
    /// Samples of an earlier session of the run.
    Earlier {
        /// The samples.
        samples: Vec<SampleRecord>,
    },
    /// A sample is done.
    Sample {
        /// The sample.
        sample: Box<SampleRecord>,
    },
    /// Part of it could not be stored; it continues in memory.
    NotKept {
        /// The reason and the remedy.
        message: String,
    },
    /// All of it is stored again.
    KeptAgain {
        /// The run's id.
        id: String,
    },
    /// The endpoint throttles.
    Throttled {
        /// Milliseconds until the next request.
        ms: u32,
    },
    /// It stops early without being cancelled; missing samples can be asked later.
    Stopped {
        /// The endpoint's reason and the remedy.
        reason: String,
    },
}

/// Facts of an ended run besides its samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordFacts {
    /// SHA-256 of its record without times.
    pub digest: String,
    /// The pack it ran on.
    pub pack: Source,
    /// Whether it completed.
    pub status: Status,
    /// Number of samples that were planned.
    pub planned: usize,
}

/// Pause or continue what runs: a run, or a generation. Requests in flight continue. The answer says
/// whether anything runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    /// Whether to pause.
    pub on: bool,
}

/// Cancel what runs: a run, a generation, an evaluation. What is finished is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cancel {}
