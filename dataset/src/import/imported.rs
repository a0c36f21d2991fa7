//! Additional data of an imported pack: the original's sample numbers, its prompts, and the errata.

use super::errata::DefectClass;
use super::{Original, PromptRow};
use serde::{Deserialize, Serialize};

/// Place of a sample in the original's numbering.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Place {
    /// 1, 2 or 3.
    pub level: u8,
    /// The dialogue's file; empty for level 3.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// Index of the sample in the dialogue; for level 3, of the dialogue.
    pub sample: usize,
    /// For level 3, the step; otherwise 0.
    pub step: usize,
}

/// The errata's entry for a sample.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Correction {
    /// Class of the defect.
    pub class: DefectClass,
    /// What is wrong, as a sentence.
    pub what: String,
    /// Whether the sample is excluded because no right gold call is known.
    pub excluded: bool,
}

/// A sample of an imported pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedSample {
    /// Index of its dialogue in the pack.
    pub dialogue: usize,
    /// Index of the gold turn in the dialogue.
    pub turn: usize,
    /// Whether the gold turn is a reply rather than a call.
    pub reply: bool,
    /// Its number in the original, where replies of level 3 have none.
    pub place: Option<Place>,
    /// Whether this is a repetition: the original scores the second of two adjacent calls twice.
    pub repeat: bool,
    /// Index of its prompt in [`Original::prompts`], if the pack has one.
    pub prompt: Option<usize>,
    /// Its correction in the errata.
    pub correction: Option<Correction>,
}

/// The imported data of a pack.
#[derive(Debug, Clone)]
pub struct Imported {
    /// The data read.
    pub original: Original,
    /// Every sample, in the order of the pack's dialogues.
    pub samples: Vec<ImportedSample>,
}

impl Imported {
    /// The pack's own prompt for a sample.
    pub fn prompt(&self, sample: &ImportedSample) -> Option<&PromptRow> {
        sample.prompt.and_then(|index| self.original.prompts.get(index))
    }
}
