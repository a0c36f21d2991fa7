//! Pairs of tools that read nearly the same.

use dataset::own_tools::Tool;
use dataset::own_tools::listing::Alike;
use kernels::dot;
use retrieval::{Encoder, RetrievalError};

/// From this cosine of two descriptions on, models confuse tools often.
const NEARLY_SAME: f32 = 0.8;
/// The most pairs.
const MOST_PAIRS: usize = 100;

/// The vectors of tools, from their names and descriptions.
///
/// # Errors
/// When the encoder fails.
pub fn vectors(tools: &[Tool], encoder: &Encoder) -> Result<Vec<Vec<f32>>, RetrievalError> {
    tools.iter().map(|tool| encoder.encode_passage(&tool.text())).collect()
}

/// The pairs of tools with a cosine of at least 0.8, the nearest first; at most 100.
pub fn near_duplicates(tools: &[Tool], vectors: &[Vec<f32>]) -> Vec<Alike> {
    let mut pairs = Vec::new();
    for (index, one) in vectors.iter().enumerate() {
        for (other, vector) in vectors.iter().enumerate().skip(index + 1) {
            let cosine = dot(one, vector);
            if cosine >= NEARLY_SAME {
                let names = [index, other].map(|at| tools[at].name.clone());
                pairs.push(Alike { names, cosine });
            }
        }
    }
    pairs.sort_by(|a, b| b.cosine.total_cmp(&a.cosine));
    pairs.truncate(MOST_PAIRS);
    pairs
}
