//! A linear layer with quantized weights: i16 integers, one step (scale) per output.
//!
//! Each input row is quantized too, to at most 15 bits with its own step. The integer sums are
//! exact in any order, so the result is the same on every machine, and a SIMD register holds twice
//! as many values as in f32. As f32 the weights would also take twice the memory, and short queries
//! are bound by reading them. Rounding the input adds about a hundredth of the weights' rounding
//! error.

use crate::float::nearest;

/// The largest quantized input; less if the sum could overflow an i32.
const LARGEST: u64 = i16::MAX as u64;

/// A layer, with its weights output by output.
#[derive(Debug, Clone)]
pub struct Linear {
    /// The number of inputs, in groups of eight.
    width: usize,
    weights: Vec<lanes::Eight>,
    steps: Vec<f32>,
    /// Added to each output.
    bias: Vec<f32>,
    /// The largest sum of absolute weights of an output.
    most: u64,
}

impl Linear {
    /// A layer without outputs, with capacity for `outputs`; `None` unless `inputs` is a positive
    /// multiple of 8.
    #[must_use]
    pub fn new(inputs: usize, outputs: usize) -> Option<Self> {
        if inputs == 0 || !inputs.is_multiple_of(8) {
            return None;
        }
        let width = inputs / 8;
        Some(Linear {
            width,
            weights: Vec::with_capacity(width * outputs),
            steps: Vec::with_capacity(outputs),
            bias: Vec::with_capacity(outputs),
            most: 1,
        })
    }

    /// Adds an output: weights `integers`, one per input, times `step`, plus `bias`.
    pub fn push(&mut self, integers: &[i16], step: f32, bias: f32) {
        let eights = integers.as_chunks::<8>().0.iter().take(self.width);
        self.weights.extend(eights.map(|eight| lanes::eight(*eight)));
        let outputs = self.steps.len() + 1;
        self.weights.resize(self.width * outputs, lanes::eight([0; 8]));
        let sum = integers.iter().map(|n| u32::from(n.unsigned_abs())).sum::<u32>();
        self.most = self.most.max(u64::from(sum));
        self.steps.push(step);
        self.bias.push(bias);
    }

    /// The number of outputs.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.steps.len()
    }

    /// `x · Wᵀ + b` for row-major input and output. An incomplete last row is ignored.
    #[must_use]
    pub fn apply(&self, input: &[f32]) -> Vec<f32> {
        let columns = self.width * 8;
        let limit = (i32::MAX as u64 / self.most).min(LARGEST) as f32;
        let mut steps = Vec::with_capacity(input.len() / columns);
        let mut rows = Vec::with_capacity(input.len() / 8);
        for row in input.chunks_exact(columns) {
            let largest = row.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
            let inverse = if largest > 0.0 { limit / largest } else { 0.0 };
            steps.push(largest / limit);
            let integers = |eight: &[f32; 8]| eight.map(|n| nearest(n * inverse) as i16);
            rows.extend(row.as_chunks::<8>().0.iter().map(|eight| lanes::eight(integers(eight))));
        }
        let outputs = self.steps.len();
        let mut sums = vec![0; steps.len() * outputs];
        lanes::sums(&self.weights, &rows, self.width, &mut sums);
        let mut output = Vec::with_capacity(sums.len());
        for (sums, step) in sums.chunks_exact(outputs.max(1)).zip(steps) {
            let own = sums.iter().zip(self.steps.iter().zip(&self.bias));
            output.extend(own.map(|(sum, (own, bias))| *sum as f32 * (own * step) + bias));
        }
        output
    }
}

/// WebAssembly SIMD: eight i16 per instruction.
#[cfg(target_arch = "wasm32")]
mod lanes {
    use core::arch::wasm32::{
        i16x8, i32x4_add, i32x4_dot_i16x8, i32x4_extract_lane, i32x4_splat, v128,
    };

    pub(super) type Eight = v128;

    pub(super) fn eight([a, b, c, d, e, f, g, h]: [i16; 8]) -> Eight {
        i16x8(a, b, c, d, e, f, g, h)
    }

    /// The dot products of every row with every output's weights, in row-major order.
    pub(super) fn sums(weights: &[Eight], rows: &[Eight], width: usize, sums: &mut [i32]) {
        let outputs = weights.len() / width;
        for (at, weights) in weights.chunks_exact(width).enumerate() {
            // Process four rows per pass over the weights.
            let blocks = rows.chunks(4 * width).zip(sums.chunks_mut(4 * outputs.max(1)));
            for (rows, sums) in blocks {
                let row = |index: usize| &rows[index * width..(index + 1) * width];
                let mut put = |found: &[i32]| {
                    let sums = sums.iter_mut().skip(at).step_by(outputs);
                    sums.zip(found).for_each(|(sum, found)| *sum = *found);
                };
                match rows.len() / width {
                    4 => put(&dots(weights, [row(0), row(1), row(2), row(3)])),
                    3 => put(&dots(weights, [row(0), row(1), row(2)])),
                    2 => put(&dots(weights, [row(0), row(1)])),
                    _ => put(&dots(weights, [row(0)])),
                }
            }
        }
    }

    /// The dot products of one row with each of several.
    fn dots<const N: usize>(row: &[Eight], others: [&[Eight]; N]) -> [i32; N] {
        let others = others.map(|other| &other[..row.len()]);
        let mut sums = [i32x4_splat(0); N];
        for (at, eight) in row.iter().enumerate() {
            for (sum, other) in sums.iter_mut().zip(others) {
                *sum = i32x4_add(*sum, i32x4_dot_i16x8(*eight, other[at]));
            }
        }
        sums.map(|sum| {
            i32x4_extract_lane::<0>(sum)
                + i32x4_extract_lane::<1>(sum)
                + i32x4_extract_lane::<2>(sum)
                + i32x4_extract_lane::<3>(sum)
        })
    }
}

/// Portable code that the compiler vectorizes; runs as AVX2 where the CPU has it.
#[cfg(not(target_arch = "wasm32"))]
mod lanes {
    use multiversion::multiversion;

    pub(super) type Eight = [i16; 8];

    pub(super) fn eight(numbers: [i16; 8]) -> Eight {
        numbers
    }

    /// The dot products of every row with every output's weights, in row-major order.
    #[multiversion(targets("x86_64+avx2"))]
    pub(super) fn sums(weights: &[Eight], rows: &[Eight], width: usize, sums: &mut [i32]) {
        let outputs = weights.len() / width;
        for (at, weights) in weights.chunks_exact(width).enumerate() {
            let sums = sums.iter_mut().skip(at).step_by(outputs);
            for (row, sum) in rows.chunks_exact(width).zip(sums) {
                // A loop, because iterator adapters would not inherit the target features and might
                // not be inlined.
                let mut products = 0;
                for (a, b) in row.as_flattened().iter().zip(weights.as_flattened()) {
                    products += i32::from(*a) * i32::from(*b);
                }
                *sum = products;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The layer's output, and the same in f64.
    fn both(rows: &[(Vec<i16>, f32)], input: &[f32]) -> (Vec<f32>, Vec<f64>) {
        let inputs = rows[0].0.len();
        let mut layer = Linear::new(inputs, 2).expect("made of eights");
        rows.iter().for_each(|(row, step)| layer.push(row, *step, 0.5));
        let exact = input.chunks_exact(inputs).flat_map(|input| {
            rows.iter().map(move |(row, step)| {
                let products = row.iter().zip(input).map(|(a, b)| f64::from(*a) * f64::from(*b));
                products.sum::<f64>() * f64::from(*step) + 0.5
            })
        });
        (layer.apply(input), exact.collect())
    }

    proptest! {
        #[test]
        fn gives_what_the_weights_give(
            tokens in 0_usize..10,
            numbers in proptest::collection::vec(-200_i16..200, 5 * 16),
            input in proptest::collection::vec(-8.0_f32..8.0, 10 * 16),
        ) {
            let rows: Vec<_> = numbers.chunks(16).map(|row| (row.to_vec(), 0.01)).collect();
            let (ours, exact) = both(&rows, &input[..tokens * 16]);
            prop_assert_eq!(ours.len(), tokens * 5);
            for (ours, exact) in ours.iter().zip(exact) {
                prop_assert!((f64::from(*ours) - exact).abs() < 0.01, "{ours}, not {exact}");
            }
        }
    }

    #[test]
    fn the_largest_sum_stays_inside_its_integer() {
        // All weights at their limit with one sign, and a constant input: the largest possible sum.
        let rows = [(vec![i16::MIN; 1536], 1e-3), (vec![i16::MAX; 1536], 1e-3)];
        let (ours, exact) = both(&rows, &[-5.0; 3 * 1536]);
        for (ours, exact) in ours.iter().zip(exact) {
            assert!((f64::from(*ours) / exact - 1.0).abs() < 0.03, "{ours}, not {exact}");
        }
    }

    #[test]
    fn nothing_gives_nothing() {
        let (ours, _) = both(&[(vec![1; 8], 1.0), (vec![2; 8], 1.0)], &[0.0; 8]);
        assert_eq!(ours, [0.5, 0.5]);
        let (ours, _) = both(&[(vec![1; 8], 1.0), (vec![2; 8], 1.0)], &[]);
        assert_eq!(ours, []);
        assert!(Linear::new(12, 2).is_none());
    }
}
