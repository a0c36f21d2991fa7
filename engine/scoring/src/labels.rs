//! Agreement of verdicts with labelled answers.
//!
//! `engine/runner/tests/agreement.rs` computes the figures and fails if the file differs. The labels
//! themselves are test data: no program reads them.

use crate::Confusion;
use serde::{Deserialize, Serialize};

/// A set of labelled answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LabelSet {
    /// Labelled by readers who had written none of the data.
    Readers,
    /// Written and labelled for this project, at steps that have not changed since.
    Own,
    /// Answers that a scorer once got wrong: a list, no sample.
    Known,
}

/// What is due at a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Due {
    /// A call of the standard split.
    Call,
    /// A call of the hard split.
    HardCall,
    /// A search.
    Search,
    /// Words. Their content is not judged.
    Words,
}

/// Verdicts against labels; positive is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    /// The set of answers.
    pub set: LabelSet,
    /// The kind of step.
    pub due: Due,
    /// The confusion table.
    pub table: Confusion,
}

/// The published figures.
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
        assert!(published().iter().any(|label| label.due == Due::HardCall));
    }
}
