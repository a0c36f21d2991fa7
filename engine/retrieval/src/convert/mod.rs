//! From the published ONNX file to the weights container. Native tooling, feature `convert`.

mod calibrated;
mod source;

use super::encoding::{Encoding, encode_matrix};
use super::onnx::ModelProto;
use super::weights::{self, tensor_names};
use super::{RetrievalError, sha256_hex};
use calibrated::Calibrated;
use prost::Message;
use source::Source;
use std::collections::BTreeMap;

/// The vocabulary table's name in the container.
const WORDS: &str = "embeddings.word";
/// The position table's.
const POSITION_TABLE: &str = "embeddings.position";

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
    /// What the page loads: coded, with steps and rounding by what each part does to a search.
    Shipped,
}

impl Recipe {
    /// The encoding of a tensor, unless the recipe leaves it to calibration.
    fn encoding(self, name: &str, [rows, _]: [usize; 2]) -> Option<Encoding> {
        match (self, name) {
            _ if rows == 1 => Some(Encoding::F32),
            (Self::Shipped, _) => None,
            (Self::Exact, _) | (Self::Uniform { .. }, POSITION_TABLE) => Some(Encoding::F32),
            (Self::Uniform { words, .. }, WORDS) => Some(words),
            (Self::Uniform { linears, .. }, _) => Some(linears),
        }
    }
}

/// All tensors of a model, by the container's names.
type Tensors = BTreeMap<String, Vec<f32>>;

/// Reads the ONNX file of paraphrase-MiniLM-L3-v2 and writes a container. For
/// [`Recipe::Shipped`] the vocabulary, a piece a line, and the domain, the search texts of the
/// APIs, tell which rows of the vocabulary table matter, and what the model is tried with.
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
    let names = tensor_names(&config);
    let mut all = Tensors::new();
    for (name, shape) in &names {
        all.insert(name.clone(), source.tensor(name, *shape).map_err(failed)?);
    }
    let calibrated = match recipe {
        Recipe::Shipped => Some(Calibrated::new(&config, &all, vocabulary, domain)?),
        Recipe::Exact | Recipe::Uniform { .. } => None,
    };
    let mut tensors = Vec::new();
    for (name, shape) in names {
        let numbers = &all[&name];
        let encoded = match (recipe.encoding(&name, shape), &calibrated) {
            (Some(encoding), _) => {
                encode_matrix(shape, encoding, numbers).map(|bytes| (encoding, bytes))
            }
            (None, Some(calibrated)) => calibrated.encode(&name, shape, numbers),
            (None, None) => Err("expected a calibration, found none".to_owned()),
        };
        let (encoding, bytes) =
            encoded.map_err(|reason| failed(format!("tensor {name}: {reason}")))?;
        tensors.push((name, shape, encoding, bytes));
    }
    Ok(weights::write(&sha256_hex(onnx), &config, &tensors))
}
