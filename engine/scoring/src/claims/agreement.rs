//! Agreement of the rules with labelled replies. A test recomputes the published figures.

use crate::Confusion;
use serde::{Deserialize, Serialize};

/// The published figures, as JSON.
const PUBLISHED: &str = include_str!("agreement.json");

/// The rules against the labels of one list of replies.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    /// The name of the list.
    pub list: String,
    /// The confusion table; positive is a claim.
    pub table: Confusion,
    /// The number of replies on which rules and labels agreed on first contact; `None` for the list
    /// that the rules were written against. Entered by hand, because the rules have changed since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agreed_at_first: Option<usize>,
}

/// All measurements of the rules.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// Agreement by list.
    pub lists: Vec<Agreement>,
    /// Gold replies directly after a change, judged without the calls before them.
    pub unbacked: usize,
    /// How many of these the rules flag.
    pub unbacked_found: usize,
}

impl Measured {
    /// The published figures.
    ///
    /// # Panics
    /// If the embedded file is invalid, which a test rules out.
    #[expect(clippy::expect_used, reason = "the file is part of the program, and a test reads it")]
    pub fn published() -> Self {
        serde_json::from_str(PUBLISHED).expect("valid figures")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_figures_can_be_read() {
        assert_eq!(Measured::published().lists.len(), 3);
    }
}
