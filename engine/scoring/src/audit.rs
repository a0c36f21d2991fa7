//! Gold audit: every profile judges a pack's own gold calls.
//!
//! A rejected gold call is a defect of the data or of the profile: no correct model can score
//! there. Each call is judged as the text that a model would send, in this project's format or, for
//! imported data, the original's.

use crate::{ErrorClass, Profile};
use dataset::import::{Correction, Place};
use dataset::{Ability, Source};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The result of an audit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    /// The pack.
    pub pack: Source,
    /// One row per ability in the pack.
    pub rows: Vec<AuditRow>,
    /// Gold calls that a profile rejects.
    pub failures: Vec<AuditFailure>,
    /// The errata that apply, by sample.
    pub corrections: Vec<(String, Correction)>,
    /// The data that the profile `original` needs and the pack lacks; empty if it was computed.
    pub original_lacks: Vec<String>,
}

impl Audit {
    /// The number of corrections in each defect class, by title.
    pub fn errata(&self) -> BTreeMap<&'static str, usize> {
        let mut classes = BTreeMap::new();
        for (_, correction) in &self.corrections {
            *classes.entry(correction.class.title()).or_default() += 1;
        }
        classes
    }
}

/// The gold calls of one ability.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AuditRow {
    /// The ability.
    pub ability: Ability,
    /// The number of gold calls.
    pub calls: usize,
    /// Calls that the original scores twice because they follow another call directly.
    pub repeats: usize,
    /// Dialogues with a call.
    pub dialogues: usize,
    /// Scored items whose gold the errata correct.
    pub corrected: usize,
    /// Scored items that the errata exclude from every profile except `original`.
    pub excluded: usize,
    /// Counts by profile.
    pub profiles: Vec<AuditCount>,
}

/// A profile's counts for the gold calls of one ability.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AuditCount {
    /// The profile.
    pub profile: Profile,
    /// Scored items: calls and repeats, without excluded ones.
    pub n: usize,
    /// Scored items that are right.
    pub right: usize,
    /// Dialogues whose scored calls are all right.
    pub dialogues: usize,
}

/// A gold call that a profile rejects.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AuditFailure {
    /// The sample.
    pub sample: String,
    /// Its position in the original.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The profile.
    pub profile: Profile,
    /// The gold call, as the text that was judged.
    pub gold: String,
    /// The error class.
    pub class: Option<ErrorClass>,
    /// The explanation.
    pub why: String,
}
