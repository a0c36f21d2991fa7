//! Seeded pseudo-random numbers, the same on every platform and in every version of the program.

use sha2::{Digest, Sha256};

/// SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA
/// 2014).
pub struct SplitMix(pub u64);

impl SplitMix {
    /// The next 64 bits.
    #[allow(clippy::should_implement_trait, reason = "it never ends")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`: the high half of a 128-bit product (Lemire 2019), whose bias is
    /// negligible.
    pub fn below(&mut self, n: usize) -> usize {
        let wide = u128::from(self.next()) * n as u128;
        usize::try_from(wide >> 64).unwrap_or_default()
    }
}

/// The rank of a name in a seeded shuffle. Depends only on seed and name, so that adding or
/// removing others keeps the order of the rest.
pub fn draw(seed: u32, name: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(seed.to_le_bytes());
    hash.update(name.as_bytes());
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::SplitMix;

    #[test]
    fn the_generator_matches_the_reference_implementation() {
        // The reference implementation (prng.di.unimi.it/splitmix64.c) from state 1234567.
        let mut random = SplitMix(1_234_567);
        let drawn = [random.next(), random.next(), random.next()];
        assert_eq!(
            drawn,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }
}
