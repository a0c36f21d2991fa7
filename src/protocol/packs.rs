//! Imported packs in messages between page and worker.

use serde::{Deserialize, Serialize};

/// Where imported data comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportSource {
    /// The user's files, dropped or picked.
    Files {
        /// Their paths.
        paths: Vec<String>,
    },
    /// A file or an archive at an address.
    Address {
        /// The address.
        url: String,
    },
    /// The dataset on the data hub.
    Hub,
    /// The dialogues of the stored generation.
    Generated,
}

/// A stored pack in lists.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredPack {
    /// SHA-256 of its files, hexadecimal, as in records.
    pub digest: String,
    /// The user's label.
    pub label: String,
    /// Parts with their counts.
    pub found: Vec<PackFound>,
    /// Missing parts with the consequences.
    pub missing: Vec<String>,
    /// Number of files.
    pub files: usize,
    /// Total size in bytes.
    pub bytes: u64,
    /// When it was imported, in milliseconds since 1970.
    pub imported_ms: f64,
}

/// A part of a pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackFound {
    /// Name of the part.
    pub what: String,
    /// Number of items.
    pub count: usize,
}

/// The result of an import.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImportReport {
    /// The pack; `None` if the files contain nothing of the benchmark.
    pub pack: Option<StoredPack>,
    /// Rejected files and lines, with reasons.
    pub refused: Vec<String>,
    /// Number of rejected ones that are not listed.
    pub refused_more: usize,
    /// Number of files that are not part of the benchmark.
    pub ignored: usize,
    /// Why the pack could not be stored, if so.
    pub not_kept: Option<String>,
}
