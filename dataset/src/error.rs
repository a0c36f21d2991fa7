//! Errors of a pack: the file, the place in it, and what was expected.

use thiserror::Error;

/// Why a pack cannot be loaded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PackError {
    /// A file is not JSON.
    #[error("{file}, line {line}: this is not JSON: {reason}")]
    Json {
        /// The file.
        file: String,
        /// Line in the file, from 1.
        line: usize,
        /// The JSON parser's message.
        reason: String,
    },
    /// A dialogue is invalid.
    #[error("{file}, line {line}: {reason}")]
    Dialogue {
        /// The file.
        file: String,
        /// Line in the file, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// The manifest, or the index of the hard split, is invalid.
    #[error("{file}: {reason}")]
    Manifest {
        /// The file.
        file: String,
        /// What is wrong.
        reason: String,
    },
    /// Horizon tasks can't be generated.
    #[error("horizon: {0}")]
    Horizon(String),
    /// A database is invalid.
    #[error(transparent)]
    Database(#[from] apis::LoadError),
    /// A file has an unknown path.
    #[error(
        "{file}: expected manifest.json, databases/<Table>.json, dialogues/call/*.jsonl, \
         dialogues/retrieve/*.jsonl, dialogues/plan/*.json, hard/*.jsonl or hard/index.json"
    )]
    UnknownFile {
        /// The file.
        file: String,
    },
}
