//! Correlated verdicts from seeded random numbers, without platform-dependent functions.

use dataset::random::SplitMix;

/// Calls per dialogue, drawn uniformly: 2.6 on average.
const SIZES: [usize; 8] = [1, 1, 2, 2, 2, 3, 4, 6];

/// A uniform number in [0, 1).
pub fn uniform(random: &mut SplitMix) -> f64 {
    (random.next() >> 11) as f64 / (1_u64 << 53) as f64
}

/// A random number of calls per dialogue.
pub fn size(random: &mut SplitMix) -> usize {
    SIZES[random.below(SIZES.len())]
}

/// Verdicts of one dialogue: beta-binomial, drawn from Pólya's urn (Johnson and Kotz, 1977).
pub struct Urn {
    rate: f64,
    /// The initial number of balls; infinite without correlation.
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

/// The square root of 0.6, the correlation between two trials of a sample.
const TRIAL_COPIES: f64 = 0.774_596_669_241_483_4;

/// The right ones among `trials` trials of a sample, as a bit mask. A single trial is the verdict
/// itself; several each copy it with probability [`TRIAL_COPIES`] (Lunn and Davies, 1998).
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

/// A generator seeded by the parameters of a table cell.
pub fn seed(numbers: &[f64]) -> SplitMix {
    let mut random = SplitMix(0);
    for number in numbers {
        random.0 ^= number.to_bits();
        random.0 = random.next();
    }
    random
}
