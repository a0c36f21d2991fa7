//! A sentence-embedding model, from token ids to a vector: an ONNX file run by `tract-onnx`.
//!
//! The file is a transformer as exported by sentence-transformers or Hugging Face. Inputs:
//! `input_ids`, `attention_mask` and optionally `token_type_ids`, of shape `[batch, sequence]`.
//! Output: one vector per token, or one per text. Weights may be f32 or int8.

use super::element_type::{FLOAT, INT64};
use super::integers::{self, use_integer_layers};
use super::portable::{self, use_portable_operators};
use super::sha256_hex;
use prost::Message;
use std::collections::BTreeSet;
use tract_onnx::pb::type_proto::Value;
use tract_onnx::pb::{GraphProto, ModelProto, ValueInfoProto};
use tract_onnx::prelude::*;

/// The most nodes of a graph with its subgraphs; a transformer of 48 layers has some 5,000.
const MOST_NODES: usize = 20_000;

/// How the model's output becomes the vector of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Pooling {
    /// The mean of all token vectors.
    #[default]
    Mean,
    /// The vector of the first token.
    Cls,
    /// The model itself outputs one vector per text.
    Model,
}

impl Pooling {
    /// The identifier.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Pooling::Mean => "mean",
            Pooling::Cls => "cls",
            Pooling::Model => "model",
        }
    }
}

/// Why an ONNX model can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// Not an ONNX protobuf, or without a graph.
    #[error("expected an ONNX file, but it can't be decoded: {0}")]
    NotOnnx(String),
    /// Operators that tract lacks.
    #[error("tract, which runs the model, lacks the operators {}; export the model without them", .0.join(", "))]
    UnsupportedOperators(Vec<String>),
    /// A graph that no text model needs, and that tract would lay out for minutes.
    #[error("expected at most {MOST_NODES} nodes, found {0}")]
    Nodes(usize),
    /// An input that text models don't have.
    #[error(
        "expected the inputs input_ids, attention_mask and token_type_ids or some of them, found {0}"
    )]
    Input(String),
    /// No output of the shape that the pooling needs.
    #[error("expected an output of f32 with {rank} dimensions for this pooling, found {found}")]
    Output {
        /// The number of dimensions that the pooling needs.
        rank: usize,
        /// The model's outputs.
        found: String,
    },
    /// A token id outside the model's embedding table.
    #[error("expected token ids below {rows}, found {id}: the tokenizer belongs to another model")]
    Token {
        /// The number of rows in the embedding table.
        rows: usize,
        /// The token id.
        id: u32,
    },
    /// The model runs, but its output has no finite, non-zero length.
    #[error("expected finite numbers, found a vector of length {0}: the weights are damaged")]
    NotFinite(String),
    /// `tract` rejected the graph or failed to run it.
    #[error("tract, while it {doing} the model: {cause}")]
    Tract {
        /// What `tract` was doing, such as `reads`.
        doing: &'static str,
        /// The error from `tract`.
        cause: String,
    },
}

/// The input tensors of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Input {
    Ids,
    /// All ones: a single text has no padding.
    Mask,
    /// All zeros: a single text is the first segment.
    Types,
}

/// A model, ready to run.
#[derive(Debug)]
pub struct EmbeddingModel {
    plan: Arc<TypedRunnableModel>,
    /// Inputs in the graph's order, with their types.
    inputs: Vec<(Input, DatumType)>,
    pooling: Pooling,
    /// The number of rows in the embedding table, if the graph looks token ids up directly.
    rows: Option<usize>,
    digest: String,
}

impl EmbeddingModel {
    /// Reads an ONNX file. Takes a fraction of a second.
    ///
    /// # Errors
    /// When the file is not such a model, or has operators that `tract` lacks, which the error
    /// names.
    pub fn read(onnx: Vec<u8>, pooling: Pooling) -> Result<Self, ModelError> {
        let digest = sha256_hex(&onnx);
        Self::read_known(onnx, pooling, digest)
    }

    /// Like [`EmbeddingModel::read`], with the file's known SHA-256 in lower-case hexadecimal,
    /// because the browser hashes faster than this program.
    ///
    /// # Errors
    /// See [`EmbeddingModel::read`].
    pub fn read_known(onnx: Vec<u8>, pooling: Pooling, digest: String) -> Result<Self, ModelError> {
        let mut proto = decode(&onnx)?;
        // Free the memory: the bytes are no longer needed.
        drop(onnx);
        let graph = proto.graph.as_mut().ok_or_else(no_graph)?;
        let nodes = nodes(graph);
        if nodes > MOST_NODES {
            return Err(ModelError::Nodes(nodes));
        }
        use_integer_layers(graph);
        use_portable_operators(graph);
        let inputs = inputs(graph)?;
        let rows = rows_of_ids(graph);
        let mut framework =
            tract_onnx::onnx().with_ignore_output_shapes(true).with_ignore_value_info(true);
        integers::register(&mut framework);
        portable::register(&mut framework);
        let known = |operator: &&str| !framework.op_register.0.contains_key(*operator);
        let operators: BTreeSet<&str> =
            graph.node.iter().map(|node| node.op_type.as_str()).filter(known).collect();
        if !operators.is_empty() {
            let operators = operators.into_iter().map(str::to_owned).collect();
            return Err(ModelError::UnsupportedOperators(operators));
        }
        let output = output(graph, pooling)?;
        let mut model = framework.model_for_proto_model(&proto).map_err(failed("reads"))?;
        drop(proto);
        prepare(&mut model, &inputs, &output).map_err(failed("reads"))?;
        let plan = compiled(model).map_err(failed("prepares"))?;
        let inputs = inputs.into_iter().map(|(input, of, _)| (input, of)).collect();
        Ok(Self { plan, inputs, pooling, rows, digest })
    }

    /// SHA-256 of the file, in lower-case hexadecimal.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The unit vector of one or more tokens.
    ///
    /// # Errors
    /// When a token id is out of range, `tract` fails, or the result is not finite.
    pub fn embed(&self, ids: &[u32]) -> Result<Vec<f32>, ModelError> {
        // tract panics on an out-of-range lookup.
        if let (Some(rows), Some(id)) = (self.rows, ids.iter().max())
            && *id as usize >= rows
        {
            return Err(ModelError::Token { rows, id: *id });
        }
        let values = self.inputs.iter().map(|(input, of)| {
            let number = |id: &u32| match input {
                Input::Ids => i64::from(*id),
                Input::Mask => 1,
                Input::Types => 0,
            };
            let numbers: Vec<i64> = ids.iter().map(number).collect();
            let tensor = Tensor::from_shape(&[1, ids.len()], &numbers)?;
            Ok(tensor.cast_to_dt(*of)?.into_owned().into_tvalue())
        });
        let values = values.collect::<TractResult<TVec<_>>>().map_err(failed("asks"))?;
        let output = self.plan.run(values).map_err(failed("runs"))?;
        let numbers = output[0].to_plain_array_view::<f32>().map_err(failed("runs"))?;
        let width = output[0].shape().last().copied().unwrap_or_default().max(1);
        let numbers = numbers.as_slice().unwrap_or_default();
        let mut sum = numbers.iter().take(width).copied().collect::<Vec<f32>>();
        if self.pooling == Pooling::Mean {
            // The sum has the direction of the mean.
            for row in numbers.chunks_exact(width).skip(1) {
                sum.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
            }
        }
        unit(sum)
    }
}

pub(super) fn decode(onnx: &[u8]) -> Result<ModelProto, ModelError> {
    let model = ModelProto::decode(onnx).map_err(|error| ModelError::NotOnnx(error.to_string()))?;
    // ONNX requires it. Files that are cut off after the graph lack it, and decode.
    if model.opset_import.is_empty() {
        return Err(ModelError::NotOnnx("it names no operator set".to_owned()));
    }
    Ok(model)
}

/// The number of nodes, with those of subgraphs.
fn nodes(graph: &GraphProto) -> usize {
    let attributes = graph.node.iter().flat_map(|node| &node.attribute);
    let inner = attributes.flat_map(|it| it.g.iter().chain(&it.graphs)).map(nodes).sum::<usize>();
    graph.node.len() + inner
}

pub(super) fn no_graph() -> ModelError {
    ModelError::NotOnnx("it has no graph".to_owned())
}

/// The inputs in the graph's order, with type and name. Skips constants, which some files list as
/// inputs.
fn inputs(graph: &GraphProto) -> Result<Vec<(Input, DatumType, String)>, ModelError> {
    let constants: BTreeSet<&str> = graph.initializer.iter().map(|it| it.name.as_str()).collect();
    let inputs = graph.input.iter().filter(|input| !constants.contains(input.name.as_str()));
    let inputs: Vec<_> = inputs
        .map(|input| {
            let kind = match input.name.as_str() {
                "input_ids" => Input::Ids,
                "attention_mask" => Input::Mask,
                "token_type_ids" => Input::Types,
                other => return Err(ModelError::Input(other.to_owned())),
            };
            let of = match shape(input) {
                Some((INT64, _)) => i64::datum_type(),
                _ => i32::datum_type(),
            };
            Ok((kind, of, input.name.clone()))
        })
        .collect::<Result<_, _>>()?;
    if inputs.iter().any(|(input, ..)| *input == Input::Ids) {
        return Ok(inputs);
    }
    Err(ModelError::Input("no input_ids".to_owned()))
}

/// The element type and number of dimensions of an input or output.
fn shape(value: &ValueInfoProto) -> Option<(i32, usize)> {
    let Value::TensorType(tensor) = value.r#type.as_ref()?.value.as_ref()?;
    Some((tensor.elem_type, tensor.shape.as_ref()?.dim.len()))
}

/// The name of the output that the pooling needs.
fn output(graph: &GraphProto, pooling: Pooling) -> Result<String, ModelError> {
    let rank = if pooling == Pooling::Model { 2 } else { 3 };
    let fitting = graph.output.iter().find(|output| shape(output) == Some((FLOAT, rank)));
    fitting.map(|output| output.name.clone()).ok_or_else(|| {
        let named =
            graph.output.iter().map(|output| format!("{} {:?}", output.name, shape(output)));
        ModelError::Output { rank, found: named.collect::<Vec<_>>().join(", ") }
    })
}

/// The number of rows of the table in which `input_ids` are looked up.
fn rows_of_ids(graph: &GraphProto) -> Option<usize> {
    let lookup = graph.node.iter().find(|node| {
        node.op_type == "Gather" && node.input.get(1).is_some_and(|input| input == "input_ids")
    })?;
    let table = graph.initializer.iter().find(|it| Some(&it.name) == lookup.input.first())?;
    usize::try_from(*table.dims.first()?).ok()
}

/// Fixes the batch size to 1, leaves the length open, and selects one output.
fn prepare(
    model: &mut InferenceModel,
    inputs: &[(Input, DatumType, String)],
    output: &str,
) -> TractResult<()> {
    let length = model.symbols.new_with_prefix("S").to_dim();
    for (at, (_, of, _)) in inputs.iter().enumerate() {
        let fact = InferenceFact::dt_shape(*of, tvec!(1.to_dim(), length.clone()));
        model.set_input_fact(at, fact)?;
    }
    model.select_outputs_by_name([output])
}

fn compiled(model: InferenceModel) -> TractResult<Arc<TypedRunnableModel>> {
    model.into_typed()?.into_optimized()?.into_runnable()
}

/// Scales a vector to length 1.
fn unit(mut vector: Vec<f32>) -> Result<Vec<f32>, ModelError> {
    let length = kernels::dot(&vector, &vector).sqrt();
    if !length.is_finite() || length == 0.0 {
        return Err(ModelError::NotFinite(length.to_string()));
    }
    vector.iter_mut().for_each(|number| *number /= length);
    Ok(vector)
}

fn failed(doing: &'static str) -> impl Fn(TractError) -> ModelError {
    move |error| ModelError::Tract { doing, cause: format!("{error:#}") }
}
