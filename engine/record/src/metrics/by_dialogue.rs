//! Verdicts counted by dialogue, for a rate with its interval.

use super::Rate;
use scoring::IntervalMethod;
use scoring::statistics::{Dialogue, clustered};
use std::collections::BTreeMap;

/// One dialogue's verdicts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cell {
    pub(super) right: usize,
    pub(super) n: usize,
    /// The turns of distinct samples; few per dialogue.
    samples: Vec<usize>,
}

impl Cell {
    /// Counts a verdict on the sample at `turn`; trials of a sample share it.
    pub fn add(&mut self, turn: usize, right: bool) {
        self.n += 1;
        self.right += usize::from(right);
        if !self.samples.contains(&turn) {
            self.samples.push(turn);
        }
    }
}

impl From<&Cell> for Dialogue {
    fn from(cell: &Cell) -> Self {
        Dialogue { sum: cell.right as f64, n: cell.n as f64, samples: cell.samples.len() as f64 }
    }
}

/// Verdicts by dialogue.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ByDialogue(BTreeMap<String, Cell>);

impl ByDialogue {
    /// Counts a verdict on the sample at `turn` of a dialogue.
    pub fn add(&mut self, dialogue: &str, turn: usize, right: bool) {
        // Most samples belong to a known dialogue: don't clone its name.
        if let Some(cell) = self.0.get_mut(dialogue) {
            return cell.add(turn, right);
        }
        self.0.entry(dialogue.to_owned()).or_default().add(turn, right);
    }

    /// Adds the verdicts on other dialogues. A dialogue in both takes its verdicts from `other`.
    pub fn extend(&mut self, other: &ByDialogue) {
        self.0.extend(other.0.iter().map(|(dialogue, cell)| (dialogue.clone(), cell.clone())));
    }

    /// The rate with its interval.
    pub fn rate(&self) -> Rate {
        rate(self.0.values(), IntervalMethod::ClusterWilson, 1)
    }
}

/// The rate over dialogues. Only [`IntervalMethod::Wilson`] uses `trials`: it takes n / `trials` as
/// the number of samples.
pub(super) fn rate<'a>(
    cells: impl Iterator<Item = &'a Cell>,
    method: IntervalMethod,
    trials: u32,
) -> Rate {
    let cells: Vec<&Cell> = cells.filter(|cell| cell.n > 0).collect();
    let right = cells.iter().map(|cell| cell.right).sum();
    let n = cells.iter().map(|cell| cell.n).sum();
    let interval = match method {
        IntervalMethod::Wilson => (n > 0).then(|| {
            scoring::statistics::wilson_share(
                right as f64 / n as f64,
                n as f64 / f64::from(trials.max(1)),
            )
        }),
        IntervalMethod::ClusterWilson => {
            clustered(&cells.into_iter().map(Dialogue::from).collect::<Vec<_>>())
        }
    };
    Rate { right, n, interval }
}

#[cfg(test)]
mod tests {
    use super::*;
    use scoring::wilson;

    #[test]
    fn trials_of_a_sample_count_once() {
        let (mut once, mut thrice) = (ByDialogue::default(), ByDialogue::default());
        for (dialogue, turn, right) in
            [("a", 1, true), ("a", 3, false), ("b", 1, true), ("c", 1, true), ("c", 2, true)]
        {
            once.add(dialogue, turn, right);
            (0..3).for_each(|_| thrice.add(dialogue, turn, right));
        }
        let (once, thrice) = (once.rate(), thrice.rate());
        assert_eq!((once.right, once.n, thrice.right, thrice.n), (4, 5, 12, 15));
        let (once, thrice) = (once.interval.unwrap(), thrice.interval.unwrap());
        assert!((once.low - thrice.low).abs() < 1e-12 && (once.high - thrice.high).abs() < 1e-12);
    }

    #[test]
    fn old_records_keep_their_intervals() {
        let mut cell = Cell::default();
        (1..=6).for_each(|turn| cell.add(turn, turn > 1));
        let old = rate([&cell].into_iter(), IntervalMethod::Wilson, 1);
        assert_eq!((old.right, old.n, old.interval), (5, 6, wilson(5, 6)));
        assert_eq!(rate([].into_iter(), IntervalMethod::Wilson, 1), Rate::default());
        assert_eq!(ByDialogue::default().rate(), Rate::default());
    }
}
