//! Imports the original benchmark's released data, in any released layout.
//!
//! Pure: takes files as path and text. Accepts the repository's layout
//! (`lv1-lv2-samples/…/*.jsonl`, `init_database/*.json`, `test-data/level-3.json`, `lv3-samples`,
//! the APIs in `apis/*.py` and `lv3_apis/*.py`), the data hub's
//! (`level-{1,2}-{api,response}.json`, `level-3-batch-inf*.json`), and two extracts of the Python
//! files: the tables of the planning APIs (`planning-tables.json`) and the texts of API Search
//! (`pools.json`). Any top folder is allowed, and so is a subset of the files: the [`Report`] lists
//! missing parts and their consequences.

mod archive;
mod errata;
mod fault;
mod file_kind;
mod files;
mod imported;
mod intake;
mod pools;
mod python;
mod released;
mod report;
mod sample;
mod source;
#[cfg(test)]
mod tests;

pub use archive::archive;
pub use errata::{DefectClass, Errata, ErrataError, Erratum, renamed};
pub use file_kind::FileKind;
pub use files::is_part;
pub use imported::{Correction, Imported, ImportedSample, Place};
pub use intake::{Intake, Limits};
pub use pools::{Origin, PoolTool, spaced_name};
pub use released::released_vector;
pub use report::{Found, Problem, Report};
pub use sample::{OriginalDialogue, Plan, PromptKind, PromptRow};

use apis::store::hex;
use apis::{Suite, TableName, World};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Name of imported data in records.
pub const ORIGINAL: &str = "API-Bank original";

/// The original data; any part may be missing.
#[derive(Debug, Clone, Default)]
pub struct Original {
    /// Dialogues of levels 1 and 2, by level and file name.
    pub dialogues: BTreeMap<(u8, String), OriginalDialogue>,
    /// Dialogues of level 3, in the order of their file.
    pub plans: Vec<Plan>,
    /// Databases by file stem (`Account`), as JSON.
    pub databases: BTreeMap<String, Value>,
    /// Tables of the planning APIs: API to its attributes.
    pub planning_tables: BTreeMap<String, Value>,
    /// Rows of the hub's files: prompts and expected outputs.
    pub prompts: Vec<PromptRow>,
    /// APIs as the pack describes them, by suite, then name.
    pub pools: BTreeMap<Suite, BTreeMap<String, PoolTool>>,
    /// Number of APIs described in Python files.
    pub described: usize,
    /// SHA-256 of the files read, hexadecimal.
    pub digest: String,
}

/// Reads the original data from files, given as path and text. Other files are ignored, damaged
/// ones reported; neither stops the import.
pub fn import<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> (Original, Report) {
    let mut files: Vec<(&str, &str)> = files.into_iter().collect();
    // Sorted, so that the same files give the same pack.
    files.sort_unstable();
    let mut reader = files::Reader::default();
    let mut hash = Sha256::new();
    for (path, text) in files {
        match reader.read(path, text) {
            true => {
                reader.report.read.push(path.to_owned());
                hash.update(path.rsplit('/').next().unwrap_or(path));
                hash.update([0]);
                hash.update(text);
            }
            false => reader.report.ignored += 1,
        }
    }
    let (mut original, mut report) = reader.finish();
    original.digest = hex(&hash.finalize());
    pools::complete(&mut original);
    report.conclude(&original);
    (original, report)
}

impl Original {
    /// The world of the pack's databases, on the original's date (31 March 2023), and the
    /// databases that failed to load.
    pub fn world(&self) -> (World, Vec<Problem>) {
        let mut world = World::empty(0);
        let mut problems = Vec::new();
        let mut note = |file: String, loaded: Result<(), apis::LoadError>| {
            if let Err(error) = loaded {
                problems.push(Problem { file, line: None, reason: error.to_string() });
            }
        };
        for (stem, json) in &self.databases {
            let file = format!("{stem}.json");
            if let Some(name) = TableName::ALL.iter().find(|name| name.as_str() == stem) {
                note(file.clone(), world.load_table(*name, &file, json));
            }
        }
        let file = "planning-tables.json";
        let tables = self.planning_tables.clone().into_iter().collect();
        note(file.to_owned(), world.load_planning_tables(file, &Value::Object(tables)));
        (world, problems)
    }

    /// The hub's row for a sample, if the pack has it.
    pub fn prompt(&self, level: u8, file: &str, id: usize, step: usize) -> Option<&PromptRow> {
        self.prompts
            .iter()
            .find(|row| row.level == level && row.file == file && (row.id, row.step) == (id, step))
    }
}
