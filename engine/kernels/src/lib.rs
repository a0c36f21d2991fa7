//! The inner loops of API Search: weights out of their coding, linear layers on them, norms.
//!
//! A crate of its own, because a profile says for whole crates how they are compiled: this one for
//! speed where everything else is for size, or for a short wait.

pub mod coder;
pub mod linear;

/// The sum of products of two vectors; what one has more than the other is left out. In eight sums,
/// which are added at the end: as many at a time as a machine likes, and the same on all of them.
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

/// Layer normalisation of rows as long as the weight: mean 0 and variance 1, times the weight, plus
/// the bias. What is left over of an incomplete row stays as it is.
pub fn layer_norm(rows: &mut [f32], weight: &[f32], bias: &[f32], epsilon: f32) {
    let width = weight.len().max(1);
    let share = (width as f32).recip();
    for row in rows.chunks_exact_mut(width) {
        let mean = sum(row) * share;
        row.iter_mut().for_each(|number| *number -= mean);
        let scale = (dot(row, row) * share + epsilon).sqrt().recip();
        for (number, (weight, bias)) in row.iter_mut().zip(weight.iter().zip(bias)) {
            *number = *number * scale * weight + bias;
        }
    }
}

/// The sum of numbers, as [`dot`] sums products.
fn sum(numbers: &[f32]) -> f32 {
    let (eights, rest) = numbers.as_chunks::<8>();
    let mut sums = [0.0_f32; 8];
    for eight in eights {
        sums.iter_mut().zip(eight).for_each(|(sum, number)| *sum += number);
    }
    sums.iter().sum::<f32>() + rest.iter().sum::<f32>()
}

#[cfg(test)]
mod tests {
    use super::{dot, layer_norm};

    #[test]
    fn a_norm_has_its_mean_and_variance() {
        let mut rows: Vec<f32> = (0..20).map(|n| (n * n) as f32).collect();
        layer_norm(&mut rows, &[2.0; 10], &[0.5; 10], 1e-12);
        for row in rows.chunks(10) {
            let mean = row.iter().sum::<f32>() / 10.0;
            let variance = row.iter().map(|n| (n - mean) * (n - mean)).sum::<f32>() / 10.0;
            assert!(
                (mean - 0.5).abs() < 1e-5 && (variance - 4.0).abs() < 1e-4,
                "{mean} {variance}"
            );
        }
        layer_norm(&mut [], &[], &[], 1.0);
    }

    #[test]
    fn every_product_counts() {
        let a: Vec<f32> = (0..19).map(|n| n as f32).collect();
        assert_eq!(dot(&a, &a), 2109.0);
        assert_eq!(dot(&a[..3], &a[..3]), 5.0);
        assert_eq!(dot(&[], &[]), 0.0);
    }
}
