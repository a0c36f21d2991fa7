//! The mean of values from 0 to 1, with its interval.

use scoring::Interval;
use scoring::statistics::{Dialogue, clustered};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A mean with its 95 % confidence interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The mean; `None` for `n` = 0.
    pub mean: Option<f64>,
    /// The number of values.
    pub n: usize,
    /// The interval; `None` below two dialogues.
    pub interval: Option<Interval>,
}

/// The mean of values from 0 to 1, each with its dialogue and turn. Trials share a turn.
pub fn estimate<'a>(values: impl Iterator<Item = (&'a str, usize, f64)>) -> Estimate {
    let mut dialogues: BTreeMap<&str, BTreeMap<usize, (f64, usize)>> = BTreeMap::new();
    for (dialogue, turn, value) in values {
        let (sum, n) = dialogues.entry(dialogue).or_default().entry(turn).or_default();
        *sum += value;
        *n += 1;
    }
    let of = |turns: &BTreeMap<usize, (f64, usize)>| Dialogue {
        sum: turns.values().map(|(sum, _)| sum).sum(),
        n: turns.values().map(|(_, n)| *n as f64).sum(),
        samples: turns.len() as f64,
    };
    let dialogues: Vec<Dialogue> = dialogues.values().map(of).collect();
    let n: f64 = dialogues.iter().map(|dialogue| dialogue.n).sum();
    let sum: f64 = dialogues.iter().map(|dialogue| dialogue.sum).sum();
    Estimate {
        mean: (n > 0.0).then(|| sum / n),
        n: n as usize,
        interval: clustered(&dialogues).filter(|_| dialogues.len() > 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_near_the_normal_one_for_many_values() {
        // 400 values, half 0 and half 1: standard error 0.025.
        let names: Vec<String> = (0..400).map(|n| n.to_string()).collect();
        let values =
            names.iter().enumerate().map(|(n, it)| (it.as_str(), 0, f64::from(n as u8 % 2)));
        let estimate = estimate(values);
        let interval = estimate.interval.unwrap();
        assert_eq!((estimate.mean, estimate.n), (Some(0.5), 400));
        assert!((interval.low - 0.451).abs() < 0.001, "{interval:?}");
        assert!((interval.high - 0.549).abs() < 0.001, "{interval:?}");
    }

    #[test]
    fn few_values_say_little() {
        assert_eq!(estimate([].into_iter()), Estimate::default());
        let one = estimate([("a", 1, 0.3), ("a", 3, 0.3)].into_iter());
        assert_eq!(one, Estimate { mean: Some(0.3), n: 2, interval: None });
        let same = ["a", "b", "c", "d", "e"].map(|dialogue| (dialogue, 1, 0.25));
        let interval = estimate(same.into_iter()).interval.unwrap();
        assert!(interval.low < 0.25 && interval.high > 0.25, "{interval:?}");
    }
}
