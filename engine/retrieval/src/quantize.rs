//! Quantizes a sentence-embedding model to int8 weights, in a standard ONNX file that any runtime
//! reads.
//!
//! Linear layers get one step (scale) per column, the word embeddings one per row; positions, norms
//! and biases stay f32, but only the positions of the [`MAX_TOKENS`] tokens that a text may have
//! are kept. In the word embeddings a step is at least [`WORD_STEP`] times the root mean
//! square (RMS) of its row: coarser steps compress better, and cost searches little precision.

use super::MAX_TOKENS;
use super::model::{FLOAT, INT8, ModelError, decode, no_graph};
use prost::Message;
use std::collections::BTreeSet;
use tract_onnx::pb::attribute_proto::AttributeType;
use tract_onnx::pb::{AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto};

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

/// Quantizes the weights of an ONNX model.
///
/// # Errors
/// When the input is not an ONNX file, its opset is too old, or it has no weights to quantize.
pub fn quantize(onnx: &[u8]) -> Result<Vec<u8>, ModelError> {
    let mut model = decode(onnx)?;
    let version = operators(&model);
    if version < OPERATORS {
        return Err(ModelError::NotQuantizable(format!(
            "it uses version {version} of the operators: export it with version {OPERATORS} or later"
        )));
    }
    let graph = model.graph.as_mut().ok_or_else(no_graph)?;
    graph.initializer.iter_mut().for_each(trim_positions);
    let mut quantized = Quantized::default();
    let nodes = std::mem::take(&mut graph.node);
    for node in nodes {
        quantized.node(node, graph);
    }
    if quantized.constants.is_empty() {
        return Err(ModelError::NotQuantizable(
            "it has neither a MatMul nor a Gather with constant f32 weights".to_owned(),
        ));
    }
    // Keep replaced weights that other nodes still use.
    let given: BTreeSet<&String> = quantized.first.iter().flat_map(|it| &it.output).collect();
    let taken: BTreeSet<&String> = quantized.rest.iter().flat_map(|it| &it.input).collect();
    graph.initializer.retain(|TensorProto { name, .. }| {
        !quantized.replaced.contains(name) || taken.contains(name) && !given.contains(name)
    });
    graph.node = quantized.first;
    graph.node.append(&mut quantized.rest);
    graph.initializer.append(&mut quantized.constants);
    Ok(model.encode_to_vec())
}

/// Drops the positions that no text reaches.
fn trim_positions(tensor: &mut TensorProto) {
    let [rows, columns] = &mut *tensor.dims else { return };
    let (kept, Ok(columns)) = (MAX_TOKENS as i64, usize::try_from(*columns)) else { return };
    if tensor.name.ends_with(POSITIONS) && tensor.data_type == FLOAT && *rows > kept {
        *rows = kept;
        tensor.float_data.truncate(MAX_TOKENS.saturating_mul(columns));
        tensor.raw_data.truncate(MAX_TOKENS.saturating_mul(columns).saturating_mul(4));
    }
}

fn operators(model: &ModelProto) -> i64 {
    let plain = model.opset_import.iter().filter(|it| matches!(&*it.domain, "" | "ai.onnx"));
    plain.map(|it| it.version).max().unwrap_or_default()
}

/// The parts of the new graph.
#[derive(Default)]
struct Quantized {
    /// `DequantizeLinear` nodes, which come before all others.
    first: Vec<NodeProto>,
    rest: Vec<NodeProto>,
    constants: Vec<TensorProto>,
    /// The names of the quantized constants.
    replaced: BTreeSet<String>,
}

impl Quantized {
    fn node(&mut self, node: NodeProto, graph: &GraphProto) {
        let constant = |at: usize| {
            let name = node.input.get(at)?;
            graph.initializer.iter().find(|it| it.name == *name)
        };
        match node.op_type.as_str() {
            "MatMul" => {
                if let Some(matrix) = constant(1).and_then(Matrix::of) {
                    self.matrix(&matrix);
                }
            }
            "Gather" if is_by_rows(&node) => {
                let table = constant(0).and_then(Matrix::of);
                let table = table.filter(|it| it.numbers.len() >= LARGE);
                if let (Some(table), [_, ids], [output]) = (table, &*node.input, &*node.output) {
                    return self.table(&table, ids, output);
                }
            }
            _ => {}
        }
        self.rest.push(node);
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
        dequantize.attribute.push(attribute("axis", 1));
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
        cast.attribute.push(attribute("to", i64::from(FLOAT)));
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
fn is_by_rows(node: &NodeProto) -> bool {
    node.attribute.iter().all(|it| it.name != "axis" || it.i == 0)
}

/// A two-dimensional f32 constant.
struct Matrix<'a> {
    name: &'a str,
    columns: usize,
    numbers: Vec<f32>,
}

impl<'a> Matrix<'a> {
    fn of(tensor: &'a TensorProto) -> Option<Self> {
        let &[rows, columns] = &*tensor.dims else { return None };
        let columns = usize::try_from(columns).ok()?;
        let count = usize::try_from(rows).ok()?.checked_mul(columns)?;
        let numbers = match tensor.raw_data.as_slice() {
            [] => tensor.float_data.clone(),
            raw => raw.as_chunks::<4>().0.iter().map(|it| f32::from_le_bytes(*it)).collect(),
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

fn tensor_i8(name: String, shape: [usize; 2], integers: &[i8]) -> TensorProto {
    let raw_data = integers.iter().map(|integer| integer.cast_unsigned()).collect();
    TensorProto { data_type: INT8, raw_data, ..tensor(name, &shape) }
}

fn tensor_f32(name: String, shape: &[usize], numbers: &[f32]) -> TensorProto {
    let raw_data = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    TensorProto { data_type: FLOAT, raw_data, ..tensor(name, shape) }
}

fn tensor(name: String, shape: &[usize]) -> TensorProto {
    let dims = shape.iter().map(|size| *size as i64).collect();
    TensorProto { name, dims, ..TensorProto::default() }
}

fn operation(op_type: &str, inputs: &[&str], output: &str) -> NodeProto {
    NodeProto {
        op_type: op_type.to_owned(),
        name: format!("{output}.{op_type}"),
        input: inputs.iter().map(|it| (*it).to_owned()).collect(),
        output: vec![output.to_owned()],
        ..NodeProto::default()
    }
}

fn attribute(name: &str, value: i64) -> AttributeProto {
    AttributeProto {
        name: name.to_owned(),
        r#type: AttributeType::Int as i32,
        i: value,
        ..AttributeProto::default()
    }
}
