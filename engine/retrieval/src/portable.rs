//! The f32 operators whose result depends on the order of their operations, as operators of the
//! project.
//!
//! tract chooses its kernels by the processor, and they differ in the order of sums, in fused
//! multiply-adds and in their approximations. [`use_portable_operators`] replaces matrix products,
//! softmax, layer norm and erf by [`kernels::float`], which computes the same bits everywhere. All
//! other operators of such models are element by element, and IEEE 754 defines them.

use super::consumers::Consumers;
use super::element_type::FLOAT;
use tract_onnx::Onnx;
use tract_onnx::pb::{GraphProto, NodeProto};
use tract_onnx::tract_core::ops::cast::cast;
use tract_onnx::tract_hir::internal::*;
use tract_onnx::tract_hir::ops::matmul::{MatMulInference, compute_shapes};

/// Put in front of an operator's name in the graph.
const PREFIX: &str = "Portable";
/// No operator of ONNX's own has this name.
const GELU: &str = "ExactGelu";

/// The operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Operator {
    /// `[…, rows, depth] · […, depth, columns]`, or `· [depth, columns]`.
    MatMul,
    /// Over the last axis.
    Softmax,
    /// Over the last axis. Further inputs: scale and bias.
    LayerNormalization {
        /// The bits of the f32 that is added to the variance.
        epsilon: u32,
    },
    Erf,
    /// What [`fuse_gelu`] leaves of five nodes.
    Gelu,
}

impl Operator {
    /// The layer that a node of the graph becomes; `None` if tract runs it.
    fn of(node: &NodeProto) -> Option<Self> {
        let attribute = |name: &str| node.attribute.iter().find(|attribute| attribute.name == name);
        let is_last = || attribute("axis").is_none_or(|axis| axis.i == -1);
        let outputs = node.output.iter().filter(|name| !name.is_empty()).count();
        let name = node.op_type.strip_prefix(PREFIX).unwrap_or(&node.op_type);
        match (name, node.input.len()) {
            ("MatMul", 2) => Some(Operator::MatMul),
            ("Erf", 1) => Some(Operator::Erf),
            (GELU, 1) => Some(Operator::Gelu),
            ("Softmax", 1) if is_last() => Some(Operator::Softmax),
            ("LayerNormalization", 3) if is_last() && outputs == 1 => {
                let epsilon = attribute("epsilon").map_or(1e-5, |epsilon| epsilon.f);
                Some(Operator::LayerNormalization { epsilon: epsilon.to_bits() })
            }
            _ => None,
        }
    }
}

/// Gives the nodes that [`kernels::float`] computes the names of the operators here.
pub(super) fn use_portable_operators(graph: &mut GraphProto) {
    fuse_gelu(graph);
    for node in graph.node.iter_mut().filter(|node| Operator::of(node).is_some()) {
        node.op_type.insert_str(0, PREFIX);
    }
}

/// Replaces `x * (1 + erf(x / √2)) * 0.5` by one node: four passes fewer over the widest tensors.
fn fuse_gelu(graph: &mut GraphProto) {
    let consumers = Consumers::of(graph);
    for at in 0..graph.node.len() {
        let Some(nodes) = gelu_from(graph, &consumers, at) else { continue };
        let [first, .., last] = nodes;
        let fused = NodeProto {
            op_type: GELU.to_owned(),
            input: vec![graph.node[first].input[0].clone()],
            ..graph.node[last].clone()
        };
        for node in nodes {
            graph.node[node].output.clear();
        }
        graph.node[last] = fused;
    }
    graph.node.retain(|node| !node.output.is_empty());
}

/// The five nodes of a GELU that starts at a node.
fn gelu_from(graph: &GraphProto, consumers: &Consumers, first: usize) -> Option<[usize; 5]> {
    let is = |at: usize, operator: &str, constant: f32| {
        let node = &graph.node[at];
        let has =
            |name: &String| scalar(graph, name).is_some_and(|it| (it - constant).abs() < 1e-6);
        node.op_type == operator && node.input.iter().any(has)
    };
    let next = |at: usize| consumers.only(&graph.node[at].output);
    let divided = is(first, "Div", std::f32::consts::SQRT_2).then_some(first)?;
    let erf = next(divided).filter(|at| graph.node[*at].op_type == "Erf")?;
    let plus = next(erf).filter(|at| is(*at, "Add", 1.0))?;
    let times = next(plus).filter(|at| graph.node[*at].op_type == "Mul")?;
    let half = next(times).filter(|at| is(*at, "Mul", 0.5))?;
    let x = graph.node[divided].input.first()?;
    graph.node[times].input.contains(x).then_some([divided, erf, plus, times, half])
}

/// The value of a constant f32 of one number.
fn scalar(graph: &GraphProto, name: &str) -> Option<f32> {
    let named = |node: &&NodeProto| node.op_type == "Constant" && node.output == [name];
    let node = graph.node.iter().find(named);
    let tensor = match node {
        Some(node) => node.attribute.iter().find_map(|attribute| attribute.t.as_ref()),
        None => graph.initializer.iter().find(|tensor| tensor.name == name),
    }?;
    match (tensor.data_type, &*tensor.raw_data, &*tensor.float_data) {
        (FLOAT, [], [number]) => Some(*number),
        (FLOAT, raw, []) => Some(f32::from_le_bytes(raw.try_into().ok()?)),
        _ => None,
    }
}

/// Registers the operators with tract.
pub(super) fn register(framework: &mut Onnx) {
    for name in ["MatMul", "Softmax", "LayerNormalization", "Erf", GELU] {
        framework.op_register.0.insert(format!("{PREFIX}{name}"), |_, node| {
            let layer = Operator::of(node).context("expected a node of use_portable_operators")?;
            Ok((expand(layer), Vec::new()))
        });
    }
}

impl Expansion for Operator {
    fn name(&self) -> StaticName {
        PREFIX.into()
    }

    fn rules<'r, 'p: 'r, 's: 'r>(
        &'s self,
        solver: &mut Solver<'r>,
        inputs: &'p [TensorProxy],
        outputs: &'p [TensorProxy],
    ) -> InferenceResult {
        check_output_arity(outputs, 1)?;
        solver.equals(&inputs[0].datum_type, &outputs[0].datum_type)?;
        if *self != Operator::MatMul {
            return solver.equals(&inputs[0].shape, &outputs[0].shape);
        }
        solver.equals(&inputs[0].datum_type, &inputs[1].datum_type)?;
        solver.given_2(&inputs[0].shape, &inputs[1].shape, |solver, a, b| {
            let (_, _, _, shape) = compute_shapes(a, b, false, false, false)?;
            solver.equals(&outputs[0].shape, shape)
        })
    }

    fn wire(
        &self,
        prefix: &str,
        target: &mut TypedModel,
        inputs: &[OutletId],
    ) -> TractResult<TVec<OutletId>> {
        let fact = |input: OutletId| target.outlet_fact(input).cloned();
        let facts = inputs.iter().map(|input| fact(*input)).collect::<TractResult<TVec<_>>>()?;
        if *self == Operator::MatMul && !fits(&facts[0], &facts[1]) {
            return MatMulInference::default().wire(prefix, target, inputs);
        }
        let of = facts[0].datum_type;
        let mut wired = tvec!();
        for (at, input) in inputs.iter().enumerate() {
            let name = format!("{prefix}.f32.{at}");
            wired.extend(target.wire_node(name, cast(f32::datum_type()), &[*input])?);
        }
        let output = target.wire_node(prefix, *self, &wired)?;
        target.wire_node(format!("{prefix}.cast"), cast(of), &output)
    }
}

/// Whether two inputs are matrices with the same leading axes, or the second is a single matrix.
fn fits(a: &TypedFact, b: &TypedFact) -> bool {
    let lead = |fact: &TypedFact| fact.rank().checked_sub(2);
    match (lead(a), lead(b)) {
        (Some(_), Some(0)) => true,
        (Some(a_lead), Some(b_lead)) => a_lead == b_lead && a.shape[..a_lead] == b.shape[..b_lead],
        _ => false,
    }
}

impl Op for Operator {
    fn name(&self) -> StaticName {
        PREFIX.into()
    }
    op_as_typed_op!();
}

impl EvalOp for Operator {
    op_out_of_plan!();

    fn eval(&self, _: &EvalContext, mut inputs: TVec<TValue>) -> TractResult<TVec<TValue>> {
        if *self == Operator::MatMul {
            return Ok(tvec!(product(&inputs[0], &inputs[1])?.into_tvalue()));
        }
        let mut tensor = inputs.remove(0).into_tensor();
        let width = tensor.shape().last().copied().unwrap_or(1);
        let rest = inputs.iter().map(|input| input.try_as_plain_ram()?.as_slice::<f32>());
        let rest = rest.collect::<TractResult<TVec<_>>>()?;
        let mut view = tensor.try_as_plain_ram_mut()?;
        let numbers = view.as_slice_mut::<f32>()?;
        match (self, &*rest) {
            (Operator::LayerNormalization { epsilon }, [scale, bias])
                if [scale.len(), bias.len()] == [width; 2] =>
            {
                kernels::float::layer_norm(numbers, scale, bias, f32::from_bits(*epsilon));
            }
            (Operator::Softmax, []) => kernels::float::softmax(numbers, width),
            (Operator::Erf, []) => kernels::float::erf(numbers),
            (Operator::Gelu, []) => kernels::float::gelu(numbers),
            _ => bail!("expected a scale and a bias of {width} numbers"),
        }
        Ok(tvec!(tensor.into_tvalue()))
    }
}

/// The product of two tensors that [`fits`].
fn product(a: &Tensor, b: &Tensor) -> TractResult<Tensor> {
    let mut shape: TVec<usize> = a.shape().into();
    let (Some(last), &[.., depth, columns]) = (shape.last_mut(), b.shape()) else {
        bail!("expected two matrices");
    };
    ensure!(*last == depth, "expected {depth} columns in the first matrix, found {last}");
    *last = columns;
    let (a, b) = (a.try_as_plain_ram()?, b.try_as_plain_ram()?);
    let (a, b) = (a.as_slice::<f32>()?, b.as_slice::<f32>()?);
    let mut out = vec![0.0; shape.iter().product()];
    let matrices = (b.len() / (depth * columns).max(1)).max(1);
    let (size_a, size_out) = ((a.len() / matrices).max(1), (out.len() / matrices).max(1));
    let each = a.chunks_exact(size_a).zip(out.chunks_exact_mut(size_out));
    for ((a, out), b) in each.zip(b.chunks_exact((depth * columns).max(1))) {
        kernels::float::product(a, b, depth, columns, out);
    }
    Tensor::from_shape(&shape, &out)
}

impl TypedOp for Operator {
    fn output_facts(&self, inputs: &[&TypedFact]) -> TractResult<TVec<TypedFact>> {
        let mut shape = inputs[0].shape.clone();
        if *self == Operator::MatMul {
            let columns = inputs[1].shape.last().context("expected a matrix")?;
            shape.set(inputs[0].rank() - 1, columns.clone());
        }
        Ok(tvec!(f32::fact(shape)))
    }
    as_op!();
}
