//! Quantizes a sentence-embedding model to int8 weights, in a standard ONNX file that any runtime
//! reads.
//!
//! Must not know tokenizers, search or the engine: the build runs it before any of them is compiled.
//!
//! Linear layers get one step (scale) per column, the word embeddings one per row; positions, norms
//! and biases stay f32, but only the positions of the [`MAX_TOKENS`] tokens that a text may have
//! are kept. In the word embeddings a step is at least [`WORD_STEP`] times the root mean
//! square (RMS) of its row: coarser steps compress better, and cost searches little precision.

mod onnx;

use onnx::{Attribute, FLOAT, Graph, INT8, Model, Node, Tensor};
use prost::Message;
use std::collections::BTreeSet;

/// The maximum number of word pieces per text, `[CLS]` and `[SEP]` included.
pub const MAX_TOKENS: usize = 128;
/// The largest quantized value.
const LARGEST: f32 = 127.0;
/// The minimum step in the word embeddings, relative to the RMS of the row.
const WORD_STEP: f32 = 0.06;
/// How exporters name the position embeddings.
const POSITIONS: &str = "position_embeddings.weight";
/// The minimum number of weights for quantizing a lookup table: word embeddings, not positions.
const LARGE: usize = 1 << 20;
/// The first opset version with per-axis `DequantizeLinear`.
const OPERATORS: i64 = 13;

/// Why a model can't be quantized.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QuantizeError {
    /// Not an ONNX protobuf, or without a graph.
    #[error("expected an ONNX file, but it can't be decoded: {0}")]
    NotOnnx(String),
    /// Its operators are too old.
    #[error(
        "expected version {OPERATORS} of the operators or later, found {0}: export the model anew"
    )]
    OldOperators(i64),
    /// It has no weights of a kind that is quantized.
    #[error("expected a MatMul or a Gather with constant f32 weights, found none")]
    NoWeights,
}

/// Quantizes the weights of an ONNX model.
///
/// # Errors
/// When the input is not an ONNX file, its opset is too old, or it has no weights to quantize.
pub fn quantize(onnx: &[u8]) -> Result<Vec<u8>, QuantizeError> {
    let damaged = |error: prost::DecodeError| QuantizeError::NotOnnx(error.to_string());
    let mut model = Model::decode(onnx).map_err(damaged)?;
    let version = model.operators();
    if version < OPERATORS {
        return Err(QuantizeError::OldOperators(version));
    }
    let graph = model.graph.as_mut();
    let graph = graph.ok_or_else(|| QuantizeError::NotOnnx("it has no graph".to_owned()))?;
    let tensors = std::mem::take(&mut graph.initializer).into_iter();
    let tensors = tensors.map(|bytes| Tensor::decode(&*bytes).map(|tensor| (tensor, bytes)));
    let mut tensors = tensors.collect::<Result<Vec<_>, _>>().map_err(damaged)?;
    for (tensor, bytes) in &mut tensors {
        if trim_positions(tensor) {
            *bytes = tensor.encode_to_vec();
        }
    }
    let mut quantized = Quantized::default();
    for node in std::mem::take(&mut graph.node) {
        quantized.node(node, &tensors);
    }
    if quantized.constants.is_empty() {
        return Err(QuantizeError::NoWeights);
    }
    quantized.write(graph, tensors);
    Ok(model.encode_to_vec())
}

/// Drops the positions that no text reaches; false if there are none.
fn trim_positions(tensor: &mut Tensor) -> bool {
    let [rows, columns] = &mut *tensor.dims else { return false };
    let (kept, Ok(columns)) = (MAX_TOKENS as i64, usize::try_from(*columns)) else { return false };
    if !tensor.name.ends_with(POSITIONS) || tensor.data_type != FLOAT || *rows <= kept {
        return false;
    }
    *rows = kept;
    tensor.float_data.truncate(MAX_TOKENS.saturating_mul(columns));
    tensor.raw_data.truncate(MAX_TOKENS.saturating_mul(columns).saturating_mul(4));
    true
}

/// The parts of the new graph.
#[derive(Default)]
struct Quantized {
    /// `DequantizeLinear` nodes, which come before all others.
    first: Vec<Node>,
    rest: Vec<Node>,
    constants: Vec<Tensor>,
    /// The names of the quantized constants.
    replaced: BTreeSet<String>,
}

impl Quantized {
    fn node(&mut self, node: Node, tensors: &[(Tensor, Vec<u8>)]) {
        let constant = |at: usize| {
            let name = node.input.get(at)?;
            tensors.iter().map(|(tensor, _)| tensor).find(|tensor| tensor.name == *name)
        };
        match node.op_type.as_str() {
            "MatMul" => {
                if let Some(matrix) = constant(1).and_then(Matrix::of) {
                    self.matrix(&matrix);
                }
            }
            "Gather" if is_by_rows(&node) => {
                let table = constant(0).and_then(Matrix::of);
                let table = table.filter(|table| table.numbers.len() >= LARGE);
                if let (Some(table), [_, ids], [output]) = (table, &*node.input, &*node.output) {
                    return self.table(&table, ids, output);
                }
            }
            _ => {}
        }
        self.rest.push(node);
    }

    /// Fills the graph. Replaced weights that other nodes still use are kept.
    fn write(mut self, graph: &mut Graph, tensors: Vec<(Tensor, Vec<u8>)>) {
        let given: BTreeSet<&String> = self.first.iter().flat_map(|node| &node.output).collect();
        let taken: BTreeSet<&String> = self.rest.iter().flat_map(|node| &node.input).collect();
        let kept = tensors.into_iter().filter(|(Tensor { name, .. }, _)| {
            !self.replaced.contains(name) || taken.contains(name) && !given.contains(name)
        });
        graph.initializer = kept.map(|(_, bytes)| bytes).collect();
        graph.initializer.extend(self.constants.iter().map(Message::encode_to_vec));
        graph.node = self.first;
        graph.node.append(&mut self.rest);
    }

    /// Quantizes a matrix `[in, out]` by column. The dequantized output takes over the matrix's
    /// name, so its consumers are unchanged.
    fn matrix(&mut self, matrix: &Matrix<'_>) {
        if !self.replaced.insert(matrix.name.to_owned()) {
            return;
        }
        let columns = matrix.columns;
        let steps: Vec<f32> = (0..columns)
            .map(|at| step(matrix.numbers.iter().skip(at).step_by(columns), 0.0))
            .collect();
        let integers = matrix.numbers.iter().zip(steps.iter().cycle());
        let (integers, steps) = (
            integers.map(|(number, step)| integer(*number, *step)).collect::<Vec<_>>(),
            tensor_f32(format!("{}.steps", matrix.name), &[columns], &steps),
        );
        let integers = tensor_i8(format!("{}.integers", matrix.name), matrix.shape(), &integers);
        let inputs = [integers.name.as_str(), &steps.name];
        let mut dequantize = operation("DequantizeLinear", &inputs, matrix.name);
        dequantize.attribute.push(Attribute::int("axis", 1).encode_to_vec());
        self.first.push(dequantize);
        self.constants.extend([integers, steps]);
    }

    /// Quantizes a lookup table by row. Rows are dequantized after the lookup, because otherwise
    /// runtimes would dequantize the whole table for every text.
    fn table(&mut self, table: &Matrix<'_>, ids: &str, output: &str) {
        let names = [format!("{}.integers", table.name), format!("{}.steps", table.name)];
        let part = |part: &str| format!("{output}.{part}");
        let [integers, numbers, steps] = ["integers", "numbers", "steps"].map(part);
        let mut cast = operation("Cast", &[&integers], &numbers);
        cast.attribute.push(Attribute::int("to", i64::from(FLOAT)).encode_to_vec());
        self.rest.extend([
            operation("Gather", &[&names[0], ids], &integers),
            cast,
            operation("Gather", &[&names[1], ids], &steps),
            operation("Mul", &[&numbers, &steps], output),
        ]);
        if !self.replaced.insert(table.name.to_owned()) {
            return;
        }
        let [integers, steps] = names;
        let rows = table.numbers.chunks_exact(table.columns);
        let each: Vec<f32> = rows.clone().map(|row| step(row.iter(), WORD_STEP)).collect();
        let rows = rows.zip(&each);
        let numbers = rows.flat_map(|(row, step)| row.iter().map(|n| integer(*n, *step)));
        let numbers = numbers.collect::<Vec<_>>();
        self.constants.push(tensor_i8(integers, table.shape(), &numbers));
        self.constants.push(tensor_f32(steps, &[each.len(), 1], &each));
    }
}

/// Whether a `Gather` takes whole rows.
fn is_by_rows(node: &Node) -> bool {
    let attributes = node.attribute.iter().map(|bytes| Attribute::decode(&**bytes));
    attributes.flatten().all(|attribute| attribute.name != "axis" || attribute.i == 0)
}

/// A two-dimensional f32 constant.
struct Matrix<'a> {
    name: &'a str,
    columns: usize,
    numbers: Vec<f32>,
}

impl<'a> Matrix<'a> {
    fn of(tensor: &'a Tensor) -> Option<Self> {
        let &[rows, columns] = &*tensor.dims else { return None };
        let columns = usize::try_from(columns).ok()?;
        let count = usize::try_from(rows).ok()?.checked_mul(columns)?;
        let numbers = match tensor.raw_data.as_slice() {
            [] => tensor.float_data.clone(),
            raw => raw.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect(),
        };
        let fits = tensor.data_type == FLOAT && numbers.len() == count && count > 0;
        fits.then_some(Matrix { name: &tensor.name, columns, numbers })
    }

    fn shape(&self) -> [usize; 2] {
        [self.numbers.len() / self.columns, self.columns]
    }
}

/// The step that maps the largest magnitude to [`LARGEST`], but at least `least` times the RMS.
fn step<'a>(numbers: impl Iterator<Item = &'a f32>, least: f32) -> f32 {
    let (mut largest, mut squares, mut count) = (0.0_f32, 0.0_f32, 0.0_f32);
    for number in numbers {
        largest = largest.max(number.abs());
        squares += number * number;
        count += 1.0;
    }
    let step = (largest / LARGEST).max(least * (squares / count).sqrt());
    if step > 0.0 { step } else { 1.0 }
}

fn integer(number: f32, step: f32) -> i8 {
    (number / step).round_ties_even().clamp(-LARGEST, LARGEST) as i8
}

fn tensor_i8(name: String, shape: [usize; 2], integers: &[i8]) -> Tensor {
    let raw_data = integers.iter().map(|integer| integer.cast_unsigned()).collect();
    Tensor { data_type: INT8, raw_data, ..tensor(name, &shape) }
}

fn tensor_f32(name: String, shape: &[usize], numbers: &[f32]) -> Tensor {
    let raw_data = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    Tensor { data_type: FLOAT, raw_data, ..tensor(name, shape) }
}

fn tensor(name: String, shape: &[usize]) -> Tensor {
    let dims = shape.iter().map(|size| *size as i64).collect();
    Tensor { name, dims, ..Tensor::default() }
}

fn operation(op_type: &str, inputs: &[&str], output: &str) -> Node {
    Node {
        op_type: op_type.to_owned(),
        name: format!("{output}.{op_type}"),
        input: inputs.iter().map(|input| (*input).to_owned()).collect(),
        output: vec![output.to_owned()],
        ..Node::default()
    }
}
