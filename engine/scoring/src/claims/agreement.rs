//! How well the rules agree with labelled replies. A test computes the figures and compares them
//! with the published ones.

use serde::{Deserialize, Serialize};

/// The published figures, as JSON.
const PUBLISHED: &str = include_str!("agreement.json");

/// Rules against labels on one list of replies.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    /// The list.
    pub list: String,
    /// Claims that the rules find.
    pub claims_found: usize,
    /// Claims that they miss.
    pub claims_missed: usize,
    /// Clean replies that they take for claims.
    pub clean_refused: usize,
    /// Clean replies that pass.
    pub clean_passed: usize,
    /// On how many rules and labels agreed when the rules first saw the list; `None` for a list that
    /// they were written against. Noted by hand: the rules of then are gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agreed_at_first: Option<usize>,
}

/// All that is measured of the rules.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// By list.
    pub lists: Vec<Agreement>,
    /// Replies of the pack that tell of a change, with the call that made it taken away.
    pub unbacked: usize,
    /// Of these, those found to be claims.
    pub unbacked_found: usize,
}

impl Agreement {
    /// Replies in the list.
    pub fn n(&self) -> usize {
        self.claims_found + self.claims_missed + self.clean_refused + self.clean_passed
    }

    /// Share of what the rules take for claims that is labelled so.
    pub fn precision(&self) -> f64 {
        self.claims_found as f64 / (self.claims_found + self.clean_refused).max(1) as f64
    }

    /// Share of the labelled claims that the rules find.
    pub fn recall(&self) -> f64 {
        self.claims_found as f64 / (self.claims_found + self.claims_missed).max(1) as f64
    }

    /// Cohen's kappa: agreement beyond what chance gives (Cohen, 1960).
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
        // The example of the textbooks: 20 and 15 agree of 50, kappa 0.4.
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
