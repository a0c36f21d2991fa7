//! The weights container: one file, a header of names and shapes, then the numbers.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `b"APIBANKW"` |
//! | 4 | format version, [`VERSION`], little-endian as all numbers here |
//! | 4 | length of the header in bytes |
//! | n | the header: JSON, [`Header`] |
//! | … | zeros up to the next multiple of 64, then the tensors, each at a multiple of 64 |
//!
//! Offsets in the header count from the first byte after those zeros, so that the header's
//! own length does not enter them. How the numbers of a tensor are written is its
//! [`Encoding`]. Reading checks every length before it looks at a byte: a damaged or hostile
//! file is refused with a reason and never panics.

use super::encoding::{Encoding, Matrix};
use super::{RetrievalError, sha256_hex};
use serde::{Deserialize, Serialize};

/// First bytes of every weights file.
pub const MAGIC: [u8; 8] = *b"APIBANKW";
/// The version of the format that this code writes and reads.
pub const VERSION: u32 = 2;
/// Tensors start at multiples of this many bytes.
const ALIGNMENT: usize = 64;
/// Longest header that is read: the real one has some 6 KB.
const MAX_HEADER: usize = 1 << 20;

/// What a container says about itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// SHA-256 of the ONNX file the numbers come from, lower-case hexadecimal.
    pub source_sha256: String,
    /// Sizes of the model.
    pub config: Config,
    /// The tensors, in the order of their data.
    pub tensors: Vec<Entry>,
}

/// Sizes of a BERT encoder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// Rows of the vocabulary table.
    pub vocabulary: usize,
    /// Rows of the position table: the longest input in tokens.
    pub positions: usize,
    /// Width of the residual stream and of the embedding.
    pub hidden: usize,
    /// Width inside the feed-forward block.
    pub intermediate: usize,
    /// Transformer layers.
    pub layers: usize,
    /// Attention heads a layer; divides `hidden`.
    pub heads: usize,
    /// Added to the variance in layer normalisation.
    pub epsilon: f32,
}

/// One tensor in the header.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its name, as in [`tensor_names`].
    pub name: String,
    /// Rows and columns; a vector has one row.
    pub shape: [usize; 2],
    /// How its numbers are written.
    pub encoding: Encoding,
    /// Where its data start.
    pub offset: usize,
    /// How long its data are.
    pub bytes: usize,
}

impl Config {
    /// Sizes that fit together and that a page can hold.
    fn check(&self) -> Result<(), String> {
        let limits = [
            ("vocabulary", self.vocabulary, 1 << 20),
            ("positions", self.positions, 1 << 12),
            ("hidden", self.hidden, 1 << 12),
            ("intermediate", self.intermediate, 1 << 14),
            ("layers", self.layers, 48),
            ("heads", self.heads, 256),
        ];
        for (name, value, limit) in limits {
            if value == 0 || value > limit {
                return Err(format!("expected config.{name} between 1 and {limit}, found {value}"));
            }
        }
        if !self.hidden.is_multiple_of(self.heads) {
            return Err(format!(
                "expected config.heads to divide config.hidden {}, found {}",
                self.hidden, self.heads
            ));
        }
        if !(self.epsilon > 0.0 && self.epsilon < 1.0) {
            return Err(format!("expected config.epsilon in (0, 1), found {}", self.epsilon));
        }
        Ok(())
    }
}

/// Names and shapes of all tensors of a model, in file order. Matrices are `[out, in]`;
/// `embeddings.position` has the token-type row 0 added in, since a query has no other.
#[must_use]
pub fn tensor_names(config: &Config) -> Vec<(String, [usize; 2])> {
    let (hidden, wide) = (config.hidden, config.intermediate);
    let mut all = vec![
        ("embeddings.word".to_owned(), [config.vocabulary, hidden]),
        ("embeddings.position".to_owned(), [config.positions, hidden]),
        ("embeddings.norm.weight".to_owned(), [1, hidden]),
        ("embeddings.norm.bias".to_owned(), [1, hidden]),
    ];
    for layer in 0..config.layers {
        let linears = [
            ("query", hidden, hidden),
            ("key", hidden, hidden),
            ("value", hidden, hidden),
            ("attention", hidden, hidden),
            ("up", wide, hidden),
            ("down", hidden, wide),
        ];
        for (name, outputs, inputs) in linears {
            all.push((format!("layer.{layer}.{name}.weight"), [outputs, inputs]));
            all.push((format!("layer.{layer}.{name}.bias"), [1, outputs]));
        }
        for name in ["attention_norm", "output_norm"] {
            all.push((format!("layer.{layer}.{name}.weight"), [1, hidden]));
            all.push((format!("layer.{layer}.{name}.bias"), [1, hidden]));
        }
    }
    all
}

/// A container whose header has been checked against its bytes.
#[derive(Debug, Clone)]
pub struct Weights<'a> {
    header: Header,
    data: &'a [u8],
    digest: String,
}

impl<'a> Weights<'a> {
    /// Reads and checks the header; the numbers stay where they are.
    ///
    /// # Errors
    /// When the file is no container, has another version, is cut short, or its tensors are not
    /// exactly those of a model of its `config`.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, RetrievalError> {
        Self::parse_known(bytes, sha256_hex(bytes))
    }

    /// The same for a file whose SHA-256, lower-case hexadecimal, is known: a browser that was given
    /// it with the address has checked it, faster than this program could.
    ///
    /// # Errors
    /// As [`Weights::parse`].
    pub fn parse_known(bytes: &'a [u8], digest: String) -> Result<Self, RetrievalError> {
        let (header, data) = split(bytes).map_err(RetrievalError::Weights)?;
        check_entries(&header, data.len()).map_err(RetrievalError::Weights)?;
        Ok(Self { header, data, digest })
    }

    /// What the file says about itself.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// SHA-256 of the whole file, lower-case hexadecimal.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// One tensor, its numbers checked and ready to be read row by row.
    ///
    /// # Errors
    /// When there is none of that name or its numbers are not what its encoding promises.
    pub fn matrix(&self, name: &str) -> Result<Matrix<'a>, RetrievalError> {
        let entry =
            self.header.tensors.iter().find(|entry| entry.name == name).ok_or_else(|| {
                RetrievalError::Weights(format!("expected a tensor {name}, there is none"))
            })?;
        let data = self.data.get(entry.offset..entry.offset + entry.bytes).unwrap_or_default();
        Matrix::new(entry.shape, entry.encoding, data)
            .map_err(|reason| RetrievalError::Weights(format!("tensor {name}: {reason}")))
    }
}

/// Takes a file apart into header and data.
fn split(bytes: &[u8]) -> Result<(Header, &[u8]), String> {
    let start = bytes.first_chunk::<16>().ok_or_else(|| {
        format!("expected at least 16 bytes, found {}: fetch the file again", bytes.len())
    })?;
    let (magic, numbers) = start.split_at(8);
    if magic != MAGIC {
        return Err("expected it to start with APIBANKW: this is another kind of file".to_owned());
    }
    let number =
        |at: usize| numbers[at..at + 4].iter().rev().fold(0_u32, |n, &b| n << 8 | u32::from(b));
    let (version, length) = (number(0), number(4) as usize);
    if version != VERSION {
        return Err(format!(
            "expected format version {VERSION}, found {version}: make it again with `cargo xtask model`"
        ));
    }
    let end = 16 + length;
    if length > MAX_HEADER || end > bytes.len() {
        return Err(format!(
            "expected a header inside the file's {} bytes, it says {length}: fetch the file again",
            bytes.len()
        ));
    }
    let header = serde_json::from_slice(&bytes[16..end]).map_err(|error| {
        format!("expected a JSON header with source, config and tensors: {error}")
    })?;
    Ok((header, bytes.get(end.next_multiple_of(ALIGNMENT)..).unwrap_or_default()))
}

/// Every tensor of the model once, in order, aligned, inside the file and not overlapping.
fn check_entries(header: &Header, available: usize) -> Result<(), String> {
    header.config.check()?;
    let expected = tensor_names(&header.config);
    if expected.len() != header.tensors.len() {
        return Err(format!("expected {} tensors, found {}", expected.len(), header.tensors.len()));
    }
    let mut free = 0;
    for ((name, shape), entry) in expected.iter().zip(&header.tensors) {
        if entry.name != *name || entry.shape != *shape {
            return Err(format!(
                "expected tensor {name} of shape {shape:?}, found {} of {:?}",
                entry.name, entry.shape
            ));
        }
        let end = entry.offset.checked_add(entry.bytes).filter(|&end| end <= available);
        let Some(end) = end else {
            return Err(format!(
                "tensor {name}: expected its data inside {available} bytes, found {} bytes at {}: \
                 the file is cut short, fetch it again",
                entry.bytes, entry.offset
            ));
        };
        if entry.offset < free || !entry.offset.is_multiple_of(ALIGNMENT) {
            return Err(format!(
                "tensor {name}: expected an aligned offset of {free} or more, found {}",
                entry.offset
            ));
        }
        free = end;
    }
    Ok(())
}

/// Writes a container from tensors already [encoded](super::encode_matrix).
#[must_use]
pub fn write(
    source_sha256: &str,
    config: &Config,
    tensors: &[(String, [usize; 2], Encoding, Vec<u8>)],
) -> Vec<u8> {
    let mut data = Vec::new();
    let mut entries = Vec::with_capacity(tensors.len());
    for (name, shape, encoding, bytes) in tensors {
        data.resize(data.len().next_multiple_of(ALIGNMENT), 0);
        entries.push(Entry {
            name: name.clone(),
            shape: *shape,
            encoding: *encoding,
            offset: data.len(),
            bytes: bytes.len(),
        });
        data.extend_from_slice(bytes);
    }
    let header = Header {
        source_sha256: source_sha256.to_owned(),
        config: config.clone(),
        tensors: entries,
    };
    // Plain structs of strings and numbers always serialise.
    let header = serde_json::to_vec(&header).unwrap_or_default();
    let mut file = Vec::with_capacity(data.len() + header.len() + 2 * ALIGNMENT);
    file.extend_from_slice(&MAGIC);
    file.extend_from_slice(&VERSION.to_le_bytes());
    file.extend_from_slice(&(header.len() as u32).to_le_bytes());
    file.extend_from_slice(&header);
    file.resize(file.len().next_multiple_of(ALIGNMENT), 0);
    file.extend_from_slice(&data);
    file
}

#[cfg(test)]
mod tests {
    use super::super::encode_matrix;
    use super::*;
    use proptest::prelude::*;

    const CONFIG: Config = Config {
        vocabulary: 3,
        positions: 2,
        hidden: 4,
        intermediate: 8,
        layers: 1,
        heads: 2,
        epsilon: 1e-12,
    };

    /// A small model whose numbers count up from 0.
    fn file(config: &Config) -> Vec<u8> {
        let tensor = |(name, shape): (String, [usize; 2])| {
            let numbers: Vec<f32> = (0..shape[0] * shape[1]).map(|at| at as f32).collect();
            let bytes = encode_matrix(shape, Encoding::F32, &numbers).expect("encodes");
            (name, shape, Encoding::F32, bytes)
        };
        let tensors: Vec<_> = tensor_names(config).into_iter().map(tensor).collect();
        write("source", config, &tensors)
    }

    #[test]
    fn comes_back_from_its_file() {
        let file = file(&CONFIG);
        let weights = Weights::parse(&file).expect("parses");
        assert_eq!(weights.header().config, CONFIG);
        assert_eq!(weights.digest(), sha256_hex(&file));
        let down = weights.matrix("layer.0.down.weight").expect("is there");
        assert_eq!(down.shape(), [4, 8]);
        let mut row = [0.0; 8];
        assert!(down.read_row(3, &mut row) && !down.read_row(4, &mut row));
        assert_eq!(row, [24.0, 25.0, 26.0, 27.0, 28.0, 29.0, 30.0, 31.0]);
        assert!(weights.matrix("none").is_err());
    }

    #[test]
    fn refuses_damage_with_a_reason() {
        let whole = file(&CONFIG);
        for end in 0..whole.len() {
            assert!(Weights::parse(&whole[..end]).is_err(), "cut at {end}");
        }
        let mut other = whole;
        other[8] = 9;
        let error = Weights::parse(&other).expect_err("another version").to_string();
        assert!(error.contains("found 9"), "{error}");
        let error = Weights::parse(&file(&Config { heads: 3, ..CONFIG })).expect_err("3 heads");
        assert!(error.to_string().contains("config.heads"), "{error}");
    }

    proptest! {
        #[test]
        fn hostile_bytes_never_panic(
            noise in proptest::collection::vec((any::<usize>(), any::<u8>()), 0..8),
            tail in proptest::collection::vec(any::<u8>(), 0..100),
        ) {
            let _ = Weights::parse(&[&MAGIC[..], &tail].concat());
            let mut bytes = file(&CONFIG);
            for (at, byte) in noise {
                let at = at % bytes.len();
                bytes[at] = byte;
            }
            if let Ok(weights) = Weights::parse(&bytes) {
                for (name, shape) in tensor_names(&weights.header().config) {
                    if let Ok(matrix) = weights.matrix(&name) {
                        prop_assert_eq!(matrix.to_vec().len(), shape[0] * shape[1]);
                    }
                }
            }
        }
    }
}
