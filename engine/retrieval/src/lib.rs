//! API Search: keywords in, the best matching APIs out.
//!
//! Must not know models, samples or verdicts.
//!
//! Search ranks APIs by the cosine of sentence embeddings. The model is the original benchmark's,
//! paraphrase-MiniLM-L3-v2 (3 transformer layers, 12 heads of 32, 384 dimensions, mean pooling): a
//! standard ONNX file with int8 weights (`engine/quantize`), run by `tract` natively and in the browser.
//! The same code computes the API vectors at build time ([`Index::build`]). [`Encoder::from_onnx`]
//! loads other sentence-embedding models, and [`Bm25`] ranks by shared words.
//!
//! Sources: Reimers & Gurevych 2019 (Sentence-BERT) for the model and its pooling; Devlin et
//! al. 2019 (BERT) for tokenizer and layers.
//!
//! ```no_run
//! use retrieval::{Encoder, Index, Search};
//!
//! # fn read(name: &str) -> Vec<u8> { std::fs::read(name).unwrap_or_default() }
//! # fn main() -> Result<(), retrieval::RetrievalError> {
//! let model = read("model.onnx");
//! let vocabulary = String::from_utf8(read("vocab.txt")).unwrap_or_default();
//! let encoder = Encoder::load(&model, &vocabulary)?;
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

mod bm25;
mod consumers;
mod element_type;
mod encoder;
mod index;
mod integers;
mod known;
mod model;
mod portable;
mod search;
mod sentence_transformers;
mod tokenizer_json;
mod wordpiece;

pub use bm25::{Bm25, Bm25Parameters};
pub use encoder::{Encoder, EncoderConfig};
pub use index::{Entry, Hit, Index};
pub use known::Known;
pub use model::{EmbeddingModel, ModelError, Pooling};
pub use search::Search;
pub use sentence_transformers::{ConfigError, ConfigFiles};
pub use wordpiece::TokenizerError;
pub use wordpiece::WordPiece;

/// The maximum number of word pieces per text of the built-in model, `[CLS]` and `[SEP]` included.
pub const MAX_TOKENS: usize = 128;

/// Why API Search failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RetrievalError {
    /// The tokenizer can't be read.
    #[error("tokenizer: {0}")]
    Tokenizer(#[from] TokenizerError),
    /// The model can't be read or run.
    #[error("model: {0}")]
    Model(#[from] ModelError),
    /// The API vectors are damaged or were made by another model.
    #[error("vector index: {0}")]
    Index(String),
}

/// SHA-256 in lower-case hexadecimal.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    use sha2::Digest;
    apis::store::hex(&sha2::Sha256::digest(bytes))
}
