//! Quantiles of the normal distribution and of Student's t.

/// A quantile at a fixed probability.
pub(super) struct Quantile {
    /// The standard normal quantile.
    pub(super) normal: f64,
    /// Student's t with 1 to 10 degrees of freedom.
    few: [f64; 10],
}

/// Two-sided 95 % interval.
pub(super) const TWO_SIDED_95: Quantile = Quantile {
    normal: 1.959_963_984_540_054,
    few: [
        12.706_204_736,
        4.302_652_730,
        3.182_446_305,
        2.776_445_105,
        2.570_581_836,
        2.446_911_851,
        2.364_624_252,
        2.306_004_135,
        2.262_157_163,
        2.228_138_852,
    ],
};

/// Two-sided 90 % interval.
pub(super) const TWO_SIDED_90: Quantile = Quantile {
    normal: 1.644_853_626_951_472_2,
    few: [
        6.313_751_515,
        2.919_985_580,
        2.353_363_435,
        2.131_846_786,
        2.015_048_373,
        1.943_180_281,
        1.894_578_605,
        1.859_548_038,
        1.833_112_933,
        1.812_461_123,
    ],
};

/// A power of 80 %.
pub(super) const POWER_80: Quantile = Quantile {
    normal: 0.841_621_233_572_914_3,
    few: [
        1.376_381_920,
        1.060_660_172,
        0.978_472_312,
        0.940_964_577,
        0.919_543_780,
        0.905_703_285,
        0.896_029_644,
        0.888_889_518,
        0.883_403_860,
        0.879_057_829,
    ],
};

impl Quantile {
    /// Student's t with `freedom` > 0 degrees of freedom, accurate to 2e-5.
    ///
    /// Source, above ten degrees: Abramowitz and Stegun, 1964, 26.7.5.
    pub(super) fn t(&self, freedom: usize) -> f64 {
        if let Some(exact) = freedom.checked_sub(1).and_then(|index| self.few.get(index)) {
            return *exact;
        }
        let (z, n) = (self.normal, freedom as f64);
        let z2 = z * z;
        z + z * (z2 + 1.0) / (4.0 * n)
            + z * ((5.0 * z2 + 16.0) * z2 + 3.0) / (96.0 * n * n)
            + z * (((3.0 * z2 + 19.0) * z2 + 17.0) * z2 - 15.0) / (384.0 * n * n * n)
            + z * ((((79.0 * z2 + 776.0) * z2 + 1482.0) * z2 - 1920.0) * z2 - 945.0)
                / (92_160.0 * n * n * n * n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_match_scipy() {
        // scipy 1.17.1: [t.ppf(q, v) for v in (1, 10, 11, 19, 49, 313)].
        for (quantile, expected) in [
            (&TWO_SIDED_95, [12.706205, 2.228139, 2.200985, 2.093024, 2.009575, 1.967572]),
            (&TWO_SIDED_90, [6.313752, 1.812461, 1.795885, 1.729133, 1.676551, 1.649736]),
            (&POWER_80, [1.376382, 0.879058, 0.875530, 0.860951, 0.849018, 0.842771]),
        ] {
            for (freedom, expected) in [1, 10, 11, 19, 49, 313].into_iter().zip(expected) {
                let got = quantile.t(freedom);
                assert!((got - expected).abs() < 2e-5, "{freedom}: {got} {expected}");
            }
        }
    }
}
