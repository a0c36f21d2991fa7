//! Correlated verdicts from seeded random numbers, without functions that differ by platform.

use dataset::random::SplitMix;

/// Calls a dialogue, drawn with equal probability: 2.6 on average.
const SIZES: [usize; 8] = [1, 1, 2, 2, 2, 3, 4, 6];

/// A number from 0 to 1.
pub fn uniform(random: &mut SplitMix) -> f64 {
    (random.next() >> 11) as f64 / (1_u64 << 53) as f64
}

/// The number of calls of a dialogue.
pub fn size(random: &mut SplitMix) -> usize {
    SIZES[random.below(SIZES.len())]
}

/// Verdicts of one dialogue: beta-binomial, drawn as Pólya's urn (Johnson and Kotz, 1977).
pub struct Urn {
    rate: f64,
    /// The urn's first balls; infinitely many without correlation.
    balls: f64,
    right: f64,
    drawn: f64,
}

impl Urn {
    pub fn new(rate: f64, correlation: f64) -> Self {
        Urn { rate, balls: (1.0 - correlation) / correlation, right: 0.0, drawn: 0.0 }
    }

    pub fn draw(&mut self, random: &mut SplitMix) -> bool {
        let chance = match self.balls.is_finite() {
            true => (self.rate * self.balls + self.right) / (self.balls + self.drawn),
            false => self.rate,
        };
        let right = uniform(random) < chance;
        self.right += f64::from(u8::from(right));
        self.drawn += 1.0;
        right
    }
}

/// The square root of the correlation of two trials of a sample, 0.6.
const TRIAL_COPIES: f64 = 0.774_596_669_241_483_4;

/// Which of `trials` trials of a sample are right, a bit each. The single trial of a run is its
/// verdict; more repeat it with a certain probability (Lunn and Davies, 1998).
pub fn trials(random: &mut SplitMix, verdict: bool, rate: f64, trials: usize) -> u32 {
    let once = |random: &mut SplitMix| match uniform(random) < TRIAL_COPIES {
        true => verdict,
        false => uniform(random) < rate,
    };
    if trials == 1 {
        return u32::from(verdict);
    }
    (0..trials).map(|trial| u32::from(once(random)) << trial).sum()
}

/// A seed for a cell of a table.
pub fn seed(numbers: &[f64]) -> SplitMix {
    let mut random = SplitMix(0);
    for number in numbers {
        random.0 ^= number.to_bits();
        random.0 = random.next();
    }
    random
}
