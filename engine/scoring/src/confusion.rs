//! Confusion tables of judgements against labels.

use serde::{Deserialize, Serialize};

/// A binary confusion table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confusion {
    /// Labelled and judged positive.
    pub true_positives: u32,
    /// Labelled positive, judged negative.
    pub false_negatives: u32,
    /// Labelled negative, judged positive.
    pub false_positives: u32,
    /// Labelled and judged negative.
    pub true_negatives: u32,
}

impl Confusion {
    /// Counts an item.
    pub const fn add(&mut self, labelled: bool, judged: bool) {
        match (labelled, judged) {
            (true, true) => self.true_positives += 1,
            (true, false) => self.false_negatives += 1,
            (false, true) => self.false_positives += 1,
            (false, false) => self.true_negatives += 1,
        }
    }

    /// The number of items.
    pub const fn n(&self) -> u32 {
        self.true_positives + self.false_negatives + self.false_positives + self.true_negatives
    }

    /// The share of items judged positive that are labelled so; 0 if none is judged positive.
    pub fn precision(&self) -> f64 {
        share(self.true_positives, self.true_positives + self.false_positives)
    }

    /// The share of items labelled positive that are judged so; 0 if none is labelled positive.
    pub fn recall(&self) -> f64 {
        share(self.true_positives, self.true_positives + self.false_negatives)
    }

    /// Cohen's kappa (Cohen, 1960): agreement beyond chance, at most 1. Defined as 1 without items,
    /// and if chance agreement is 1.
    pub fn kappa(&self) -> f64 {
        let of_all = |count| share(count, self.n());
        let agreed = of_all(self.true_positives + self.true_negatives);
        let labelled = of_all(self.true_positives + self.false_negatives);
        let judged = of_all(self.true_positives + self.false_positives);
        let chance = labelled * judged + (1.0 - labelled) * (1.0 - judged);
        if chance < 1.0 { (agreed - chance) / (1.0 - chance) } else { 1.0 }
    }
}

fn share(part: u32, all: u32) -> f64 {
    f64::from(part) / f64::from(all.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(counts: [u32; 4]) -> Confusion {
        let [true_positives, false_negatives, false_positives, true_negatives] = counts;
        Confusion { true_positives, false_negatives, false_positives, true_negatives }
    }

    #[test]
    fn kappa_is_agreement_beyond_chance() {
        // The textbook 2 × 2 table: observed agreement 0.7, chance agreement 0.5.
        assert!((table([20, 5, 10, 15]).kappa() - 0.4).abs() < 1e-12);
        assert!((table([20, 10, 5, 15]).kappa() - 0.4).abs() < 1e-12);
        assert!((table([30, 0, 0, 30]).kappa() - 1.0).abs() < 1e-12);
        assert!(table([15, 15, 15, 15]).kappa().abs() < 1e-12);
        for same in [table([0, 0, 0, 0]), table([7, 0, 0, 0]), table([0, 0, 0, 7])] {
            assert!((same.kappa() - 1.0).abs() < 1e-12, "{same:?}");
        }
    }

    #[test]
    fn items_are_counted_in_their_cell() {
        let mut counted = Confusion::default();
        for (labelled, judged, times) in
            [(true, true, 1), (true, false, 2), (false, true, 3), (false, false, 4)]
        {
            (0..times).for_each(|_| counted.add(labelled, judged));
        }
        assert_eq!(counted, table([1, 2, 3, 4]));
        assert_eq!(counted.n(), 10);
    }

    #[test]
    fn precision_and_recall_are_shares() {
        let of = table([20, 10, 5, 15]);
        assert!((of.precision() - 0.8).abs() < 1e-12);
        assert!((of.recall() - 20.0 / 30.0).abs() < 1e-12);
        assert_eq!([Confusion::default().precision(), Confusion::default().recall()], [0.0, 0.0]);
    }
}
