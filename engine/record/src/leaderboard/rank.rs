//! Ranks with ties.

use crate::compare::LEVEL;
use crate::compare::samples::Samples;
use crate::compare::verdict::shared;
use scoring::statistics::holm;

/// The rank of each run: 1 plus the number of runs that are significantly better. So runs that no
/// test separates from the best share rank 1.
///
/// A run is significantly better if the paired permutation test on the samples that both have
/// verdicts on, adjusted by Holm over all pairs, gives p ≤ [`LEVEL`]. Runs without a shared sample
/// are not separated.
pub(super) fn ranks(runs: &[Samples<'_>]) -> Vec<usize> {
    let mut pairs = Vec::new();
    for (second, own) in runs.iter().enumerate() {
        for (first, theirs) in runs.iter().enumerate().take(second) {
            if let Some(paired) = shared(theirs, own).compare() {
                pairs.push((first, second, paired));
            }
        }
    }
    let adjusted = holm(&pairs.iter().map(|(_, _, paired)| paired.p).collect::<Vec<_>>());
    let mut ranks = vec![1; runs.len()];
    for ((first, second, paired), p) in pairs.iter().zip(adjusted) {
        let worse = if paired.difference > 0.0 { *first } else { *second };
        if let Some(rank) = ranks.get_mut(worse).filter(|_| p <= LEVEL) {
            *rank += 1;
        }
    }
    ranks
}
