//! Agreement of `execution` and `exact` with labelled answers.
//!
//! `engine/runner/tests/labels.rs` computes the figures and fails if the file differs. The labels
//! themselves are test data: no program reads them.

use crate::{Confusion, Profile};
use serde::{Deserialize, Serialize};

/// A set of labelled answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LabelSet {
    /// Written by one language model, labelled by two others that did not see the intent.
    Development,
    /// Written and labelled by one language model before the rules were changed.
    HeldOut,
}

/// How an agreement treats searches. The labels assume one result per search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Searches {
    /// One result, as when the labels were set.
    One,
    /// Five results, as in a run: a search is right if the needed API is among them.
    Five,
    /// Steps at which a search is due are left out.
    LeftOut,
}

impl Searches {
    /// Every treatment, in the order of the published figures.
    pub const ALL: [Searches; 3] = [Searches::One, Searches::Five, Searches::LeftOut];

    /// The profiles of the published figures: `exact` needs a search's keywords to the letter only
    /// with one result.
    pub const fn profiles(self) -> &'static [Profile] {
        match self {
            Searches::One => &[Profile::Execution, Profile::Exact],
            Searches::Five | Searches::LeftOut => &[Profile::Execution],
        }
    }
}

/// A profile's verdicts against the labels; positive is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    /// The set of answers.
    pub set: LabelSet,
    /// The treatment of searches.
    pub searches: Searches,
    /// The profile.
    pub profile: Profile,
    /// The confusion table.
    pub table: Confusion,
}

/// The published figures of both sets.
///
/// # Panics
/// If the embedded file is invalid, which a test rules out.
#[expect(clippy::expect_used, reason = "the file is part of the program, and a test reads it")]
pub fn published() -> Vec<Agreement> {
    serde_json::from_str(include_str!("../labels/agreement.json")).expect("valid figures")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_figures_can_be_read() {
        let rows: usize = Searches::ALL.iter().map(|it| it.profiles().len()).sum();
        assert_eq!(published().len(), 2 * rows);
    }
}
