//! Linear layers on int8 weights, as an operator in the model's graph.
//!
//! An ONNX file with quantized weights says `MatMul(x, DequantizeLinear(integers, steps))`, which
//! tract expands to f32 when it loads the file. [`use_integer_layers`] replaces these nodes, with the
//! bias that is added, by one operator that multiplies integers: half the time of a short text, and
//! a quarter of the memory.

use super::model::INT8;
use kernels::linear::Linear;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;
use tract_onnx::Onnx;
use tract_onnx::pb::{GraphProto, NodeProto};
use tract_onnx::tract_hir::internal::*;

/// What the operator is called in the graph: inputs are rows, integers `[in, out]`, a step for each
/// column and perhaps a bias.
const NAME: &str = "IntegerLinear";

/// Tells tract about the operator.
pub(super) fn register(framework: &mut Onnx) {
    framework.op_register.insert(NAME, |_, _| Ok((expand(IntegerLinear), Vec::new())));
}

/// Replaces every product with dequantized int8 weights, and the sum after it.
pub(super) fn use_integer_layers(graph: &mut GraphProto) {
    let constants: BTreeMap<String, (i32, Vec<i64>)> = graph
        .initializer
        .iter()
        .map(|it| (it.name.clone(), (it.data_type, it.dims.clone())))
        .collect();
    let mut layers = BTreeMap::new();
    for node in &graph.node {
        if let Some([weights, steps]) = dequantized(node, &constants) {
            layers.insert(node.output[0].clone(), [weights, steps]);
        }
    }
    for node in graph.node.iter_mut().filter(|node| node.op_type == "MatMul") {
        let Some(weights) = node.input.get(1).and_then(|input| layers.get(input)) else { continue };
        node.input.truncate(1);
        node.input.extend(weights.iter().cloned());
        node.op_type = NAME.to_owned();
    }
    add_biases(graph, &constants);
    let taken: BTreeSet<String> =
        graph.node.iter().flat_map(|node| node.input.iter().cloned()).collect();
    graph.node.retain(|node| node.op_type != "DequantizeLinear" || taken.contains(&node.output[0]));
}

/// Integers and steps of a node that dequantizes a constant matrix column by column.
fn dequantized(
    node: &NodeProto,
    constants: &BTreeMap<String, (i32, Vec<i64>)>,
) -> Option<[String; 2]> {
    let ([integers, steps], [_]) = (&*node.input, &*node.output) else { return None };
    let (&(INT8, ref shape), (_, count)) = (constants.get(integers)?, constants.get(steps)?) else {
        return None;
    };
    let by_columns = node.attribute.iter().all(|it| it.name != "axis" || it.i == 1);
    // The kernel takes eight inputs at a time.
    let fits = matches!((&**shape, &**count), ([inputs, outputs], [count])
        if outputs == count && inputs % 8 == 0 && *inputs > 0);
    let is_one = node.op_type == "DequantizeLinear" && by_columns && fits;
    is_one.then(|| [integers.clone(), steps.clone()])
}

/// Moves what is added to a layer, and to nothing else, into it.
fn add_biases(graph: &mut GraphProto, constants: &BTreeMap<String, (i32, Vec<i64>)>) {
    let mut uses: BTreeMap<String, usize> = BTreeMap::new();
    let outputs = graph.output.iter().map(|it| &it.name);
    for name in graph.node.iter().flat_map(|node| &node.input).chain(outputs) {
        *uses.entry(name.clone()).or_default() += 1;
    }
    let mut sums = BTreeMap::new();
    for node in graph.node.iter().filter(|node| node.op_type == "Add") {
        let ([a, b], [sum]) = (&*node.input, &*node.output) else { continue };
        for (product, bias) in [(a, b), (b, a)] {
            if uses.get(product) == Some(&1) && constants.contains_key(bias) {
                sums.insert(product.clone(), (bias.clone(), sum.clone()));
            }
        }
    }
    let mut moved = BTreeSet::new();
    for node in graph.node.iter_mut().filter(|node| node.op_type == NAME) {
        let width =
            |name: &String| constants.get(name).and_then(|(_, shape)| shape.last().copied());
        let Some((bias, sum)) = sums.get(&node.output[0]) else { continue };
        let is_row = constants.get(bias).is_some_and(|(_, shape)| shape.len() == 1);
        if is_row && width(bias) == width(&node.input[1]) {
            node.input.push(bias.clone());
            node.output[0].clone_from(sum);
            moved.insert(sum.clone());
        }
    }
    graph.node.retain(|node| node.op_type != "Add" || !moved.contains(&node.output[0]));
}

/// The operator as the file has it.
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
            4 => constant(3)?.try_as_plain_ram()?.as_slice::<f32>()?.to_vec(),
            _ => vec![0.0; outputs],
        };
        let mut layer = Linear::new(width, outputs).context("expected eights of inputs")?;
        let mut row = vec![0; width];
        for (output, (step, bias)) in steps.iter().zip(bias).enumerate() {
            let column = integers.iter().skip(output).step_by(outputs);
            row.iter_mut().zip(column).for_each(|(number, integer)| *number = i16::from(*integer));
            layer.push(&row, *step, bias);
        }
        target.wire_node(prefix, Layer(Arc::new(layer)), &inputs[..1])
    }
}

/// The operator as it runs: `x · W + b` over the last axis.
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
