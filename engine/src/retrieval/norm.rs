//! Layer normalisation as one node of tract's graph, which has it in six.

use std::sync::Arc;
use tract_core::internal::*;

/// Rows with mean 0 and variance 1, times a weight, plus a bias; `[S, width]` to the same.
#[derive(Debug, Clone)]
pub(super) struct LayerNorm(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    weight: Vec<f32>,
    bias: Vec<f32>,
    epsilon: f32,
}

impl LayerNorm {
    pub(super) fn new(weight: Vec<f32>, bias: Vec<f32>, epsilon: f32) -> Self {
        LayerNorm(Arc::new(Parts { weight, bias, epsilon }))
    }
}

impl PartialEq for LayerNorm {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for LayerNorm {}

impl Op for LayerNorm {
    fn name(&self) -> StaticName {
        "LayerNorm".into()
    }
    op_as_typed_op!();
}

impl EvalOp for LayerNorm {
    op_out_of_plan!();

    fn eval(&self, _: &EvalContext, inputs: TVec<TValue>) -> TractResult<TVec<TValue>> {
        let mut rows = args_1!(inputs).into_tensor();
        let Parts { weight, bias, epsilon } = &*self.0;
        let mut view = rows.to_plain_array_view_mut::<f32>()?;
        let numbers = view.as_slice_mut().context("expected an input row by row")?;
        kernels::layer_norm(numbers, weight, bias, *epsilon);
        Ok(tvec!(rows.into_tvalue()))
    }
}

impl TypedOp for LayerNorm {
    fn output_facts(&self, inputs: &[&TypedFact]) -> TractResult<TVec<TypedFact>> {
        ensure!(inputs[0].rank() == 2, "expected rows of numbers");
        Ok(tvec!(f32::fact(inputs[0].shape.clone())))
    }
    as_op!();
}
