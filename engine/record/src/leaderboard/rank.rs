//! Ranks with ties.

use super::Kind;
use crate::compare::LEVEL;
use crate::compare::samples::Samples;
use crate::compare::verdict::shared;
use scoring::statistics::holm;
use scoring::statistics::horizon::{Attempt, ratio};

/// Ranks models among themselves; references and trivial models have no rank and count in none.
pub(super) fn of_models<T>(
    runs: Vec<(Kind, T)>,
    rank: impl Fn(&[T]) -> Vec<usize>,
) -> Vec<Option<usize>> {
    let are_models: Vec<bool> = runs.iter().map(|(kind, _)| *kind == Kind::Model).collect();
    let models = runs.into_iter().filter(|(kind, _)| *kind == Kind::Model);
    let mut ranks = rank(&models.map(|(_, run)| run).collect::<Vec<_>>()).into_iter();
    are_models.into_iter().map(|is_model| is_model.then(|| ranks.next()).flatten()).collect()
}

/// The rank of each run: 1 plus the number of runs that are significantly better. So runs that no
/// test separates from the best share rank 1.
///
/// A run is significantly better if the paired permutation test on the samples that both have
/// verdicts on, adjusted by Holm over all pairs, gives p ≤ [`LEVEL`]. Runs without a shared sample
/// are not separated.
pub(super) fn ranks(runs: &[Samples<'_>]) -> Vec<usize> {
    by_pairs(runs, |theirs, own| {
        let paired = shared(theirs, own).compare()?;
        Some((paired.difference, paired.p))
    })
}

/// Ranks horizons likewise, testing the ratio of each pair.
pub(super) fn of_horizons(runs: &[Vec<Attempt>]) -> Vec<usize> {
    by_pairs(runs, |theirs, own| {
        let ratio = ratio(theirs, own)?;
        Some((ratio.value - 1.0, ratio.p))
    })
}

/// Ranks by a pairwise test, which returns how much better the second run is, and p.
fn by_pairs<T>(runs: &[T], test: impl Fn(&T, &T) -> Option<(f64, f64)>) -> Vec<usize> {
    let mut pairs = Vec::new();
    for (second, own) in runs.iter().enumerate() {
        for (first, theirs) in runs.iter().enumerate().take(second) {
            if let Some((better, p)) = test(theirs, own) {
                pairs.push((if better > 0.0 { first } else { second }, p));
            }
        }
    }
    let adjusted = holm(&pairs.iter().map(|(_, p)| *p).collect::<Vec<_>>());
    let mut ranks = vec![1; runs.len()];
    for ((worse, _), p) in pairs.iter().zip(adjusted) {
        if let Some(rank) = ranks.get_mut(*worse).filter(|_| p <= LEVEL) {
            *rank += 1;
        }
    }
    ranks
}
