//! The sentence encoder: texts to unit vectors, by a tokenizer and a model.

use super::model::{EmbeddingModel, Pooling};
use super::wordpiece::WordPiece;
use super::{MAX_TOKENS, RetrievalError};

/// What is not in the files of a sentence-embedding model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncoderConfig {
    /// How a text's vector follows from its tokens'.
    pub pooling: Pooling,
    /// Tokens that are read of a text, the special ones included. At most what the model was trained
    /// with; 512 for most.
    pub max_tokens: usize,
    /// Put before every query, as models for asymmetric search want it.
    pub query_prefix: String,
    /// Put before every text that is searched.
    pub passage_prefix: String,
}

/// As paraphrase-MiniLM-L3-v2 wants it: mean pooling, [`MAX_TOKENS`], no prefixes.
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
    /// Reads the built-in model: its ONNX file and the vocabulary of bert-base-uncased, a piece a
    /// line. Takes a fraction of a second.
    ///
    /// # Errors
    /// When either is damaged or of another model.
    pub fn load(onnx: &[u8], vocabulary: &str) -> Result<Self, RetrievalError> {
        let model = EmbeddingModel::read(onnx.to_vec(), Pooling::Mean)?;
        Ok(Self::new(WordPiece::new(vocabulary)?, model))
    }

    /// Reads any sentence-embedding model from its ONNX file and its `tokenizer.json`.
    ///
    /// # Errors
    /// When a file is damaged, the tokenizer is of another family than WordPiece, or `tract` lacks
    /// an operator: the error names it.
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

    /// The built-in model of its two parts.
    #[must_use]
    pub fn new(tokenizer: WordPiece, model: EmbeddingModel) -> Self {
        let EncoderConfig { query_prefix, passage_prefix, .. } = EncoderConfig::default();
        Encoder { tokenizer, model, query_prefix, passage_prefix }
    }

    /// The vector of a text, of length 1.
    ///
    /// # Errors
    /// When `tract` fails or the result is not finite; no text alone brings that about.
    pub fn encode(&self, text: &str) -> Result<Vec<f32>, RetrievalError> {
        Ok(self.model.embed(&self.tokenizer.encode(text))?)
    }

    /// The vector of a query, which has the query's prefix.
    ///
    /// # Errors
    /// As [`Encoder::encode`].
    pub fn encode_query(&self, query: &str) -> Result<Vec<f32>, RetrievalError> {
        self.encode(&format!("{}{query}", self.query_prefix))
    }

    /// The vector of a text that is searched, which has the passage's prefix.
    ///
    /// # Errors
    /// As [`Encoder::encode`].
    pub fn encode_passage(&self, passage: &str) -> Result<Vec<f32>, RetrievalError> {
        self.encode(&format!("{}{passage}", self.passage_prefix))
    }

    /// SHA-256 of the ONNX file, lower-case hexadecimal: which model made a vector.
    #[must_use]
    pub fn digest(&self) -> &str {
        self.model.digest()
    }
}
