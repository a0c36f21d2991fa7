//! Correction for multiple testing.

/// Holm-adjusted p-values, in the given order. Controls the family-wise error rate.
///
/// Source: Holm, 1979, "A simple sequentially rejective multiple test procedure".
pub fn holm(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    let value = |index: &usize| values.get(*index).copied().unwrap_or(1.0);
    order.sort_by(|a, b| value(a).total_cmp(&value(b)));
    let mut adjusted = vec![1.0; values.len()];
    let mut least = 0.0_f64;
    for (rank, index) in order.iter().enumerate() {
        least = least.max((value(index) * (values.len() - rank) as f64).min(1.0));
        if let Some(it) = adjusted.get_mut(*index) {
            *it = least;
        }
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::holm;

    #[test]
    fn values_match_statsmodels() {
        // statsmodels 0.15.0: multipletests([.01, .04, .03, .005, .5], method="holm")[1].
        let got = holm(&[0.01, 0.04, 0.03, 0.005, 0.5]);
        for (got, expected) in got.iter().zip([0.04, 0.09, 0.09, 0.025, 0.5]) {
            assert!((got - expected).abs() < 1e-12, "{got} {expected}");
        }
        assert_eq!(holm(&[0.3]), [0.3]);
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }
}
