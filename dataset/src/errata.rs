//! Corrections of the project's own pack since its first version.
//!
//! `dataset/errata/own.json` lists them, oldest first. Correcting a gold call, a result or a database
//! raises the pack's version; correcting only the wording need not.

use serde::{Deserialize, Serialize};
use std::fmt;
use thiserror::Error;

/// The entries, embedded.
const ENTRIES: &str = include_str!("../errata/own.json");

/// What was corrected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// An utterance.
    Wording,
    /// Name or arguments of a gold call.
    Call,
    /// A recorded result.
    Result,
    /// A row of a database.
    Database,
}

/// One correction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Correction {
    /// The first version of the pack with the correction.
    pub version: String,
    /// The dialogue's id, or `databases/<Table>`.
    pub place: String,
    /// Index of the turn, from 0; `None` for databases.
    #[serde(default)]
    pub turn: Option<usize>,
    /// What was corrected.
    pub part: Part,
    /// What was wrong and what replaced it.
    pub reason: String,
}

/// Why the list cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ErrataError {
    /// Not JSON, or of another shape.
    #[error("errata/own.json: expected a list of corrections: {0}")]
    Shape(String),
    /// A field is empty or does not fit the others.
    #[error("errata/own.json, entry {entry}: {reason}")]
    Entry {
        /// Number of the entry, from 1.
        entry: usize,
        /// What is wrong.
        reason: &'static str,
    },
}

/// The corrections of the embedded pack.
///
/// # Errors
/// Never: a test reads the embedded list.
pub fn own() -> Result<Vec<Correction>, ErrataError> {
    read(ENTRIES)
}

/// Reads a list of corrections.
///
/// # Errors
/// The first invalid entry.
pub fn read(text: &str) -> Result<Vec<Correction>, ErrataError> {
    let entries: Vec<Correction> =
        serde_json::from_str(text).map_err(|error| ErrataError::Shape(error.to_string()))?;
    for (index, entry) in entries.iter().enumerate() {
        let problem = |reason| Err(ErrataError::Entry { entry: index + 1, reason });
        if entry.version.trim().is_empty() || entry.reason.trim().is_empty() {
            return problem("version and reason must not be empty");
        }
        let database = entry.place.starts_with("databases/");
        if database != (entry.part == Part::Database) || database == entry.turn.is_some() {
            return problem("a database has no turn, everything else needs one");
        }
    }
    Ok(entries)
}

impl fmt::Display for Correction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Correction { version, place, turn, reason, .. } = self;
        match turn {
            Some(turn) => write!(f, "{version} {place}#{turn}: {reason}"),
            None => write!(f, "{version} {place}: {reason}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_list_is_valid_and_names_existing_places() {
        let pack = crate::builtin().unwrap();
        for entry in own().unwrap() {
            // The hard split was rebuilt for version 1.0.0.
            let former = entry.version.starts_with("0.") && entry.place.starts_with("hard/");
            assert!(
                entry.part == Part::Database
                    || former
                    || pack.dialogue(&entry.place).is_some()
                    || pack.hard.iter().any(|dialogue| dialogue.id == entry.place),
                "{entry}"
            );
        }
    }

    #[test]
    fn incomplete_entries_are_rejected() {
        let read_one = |part: &str, turn: &str, reason: &str| {
            read(&format!(
                r#"[{{"version": "0.1.1", "place": "call/x", "part": "{part}", {turn} "reason": "{reason}"}}]"#
            ))
        };
        assert_eq!(
            read_one("call", r#""turn": 1,"#, "was b").unwrap()[0].to_string(),
            "0.1.1 call/x#1: was b"
        );
        assert!(read_one("call", "", "was b").is_err());
        assert!(read_one("database", r#""turn": 1,"#, "was b").is_err());
        assert!(read_one("call", r#""turn": 1,"#, " ").is_err());
        assert!(matches!(read("{}"), Err(ErrataError::Shape(_))));
    }
}
