//! A sentence-embedding model: an ONNX file, read by `tract-onnx`, from token ids to a vector.
//!
//! The file is a transformer as sentence-transformers and Hugging Face export them: inputs
//! `input_ids`, `attention_mask` and perhaps `token_type_ids`, `[batch, sequence]`; output a vector
//! for every token, or one for the text. Weights may be f32 or int8.

use super::integers::{self, use_integer_layers};
use super::sha256_hex;
use prost::Message;
use std::collections::BTreeSet;
use tract_onnx::pb::type_proto::Value;
use tract_onnx::pb::{GraphProto, ModelProto, ValueInfoProto};
use tract_onnx::prelude::*;

/// The element type that means f32 in ONNX.
pub(super) const FLOAT: i32 = 1;
/// The element type that means i64.
const INT64: i32 = 7;
/// The element type that means i8.
pub(super) const INT8: i32 = 3;

/// How a text's vector follows from what the model gives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Pooling {
    /// The mean of the vectors of all tokens.
    #[default]
    Mean,
    /// The vector of the first token.
    Cls,
    /// The model gives one vector a text.
    Model,
}

/// Why an ONNX file is not a model that works here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// Not Protocol Buffers of that shape, or without a graph.
    #[error("expected an ONNX file, but it can't be decoded: {0}")]
    NotOnnx(String),
    /// Operators that tract does not have.
    #[error("tract, which runs the model, lacks the operators {}; export the model without them", .0.join(", "))]
    UnsupportedOperators(Vec<String>),
    /// An input that is not one of a text model.
    #[error(
        "expected the inputs input_ids, attention_mask and token_type_ids or some of them, found {0}"
    )]
    Input(String),
    /// No output of the needed shape.
    #[error("expected an output of f32 with {rank} dimensions for this pooling, found {found}")]
    Output {
        /// Dimensions of the output that the pooling needs.
        rank: usize,
        /// The outputs there are.
        found: String,
    },
    /// The model can't be made smaller: it is not what the quantization knows.
    #[error("expected a model to quantize, but {0}")]
    NotQuantizable(String),
    /// A token that the model has no vector for.
    #[error("expected token ids below {rows}, found {id}: the tokenizer belongs to another model")]
    Token {
        /// Rows of the model's table of words.
        rows: usize,
        /// The id.
        id: u32,
    },
    /// The model runs, but gives no direction.
    #[error("expected finite numbers, found a vector of length {0}: the weights are damaged")]
    NotFinite(String),
    /// `tract` refused the graph or failed to run it.
    #[error("tract, while it {doing} the model: {cause}")]
    Tract {
        /// What was going on.
        doing: &'static str,
        /// What `tract` said.
        cause: String,
    },
}

/// What a model is given for every token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Input {
    Ids,
    /// Ones: a single text has no padding.
    Mask,
    /// Zeros: a single text is the first of its pair.
    Types,
}

/// A model, ready to run.
#[derive(Debug)]
pub struct EmbeddingModel {
    plan: Arc<TypedRunnableModel>,
    /// Inputs in the graph's order, with their types.
    inputs: Vec<(Input, DatumType)>,
    pooling: Pooling,
    /// Rows of the table of words, where the graph looks the ids up directly.
    rows: Option<usize>,
    digest: String,
}

impl EmbeddingModel {
    /// Reads an ONNX file. Takes a fraction of a second.
    ///
    /// # Errors
    /// When it is no such model, or has operators that `tract` lacks: they are named.
    pub fn read(onnx: Vec<u8>, pooling: Pooling) -> Result<Self, ModelError> {
        let digest = sha256_hex(&onnx);
        Self::read_known(onnx, pooling, digest)
    }

    /// Like [`EmbeddingModel::read`], for a file whose SHA-256, lower-case hexadecimal, is known: a
    /// browser that checked it did so faster than this program could.
    ///
    /// # Errors
    /// As [`EmbeddingModel::read`].
    pub fn read_known(onnx: Vec<u8>, pooling: Pooling, digest: String) -> Result<Self, ModelError> {
        let mut proto = decode(&onnx)?;
        // From here on the file's bytes only take memory.
        drop(onnx);
        let graph = proto.graph.as_mut().ok_or_else(no_graph)?;
        use_integer_layers(graph);
        let inputs = inputs(graph)?;
        let rows = rows_of_ids(graph);
        let mut framework =
            tract_onnx::onnx().with_ignore_output_shapes(true).with_ignore_value_info(true);
        integers::register(&mut framework);
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

    /// SHA-256 of the file, lower-case hexadecimal.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The vector of length 1 for some tokens, one or more.
    ///
    /// # Errors
    /// When a token is none of the model's, `tract` fails, or the result is not finite.
    pub fn embed(&self, ids: &[u32]) -> Result<Vec<f32>, ModelError> {
        // tract panics in a look-up outside of a table.
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
            // The sum points where the mean does.
            for row in numbers.chunks_exact(width).skip(1) {
                sum.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
            }
        }
        unit(sum)
    }
}

pub(super) fn decode(onnx: &[u8]) -> Result<ModelProto, ModelError> {
    ModelProto::decode(onnx).map_err(|error| ModelError::NotOnnx(error.to_string()))
}

pub(super) fn no_graph() -> ModelError {
    ModelError::NotOnnx("it has no graph".to_owned())
}

/// The inputs in the graph's order, with type and name. Some files list constants among them.
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

/// Element type and number of dimensions of an input or output.
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

/// Rows of the table that the ids are looked up in.
fn rows_of_ids(graph: &GraphProto) -> Option<usize> {
    let lookup = graph.node.iter().find(|node| {
        node.op_type == "Gather" && node.input.get(1).is_some_and(|input| input == "input_ids")
    })?;
    let table = graph.initializer.iter().find(|it| Some(&it.name) == lookup.input.first())?;
    usize::try_from(*table.dims.first()?).ok()
}

/// One text of any length goes in, one output comes out.
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
