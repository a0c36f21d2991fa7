//! Requests for files to save.

use super::generate::File;
use record::export::Format;
use serde::{Deserialize, Serialize};

/// Make a file for the user, which holds this.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MakeFile {
    /// The last run's record, compressed.
    LastRun,
    /// The last run's record for the leaderboard.
    Result,
    /// The last run in another program's format.
    Export(Format),
    /// The record of a stored run, compressed.
    StoredRun(String),
    /// The records of all stored runs, in an archive.
    StoredRuns,
    /// The compared records, in an archive.
    Compared,
    /// The pack of own tools.
    OwnTools,
    /// A file of the stored generation.
    Generation(File),
}

impl MakeFile {
    /// Whether the file holds all of the last run.
    pub const fn is_last_run(&self) -> bool {
        matches!(self, MakeFile::LastRun | MakeFile::Result)
    }
}

/// A file to save.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeFile {
    /// A name for it.
    pub name: String,
    /// The blob's address; the receiver revokes it.
    pub url: String,
    /// What it lacks, and why; `None` if it is complete.
    pub lacking: Option<String>,
}
