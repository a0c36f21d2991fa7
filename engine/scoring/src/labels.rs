//! Agreement of `execution` and `exact` with labelled answers.
//!
//! `engine/runner/tests/labels.rs` computes the figures and fails if the file differs. The labels
//! themselves are test data: no program reads them.

use crate::Profile;
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

/// The confusion table of a profile's verdicts against the labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    /// The set of answers.
    pub set: LabelSet,
    /// The profile.
    pub profile: Profile,
    /// Labelled right, judged right.
    pub right_right: u32,
    /// Labelled right, judged wrong.
    pub right_wrong: u32,
    /// Labelled wrong, judged right.
    pub wrong_right: u32,
    /// Labelled wrong, judged wrong.
    pub wrong_wrong: u32,
}

impl Agreement {
    /// An empty table.
    pub const fn new(set: LabelSet, profile: Profile) -> Self {
        Agreement { set, profile, right_right: 0, right_wrong: 0, wrong_right: 0, wrong_wrong: 0 }
    }

    /// Counts an answer.
    pub const fn add(&mut self, labelled_right: bool, found_right: bool) {
        match (labelled_right, found_right) {
            (true, true) => self.right_right += 1,
            (true, false) => self.right_wrong += 1,
            (false, true) => self.wrong_right += 1,
            (false, false) => self.wrong_wrong += 1,
        }
    }

    /// The number of answers.
    pub const fn n(&self) -> u32 {
        self.right_right + self.right_wrong + self.wrong_right + self.wrong_wrong
    }

    /// Cohen's kappa (Cohen, 1960): agreement beyond chance, at most 1. Defined as 1 without
    /// answers, and if chance agreement is 1.
    pub fn kappa(&self) -> f64 {
        let n = f64::from(self.n());
        let agreed = f64::from(self.right_right + self.wrong_wrong) / n;
        let labelled = f64::from(self.right_right + self.right_wrong) / n;
        let found = f64::from(self.right_right + self.wrong_right) / n;
        let chance = labelled * found + (1.0 - labelled) * (1.0 - found);
        if chance < 1.0 { (agreed - chance) / (1.0 - chance) } else { 1.0 }
    }
}

/// The published figures: both sets, each under `execution` and `exact`.
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
    fn kappa_is_agreement_beyond_chance() {
        let table = |right_right, right_wrong, wrong_right, wrong_wrong| Agreement {
            right_right,
            right_wrong,
            wrong_right,
            wrong_wrong,
            ..Agreement::new(LabelSet::Development, Profile::Execution)
        };
        // The textbook 2 × 2 table: observed agreement 0.7, chance agreement 0.5.
        assert!((table(20, 5, 10, 15).kappa() - 0.4).abs() < 1e-12);
        assert!((table(30, 0, 0, 30).kappa() - 1.0).abs() < 1e-12);
        assert!(table(15, 15, 15, 15).kappa().abs() < 1e-12);
        assert_eq!(table(1, 2, 3, 4).n(), 10);
    }

    #[test]
    fn the_published_figures_can_be_read() {
        assert_eq!(published().len(), 4);
    }
}
