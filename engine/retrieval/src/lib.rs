//! API Search: keywords in, the best matching APIs out.
//!
//! Must not know models, samples or verdicts.
//!
//! The search compares sentence embeddings by cosine. The model is the one the original
//! benchmark uses, paraphrase-MiniLM-L3-v2 (3 transformer layers, 12 heads of 32, 384
//! dimensions, mean pooling), read from a [container of our own](weights) and run by `tract`.
//! API vectors are computed once, at build time, by the same code ([`Index::build`]).
//!
//! Sources: Reimers & Gurevych 2019 (Sentence-BERT) for the model and its pooling; Devlin et
//! al. 2019 (BERT) for tokenizer and layers.
//!
//! ```no_run
//! use retrieval::{Encoder, Index, Search};
//!
//! # fn read(name: &str) -> Vec<u8> { std::fs::read(name).unwrap_or_default() }
//! # fn main() -> Result<(), retrieval::RetrievalError> {
//! let weights = read("minilm.weights");
//! let vocabulary = String::from_utf8(read("vocab.txt")).unwrap_or_default();
//! let encoder = Encoder::load(&weights, &vocabulary)?;
//! let index = Index::build(&encoder, [
//!     ("dialogue", "AddAlarm", "add alarm: set an alarm at a given time"),
//!     ("dialogue", "QueryStock", "query stock: the price of a stock on a date"),
//! ])?;
//! let mut search = Search::new(encoder, index)?;
//! for hit in search.search("dialogue", "wake me up", 5)? {
//!     println!("{} {:.3}", hit.name, hit.cosine);
//! }
//! # Ok(()) }
//! ```

#[cfg(feature = "convert")]
pub mod convert;
mod encoder;
mod encoding;
mod index;
#[cfg(feature = "convert")]
mod onnx;
mod rows;
mod search;
pub mod weights;
mod wordpiece;

pub use encoder::{Encoder, Transformer};
pub use encoding::{Encoding, encode_matrix};
pub use index::{Entry, Hit, Index};
pub use search::Search;
pub use wordpiece::WordPiece;

/// Numbers in a sentence embedding.
pub const DIMENSIONS: usize = 384;

/// Word pieces the model reads at most, `[CLS]` and `[SEP]` included.
pub const MAX_TOKENS: usize = 128;

/// Why API Search could not be set up or could not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RetrievalError {
    /// The vocabulary is not the one the model was trained with.
    #[error("vocabulary: {0}")]
    Vocabulary(String),
    /// The weights file is damaged, of another version or of another model.
    #[error("weights file: {0}")]
    Weights(String),
    /// `tract` refused the graph or failed to run it.
    #[error("model, while it {doing}: {cause}")]
    Model {
        /// What was going on.
        doing: &'static str,
        /// What `tract` said.
        cause: String,
    },
    /// The vectors of the APIs are damaged or were made by another model.
    #[error("vector index: {0}")]
    Index(String),
}

/// The lower-case hexadecimal SHA-256 of some bytes.
fn sha256_hex(bytes: &[u8]) -> String {
    use sha2::Digest;
    apis::store::hex(&sha2::Sha256::digest(bytes))
}
