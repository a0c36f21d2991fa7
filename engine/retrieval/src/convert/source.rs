//! What the published ONNX file has, by the container's names.
//!
//! Tables, norms and biases carry their names in the file; the matrices of the linear layers
//! are anonymous (`onnx::MatMul_470`). A matrix is found through the graph instead: an `Add`
//! that takes a named bias and the output of a `MatMul` names the `MatMul`'s constant.

use super::POSITION_TABLE;
use crate::MAX_TOKENS;
use crate::onnx::{GraphProto, NodeProto, TensorProto};
use crate::weights::Config;
use std::collections::BTreeMap;

/// Attention heads of paraphrase-MiniLM-L3-v2; the graph has them only inside reshapes.
const HEADS: usize = 12;
/// The element type that means f32 in ONNX.
const FLOAT: i32 = 1;

/// The constants of the graph by name, and which matrix belongs to which bias.
pub(super) struct Source<'a> {
    constants: BTreeMap<&'a str, &'a TensorProto>,
    /// From a bias (`….query.bias`) to the constant its `MatMul` takes.
    matrices: BTreeMap<&'a str, &'a TensorProto>,
}

impl<'a> Source<'a> {
    pub(super) fn read(graph: &'a GraphProto) -> Result<Self, String> {
        let constants: BTreeMap<_, _> =
            graph.initializer.iter().map(|tensor| (tensor.name.as_str(), tensor)).collect();
        let products: BTreeMap<_, _> = graph
            .node
            .iter()
            .filter(|node| node.op_type == "MatMul")
            .filter_map(|node| {
                let constant = constants.get(node.input.get(1)?.as_str())?;
                Some((node.output.first()?.as_str(), *constant))
            })
            .collect();
        let mut matrices = BTreeMap::new();
        for node in graph.node.iter().filter(|node| node.op_type == "Add") {
            let [a, b] = node.input.as_slice() else { continue };
            for (bias, product) in [(a, b), (b, a)] {
                if let Some(matrix) = products.get(product.as_str())
                    && constants.contains_key(bias.as_str())
                    && matrices.insert(bias.as_str(), *matrix).is_some()
                {
                    return Err(format!("expected {bias} to be added once"));
                }
            }
        }
        Ok(Self { constants, matrices })
    }

    /// The one constant whose name ends like this.
    fn ending(&self, end: &str) -> Result<&'a TensorProto, String> {
        let mut found = self.constants.iter().filter(|(name, _)| name.ends_with(end));
        match (found.next(), found.next()) {
            (Some((_, tensor)), None) => Ok(tensor),
            (None, _) => Err(format!("expected a constant …{end}, found none")),
            (Some((a, _)), Some((b, _))) => {
                Err(format!("expected one constant …{end}, found {a} and {b}"))
            }
        }
    }

    pub(super) fn config(&self, graph: &GraphProto) -> Result<Config, String> {
        let words = dimensions(self.ending("word_embeddings.weight")?);
        let up = dimensions(self.ending("layer.0.intermediate.dense.bias")?);
        let norms: Vec<f32> = graph
            .node
            .iter()
            .filter(|node| node.op_type == "LayerNormalization")
            .filter_map(epsilon)
            .collect();
        let layers = graph
            .initializer
            .iter()
            .filter(|tensor| tensor.name.ends_with(".intermediate.dense.bias"))
            .count();
        let ([vocabulary, hidden], [intermediate], Some(epsilon)) =
            (words.as_slice(), up.as_slice(), norms.first())
        else {
            return Err(format!("expected a table and norms, found {words:?} and {norms:?}"));
        };
        Ok(Config {
            vocabulary: *vocabulary,
            positions: MAX_TOKENS,
            hidden: *hidden,
            intermediate: *intermediate,
            layers,
            heads: HEADS,
            epsilon: *epsilon,
        })
    }

    /// A tensor by the container's name, in the container's shape.
    pub(super) fn tensor(&self, name: &str, shape: [usize; 2]) -> Result<Vec<f32>, String> {
        let expect = |numbers: Vec<f32>| {
            if numbers.len() == shape[0] * shape[1] {
                return Ok(numbers);
            }
            Err(format!("{name}: expected {shape:?} numbers, found {}", numbers.len()))
        };
        if name == POSITION_TABLE {
            let mut table = numbers(self.ending("position_embeddings.weight")?)?;
            table.truncate(shape[0] * shape[1]);
            let types = numbers(self.ending("token_type_embeddings.weight")?)?;
            for row in table.chunks_exact_mut(shape[1]) {
                row.iter_mut().zip(&types).for_each(|(number, first)| *number += first);
            }
            return expect(table);
        }
        let theirs = onnx_name(name);
        match name.strip_suffix(".weight") {
            Some(_) if shape[0] > 1 => {
                let bias = self.ending(&theirs.replace(".weight", ".bias"))?;
                let matrix = self
                    .matrices
                    .get(bias.name.as_str())
                    .ok_or_else(|| format!("{name}: expected a MatMul before {}", bias.name))?;
                if dimensions(matrix) != [shape[1], shape[0]] {
                    return Err(format!(
                        "{name}: expected {} of shape [{}, {}], found {:?}",
                        matrix.name,
                        shape[1],
                        shape[0],
                        dimensions(matrix)
                    ));
                }
                Ok(transposed(&numbers(matrix)?, shape))
            }
            _ => expect(numbers(self.ending(&theirs)?)?),
        }
    }
}

/// What the Hugging Face export calls a tensor of ours.
fn onnx_name(name: &str) -> String {
    [
        ("embeddings.word", "word_embeddings.weight"),
        ("embeddings.norm", "embeddings.LayerNorm"),
        ("attention_norm", "attention.output.LayerNorm"),
        ("output_norm", "output.LayerNorm"),
        ("attention.", "attention.output.dense."),
        ("query", "attention.self.query"),
        ("key", "attention.self.key"),
        ("value", "attention.self.value"),
        ("up", "intermediate.dense"),
        ("down", "output.dense"),
    ]
    .iter()
    .find(|(ours, _)| name.contains(ours))
    .map_or_else(|| name.to_owned(), |(ours, theirs)| name.replacen(ours, theirs, 1))
}

fn dimensions(tensor: &TensorProto) -> Vec<usize> {
    tensor.dims.iter().map(|&size| usize::try_from(size).unwrap_or_default()).collect()
}

fn numbers(tensor: &TensorProto) -> Result<Vec<f32>, String> {
    if tensor.data_type != FLOAT {
        return Err(format!("{}: expected f32, found type {}", tensor.name, tensor.data_type));
    }
    if tensor.raw_data.is_empty() {
        return Ok(tensor.float_data.clone());
    }
    Ok(tensor.raw_data.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
}

fn epsilon(node: &NodeProto) -> Option<f32> {
    node.attribute.iter().find(|attribute| attribute.name == "epsilon").map(|found| found.f)
}

/// `[in, out]`, as ONNX multiplies, to `[out, in]`.
fn transposed(numbers: &[f32], [outputs, inputs]: [usize; 2]) -> Vec<f32> {
    (0..outputs * inputs).map(|at| numbers[at % inputs * outputs + at / inputs]).collect()
}
