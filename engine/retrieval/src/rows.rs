//! What the encoder computes itself, as nodes of tract's graph.

use std::fmt::{Debug, Formatter, Result};
use std::sync::Arc;
use tract_core::internal::*;

/// What a node does: inputs row by row, one after the other, to outputs the same way.
type Apply = dyn Fn(&[&[f32]]) -> Vec<f32> + Send + Sync;

/// Rows of numbers to as many rows of `width` numbers.
#[derive(Clone)]
pub(super) struct Rows {
    name: &'static str,
    width: usize,
    apply: Arc<Apply>,
}

impl Rows {
    pub(super) fn new(
        name: &'static str,
        width: usize,
        apply: impl Fn(&[&[f32]]) -> Vec<f32> + Send + Sync + 'static,
    ) -> Self {
        Rows { name, width, apply: Arc::new(apply) }
    }
}

impl Debug for Rows {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        write!(formatter, "{} to {} numbers", self.name, self.width)
    }
}

impl PartialEq for Rows {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.apply, &other.apply)
    }
}

impl Eq for Rows {}

impl Op for Rows {
    fn name(&self) -> StaticName {
        self.name.into()
    }
    op_as_typed_op!();
}

impl EvalOp for Rows {
    op_out_of_plan!();

    fn eval(&self, _: &EvalContext, inputs: TVec<TValue>) -> TractResult<TVec<TValue>> {
        let views = inputs.iter().map(|input| input.to_plain_array_view::<f32>());
        let views = views.collect::<TractResult<TVec<_>>>()?;
        let numbers = views.iter().map(|view| view.as_slice().context("expected row by row"));
        let output = (self.apply)(&numbers.collect::<TractResult<TVec<_>>>()?);
        let shape = [output.len() / self.width.max(1), self.width];
        Ok(tvec!(Tensor::from_shape(&shape, &output)?.into_tvalue()))
    }
}

impl TypedOp for Rows {
    fn output_facts(&self, inputs: &[&TypedFact]) -> TractResult<TVec<TypedFact>> {
        ensure!(inputs.iter().all(|input| input.rank() == 2), "expected rows of numbers");
        let mut shape = inputs.first().context("expected an input")?.shape.clone();
        shape.set(1, self.width.to_dim());
        Ok(tvec!(f32::fact(shape)))
    }
    as_op!();
}
