//! Errata of the original's released data.
//!
//! Systematic defects are fixed by rules, which also cover unlisted dialogues: renamed parameters
//! by [`renamed`], lists given as text by typed argument parsing, stale descriptions and changed
//! databases by comparing effects instead of recorded texts. Defects of single samples are listed
//! in `dataset/errata/original.json`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use strum::{EnumCount, VariantArray};
use thiserror::Error;

/// The entries, embedded.
const ENTRIES: &str = include_str!("../../errata/original.json");

/// A class of defects of gold calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[derive(EnumCount, VariantArray)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DefectClass {
    /// The call uses a parameter's former name.
    RenamedParameter,
    /// A list is given as text.
    ListAsText,
    /// The recorded search result has an outdated description.
    StaleDescription,
    /// The recorded keywords find another API than the recorded one.
    Retrieval,
    /// The databases have changed since the result was recorded.
    DatabaseDrift,
    /// The API needs an unavailable service; only the recorded result is known.
    RecordedOnly,
    /// The arguments are wrong.
    WrongArguments,
}

impl DefectClass {
    /// Every class.
    pub const ALL: [DefectClass; DefectClass::COUNT] =
        *DefectClass::VARIANTS.first_chunk().unwrap();

    /// The class in words.
    pub const fn title(self) -> &'static str {
        match self {
            DefectClass::RenamedParameter => "renamed parameter",
            DefectClass::ListAsText => "list given as text",
            DefectClass::StaleDescription => "stale description",
            DefectClass::Retrieval => "search finds another API",
            DefectClass::DatabaseDrift => "database changed",
            DefectClass::RecordedOnly => "recorded result only",
            DefectClass::WrongArguments => "wrong arguments",
        }
    }
}

/// One defect of one sample.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Erratum {
    /// 1, 2 or 3.
    pub level: u8,
    /// The dialogue's file; empty for level 3.
    #[serde(default)]
    pub file: String,
    /// The sample, or for level 3 the dialogue.
    pub sample: usize,
    /// For level 3 the step.
    #[serde(default)]
    pub step: usize,
    /// Class of the defect.
    pub class: DefectClass,
    /// What is wrong, as a sentence.
    pub what: String,
    /// The corrected arguments; without them the sample is excluded.
    #[serde(default)]
    pub gold: Option<Map<String, Value>>,
}

/// Why the list of errata cannot be used.
#[derive(Debug, Error)]
#[error("dataset/errata/original.json: {0}")]
pub struct ErrataError(#[from] serde_json::Error);

/// The list of errata.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Errata {
    entries: Vec<Erratum>,
}

impl Errata {
    /// The embedded list.
    ///
    /// # Errors
    /// Never: a test reads it.
    pub fn builtin() -> Result<Self, ErrataError> {
        Self::from_json(ENTRIES)
    }

    /// Reads a list.
    ///
    /// # Errors
    /// If it is not JSON or an entry has another shape.
    pub fn from_json(text: &str) -> Result<Self, ErrataError> {
        Ok(Errata { entries: serde_json::from_str(text)? })
    }

    /// The entry for a sample.
    pub fn find(&self, level: u8, file: &str, sample: usize, step: usize) -> Option<&Erratum> {
        self.entries.iter().find(|entry| {
            entry.level == level
                && entry.file == file
                && (entry.sample, entry.step) == (sample, step)
        })
    }

    /// Every entry.
    pub fn entries(&self) -> &[Erratum] {
        &self.entries
    }
}

/// Parameters renamed after the dialogues were recorded: API, old name, new name.
const RENAMED: [(&str, &str, &str); 2] =
    [("TimedSwitch", "device_id", "name"), ("CancelTimedSwitch", "device_id", "name")];

/// The arguments under their current names; `None` if none is renamed.
pub fn renamed(api: &str, arguments: &Map<String, Value>) -> Option<Map<String, Value>> {
    let (_, old, new) = RENAMED.iter().find(|(name, old, new)| {
        *name == api && arguments.contains_key(*old) && !arguments.contains_key(*new)
    })?;
    let key = |key: &String| if key == old { (*new).to_owned() } else { key.clone() };
    Some(arguments.iter().map(|(name, value)| (key(name), value.clone())).collect())
}
