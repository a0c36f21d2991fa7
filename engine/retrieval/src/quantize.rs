//! Makes a sentence-embedding model small: a standard ONNX file with int8 weights, which any runtime
//! reads.
//!
//! The matrices of linear layers get a step a column, the table of words one a row; positions, norms
//! and biases stay f32. A step of the table of words is never shorter than [`WORD_STEP`] root mean
//! squares of its row: fine enough, and the file is 7 % smaller once a server compresses it.

use super::model::{FLOAT, INT8, ModelError, decode, no_graph};
use prost::Message;
use std::collections::BTreeSet;
use tract_onnx::pb::attribute_proto::AttributeType;
use tract_onnx::pb::{AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto};

/// The largest integer.
const LARGEST: f32 = 127.0;
/// The shortest step of the table of words, in root mean squares of a row.
const WORD_STEP: f32 = 0.06;
/// Numbers from which a look-up table is worth it: words, not positions.
const LARGE: usize = 1 << 20;
/// The first version of the operators in which a step can go with a column.
const OPERATORS: i64 = 13;

/// Writes the model of an ONNX file with int8 weights.
///
/// # Errors
/// When it is no ONNX file, is too old, or has none of the weights that this is for.
pub fn quantize(onnx: &[u8]) -> Result<Vec<u8>, ModelError> {
    let mut model = decode(onnx)?;
    let version = operators(&model);
    if version < OPERATORS {
        return Err(ModelError::NotQuantizable(format!(
            "it uses version {version} of the operators: export it with version {OPERATORS} or later"
        )));
    }
    let graph = model.graph.as_mut().ok_or_else(no_graph)?;
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
    // A table of words that something else reads as well stays.
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

fn operators(model: &ModelProto) -> i64 {
    let plain = model.opset_import.iter().filter(|it| matches!(&*it.domain, "" | "ai.onnx"));
    plain.map(|it| it.version).max().unwrap_or_default()
}

/// The parts of the new graph.
#[derive(Default)]
struct Quantized {
    /// What gives dequantized matrices, before all other nodes.
    first: Vec<NodeProto>,
    rest: Vec<NodeProto>,
    constants: Vec<TensorProto>,
    /// The constants that are written anew.
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

    /// A matrix `[in, out]`, a step a column: the nodes that take it take what is dequantized.
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

    /// A table, a step a row: rows are looked up first and dequantized then, since a runtime that
    /// dequantizes the whole table does so for every text.
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

/// Whether a look-up takes whole rows.
fn is_by_rows(node: &NodeProto) -> bool {
    node.attribute.iter().all(|it| it.name != "axis" || it.i == 0)
}

/// A constant of two dimensions.
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

/// The step of some numbers: their largest is [`LARGEST`] steps, unless that step is shorter than
/// `least` root mean squares.
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
