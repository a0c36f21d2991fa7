//! The report of an import: parts found, parts missing, problems.

use super::Original;
use apis::{Suite, TableName, registry};
use std::fmt;

/// The outcome of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Parts found, with their counts.
    pub found: Vec<Found>,
    /// Missing parts, each with its consequence.
    pub missing: Vec<String>,
    /// Files and lines that cannot be read.
    pub problems: Vec<Problem>,
    /// Number of files outside the benchmark.
    pub ignored: usize,
    /// Paths of the benchmark's files.
    pub read: Vec<String>,
}

/// A part that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its name.
    pub what: &'static str,
    /// Number of items.
    pub count: usize,
}

/// A file or line that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub file: String,
    /// The line, from 1, if known.
    pub line: Option<usize>,
    /// What was expected and what was found.
    pub reason: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}, line {line}: {}", self.file, self.reason),
            None => write!(f, "{}: {}", self.file, self.reason),
        }
    }
}

/// The databases that the original ships, by file stem.
const DATABASES: [TableName; 19] = [
    TableName::Account,
    TableName::Agenda,
    TableName::Alarm,
    TableName::Appointments,
    TableName::Bank,
    TableName::HealthData,
    TableName::History,
    TableName::Hotel,
    TableName::ImageCaptioning,
    TableName::Meeting,
    TableName::QuestionAnswering,
    TableName::Reminder,
    TableName::Scenes,
    TableName::SearchEngine,
    TableName::SpeechRecognition,
    TableName::Stock,
    TableName::Symptom,
    TableName::TimeSwitch,
    TableName::Wiki,
];

impl Report {
    /// Whether there is nothing to score.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Fills in the parts found and missing.
    pub(super) fn conclude(&mut self, original: &Original) {
        let dialogues = |level: u8| original.dialogues.keys().filter(|key| key.0 == level).count();
        for (what, count, absent) in [
            ("Call dialogues", dialogues(1), "lv1-lv2-samples/level-1-given-desc: no Call samples"),
            (
                "Retrieve+Call dialogues",
                dialogues(2),
                "lv1-lv2-samples/level-2-toolsearcher: no Retrieve+Call samples",
            ),
            (
                "Plan+Retrieve+Call dialogues",
                original.plans.len(),
                "test-data/level-3.json: no Plan+Retrieve+Call samples",
            ),
            (
                "databases",
                original.databases.len(),
                "init_database: calls that equal a recorded one get its result, others none",
            ),
            (
                "planning tables",
                original.planning_tables.len(),
                "lv3_apis/*.py: calls of level 3 that equal a recorded one get its result, others none",
            ),
            (
                "API descriptions",
                original.described,
                "apis/*.py, lv3_apis/*.py: API Search has the descriptions that prompts and \
                 recorded searches show, and for other APIs the project's own",
            ),
            (
                "prompts",
                original.prompts.len(),
                "test-data/level-*-*.json: prompts are the project's own",
            ),
        ] {
            if count > 0 {
                self.found.push(Found { what, count });
            } else {
                self.missing.push(absent.to_owned());
            }
        }
        if !original.planning_tables.is_empty() {
            let lacking: Vec<&str> = registry::pool(Suite::Planning)
                .map(|api| api.name)
                .filter(|name| !original.planning_tables.contains_key(*name))
                .collect();
            if !lacking.is_empty() {
                self.missing.push(format!("lv3_apis: no class {}", lacking.join(", ")));
            }
        }
        if !original.databases.is_empty() {
            let lacking: Vec<String> = DATABASES
                .iter()
                .filter(|name| !original.databases.contains_key(name.as_str()))
                .map(|name| format!("{}.json", name.as_str()))
                .collect();
            if !lacking.is_empty() {
                self.missing.push(format!("init_database: {}", lacking.join(", ")));
            }
        }
    }
}
