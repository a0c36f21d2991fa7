//! Digests and embeddings of the pool that the original evaluator searches, without its texts.
//!
//! Packs seldom have every description, and some were reworded later. For each API of the
//! evaluator, the digest identifies its description, and the embedding of its search text
//! (paraphrase-MiniLM-L3-v2 in fp32, quantized to 8 bits) makes searches rank as in the evaluator,
//! whatever descriptions a pack has.

use apis::Suite;
use apis::store::hex;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// One API per line: suite, name, and the first 16 hexadecimal digits of the SHA-256.
const NAMES: &str = include_str!("released_pool.txt");
/// One vector per line of [`NAMES`], in the same order.
const VECTORS: &[u8] = include_bytes!("released_pool.bin");
/// Components of a vector.
const DIMENSIONS: usize = 384;

/// Index and digest of an API.
fn entry(suite: Suite, name: &str) -> Option<(usize, &'static str)> {
    NAMES.lines().enumerate().find_map(|(index, line)| {
        let mut words = line.split(' ');
        let found = words.next() == Some(suite.as_str()) && words.next() == Some(name);
        found.then(|| (index, words.next().unwrap_or_default()))
    })
}

/// The embedding of an API's search text, normalized.
pub fn released_vector(suite: Suite, name: &str) -> Option<Vec<f32>> {
    let (index, _) = entry(suite, name)?;
    let bytes = VECTORS.get(index * DIMENSIONS..(index + 1) * DIMENSIONS)?;
    let numbers: Vec<f32> = bytes.iter().map(|byte| f32::from(byte.cast_signed())).collect();
    let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
    Some(numbers.into_iter().map(|number| number / length).collect())
}

/// Whether a description (search text, input and output parameters) is the evaluator's.
pub(super) fn is_released(suite: Suite, name: &str, description: &Value) -> bool {
    let digest = hex(&Sha256::digest(description.to_string()));
    entry(suite, name).is_some_and(|(_, known)| digest.starts_with(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_api_has_a_vector_of_length_one() {
        let mut seen = 0;
        for line in NAMES.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            assert_eq!((words.len(), words[2].len()), (3, 16), "{line}");
            let suite = if words[0] == "planning" { Suite::Planning } else { Suite::Dialogue };
            assert!(apis::registry::find(suite, words[1]).is_some(), "{line}");
            let vector = released_vector(suite, words[1]).unwrap();
            let length: f32 = vector.iter().map(|number| number * number).sum();
            assert!((length - 1.0).abs() < 1e-5, "{line}: {length}");
            seen += 1;
        }
        assert_eq!((seen, VECTORS.len()), (73, 73 * DIMENSIONS));
        assert_eq!(released_vector(Suite::Planning, "AddAlarm"), None);
    }
}
