//! Packs: facts about them, and requests to import one.

use dataset::Ability;
use serde::{Deserialize, Serialize};

/// Import data and store it in this browser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// Its label in lists.
    pub label: String,
    /// Its source. Files are sent with the request, in the same order.
    pub source: ImportSource,
}

/// Progress of an import.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportProgress {
    /// Files processed.
    pub files: usize,
    /// Total number of files; 0 while unknown.
    pub total: usize,
    /// Bytes received.
    pub bytes: u64,
}

/// Cancel the import; nothing is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CancelImport {}

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

/// Facts about the loaded pack.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackFacts {
    /// Name of the pack.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its digest.
    pub digest: String,
    /// Dialogues and samples by ability.
    pub abilities: Vec<AbilityFacts>,
    /// Facts about an imported pack; `None` for the built-in one.
    pub imported: Option<ImportedFacts>,
    /// Of a pack of own tools, their number.
    pub own_tools: Option<usize>,
}

/// Facts about an imported pack.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedFacts {
    /// Calls whose gold the errata correct.
    pub corrected: usize,
    /// Calls that the errata exclude.
    pub excluded: usize,
    /// Samples with the pack's own prompt.
    pub prompts: usize,
    /// Data that the profile `original` lacks; empty if it can be computed.
    pub original_lacks: Vec<String>,
}

/// The size of one ability in the loaded pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AbilityFacts {
    /// The ability.
    pub ability: Ability,
    /// Dialogues.
    pub dialogues: usize,
    /// Samples that ask for a call.
    pub calls: usize,
    /// Samples that ask for a reply.
    pub replies: usize,
}
