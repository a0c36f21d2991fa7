//! f32 layers with one defined order of operations: products, softmax, layer norm, GELU and erf.
//!
//! Only `+ - * /`, `sqrt` and rounding to whole numbers, which IEEE 754 defines to the last bit, and
//! no fused multiply-add, which only some processors have. So every machine computes the same
//! bits. Sums run in eight lanes or along the depth of a product: the compiler vectorizes both
//! without changing their order.

#[cfg(not(target_arch = "wasm32"))]
use multiversion::multiversion;

/// Columns of a product that are summed together.
const COLUMNS: usize = 16;
/// Rows of a product that share one pass over a block of columns.
const ROWS: usize = 4;

/// The sum in eight lanes, then lane by lane, then the rest.
#[inline(always)]
fn sum(numbers: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let (eights, rest) = numbers.as_chunks::<8>();
    let mut sums = [0.0_f32; 8];
    for eight in eights {
        for (sum, number) in sums.iter_mut().zip(eight) {
            *sum += of(*number);
        }
    }
    let mut total = 0.0;
    for sum in sums {
        total += sum;
    }
    for number in rest {
        total += of(*number);
    }
    total
}

/// `a · b` for row-major matrices: `a` of rows of `depth`, `b` of `depth` rows of `columns`. Each
/// product is summed along the depth, from the first on.
#[cfg_attr(not(target_arch = "wasm32"), multiversion(targets("x86_64+avx2")))]
pub fn product(a: &[f32], b: &[f32], depth: usize, columns: usize, out: &mut [f32]) {
    if depth == 0 || columns == 0 {
        out.fill(0.0);
        return;
    }
    let blocks = a.chunks(ROWS * depth).zip(out.chunks_mut(ROWS * columns));
    for (a, out) in blocks {
        let rows = out.len() / columns;
        let mut from = 0;
        while from < columns {
            let width = COLUMNS.min(columns - from);
            let mut sums = [[0.0_f32; COLUMNS]; ROWS];
            if width == COLUMNS && rows == ROWS {
                for at in 0..depth {
                    let other: &[f32; COLUMNS] =
                        b[at * columns + from..].first_chunk().unwrap_or(&[0.0; COLUMNS]);
                    for (row, sums) in sums.iter_mut().enumerate() {
                        let factor = a[row * depth + at];
                        for (sum, other) in sums.iter_mut().zip(other) {
                            *sum += factor * other;
                        }
                    }
                }
            } else {
                for at in 0..depth {
                    let other = &b[at * columns + from..][..width];
                    for (row, sums) in sums.iter_mut().enumerate().take(rows) {
                        let factor = a[row * depth + at];
                        for (sum, other) in sums.iter_mut().zip(other) {
                            *sum += factor * other;
                        }
                    }
                }
            }
            for (sums, out) in sums.iter().zip(out.chunks_exact_mut(columns)) {
                out[from..from + width].copy_from_slice(&sums[..width]);
            }
            from += width;
        }
    }
}

/// The softmax of each row of `width` numbers, in place.
#[cfg_attr(not(target_arch = "wasm32"), multiversion(targets("x86_64+avx2")))]
pub fn softmax(rows: &mut [f32], width: usize) {
    for row in rows.chunks_exact_mut(width.max(1)) {
        let mut largest = f32::NEG_INFINITY;
        for number in row.iter() {
            largest = if *number > largest { *number } else { largest };
        }
        for number in row.iter_mut() {
            *number = exp(*number - largest);
        }
        let total = sum(row, |number| number);
        for number in row.iter_mut() {
            *number /= total;
        }
    }
}

/// Layer normalization of each row, in place: mean 0 and variance 1, then scale and bias. The row
/// is as long as both.
#[cfg_attr(not(target_arch = "wasm32"), multiversion(targets("x86_64+avx2")))]
pub fn layer_norm(rows: &mut [f32], scale: &[f32], bias: &[f32], epsilon: f32) {
    let width = scale.len();
    for row in rows.chunks_exact_mut(width.max(1)) {
        let mean = sum(row, |number| number) / width as f32;
        let variance = sum(row, |number| (number - mean) * (number - mean)) / width as f32;
        let deviation = (variance + epsilon).sqrt();
        for (number, (scale, bias)) in row.iter_mut().zip(scale.iter().zip(bias)) {
            *number = (*number - mean) / deviation * scale + bias;
        }
    }
}

/// The error function of each number, in place.
#[cfg_attr(not(target_arch = "wasm32"), multiversion(targets("x86_64+avx2")))]
pub fn erf(numbers: &mut [f32]) {
    for number in numbers {
        *number = erf_of(*number);
    }
}

/// The activation GELU of each number, in place: `x (1 + erf(x / √2)) / 2`.
#[cfg_attr(not(target_arch = "wasm32"), multiversion(targets("x86_64+avx2")))]
pub fn gelu(numbers: &mut [f32]) {
    for number in numbers {
        *number = *number * (1.0 + erf_of(*number / core::f32::consts::SQRT_2)) * 0.5;
    }
}

/// The error function to within 3e-7 (Abramowitz & Stegun 1964, 7.1.28).
#[inline(always)]
fn erf_of(number: f32) -> f32 {
    const TERMS: [f32; 6] =
        [4.306_38e-5, 2.765_672e-4, 1.520_143e-4, 9.270_527e-3, 4.228_201e-2, 7.052_308e-2];
    let size = number.abs();
    let mut sum = 0.0;
    for term in TERMS {
        sum = (sum + term) * size;
    }
    let squared = (1.0 + sum) * (1.0 + sum);
    let fourth = squared * squared;
    let eighth = fourth * fourth;
    (1.0 - 1.0 / (eighth * eighth)).copysign(number)
}

/// The nearest whole number, of two the even one, for magnitudes below 2^22: f32 has no room for
/// fractions from 2^23 on. `round_ties_even` is a call per number where a processor lacks it.
#[inline(always)]
pub(crate) fn nearest(number: f32) -> f32 {
    const ROOM: f32 = 12_582_912.0;
    (number + ROOM) - ROOM
}

/// e to the power of a number that is at most 0; 0 below -87, where f32 has no normal numbers left.
///
/// `x = n ln 2 + r` with a whole n and |r| at most half of ln 2, then a Taylor series to the sixth
/// power of r, and 2 to the power of n through its bits. Relative error below 3e-7.
#[inline(always)]
fn exp(number: f32) -> f32 {
    /// ln 2 in two parts, the first of which has zeros enough at its end for an exact product with n.
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    let clamped = if number > -87.0 { number } else { -87.0 };
    let whole = nearest(clamped * core::f32::consts::LOG2_E);
    let rest = clamped - whole * LN_2[0] - whole * LN_2[1];
    let mut series = 1.0 / 720.0;
    for factor in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        series = series * rest + factor;
    }
    let power = f32::from_bits(((whole as i32 + 127) as u32) << 23);
    if number < -87.0 { 0.0 } else { series * power }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudo-random numbers from -3 to 3.
    fn noise(count: u32, seed: u32) -> Vec<f32> {
        let number = |at: u32| (at.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 8) as f32;
        (0..count).map(|at| number(at) / (1 << 24) as f32 * 6.0 - 3.0).collect()
    }

    fn close(found: f32, expected: f64, tolerance: f64) {
        assert!((f64::from(found) - expected).abs() <= tolerance, "{found}, not {expected}");
    }

    #[test]
    fn a_product_of_any_size_is_the_sum_of_products() {
        for (rows, depth, columns) in [(1, 1, 1), (3, 5, 7), (4, 32, 16), (9, 13, 35), (8, 2, 48)] {
            let (a, b) = (noise(rows * depth, 1), noise(depth * columns, 2));
            let mut out = vec![f32::NAN; (rows * columns) as usize];
            let (depth, columns) = (depth as usize, columns as usize);
            product(&a, &b, depth, columns, &mut out);
            for (at, found) in out.iter().enumerate() {
                let (row, column) = (at / columns, at % columns);
                let mut expected = 0.0_f32;
                for (at, a) in a[row * depth..][..depth].iter().enumerate() {
                    expected += a * b[at * columns + column];
                }
                assert_eq!(*found, expected, "{row}, {column}");
            }
        }
        product(&[], &[], 0, 3, &mut [1.0; 3]);
    }

    #[test]
    fn a_softmax_sums_to_one_and_keeps_the_proportions() {
        let mut numbers = noise(22, 3);
        let exact: Vec<f64> = numbers.iter().map(|number| f64::from(*number).exp()).collect();
        softmax(&mut numbers, 11);
        for (row, exact) in numbers.chunks(11).zip(exact.chunks(11)) {
            let total: f64 = exact.iter().sum();
            row.iter().zip(exact).for_each(|(found, exact)| close(*found, exact / total, 1e-7));
        }
        let mut masked = [0.0, f32::MIN, -200.0, 0.0];
        softmax(&mut masked, 4);
        assert_eq!(masked, [0.5, 0.0, 0.0, 0.5]);
    }

    #[test]
    fn the_exponential_is_right_to_the_last_digits() {
        for at in 0..8_700 {
            let number = -at as f32 / 100.0;
            let exact = f64::from(number).exp();
            close(exp(number), exact, exact * 3e-7);
        }
        assert_eq!((exp(0.0), exp(-88.0), exp(f32::NEG_INFINITY)), (1.0, 0.0, 0.0));
    }

    #[test]
    fn layer_norm_centres_and_scales() {
        let mut rows = noise(40, 4);
        let exact: Vec<f64> = rows.iter().map(|number| f64::from(*number)).collect();
        let (scale, bias) = (noise(20, 5), noise(20, 6));
        layer_norm(&mut rows, &scale, &bias, 1e-12);
        for (row, exact) in rows.chunks(20).zip(exact.chunks(20)) {
            let mean = exact.iter().sum::<f64>() / 20.0;
            let variance = exact.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / 20.0;
            for (at, found) in row.iter().enumerate() {
                let unit = (exact[at] - mean) / variance.sqrt();
                close(*found, unit * f64::from(scale[at]) + f64::from(bias[at]), 2e-6);
            }
        }
    }

    #[test]
    fn the_error_function_is_that_of_the_tables() {
        // Abramowitz & Stegun 1964, table 7.1.
        let table = [(0.0, 0.0), (0.5, 0.520_499_9), (1.0, 0.842_700_8), (2.0, 0.995_322_3)];
        for (number, expected) in table {
            let mut both = [number, -number, 6.0];
            erf(&mut both);
            close(both[0], expected, 5e-7);
            close(both[1], -expected, 5e-7);
            assert_eq!(both[2], 1.0);
        }
        let mut numbers = [0.0, core::f32::consts::SQRT_2, -core::f32::consts::SQRT_2, -20.0];
        gelu(&mut numbers);
        close(numbers[1], 0.921_350_4 * f64::from(core::f32::consts::SQRT_2), 1e-6);
        close(numbers[2], -0.078_649_6 * f64::from(core::f32::consts::SQRT_2), 1e-6);
        assert_eq!([numbers[0], numbers[3]], [0.0, 0.0]);
    }

    #[test]
    fn the_nearest_whole_number_is_the_even_one_of_two() {
        for at in -70_000..70_000 {
            let number = at as f32 / 2.0;
            assert_eq!(nearest(number), number.round_ties_even());
            assert_eq!(nearest(number * 0.77), (number * 0.77).round_ties_even());
        }
    }
}
