//! A linear layer on integer weights as a node of tract's graph.

use super::RetrievalError;
use super::encoding::Matrix;
use kernels::linear::Linear as Layer;
use std::sync::Arc;
use tract_core::internal::*;

/// `x · Wᵀ + b`, `[S, in]` to `[S, out]`.
#[derive(Debug, Clone)]
pub(super) struct Linear(Arc<Layer>);

impl Linear {
    /// The layer of a matrix `[out, in]` and a bias, both times `scale`; `None` where the matrix is
    /// not of integers with a step a row, or its rows are not made of eights.
    pub(super) fn new(
        matrix: &Matrix<'_>,
        bias: &[f32],
        scale: f32,
    ) -> Result<Option<Self>, RetrievalError> {
        let [outputs, inputs] = matrix.shape();
        let Some(mut layer) = Layer::new(inputs, outputs).filter(|_| matrix.is_coded()) else {
            return Ok(None);
        };
        if bias.len() != outputs {
            return Err(RetrievalError::Weights(format!(
                "expected a bias of {outputs} numbers, found {}",
                bias.len()
            )));
        }
        let (mut first, mut second) = (vec![0; inputs], vec![0; inputs]);
        for (pair, biases) in bias.chunks(2).enumerate() {
            if let [a, b] = biases {
                let steps = matrix.read_two(2 * pair, [&mut first, &mut second]);
                let [step_a, step_b] = steps.unwrap_or_default();
                layer.push(&first, step_a * scale, a * scale);
                layer.push(&second, step_b * scale, b * scale);
            } else {
                let step = matrix.read_integers(2 * pair, &mut first).unwrap_or_default();
                layer.push(&first, step * scale, biases[0] * scale);
            }
        }
        Ok(Some(Linear(Arc::new(layer))))
    }
}

impl PartialEq for Linear {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Linear {}

impl Op for Linear {
    fn name(&self) -> StaticName {
        "Linear".into()
    }
    op_as_typed_op!();
}

impl EvalOp for Linear {
    op_out_of_plan!();

    fn eval(&self, _: &EvalContext, inputs: TVec<TValue>) -> TractResult<TVec<TValue>> {
        let input = args_1!(inputs);
        let view = input.to_plain_array_view::<f32>()?;
        let numbers = view.as_slice().context("expected an input row by row")?;
        let output = self.0.apply(numbers);
        let shape = [output.len() / self.0.outputs(), self.0.outputs()];
        Ok(tvec!(Tensor::from_shape(&shape, &output)?.into_tvalue()))
    }
}

impl TypedOp for Linear {
    fn output_facts(&self, inputs: &[&TypedFact]) -> TractResult<TVec<TypedFact>> {
        ensure!(inputs[0].rank() == 2, "expected rows of numbers");
        let mut shape = inputs[0].shape.clone();
        shape.set(1, self.0.outputs().to_dim());
        Ok(tvec!(f32::fact(shape)))
    }
    as_op!();
}
