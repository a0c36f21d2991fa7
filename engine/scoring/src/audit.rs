//! Gold audit: what every profile says of a pack's own gold calls.
//!
//! A gold call that a profile refuses is a defect of the data or of the profile; a model that
//! answers right cannot score there. Each call goes through as the text that a model would answer
//! with: the project's own form, or for imported data the original's.

use crate::{ErrorClass, Profile};
use dataset::import::{Correction, Place};
use dataset::{Ability, Source};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What came of an audit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    /// The pack.
    pub pack: Source,
    /// A row for each ability that the pack has.
    pub rows: Vec<AuditRow>,
    /// Gold calls that a profile refuses.
    pub failures: Vec<AuditFailure>,
    /// What the errata say, by sample.
    pub corrections: Vec<(String, Correction)>,
    /// What the profile `original` misses in this pack; empty when it was computed.
    pub original_lacks: Vec<String>,
}

impl Audit {
    /// How often the errata name each class of defect, by title.
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
    /// Gold calls.
    pub calls: usize,
    /// Calls that the original scores a second time, because another call stands before them.
    pub repeats: usize,
    /// Dialogues with a call.
    pub dialogues: usize,
    /// Scored items whose gold the errata correct.
    pub corrected: usize,
    /// Scored items that the errata exclude from the profiles but `original`.
    pub excluded: usize,
    /// What each profile says.
    pub profiles: Vec<AuditCount>,
}

/// What a profile says of one ability's gold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AuditCount {
    /// The profile.
    pub profile: Profile,
    /// Items that it scores: calls and repeats, without what is excluded.
    pub n: usize,
    /// Of these, right.
    pub right: usize,
    /// Dialogues of which every scored call is right.
    pub dialogues: usize,
}

/// A gold call that a profile refuses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AuditFailure {
    /// The sample.
    pub sample: String,
    /// Its number in the original.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The profile.
    pub profile: Profile,
    /// The gold call, as it went in.
    pub gold: String,
    /// The class of the verdict.
    pub class: Option<ErrorClass>,
    /// Why.
    pub why: String,
}
