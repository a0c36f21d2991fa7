//! Questions and answers of the Compare page.

use dataset::Ability;
use record::Rate;
use record::compare::{Against, Disagreement};
use scoring::Profile;
use serde::{Deserialize, Serialize};

/// What the Compare page asks the worker. The worker keeps the records.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// Add a record.
    Add {
        /// The file's name, for messages.
        name: String,
        /// Its text.
        text: String,
        /// The profile of the overview that is the answer.
        profile: Profile,
    },
    /// Add the run that this page made last.
    AddLast {
        /// The profile of the overview that is the answer.
        profile: Profile,
    },
    /// Take a record out.
    Remove {
        /// Its index.
        index: usize,
        /// The profile of the overview that is the answer.
        profile: Profile,
    },
    /// Put a record first: the others are compared with it.
    Base {
        /// Its index.
        index: usize,
        /// The profile of the overview that is the answer.
        profile: Profile,
    },
    /// The comparison under a profile.
    Overview {
        /// The profile.
        profile: Profile,
    },
    /// One sample in all records.
    Sides {
        /// Its id.
        sample: String,
        /// The profile.
        profile: Profile,
    },
}

/// What the worker answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// All records beside each other.
    Overview {
        /// The records; the first is the base.
        records: Vec<Column>,
        /// The others against the base, in their order.
        against: Vec<Against>,
        /// The samples on which they differ.
        disagreements: Vec<Disagreement>,
    },
    /// One sample in all records.
    Sides {
        /// Its id.
        sample: String,
        /// What was expected.
        gold: String,
        /// What each record has; `None` where it lacks the sample.
        sides: Vec<Option<Side>>,
    },
}

/// A record of the comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// The model.
    pub title: String,
    /// The protocol.
    pub protocol: String,
    /// Name and version of the data set.
    pub pack: String,
    /// Whether every planned sample is there.
    pub complete: bool,
    /// Calls by ability, then all together.
    pub rates: Vec<(Option<Ability>, Rate)>,
}

/// A record's answer to a sample.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Side {
    /// The answer, or why there is none.
    pub text: String,
    /// Whether it is right; `None` where it was not judged.
    pub correct: Option<bool>,
    /// The verdict in words.
    pub explanation: String,
}
