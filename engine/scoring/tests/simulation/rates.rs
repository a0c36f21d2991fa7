//! Coverage of the interval of a rate.

use crate::draw::{Urn, seed, size, trials};
use dataset::random::SplitMix;
use scoring::Interval;
use scoring::statistics::{Dialogue, clustered, wilson_share};

/// Resamples of a bootstrap interval.
const RESAMPLES: usize = 400;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Method {
    /// Wilson's interval, as if calls were independent.
    Wilson,
    /// The percentile bootstrap over dialogues.
    Bootstrap,
    /// The interval in use.
    Clustered,
}

/// The share of intervals that cover the true rate, in percent.
pub fn coverage(
    dialogues: usize,
    correlation: f64,
    rate: f64,
    repeated: usize,
    repetitions: usize,
    method: Method,
) -> f64 {
    let mut random = seed(&[dialogues as f64, correlation, rate, repeated as f64]);
    let mut covered = 0;
    for _ in 0..repetitions {
        let run: Vec<Dialogue> =
            (0..dialogues).map(|_| dialogue(&mut random, correlation, rate, repeated)).collect();
        let interval = match method {
            Method::Wilson => independent(&run),
            Method::Bootstrap => bootstrap(&run, &mut random),
            Method::Clustered => clustered(&run).unwrap(),
        };
        covered += usize::from(interval.low <= rate && rate <= interval.high);
    }
    100.0 * covered as f64 / repetitions as f64
}

fn dialogue(random: &mut SplitMix, correlation: f64, rate: f64, repeated: usize) -> Dialogue {
    let samples = size(random);
    let mut urn = Urn::new(rate, correlation);
    let mut right = 0;
    for _ in 0..samples {
        let verdict = urn.draw(random);
        right += trials(random, verdict, rate, repeated).count_ones();
    }
    Dialogue { sum: f64::from(right), n: (samples * repeated) as f64, samples: samples as f64 }
}

fn mean(run: impl Iterator<Item = Dialogue>) -> (f64, f64) {
    let (sum, n) = run.fold((0.0, 0.0), |(sum, n), it| (sum + it.sum, n + it.n));
    (sum / n, n)
}

fn independent(run: &[Dialogue]) -> Interval {
    let samples = run.iter().map(|trial| trial.samples).sum();
    wilson_share(mean(run.iter().copied()).0, samples)
}

fn bootstrap(run: &[Dialogue], random: &mut SplitMix) -> Interval {
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| mean((0..run.len()).map(|_| run[random.below(run.len())])).0)
        .collect();
    means.sort_by(f64::total_cmp);
    // 2.5 % of the resamples lie beyond each end.
    Interval { low: means[RESAMPLES / 40], high: means[RESAMPLES - 1 - RESAMPLES / 40] }
}
