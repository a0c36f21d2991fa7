//! Why a pack cannot be used: the file, the place in it, and what was expected.

use thiserror::Error;

/// A defect of a pack.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PackError {
    /// A file is no JSON.
    #[error("{file}, line {line}: this is no JSON: {reason}")]
    Json {
        /// The file.
        file: String,
        /// Line in the file, from 1.
        line: usize,
        /// What the JSON reader says.
        reason: String,
    },
    /// A dialogue has another shape.
    #[error("{file}, line {line}: {reason}")]
    Dialogue {
        /// The file.
        file: String,
        /// Line in the file, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// The manifest has another shape.
    #[error("{file}: {reason}")]
    Manifest {
        /// The file.
        file: String,
        /// What is wrong.
        reason: String,
    },
    /// A database has another shape.
    #[error(transparent)]
    Database(#[from] apis::LoadError),
    /// A file is of no known kind.
    #[error(
        "{file}: expected manifest.json, databases/<Table>.json, dialogues/call/*.jsonl, \
         dialogues/retrieve/*.jsonl, dialogues/plan/*.json, hard/*.jsonl or hard/index.json"
    )]
    UnknownFile {
        /// The file.
        file: String,
    },
}
