//! Error rates and power of the comparison of two models.

use crate::draw::{Urn, seed, size, trials, uniform};
use dataset::random::SplitMix;
use scoring::statistics::{
    DISAGREEMENT, Difference, INTRACLASS_CORRELATION, PairedDialogue, difference, sign_flip_test,
    smallest_difference,
};

/// Two equally good models.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    pub dialogues: usize,
    pub correlation: f64,
    pub rate: f64,
    pub trials: usize,
}

/// Shares of repetitions, in percent.
#[derive(Debug, Clone, Copy)]
pub struct Pairs {
    /// Rejections by McNemar's exact test over all trials, at 5 %.
    pub mcnemar: f64,
    /// Rejections by the test in use, at 5 %.
    pub error: f64,
    /// 95 % intervals of the difference that cover 0.
    pub covered: f64,
}

/// Correlates the models: each copies the sample's shared verdict with this probability.
const SHARED: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// A dialogue in two runs: right trials in the second minus the first, samples, and trials that are
/// right only in the first and only in the second.
struct Drawn {
    difference: i64,
    samples: usize,
    only: [usize; 2],
}

impl Setting {
    fn dialogue(&self, random: &mut SplitMix) -> Drawn {
        let samples = size(random);
        let mut urns = [(); 3].map(|()| Urn::new(self.rate, self.correlation));
        let mut drawn = Drawn { difference: 0, samples, only: [0; 2] };
        for _ in 0..samples {
            let [shared, first, second] = urns.each_mut().map(|urn| urn.draw(random));
            let [first, second] = [first, second].map(|own| {
                let verdict = if uniform(random) < SHARED { shared } else { own };
                trials(random, verdict, self.rate, self.trials)
            });
            drawn.difference += i64::from(second.count_ones()) - i64::from(first.count_ones());
            drawn.only[0] += (first & !second).count_ones() as usize;
            drawn.only[1] += (second & !first).count_ones() as usize;
        }
        drawn
    }
}

fn of(run: &[Drawn], trials: usize) -> Difference {
    let dialogue = |it: &Drawn| PairedDialogue {
        difference: it.difference as f64 / trials as f64,
        samples: it.samples as f64,
    };
    difference(&run.iter().map(dialogue).collect::<Vec<_>>()).unwrap()
}

impl Pairs {
    pub fn simulate(setting: &Setting, repetitions: usize) -> Pairs {
        let Setting { dialogues, correlation, rate, trials } = *setting;
        let mut random = seed(&[dialogues as f64, correlation, rate, trials as f64, 2.0]);
        let [mut mcnemar, mut error, mut covered] = [0; 3];
        for _ in 0..repetitions {
            let run: Vec<Drawn> = (0..dialogues).map(|_| setting.dialogue(&mut random)).collect();
            let differences: Vec<i64> = run.iter().map(|trial| trial.difference).collect();
            error += usize::from(sign_flip_test(&differences) <= 0.05);
            let interval = of(&run, trials).interval;
            covered += usize::from(interval.low <= 0.0 && 0.0 <= interval.high);
            let only = |which: usize| run.iter().map(|trial| trial.only[which]).sum::<usize>();
            mcnemar += usize::from(mcnemar_rejects(only(0), only(1)));
        }
        let share = |count: usize| 100.0 * count as f64 / repetitions as f64;
        Pairs { mcnemar: share(mcnemar), error: share(error), covered: share(covered) }
    }
}

/// McNemar's exact test at 5 %.
fn mcnemar_rejects(first: usize, second: usize) -> bool {
    let differ = first + second;
    let mut term = -(differ as f64) * std::f64::consts::LN_2;
    let mut tail = term.exp();
    for k in 1..=first.min(second) {
        term += ((differ - k + 1) as f64 / k as f64).ln();
        tail += term.exp();
    }
    2.0 * tail <= 0.05
}

/// Runs that disagree as often as `smallest_difference` assumes and differ by `by` on average. In
/// each sample the second run is better, worse or equal, correlated within a dialogue.
fn differing(dialogues: usize, by: f64, random: &mut SplitMix) -> Vec<Drawn> {
    let verdict = |random: &mut SplitMix| match uniform(random) {
        it if it < (DISAGREEMENT + by) / 2.0 => 1,
        it if it < DISAGREEMENT => -1,
        _ => 0,
    };
    let dialogue = |random: &mut SplitMix| {
        let (samples, shared) = (size(random), verdict(random));
        let copies = INTRACLASS_CORRELATION.sqrt();
        let one = |random: &mut SplitMix| match uniform(random) < copies {
            true => shared,
            false => verdict(random),
        };
        Drawn { difference: (0..samples).map(|_| one(random)).sum(), samples, only: [0; 2] }
    };
    (0..dialogues).map(|_| dialogue(random)).collect()
}

/// The power of the test at the smallest detectable difference, and that difference, both in
/// percent.
pub fn power(dialogues: usize, repetitions: usize) -> (f64, f64) {
    let mut random = seed(&[dialogues as f64, 3.0]);
    let sizes: Vec<usize> =
        (0..dialogues).map(|index| [1, 1, 2, 2, 2, 3, 4, 6][index % 8]).collect();
    let by = smallest_difference(&sizes).unwrap();
    let shown = |random: &mut SplitMix| {
        let run = differing(dialogues, by, random);
        let differences: Vec<i64> = run.iter().map(|trial| trial.difference).collect();
        sign_flip_test(&differences) <= 0.05
    };
    let shown = (0..repetitions).filter(|_| shown(&mut random)).count();
    (100.0 * shown as f64 / repetitions as f64, 100.0 * by)
}

/// How often runs that differ by `margin` are judged equivalent within it, in percent.
pub fn wrongly_equal(dialogues: usize, margin: f64, repetitions: usize) -> f64 {
    let mut random = seed(&[dialogues as f64, margin, 4.0]);
    let equal = |random: &mut SplitMix| {
        let interval = of(&differing(dialogues, margin, random), 1).interval_90;
        interval.low > -margin && interval.high < margin
    };
    let equal = (0..repetitions).filter(|_| equal(&mut random)).count();
    100.0 * equal as f64 / repetitions as f64
}
