//! Power: the smallest difference that a number of dialogues can detect.

use super::quantile::{POWER_80, TWO_SIDED_95};

/// The assumed share of samples on which two models disagree.
pub const DISAGREEMENT: f64 = 0.2;
/// The assumed intraclass correlation within a dialogue.
pub const INTRACLASS_CORRELATION: f64 = 0.25;

/// The difference of two models' rates that a paired test at 5 % detects with 80 % power, given the
/// number of samples in each dialogue; `None` below two dialogues. Above 1, no difference is
/// detectable.
///
/// (t.975 + t.8) √(disagreement × design effect / samples), with m - 1 degrees of freedom for m
/// dialogues. Source: the sample size of McNemar's test (Miettinen, 1968), with Kish's design effect.
pub fn smallest_difference(samples: &[usize]) -> Option<f64> {
    let total: f64 = samples.iter().map(|n| *n as f64).sum();
    let dialogues = samples.iter().filter(|n| **n > 0).count();
    if dialogues < 2 {
        return None;
    }
    let mean_size = samples.iter().map(|n| (*n * *n) as f64).sum::<f64>() / total;
    let effect = 1.0 + (mean_size - 1.0) * INTRACLASS_CORRELATION;
    let quantiles = TWO_SIDED_95.t(dialogues - 1) + POWER_80.t(dialogues - 1);
    Some(quantiles * (DISAGREEMENT * effect / total).sqrt())
}

#[cfg(test)]
mod tests {
    use super::smallest_difference;

    #[test]
    fn more_dialogues_show_smaller_differences() {
        // 100 dialogues of two samples: (1.98422 + 0.84523) √(0.2 × 1.25 / 200).
        let hundred = smallest_difference(&[2; 100]).unwrap();
        assert!((hundred - 2.82945 * (0.25_f64 / 200.0).sqrt()).abs() < 1e-4, "{hundred}");
        assert!(smallest_difference(&[2; 400]).unwrap() < 0.51 * hundred);
        // The same number of samples in fewer dialogues has less power.
        assert!(smallest_difference(&[4; 50]).unwrap() > hundred);
        assert_eq!(smallest_difference(&[7]), None);
        assert_eq!(smallest_difference(&[]), None);
    }
}
