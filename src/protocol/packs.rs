//! Imported packs as page and worker speak of them.

use serde::{Deserialize, Serialize};

/// Where imported data comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportSource {
    /// Files of the user's, dropped or picked.
    Files {
        /// The path of each.
        paths: Vec<String>,
    },
    /// A file or an archive at an address.
    Address {
        /// The address.
        url: String,
    },
    /// The dataset on the data hub.
    Hub,
    /// The generated dialogues that are kept in this browser.
    Generated,
}

/// A kept pack, as lists show it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredPack {
    /// SHA-256 of its files, hexadecimal; what records name.
    pub digest: String,
    /// What the user calls it.
    pub label: String,
    /// Parts with their counts.
    pub found: Vec<PackFound>,
    /// What is missing, and what that means.
    pub missing: Vec<String>,
    /// Files of it.
    pub files: usize,
    /// Bytes of it.
    pub bytes: u64,
    /// When it was imported, in milliseconds since 1970.
    pub imported_ms: f64,
}

/// A part of a pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackFound {
    /// What it is, in words.
    pub what: String,
    /// How many of them.
    pub count: usize,
}

/// What came of an import.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImportReport {
    /// The pack; `None` when nothing of the benchmark was found.
    pub pack: Option<StoredPack>,
    /// Files and lines that were refused, each with its reason.
    pub refused: Vec<String>,
    /// How many more were refused than are listed.
    pub refused_more: usize,
    /// Files that are no part of the benchmark.
    pub ignored: usize,
    /// Why the pack could not be kept, if it could not.
    pub not_kept: Option<String>,
}
