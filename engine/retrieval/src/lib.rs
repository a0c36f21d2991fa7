//! API Search: keywords in, the best matching APIs out.
//!
//! Must not know models, samples or verdicts.
//!
//! The search compares sentence embeddings by cosine. The model is the one the original
//! benchmark uses, paraphrase-MiniLM-L3-v2 (3 transformer layers, 12 heads of 32, 384
//! dimensions, mean pooling): a standard ONNX file with int8 weights ([`quantize`]), read and run
//! by `tract`, in the browser as natively. API vectors are computed once, at build time, by the
//! same code ([`Index::build`]). [`Encoder::from_onnx`] takes any other sentence-embedding model.
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

mod encoder;
mod index;
mod integers;
mod model;
mod quantize;
mod search;
mod tokenizer_json;
mod wordpiece;

pub use encoder::{Encoder, EncoderConfig};
pub use index::{Entry, Hit, Index};
pub use model::{EmbeddingModel, ModelError, Pooling};
pub use quantize::quantize;
pub use search::Search;
pub use tokenizer_json::TokenizerError;
pub use wordpiece::WordPiece;

/// Word pieces the built-in model reads at most, `[CLS]` and `[SEP]` included.
pub const MAX_TOKENS: usize = 128;

/// Why API Search could not be set up or could not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RetrievalError {
    /// The tokenizer can't be read.
    #[error("tokenizer: {0}")]
    Tokenizer(#[from] TokenizerError),
    /// The model can't be read, or can't be run.
    #[error("model: {0}")]
    Model(#[from] ModelError),
    /// The vectors of the APIs are damaged or were made by another model.
    #[error("vector index: {0}")]
    Index(String),
}

/// The lower-case hexadecimal SHA-256 of some bytes.
fn sha256_hex(bytes: &[u8]) -> String {
    use sha2::Digest;
    apis::store::hex(&sha2::Sha256::digest(bytes))
}
