//! The inner loops of API Search: weights out of their coding, linear layers on them, attention,
//! norms.
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

/// `x · Wᵀ + b` for rows of inputs in f32, a bias an output. What is left over of an incomplete row is
/// not looked at.
#[must_use]
pub fn linear_f32(input: &[f32], weights: &[f32], bias: &[f32]) -> Vec<f32> {
    let width = (weights.len() / bias.len().max(1)).max(1);
    let outputs = |row| {
        let rows = weights.chunks_exact(width).zip(bias);
        rows.map(move |(weights, bias)| dot(row, weights) + bias)
    };
    input.chunks_exact(width).flat_map(outputs).collect()
}

/// Self-attention over rows of `width` numbers, part by part of `heads`: of the values the mean by the
/// softmax of query times key.
///
/// Source: Vaswani et al., 2017, "Attention Is All You Need", section 3.2; queries come scaled.
#[must_use]
pub fn attention([queries, keys, values]: [&[f32]; 3], width: usize, heads: usize) -> Vec<f32> {
    let part = width / heads.max(1);
    let mut mixed = vec![0.0; queries.len()];
    if part == 0 {
        return mixed;
    }
    let mut shares = Vec::with_capacity(keys.len() / width);
    for (query, out) in queries.chunks_exact(width).zip(mixed.chunks_exact_mut(width)) {
        let parts = query.chunks_exact(part).zip(out.chunks_exact_mut(part));
        for (head, (query, out)) in parts.enumerate() {
            let own = head * part..(head + 1) * part;
            shares.clear();
            shares.extend(keys.chunks_exact(width).map(|key| dot(query, &key[own.clone()])));
            softmax(&mut shares);
            for (value, share) in values.chunks_exact(width).zip(&shares) {
                let value = &value[own.clone()];
                out.iter_mut().zip(value).for_each(|(sum, number)| *sum += share * number);
            }
        }
    }
    mixed
}

/// Powers of e, divided by their sum.
fn softmax(numbers: &mut [f32]) {
    let largest = numbers.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    numbers.iter_mut().for_each(|number| *number = (*number - largest).exp());
    let scale = sum(numbers).recip();
    numbers.iter_mut().for_each(|number| *number *= scale);
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
    use super::{attention, dot, layer_norm, linear_f32};

    #[test]
    fn attention_is_the_mean_by_the_softmax_of_each_head() {
        // Two heads of one number, two rows; shares of the first head are those of e^0 and e^1 and of
        // e^0 and e^2, the second one's queries are 0.
        let (queries, keys) = ([1.0, 0.0, 2.0, 0.0], [0.0, 5.0, 1.0, -5.0]);
        let mixed = attention([&queries, &keys, &[10.0, 1.0, 20.0, 2.0]], 2, 2);
        let mean = |power: f32| 10.0 + 10.0 * power.exp() / (1.0 + power.exp());
        for (found, expected) in mixed.iter().zip([mean(1.0), 1.5, mean(2.0), 1.5]) {
            assert!((found - expected).abs() < 1e-5, "{found}, not {expected}");
        }
        // Scores that no power of e could be taken of.
        let far = attention([&[1e4], &[1.0, 1.0], &[3.0, 5.0]], 1, 1);
        assert_eq!(far, [4.0]);
        assert_eq!(attention([&[], &[], &[]], 2, 1), []);
        assert_eq!(attention([&[1.0], &[1.0], &[1.0]], 1, 0), [1.0]);
    }

    #[test]
    fn a_layer_in_f32_is_products_and_bias() {
        let outputs = linear_f32(&[1.0, 2.0, 3.0, 4.0], &[1.0, 0.0, 1.0, 1.0], &[0.5, -0.5]);
        assert_eq!(outputs, [1.5, 2.5, 3.5, 6.5]);
        assert_eq!(linear_f32(&[1.0], &[], &[]), []);
    }

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
