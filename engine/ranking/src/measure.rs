//! Measures of a ranking. Definitions as in trec_eval; all are from 0 to 1.

use serde::{Deserialize, Serialize};

/// A measure of how well a ranking serves a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// The share of the relevant tools among the first `k`.
    Recall(usize),
    /// Normalized discounted cumulative gain of the first `k`, each relevant tool with gain 1
    /// (Järvelin and Kekäläinen, 2002).
    Ndcg(usize),
    /// The reciprocal of the first relevant tool's rank; its mean is MRR.
    ReciprocalRank,
    /// 1 if all relevant tools are among the first `k` (COMP@k; Qu et al., 2024, "Towards
    /// Completeness-Oriented Tool Retrieval").
    Completeness(usize),
}

impl Measure {
    /// All that are reported, in display order.
    pub const ALL: [Measure; 8] = [
        Measure::Recall(1),
        Measure::Recall(3),
        Measure::Recall(5),
        Measure::Recall(10),
        Measure::Ndcg(10),
        Measure::ReciprocalRank,
        Measure::Completeness(5),
        Measure::Completeness(10),
    ];

    /// The heading of its column.
    pub fn title(self) -> String {
        match self {
            Measure::Recall(k) => format!("Recall@{k}"),
            Measure::Ndcg(k) => format!("NDCG@{k}"),
            Measure::ReciprocalRank => "MRR".to_owned(),
            Measure::Completeness(k) => format!("COMP@{k}"),
        }
    }

    /// The value for a query. `ranks` are the places of its relevant tools, from 1; `None` for one
    /// that is not ranked. 0 without relevant tools.
    pub fn of(self, ranks: &[Option<usize>]) -> f64 {
        if ranks.is_empty() {
            return 0.0;
        }
        let n = ranks.len();
        let within = |k: usize| ranks.iter().flatten().filter(|rank| **rank <= k).count();
        match self {
            Measure::Recall(k) => within(k) as f64 / n as f64,
            Measure::Completeness(k) => f64::from(u8::from(within(k) == n)),
            Measure::ReciprocalRank => {
                ranks.iter().flatten().min().map_or(0.0, |rank| 1.0 / *rank as f64)
            }
            Measure::Ndcg(k) => {
                let gain = |rank: usize| 1.0 / libm::log2(rank as f64 + 1.0);
                let mut found: Vec<usize> =
                    ranks.iter().flatten().copied().filter(|rank| *rank <= k).collect();
                found.sort_unstable();
                let ideal: f64 = (1..=n.min(k)).map(gain).sum();
                found.into_iter().map(gain).sum::<f64>() / ideal
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_perfect_ranking_has_1_everywhere_and_an_empty_one_0() {
        for measure in Measure::ALL {
            let title = measure.title();
            assert!((measure.of(&[Some(1)]) - 1.0).abs() < 1e-15, "{title}");
            assert!(measure.of(&[None, None]).abs() < 1e-15, "{title}");
            assert!(measure.of(&[]).abs() < 1e-15, "{title}");
        }
    }

    #[test]
    fn all_relevant_tools_count() {
        let ranks = [Some(2), Some(7), None];
        assert!((Measure::Recall(5).of(&ranks) - 1.0 / 3.0).abs() < 1e-15);
        assert!(Measure::Completeness(10).of(&ranks).abs() < 1e-15);
        assert!((Measure::ReciprocalRank.of(&ranks) - 0.5).abs() < 1e-15);
        assert!((Measure::Completeness(10).of(&ranks[..2]) - 1.0).abs() < 1e-15);
        // 1/log2(3) + 1/log2(8) over 1 + 1/log2(3) + 1/log2(4).
        let expected = (1.0 / 3f64.log2() + 1.0 / 3.0) / (1.0 + 1.0 / 3f64.log2() + 0.5);
        assert!((Measure::Ndcg(10).of(&ranks) - expected).abs() < 1e-12);
    }
}
