//! From the published ONNX file to the weights container. Native tooling, feature `convert`.
//!
//! Tables, norms and biases carry their names in the file; the matrices of the linear layers
//! are anonymous (`onnx::MatMul_470`). A matrix is found through the graph instead: an `Add`
//! that takes a named bias and the output of a `MatMul` names the `MatMul`'s constant.

use super::encoding::{Encoding, encode_matrix, encode_rows};
use super::onnx::{GraphProto, ModelProto, NodeProto, TensorProto};
use super::weights::{self, Config, tensor_names};
use super::wordpiece::WordPiece;
use super::{MAX_TOKENS, RetrievalError, sha256_hex};
use prost::Message;
use std::collections::BTreeMap;

/// Attention heads of paraphrase-MiniLM-L3-v2; the graph has them only inside reshapes.
const HEADS: usize = 12;
/// The vocabulary table's name in the container.
const WORDS: &str = "embeddings.word";
/// The position table's.
const POSITION_TABLE: &str = "embeddings.position";
/// The element type that means f32 in ONNX.
const FLOAT: i32 = 1;

/// How the parts of the model are written. Norms and biases are few: they stay exact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Recipe {
    /// Nothing lost: 68 MB, for the vectors of the index and for comparisons.
    Exact,
    /// One encoding for the vocabulary table, one for the matrices of the layers.
    Uniform {
        /// The vocabulary table: two thirds of all numbers.
        words: Encoding,
        /// The matrices of the layers: a third, and more sensitive.
        linears: Encoding,
    },
    /// What the page loads: coded, with steps by how much each part matters.
    Shipped,
}

/// Steps of the shipped vocabulary table, in root mean squares of a row, for ids below a limit.
/// Single characters and markers come first; words and word parts, from 1996 on, are ordered by
/// how often they occurred, so the finer steps go to the first of them.
const GRADES: [(usize, f32); 4] = [(1_996, 0.03), (4_000, 0.06), (8_000, 0.12), (usize::MAX, 0.25)];
/// Pieces of the APIs' own search texts: they decide most searches, and are few.
const DOMAIN: f32 = 0.03;
/// Pieces in other scripts than Latin without accents: the model was trained on English.
const FOREIGN: f32 = 0.5;
/// The position table's: every text meets it.
const POSITIONS: f32 = 0.02;

/// Steps of the shipped matrices. Chosen so that each adds about the same error to a cosine
/// for its size: noise in a value reaches the output, noise in a query only shifts attention.
const LINEARS: [(&str, f32); 6] = [
    ("query", 0.05),
    ("key", 0.05),
    ("value", 0.02),
    ("attention", 0.027),
    ("up", 0.039),
    ("down", 0.047),
];

impl Recipe {
    fn encoding(self, name: &str, [rows, _]: [usize; 2]) -> Encoding {
        match (self, name) {
            _ if rows == 1 => Encoding::F32,
            (Self::Exact, _) => Encoding::F32,
            (Self::Uniform { words, .. }, WORDS) => words,
            (Self::Uniform { .. }, POSITION_TABLE) => Encoding::F32,
            (Self::Uniform { linears, .. }, _) => linears,
            (Self::Shipped, WORDS) => Encoding::Coded { step: DOMAIN },
            (Self::Shipped, POSITION_TABLE) => Encoding::Coded { step: POSITIONS },
            (Self::Shipped, _) => {
                let part = LINEARS.iter().find(|(part, _)| name.contains(part));
                part.map_or(Encoding::F32, |(_, step)| Encoding::Coded { step: *step })
            }
        }
    }
}

/// The step of every row of the vocabulary table; 0 for rows that no text can reach.
fn word_steps<'a>(
    vocabulary: &str,
    domain: impl IntoIterator<Item = &'a str>,
) -> Result<Vec<f32>, RetrievalError> {
    let tokenizer = WordPiece::new(vocabulary)?;
    let pieces = vocabulary.lines().enumerate().zip(tokenizer.reachable());
    let mut steps: Vec<f32> = pieces
        .map(|((id, piece), reachable)| match reachable {
            false => 0.0,
            true if !piece.is_ascii() => FOREIGN,
            true => GRADES.iter().find(|(limit, _)| id < *limit).map_or(FOREIGN, |(_, step)| *step),
        })
        .collect();
    for id in domain.into_iter().flat_map(|text| tokenizer.encode(text)) {
        steps[id as usize] = DOMAIN;
    }
    Ok(steps)
}

/// The step of every neuron's row in an `up` matrix: finer, by powers of two, where the neuron's
/// column in `down` is longer than the mean. One neuron of the first layer is ten times longer,
/// and with its input off by a little, single words drift.
fn neuron_steps(step: f32, neurons: usize, down: &[f32]) -> Vec<f32> {
    let mut lengths = vec![0.0_f32; neurons];
    for row in down.chunks_exact(neurons) {
        lengths.iter_mut().zip(row).for_each(|(length, number)| *length += number * number);
    }
    lengths.iter_mut().for_each(|length| *length = length.sqrt());
    let mean = lengths.iter().sum::<f32>() / neurons as f32;
    let finer = |length: f32| (length / mean).max(1.0).log2().round().exp2();
    lengths.into_iter().map(|length| step / finer(length)).collect()
}

/// Reads the ONNX file of paraphrase-MiniLM-L3-v2 and writes a container. For
/// [`Recipe::Shipped`] the vocabulary, a piece a line, and the domain, the search texts of the
/// APIs, tell which rows of the vocabulary table matter.
///
/// # Errors
/// When the file is no ONNX, or lacks a tensor of the model or has it in another shape; when
/// the vocabulary is not the one of bert-base-uncased.
pub fn convert<'a>(
    onnx: &[u8],
    vocabulary: &str,
    domain: impl IntoIterator<Item = &'a str>,
    recipe: Recipe,
) -> Result<Vec<u8>, RetrievalError> {
    let failed = |reason: String| RetrievalError::Weights(format!("ONNX: {reason}"));
    let proto =
        ModelProto::decode(onnx).map_err(|error| failed(format!("expected a model: {error}")))?;
    let graph = proto.graph.ok_or_else(|| failed("expected a graph, found none".to_owned()))?;
    let source = Source::read(&graph).map_err(failed)?;
    let config = source.config(&graph).map_err(failed)?;
    let word_steps = word_steps(vocabulary, domain)?;
    let mut tensors = Vec::new();
    for (name, shape) in tensor_names(&config) {
        let numbers = source.tensor(&name, shape).map_err(failed)?;
        let encoding = recipe.encoding(&name, shape);
        let bytes = match (recipe, encoding) {
            (Recipe::Shipped, Encoding::Coded { .. }) if name == WORDS => {
                encode_rows(shape[1], &word_steps, &numbers)
            }
            (Recipe::Shipped, Encoding::Coded { step }) if name.ends_with(".up.weight") => {
                let down = source
                    .tensor(&name.replace("up", "down"), [shape[1], shape[0]])
                    .map_err(failed)?;
                encode_rows(shape[1], &neuron_steps(step, shape[0], &down), &numbers)
            }
            _ => encode_matrix(shape, encoding, &numbers),
        };
        let bytes = bytes.map_err(|reason| failed(format!("tensor {name}: {reason}")))?;
        tensors.push((name, shape, encoding, bytes));
    }
    Ok(weights::write(&sha256_hex(onnx), &config, &tensors))
}

/// The constants of the graph by name, and which matrix belongs to which bias.
struct Source<'a> {
    constants: BTreeMap<&'a str, &'a TensorProto>,
    /// From a bias (`….query.bias`) to the constant its `MatMul` takes.
    matrices: BTreeMap<&'a str, &'a TensorProto>,
}

impl<'a> Source<'a> {
    fn read(graph: &'a GraphProto) -> Result<Self, String> {
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

    fn config(&self, graph: &GraphProto) -> Result<Config, String> {
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
    fn tensor(&self, name: &str, shape: [usize; 2]) -> Result<Vec<f32>, String> {
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
