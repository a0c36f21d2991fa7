//! Linear layers with int8 weights, as an operator in the model's graph.
//!
//! An ONNX file with quantized weights contains `MatMul(x, DequantizeLinear(integers, steps))`,
//! which tract expands to f32 when it loads the file. [`use_integer_layers`] replaces these nodes
//! by one operator that multiplies integers, which is faster for short texts and takes half the
//! memory.

use super::consumers::Consumers;
use super::element_type::{FLOAT, INT8};
use kernels::linear::Linear;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;
use tract_onnx::Onnx;
use tract_onnx::pb::{GraphProto, NodeProto};
use tract_onnx::tract_hir::internal::*;

/// The operator's name in the graph. Its inputs: rows, integers `[in, out]`, one step (scale) per
/// column, and optionally a bias per column.
const NAME: &str = "IntegerLinear";

/// Registers the operator with tract.
pub(super) fn register(framework: &mut Onnx) {
    framework.op_register.insert(NAME, |_, _| Ok((expand(IntegerLinear), Vec::new())));
}

/// Replaces every multiplication by dequantized int8 weights.
pub(super) fn use_integer_layers(graph: &mut GraphProto) {
    let dequantized = graph.node.iter().filter_map(|node| dequantized(node, graph));
    let layers: BTreeMap<String, [String; 2]> = dequantized.collect();
    for node in graph.node.iter_mut().filter(|node| node.op_type == "MatMul") {
        if let Some(weights) = node.input.get(1).and_then(|input| layers.get(input)) {
            node.input.truncate(1);
            node.input.extend_from_slice(weights);
            node.op_type = NAME.to_owned();
        }
    }
    add_biases(graph);
    let outputs = graph.output.iter().map(|value| &value.name);
    let inputs = graph.node.iter().flat_map(|node| &node.input);
    let taken: BTreeSet<String> = inputs.chain(outputs).cloned().collect();
    let is_idle = |name: &String| layers.contains_key(name) && !taken.contains(name);
    graph.node.retain(|node| !node.output.iter().any(is_idle));
}

/// Makes an addition that only follows a layer, of a constant vector, part of the layer.
fn add_biases(graph: &mut GraphProto) {
    let vectors = graph.initializer.iter().filter(|it| it.data_type == FLOAT && it.dims.len() == 1);
    let vectors: BTreeSet<String> = vectors.map(|vector| vector.name.clone()).collect();
    let consumers = Consumers::of(graph);
    for at in 0..graph.node.len() {
        if graph.node[at].op_type != NAME || graph.node[at].input.len() != 3 {
            continue;
        }
        let Some(next) = consumers.only(&graph.node[at].output) else { continue };
        let addition = &graph.node[next];
        let bias = addition.input.iter().find(|name| vectors.contains(*name)).cloned();
        let Some(bias) = bias.filter(|_| addition.op_type == "Add") else { continue };
        graph.node[at].input.push(bias);
        graph.node[at].output = std::mem::take(&mut graph.node[next].output);
    }
    graph.node.retain(|node| !node.output.is_empty());
}

/// The output name of a node that dequantizes a constant matrix by column, with the names of its
/// integers and steps; `None` for other nodes.
fn dequantized(node: &NodeProto, graph: &GraphProto) -> Option<(String, [String; 2])> {
    let ("DequantizeLinear", [integers, steps], [output]) =
        (&*node.op_type, &*node.input, &*node.output)
    else {
        return None;
    };
    let constant = |name: &String| {
        let constant = graph.initializer.iter().find(|tensor| tensor.name == *name)?;
        Some((constant.data_type, &*constant.dims))
    };
    let is_by_column = node.attribute.iter().all(|it| it.name != "axis" || it.i == 1);
    // The kernel processes eight inputs at a time.
    let fits = matches!((constant(integers)?, constant(steps)?),
        ((INT8, [inputs, outputs]), (FLOAT, [count]))
        if outputs == count && inputs % 8 == 0 && *inputs > 0);
    (is_by_column && fits).then(|| (output.clone(), [integers.clone(), steps.clone()]))
}

/// The operator in the graph, before tract compiles it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct IntegerLinear;

impl Expansion for IntegerLinear {
    fn name(&self) -> StaticName {
        NAME.into()
    }

    fn rules<'r, 'p: 'r, 's: 'r>(
        &'s self,
        solver: &mut Solver<'r>,
        inputs: &'p [TensorProxy],
        outputs: &'p [TensorProxy],
    ) -> InferenceResult {
        ensure!((3..=4).contains(&inputs.len()), "expected weights, steps and at most a bias");
        check_output_arity(outputs, 1)?;
        solver.equals(&inputs[0].datum_type, f32::datum_type())?;
        solver.equals(&outputs[0].datum_type, f32::datum_type())?;
        solver.given_2(&inputs[0].shape, &inputs[1].shape[1], |solver, mut shape, width| {
            *shape.last_mut().context("expected rows")? = width;
            solver.equals(&outputs[0].shape, shape)
        })
    }

    fn wire(
        &self,
        prefix: &str,
        target: &mut TypedModel,
        inputs: &[OutletId],
    ) -> TractResult<TVec<OutletId>> {
        let constant = |input: usize| {
            target.outlet_fact(inputs[input])?.konst.as_ref().context("expected constant weights")
        };
        let integers = constant(1)?;
        let &[width, outputs] = integers.shape() else { bail!("expected a matrix") };
        let integers = integers.try_as_plain_ram()?.as_slice::<i8>()?;
        let steps = constant(2)?.try_as_plain_ram()?.as_slice::<f32>()?;
        let bias = match inputs.len() {
            4 => constant(3)?.try_as_plain_ram()?.as_slice::<f32>()?,
            _ => &[],
        };
        ensure!([0, outputs].contains(&bias.len()), "expected {outputs} numbers of bias");
        let mut layer = Linear::new(width, outputs).context("expected eights of inputs")?;
        let mut row = vec![0; width];
        for (output, step) in steps.iter().enumerate() {
            let column = integers.iter().skip(output).step_by(outputs);
            row.iter_mut().zip(column).for_each(|(number, integer)| *number = i16::from(*integer));
            layer.push(&row, *step, bias.get(output).copied().unwrap_or_default());
        }
        target.wire_node(prefix, Layer(Arc::new(layer)), &inputs[..1])
    }
}

/// The compiled operator: `x · W + b` over the last axis.
#[derive(Clone)]
struct Layer(Arc<Linear>);

impl Debug for Layer {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{NAME} to {} numbers", self.0.outputs())
    }
}

impl PartialEq for Layer {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Layer {}

impl Op for Layer {
    fn name(&self) -> StaticName {
        NAME.into()
    }
    op_as_typed_op!();
}

impl EvalOp for Layer {
    op_out_of_plan!();

    fn eval(&self, _: &EvalContext, inputs: TVec<TValue>) -> TractResult<TVec<TValue>> {
        let input = inputs[0].to_plain_array_view::<f32>()?;
        let output = self.0.apply(input.as_slice().context("expected row by row")?);
        let mut shape: TVec<usize> = inputs[0].shape().into();
        *shape.last_mut().context("expected rows")? = self.0.outputs();
        Ok(tvec!(Tensor::from_shape(&shape, &output)?.into_tvalue()))
    }
}

impl TypedOp for Layer {
    fn output_facts(&self, inputs: &[&TypedFact]) -> TractResult<TVec<TypedFact>> {
        let mut shape = inputs[0].shape.clone();
        shape.set(inputs[0].rank() - 1, self.0.outputs().to_dim());
        Ok(tvec!(f32::fact(shape)))
    }
    as_op!();
}
