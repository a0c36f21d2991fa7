//! A linear layer for the few rows that a short text has, in WebAssembly.
//!
//! `tract` multiplies in tiles of eight by eight there: nine tokens cost as much as sixteen, and
//! sixteen sums of four numbers are more than the registers of most processors hold. Here as many
//! tokens go together as fit the registers, and none is computed for nothing. Natively `tract` has
//! kernels for the processor's own instructions, which this does not replace.

use super::RetrievalError;
use tract_core::internal::{
    EvalContext, EvalOp, Op, StaticName, TypedFact, TypedOp, as_op, bail, op_as_typed_op,
    op_out_of_plan, tvec,
};
use tract_core::prelude::*;

/// Outputs that are computed together: two vectors of four numbers.
const WIDE: usize = 8;
/// Tokens that are computed together at most: 12 vectors of sums, 2 of weights and one of inputs
/// leave one of the 16 registers of x86-64.
const HIGH: usize = 6;

/// `x · Wᵀ + b`, `[S, in]` to `[S, out]`.
#[derive(Debug, Clone, Hash, PartialEq, Eq)]
pub(super) struct Dense {
    inputs: usize,
    /// The matrix as it is read: `[out / WIDE, in, WIDE]`.
    panels: Arc<Tensor>,
    /// `[out]`.
    bias: Arc<Tensor>,
}

impl Dense {
    /// A layer from its matrix `[out, in]`, row by row, and its bias.
    ///
    /// # Errors
    /// When the shapes do not fit each other.
    pub(super) fn new(weights: &[f32], bias: &[f32]) -> Result<Self, RetrievalError> {
        let outputs = bias.len();
        let inputs = weights.len() / outputs.max(1);
        if !outputs.is_multiple_of(WIDE) || inputs * outputs != weights.len() || inputs == 0 {
            return Err(RetrievalError::Weights(format!(
                "expected a matrix of {outputs} rows, a multiple of {WIDE}, found {} numbers",
                weights.len()
            )));
        }
        let laid = |cause: TractError| RetrievalError::Model {
            doing: "is laid",
            cause: format!("{cause:#}"),
        };
        let panels = Tensor::from_shape(&[outputs / WIDE, inputs, WIDE], &panels(weights, inputs));
        let bias = Tensor::from_shape(&[outputs], bias);
        Ok(Dense { inputs, panels: panels.map_err(laid)?.into(), bias: bias.map_err(laid)?.into() })
    }
}

impl Op for Dense {
    fn name(&self) -> StaticName {
        "Dense".into()
    }

    op_as_typed_op!();
}

impl EvalOp for Dense {
    op_out_of_plan!();

    fn eval(&self, _: &EvalContext, inputs: TVec<TValue>) -> TractResult<TVec<TValue>> {
        let [input] = &inputs[..] else { bail!("expected one input, found {}", inputs.len()) };
        let (input, panels, bias) = (
            input.to_plain_array_view::<f32>()?,
            self.panels.to_plain_array_view::<f32>()?,
            self.bias.to_plain_array_view::<f32>()?,
        );
        let (Some(input), Some(panels), Some(bias)) =
            (input.as_slice(), panels.as_slice(), bias.as_slice())
        else {
            bail!("expected rows in one piece");
        };
        let output = multiply(input, self.inputs, panels, bias);
        let tokens = input.len() / self.inputs;
        Ok(tvec!(Tensor::from_shape(&[tokens, bias.len()], &output)?.into_tvalue()))
    }
}

impl TypedOp for Dense {
    as_op!();

    fn output_facts(&self, inputs: &[&TypedFact]) -> TractResult<TVec<TypedFact>> {
        let [input] = inputs else { bail!("expected one input, found {}", inputs.len()) };
        let mut shape = input.shape.clone();
        shape.set(1, self.bias.len().to_dim());
        Ok(tvec!(f32::fact(shape)))
    }
}

/// The matrix `[out, in]` as `[out / WIDE, in, WIDE]`, so that it is read from front to back.
fn panels(weights: &[f32], inputs: usize) -> Vec<f32> {
    let mut panels = Vec::with_capacity(weights.len());
    for rows in weights.chunks_exact(inputs * WIDE) {
        for input in 0..inputs {
            panels.extend(rows.chunks_exact(inputs).map(|row| row[input]));
        }
    }
    panels
}

/// Every panel of the matrix stays in the nearest cache for all tokens.
fn multiply(x: &[f32], inputs: usize, panels: &[f32], bias: &[f32]) -> Vec<f32> {
    let (tokens, outputs) = (x.len() / inputs, bias.len());
    let sizes = block_sizes(tokens);
    let packed = packed(x, inputs, &sizes);
    let mut y = vec![0.0; tokens * outputs];
    let bias = bias.as_chunks::<WIDE>().0;
    for (at, (panel, bias)) in panels.chunks_exact(inputs * WIDE).zip(bias).enumerate() {
        let panel = panel.as_chunks::<WIDE>().0;
        let (mut packed, mut y) = (&packed[..], &mut y[..]);
        for size in &sizes {
            let (block, others) = packed.split_at(size * inputs);
            let (rows, rest) = y.split_at_mut(size * outputs);
            let rows = Rows { y: rows, outputs, first: at * WIDE };
            match size {
                1 => rows.fill::<1>(block, panel, bias),
                2 => rows.fill::<2>(block, panel, bias),
                3 => rows.fill::<3>(block, panel, bias),
                4 => rows.fill::<4>(block, panel, bias),
                5 => rows.fill::<5>(block, panel, bias),
                _ => rows.fill::<HIGH>(block, panel, bias),
            }
            (packed, y) = (others, rest);
        }
    }
    y
}

/// How many tokens go together, block by block: as even as possible, at most [`HIGH`].
fn block_sizes(tokens: usize) -> Vec<usize> {
    let blocks = tokens.div_ceil(HIGH);
    (0..blocks).map(|block| (tokens + block) / blocks).collect()
}

/// The rows of each block side by side, `[in, size]`.
fn packed(x: &[f32], inputs: usize, sizes: &[usize]) -> Vec<f32> {
    let mut packed = Vec::with_capacity(x.len());
    let mut rest = x;
    for size in sizes {
        let (rows, others) = rest.split_at(size * inputs);
        for input in 0..inputs {
            packed.extend(rows.chunks_exact(inputs).map(|row| row[input]));
        }
        rest = others;
    }
    packed
}

/// The rows of one block, of which [`WIDE`] columns from `first` are computed.
struct Rows<'a> {
    y: &'a mut [f32],
    outputs: usize,
    first: usize,
}

impl Rows<'_> {
    /// Every sum in one fixed order, products and sums rounded one by one: the same bits everywhere.
    fn fill<const TOKENS: usize>(self, packed: &[f32], panel: &[[f32; WIDE]], bias: &[f32; WIDE]) {
        let mut sums = [*bias; TOKENS];
        for (inputs, weights) in packed.as_chunks::<TOKENS>().0.iter().zip(panel) {
            for (sums, input) in sums.iter_mut().zip(inputs) {
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    *sum += input * weight;
                }
            }
        }
        for (row, sums) in self.y.chunks_exact_mut(self.outputs).zip(&sums) {
            row[self.first..self.first + WIDE].copy_from_slice(sums);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that differ from place to place.
    fn numbers(count: usize, step: f32) -> Vec<f32> {
        (0..count).map(|at| (at as f32 * step).sin()).collect()
    }

    #[test]
    fn every_number_of_tokens_gives_the_plain_product() {
        let (inputs, outputs) = (20, 24);
        let (weights, bias) = (numbers(inputs * outputs, 0.7), numbers(outputs, 1.3));
        let layer = Dense::new(&weights, &bias).unwrap();
        for tokens in 1..=20 {
            let x = numbers(tokens * inputs, 0.3);
            let input = Tensor::from_shape(&[tokens, inputs], &x).unwrap();
            let output = layer.eval_out_of_plan(tvec!(input.into_tvalue())).unwrap().unwrap();
            assert_eq!(output[0].shape(), [tokens, outputs]);
            let output = output[0].to_plain_array_view::<f32>().unwrap();
            for (found, (token, at)) in output
                .iter()
                .zip((0..tokens).flat_map(|token| (0..outputs).map(move |at| (token, at))))
            {
                let row = &weights[at * inputs..(at + 1) * inputs];
                let products = x[token * inputs..].iter().zip(row).map(|(x, weight)| x * weight);
                let expected = bias[at] + products.sum::<f32>();
                assert!((found - expected).abs() < 1e-5, "{tokens} tokens, {token}, {at}");
            }
        }
    }

    #[test]
    fn blocks_are_even_and_leave_nothing_out() {
        for tokens in 1..=128 {
            let sizes = block_sizes(tokens);
            assert_eq!(sizes.iter().sum::<usize>(), tokens);
            assert!(sizes.iter().all(|size| (1..=HIGH).contains(size)), "{sizes:?}");
        }
        assert_eq!(block_sizes(9), [4, 5]);
    }

    #[test]
    fn shapes_that_do_not_fit_are_refused() {
        assert!(Dense::new(&numbers(30, 1.0), &numbers(8, 1.0)).is_err());
        assert!(Dense::new(&numbers(30, 1.0), &numbers(3, 1.0)).is_err());
        assert!(Dense::new(&[], &[]).is_err());
    }
}
