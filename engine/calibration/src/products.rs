//! Products of matrices, row by row, by the widest instructions of the machine at hand. These do the
//! same sums in the same order, as many at a time as there are.

use multiversion::multiversion;

/// `x · Wᵀ` for rows of `columns` inputs and weights output by output.
#[multiversion(targets("x86_64+avx2"))]
pub(crate) fn times_transposed(x: &[f32], weights: &[f32], columns: usize) -> Vec<f32> {
    let outputs = weights.len() / columns;
    let mut y = vec![0.0; x.len() / columns * outputs];
    for (at, weights) in weights.chunks_exact(columns).enumerate() {
        for (x, y) in x.chunks_exact(columns).zip(y.chunks_exact_mut(outputs)) {
            y[at] = kernels::dot(x, weights);
        }
    }
    y
}

/// `y · W` for rows of as many numbers as the weights have outputs.
#[multiversion(targets("x86_64+avx2"))]
pub(crate) fn times(y: &[f32], weights: &[f32], columns: usize) -> Vec<f32> {
    let outputs = weights.len() / columns;
    let mut x = vec![0.0; y.len() / outputs * columns];
    for (at, weights) in weights.chunks_exact(columns).enumerate() {
        for (y, x) in y.chunks_exact(outputs).zip(x.chunks_exact_mut(columns)) {
            add(x, weights, y[at]);
        }
    }
    x
}

/// Adds a multiple of a row to another.
pub(crate) fn add(to: &mut [f32], row: &[f32], factor: f32) {
    to.iter_mut().zip(row).for_each(|(to, number)| *to += factor * number);
}

/// Adds `xᵀ · x` to a square matrix, to its lower half and the diagonal alone.
#[multiversion(targets("x86_64+avx2"))]
pub(crate) fn add_moments(sums: &mut [f32], x: &[f32], columns: usize) {
    // Four rows at a time: the sums are longer than what a processor keeps at hand.
    let mut fours = x.chunks_exact(4 * columns);
    for four in &mut fours {
        let (a, rest) = four.split_at(columns);
        let (b, rest) = rest.split_at(columns);
        let (c, d) = rest.split_at(columns);
        for (at, sums) in sums.chunks_exact_mut(columns).enumerate() {
            let factors = [a[at], b[at], c[at], d[at]];
            let rows = a[..=at].iter().zip(&b[..=at]).zip(&c[..=at]).zip(&d[..=at]);
            for (sum, (((a, b), c), d)) in sums.iter_mut().zip(rows) {
                *sum += factors[0] * a + factors[1] * b + factors[2] * c + factors[3] * d;
            }
        }
    }
    for row in fours.remainder().chunks_exact(columns) {
        for (at, sums) in sums.chunks_exact_mut(columns).enumerate() {
            add(&mut sums[..=at], &row[..=at], row[at]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_matrices() {
        // Two rows, three outputs: (1 2; 3 4) · (1 0; 0 1; 1 1)ᵀ.
        let (x, weights) = ([1.0, 2.0, 3.0, 4.0], [1.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        let y = times_transposed(&x, &weights, 2);
        assert_eq!(y, [1.0, 2.0, 3.0, 3.0, 4.0, 7.0]);
        assert_eq!(times(&y, &weights, 2), [4.0, 5.0, 10.0, 11.0]);
    }

    #[test]
    fn moments_do_not_depend_on_how_rows_are_grouped() {
        let x: Vec<f32> = (0..3 * 7).map(|n| n as f32).collect();
        let (mut at_once, mut singly) = ([0.0; 9], [0.0; 9]);
        add_moments(&mut at_once, &x, 3);
        x.chunks_exact(3).for_each(|row| add_moments(&mut singly, row, 3));
        assert_eq!(at_once, singly);
        let first: f32 = x.chunks_exact(3).map(|row| row[0] * row[0]).sum();
        assert_eq!((at_once[0], at_once[1]), (first, 0.0));
    }
}
