//! The sentence encoder: tokenizer and model turn a text into a unit vector.

use super::model::{EmbeddingModel, Pooling};
use super::wordpiece::WordPiece;
use super::{MAX_TOKENS, RetrievalError};

/// Settings that the files of a sentence-embedding model don't contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncoderConfig {
    /// How token vectors are pooled into the vector of a text.
    pub pooling: Pooling,
    /// The maximum number of tokens per text, special tokens included. At most the model's trained
    /// limit, usually 512.
    pub max_tokens: usize,
    /// Prepended to every query, for models trained for asymmetric search.
    pub query_prefix: String,
    /// Prepended to every indexed text.
    pub passage_prefix: String,
}

/// The settings of paraphrase-MiniLM-L3-v2: mean pooling, [`MAX_TOKENS`], no prefixes.
impl Default for EncoderConfig {
    fn default() -> Self {
        EncoderConfig {
            pooling: Pooling::Mean,
            max_tokens: MAX_TOKENS,
            query_prefix: String::new(),
            passage_prefix: String::new(),
        }
    }
}

/// Turns texts into unit vectors.
#[derive(Debug)]
pub struct Encoder {
    tokenizer: WordPiece,
    model: EmbeddingModel,
    query_prefix: String,
    passage_prefix: String,
}

impl Encoder {
    /// Loads the built-in model from its ONNX file and the vocabulary of bert-base-uncased, one
    /// word piece per line. Takes a fraction of a second.
    ///
    /// # Errors
    /// When either file is damaged or belongs to another model.
    pub fn load(onnx: &[u8], vocabulary: &str) -> Result<Self, RetrievalError> {
        let model = EmbeddingModel::read(onnx.to_vec(), Pooling::Mean)?;
        Ok(Self::new(WordPiece::new(vocabulary)?, model))
    }

    /// Loads any sentence-embedding model from its ONNX file and `tokenizer.json`.
    ///
    /// # Errors
    /// When a file is damaged, the tokenizer is not WordPiece, or `tract` lacks an operator, which
    /// the error names.
    pub fn from_onnx(
        onnx: Vec<u8>,
        tokenizer_json: &[u8],
        config: EncoderConfig,
    ) -> Result<Self, RetrievalError> {
        let tokenizer = WordPiece::from_json(tokenizer_json, config.max_tokens)?;
        let model = EmbeddingModel::read(onnx, config.pooling)?;
        let EncoderConfig { query_prefix, passage_prefix, .. } = config;
        Ok(Encoder { tokenizer, model, query_prefix, passage_prefix })
    }

    /// Combines tokenizer and model, without prefixes.
    #[must_use]
    pub fn new(tokenizer: WordPiece, model: EmbeddingModel) -> Self {
        let EncoderConfig { query_prefix, passage_prefix, .. } = EncoderConfig::default();
        Encoder { tokenizer, model, query_prefix, passage_prefix }
    }

    /// The same encoder with prefixes for queries and indexed texts.
    #[must_use]
    pub fn with_prefixes(self, query_prefix: String, passage_prefix: String) -> Self {
        Encoder { query_prefix, passage_prefix, ..self }
    }

    /// The unit vector of a text, without a prefix.
    ///
    /// # Errors
    /// When a token is out of the model's range, `tract` fails, or the result is not finite. With
    /// matching files, no text causes an error.
    pub fn encode(&self, text: &str) -> Result<Vec<f32>, RetrievalError> {
        Ok(self.model.embed(&self.tokenizer.encode(text))?)
    }

    /// The unit vector of a query, with the query prefix.
    ///
    /// # Errors
    /// See [`Encoder::encode`].
    pub fn encode_query(&self, query: &str) -> Result<Vec<f32>, RetrievalError> {
        self.encode(&format!("{}{query}", self.query_prefix))
    }

    /// The unit vector of an indexed text, with the passage prefix.
    ///
    /// # Errors
    /// See [`Encoder::encode`].
    pub fn encode_passage(&self, passage: &str) -> Result<Vec<f32>, RetrievalError> {
        self.encode(&format!("{}{passage}", self.passage_prefix))
    }

    /// SHA-256 of the ONNX file, in lower-case hexadecimal. Identifies the model that made a
    /// vector.
    #[must_use]
    pub fn digest(&self) -> &str {
        self.model.digest()
    }
}
