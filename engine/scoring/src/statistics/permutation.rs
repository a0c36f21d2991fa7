//! The paired sign-flip (permutation) test: if two models are equally good, the sign of each
//! dialogue's difference is random.

use dataset::random::SplitMix;

/// The most steps for the exact distribution; beyond, it is sampled.
const MOST_STEPS: u64 = 20_000_000;
/// The number of sampled sign flips.
const FLIPS: usize = 9_999;
/// Fixed, so that the same records always give the same p-value.
const SEED: u64 = 0x5bd1_e995_9e37_79b9;

/// The two-sided mid-p-value of the sum of `differences` under random signs. One difference per
/// dialogue, in any unit. 1 if all are 0.
///
/// The distribution is exact, or sampled with a fixed seed if the sum takes too many values. The
/// observed sum counts half (mid-p; Lancaster, 1961), because the test is otherwise far too
/// conservative with few disagreements. With one call per dialogue it equals McNemar's mid-p test
/// (Fagerland, Lydersen and Laake, 2013). A sampled p-value includes the observed signs as one more
/// sample (Phipson and Smyth, 2010).
pub fn sign_flip_test(differences: &[i64]) -> f64 {
    let observed: i64 = differences.iter().sum();
    let sizes: Vec<u64> =
        differences.iter().map(|it| it.unsigned_abs()).filter(|size| *size > 0).collect();
    let unit = sizes.iter().copied().fold(0, gcd).max(1);
    let sizes: Vec<u64> = sizes.into_iter().map(|size| size / unit).collect();
    let observed = observed.unsigned_abs() / unit;
    let total: u64 = sizes.iter().sum();
    match (total + 1).saturating_mul(sizes.len() as u64) <= MOST_STEPS {
        true => exact(&sizes, usize::try_from(total).unwrap_or(0), observed),
        false => sampled(&sizes, total, observed),
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Dynamic programming over the sum of the sizes with a plus sign. The signed sum is twice that
/// minus the total.
fn exact(sizes: &[u64], total: usize, observed: u64) -> f64 {
    let mut shares = vec![0.0; total + 1];
    shares[0] = 1.0;
    let mut reached = 0;
    for size in sizes.iter().map(|size| usize::try_from(*size).unwrap_or(0)) {
        reached += size;
        for sum in (0..=reached).rev() {
            let with = sum.checked_sub(size).and_then(|rest| shares.get(rest)).copied();
            if let Some(share) = shares.get_mut(sum) {
                *share = (*share + with.unwrap_or(0.0)) / 2.0;
            }
        }
    }
    let (mut beyond, mut equal) = (0.0, 0.0);
    for (sum, share) in shares.iter().enumerate() {
        match (2 * sum as u64).abs_diff(total as u64).cmp(&observed) {
            std::cmp::Ordering::Greater => beyond += share,
            std::cmp::Ordering::Equal => equal += share,
            std::cmp::Ordering::Less => {}
        }
    }
    // A difference of 0 is no evidence: its mid-p-value would be below 1.
    if observed == 0 { 1.0 } else { beyond + equal / 2.0 }
}

fn sampled(sizes: &[u64], total: u64, observed: u64) -> f64 {
    if observed == 0 {
        return 1.0;
    }
    let mut random = SplitMix(SEED);
    let (mut beyond, mut equal) = (0_usize, 1_usize);
    for _ in 0..FLIPS {
        let (mut plus, mut bits) = (0_u64, 0);
        for (index, size) in sizes.iter().enumerate() {
            if index % 64 == 0 {
                bits = random.next();
            }
            plus += size * (bits & 1);
            bits >>= 1;
        }
        let sum = (2 * plus).abs_diff(total);
        beyond += usize::from(sum > observed);
        equal += usize::from(sum == observed);
    }
    (beyond as f64 + equal as f64 / 2.0) / (FLIPS + 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_enumeration(of: &[i64]) -> f64 {
        let observed = of.iter().sum::<i64>().abs();
        let value = |signs: u32| {
            let sign = |index: usize| if signs >> index & 1 == 1 { -1 } else { 1 };
            let sum: i64 = of.iter().enumerate().map(|(index, it)| sign(index) * it).sum();
            f64::from(u8::from(sum.abs() > observed)) + f64::from(u8::from(sum.abs() >= observed))
        };
        (0..1 << of.len()).map(value).sum::<f64>() / 2.0 / f64::from(1 << of.len())
    }

    #[test]
    fn single_calls_are_mcnemars_mid_p_test() {
        // 1 against 9: (2 (1 + 10) - 10) / 1024.
        let mut of = vec![1; 9];
        of.extend([-1, 0, 0]);
        assert!((sign_flip_test(&of) - 12.0 / 1024.0).abs() < 1e-15);
        // 1 against 7, Fagerland, Lydersen and Laake 2013: 0.0391.
        let mut of = vec![1; 7];
        of.push(-1);
        assert!((sign_flip_test(&of) - 0.0391).abs() < 5e-5);
    }

    #[test]
    fn the_null_distribution_is_scipys() {
        // scipy 1.17.1: found = permutation_test((d,), sum, permutation_type="samples",
        // n_resamples=inf); found.pvalue is 0.0703125, of which ties are 0.046875:
        // mean(abs(found.null_distribution) == abs(sum(d))).
        let p = sign_flip_test(&[2, -1, 0, 3, 1, 1, -1, 2, 4, 0, 1]);
        assert!((p - (0.070_312_5 - 0.046_875 / 2.0)).abs() < 1e-15, "{p}");
    }

    #[test]
    fn the_exact_distribution_enumerates_all_signs() {
        for of in [
            vec![1, 2, -1, 3, 1, 1],
            vec![2, 2, 4, -2, 0, 6, 4],
            vec![5, -3, 2, 7, 1, -1, 2, 2, 4],
            vec![30, 30, -10],
        ] {
            let (got, expected) = (sign_flip_test(&of), by_enumeration(&of));
            assert!((got - expected).abs() < 1e-12, "{of:?}: {got} {expected}");
            let mirrored: Vec<i64> = of.iter().map(|value| -value).collect();
            assert!((sign_flip_test(&mirrored) - got).abs() < 1e-15);
        }
        assert!((sign_flip_test(&[]) - 1.0).abs() < 1e-15);
        assert!((sign_flip_test(&[0, 0]) - 1.0).abs() < 1e-15);
        assert!((sign_flip_test(&[3, -3]) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn a_sampled_value_is_near_the_exact_one_and_never_zero() {
        let of: Vec<i64> = (0..120).map(|n| i64::from(n % 5) - i64::from(n % 7 == 0)).collect();
        let sizes: Vec<u64> = of.iter().map(|value| value.unsigned_abs()).collect();
        let total: u64 = sizes.iter().sum();
        for observed in [12, 30, 48] {
            let one = exact(&sizes, usize::try_from(total).unwrap(), observed);
            let other = sampled(&sizes, total, observed);
            // Three standard errors.
            let most = 3.0 * (one * (1.0 - one) / FLIPS as f64).sqrt();
            assert!((one - other).abs() < most, "{observed}: {one} {other}");
        }
        let never = sampled(&sizes, total, total);
        assert!((never - 0.5 / 10_000.0).abs() < 1e-12, "{never}");
    }

    #[test]
    fn many_dialogues_do_not_overflow() {
        // 10,000 disagreements: normal, z = 4.
        let of: Vec<i64> = (0..10_000).map(|n| if n < 5_200 { 1 } else { -1 }).collect();
        let p = sign_flip_test(&of);
        assert!(p > 2e-5 && p < 2e-4, "{p}");
        let odd: Vec<i64> = (0..300).map(|n| 1_000_003 + n * n * 17).collect();
        assert!((sign_flip_test(&odd) - 0.5 / 10_000.0).abs() < 1e-12);
    }
}
