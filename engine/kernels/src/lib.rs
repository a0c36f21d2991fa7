//! The inner loops of API Search: linear layers with integer weights, the f32 layers between them,
//! and dot products. All give the same bits on every machine.
//!
//! A separate crate, because Cargo profiles set the optimization level per crate: this one is
//! compiled for speed in every profile.

pub mod float;
pub mod linear;

/// The dot product of two vectors of the same length. Eight lanes: vectorizes, and is deterministic
/// everywhere.
#[must_use]
#[inline]
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let ((eights_a, rest_a), (eights_b, rest_b)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0_f32; 8];
    for (a, b) in eights_a.iter().zip(eights_b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    let rest: f32 = rest_a.iter().zip(rest_b).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::dot;

    #[test]
    fn every_product_counts() {
        let a: Vec<f32> = (0..19).map(|n| n as f32).collect();
        assert_eq!(dot(&a, &a), 2109.0);
        assert_eq!(dot(&a[..3], &a[..3]), 5.0);
        assert_eq!(dot(&[], &[]), 0.0);
    }
}
