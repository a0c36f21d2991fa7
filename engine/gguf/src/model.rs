//! A model of one or more files: split parts, memory, what can't be loaded.

use crate::architectures::is_known;
use crate::header::{Header, SpecialTokens};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The largest file that the engine reads, in bytes.
pub const MOST_FILE_BYTES: u64 = (1 << 31) - 1;
/// The memory of a WebAssembly program of the engine, in bytes.
pub const MOST_MEMORY_BYTES: u64 = 4 << 30;

/// Memory besides weights and cache: graph, tokenizer, program. A guess, not measured.
const OVERHEAD: u64 = 192 << 20;
/// The shortest context that a run makes sense with, in tokens.
const SHORTEST_CONTEXT: u64 = 512;

/// Why files make no model, or none that can be loaded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ModelError {
    /// No file.
    #[error("no file: choose a .gguf file")]
    None,
    /// The model is split, and parts are missing or double.
    #[error(
        "the model has {expected} parts, but {actual} were chosen; choose all files \
         from -00001-of-{expected:05} on together"
    )]
    Parts {
        /// Parts of the model.
        expected: u64,
        /// Files chosen.
        actual: usize,
    },
    /// Two files without parts.
    #[error("{0} files that are no parts of one model were chosen; choose one model")]
    Several(usize),
    /// The first part has no architecture.
    #[error("general.architecture: this field is missing; the file holds no language model")]
    NoArchitecture,
    /// The engine does not know the architecture.
    #[error(
        "general.architecture: the engine does not run {0:?} as a language model; choose another \
         model, or serve this one with llama.cpp and run it as an endpoint"
    )]
    Architecture(String),
    /// A file is too large.
    #[error(
        "a file of {size} bytes is larger than a page can read (2 GB); split the model with \
         llama-gguf-split --split-max-size 1G, and choose all its parts"
    )]
    FileSize {
        /// Bytes of the file.
        size: u64,
    },
    /// The model does not fit into memory.
    #[error(
        "the model needs about {needed} MB, and this device lets a page use {available} MB; \
         choose a smaller model or quantization, or a shorter context"
    )]
    Memory {
        /// Megabytes that weights, cache and program take.
        needed: u64,
        /// Megabytes available.
        available: u64,
    },
}

/// A model of one or more files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Model {
    /// `general.name`; `None` if the file has none.
    pub name: Option<String>,
    /// `general.architecture`.
    pub architecture: String,
    /// The quantization, such as `Q4_K_M`; `None` if the file does not name it.
    pub quantization: Option<String>,
    /// Number of weights.
    pub parameters: u64,
    /// The context length of the training, in tokens.
    pub context_length: Option<u64>,
    /// Layers.
    pub layers: Option<u64>,
    /// Bytes of keys and values of one token over all layers.
    pub cache_bytes_per_token: Option<u64>,
    /// Entries of the vocabulary.
    pub vocabulary: Option<u64>,
    /// The chat template, in Jinja.
    pub chat_template: Option<String>,
    /// Special tokens.
    pub special: SpecialTokens,
    /// Bytes of each file, in the order of the parts.
    pub sizes: Vec<u64>,
}

impl Model {
    /// Joins the headers of a model's files. Returns the model, and for each part its position in
    /// `headers`.
    ///
    /// # Errors
    /// When files are missing, double or of several models.
    pub fn of(headers: &[Header]) -> Result<(Self, Vec<usize>), ModelError> {
        let mut order: Vec<usize> = (0..headers.len()).collect();
        let part = |at: &usize| headers[*at].split.map_or(0, |split| split.part);
        order.sort_by_key(part);
        let first = order.first().map(|at| &headers[*at]).ok_or(ModelError::None)?;
        match first.split {
            None if headers.len() > 1 => return Err(ModelError::Several(headers.len())),
            None => {}
            Some(split) => {
                let wanted = 0..split.parts;
                let is_whole = wanted.end == headers.len() as u64
                    && order.iter().zip(wanted).all(|(at, part)| {
                        headers[*at]
                            .split
                            .is_some_and(|it| (it.part, it.parts) == (part, split.parts))
                    });
                if !is_whole {
                    let (expected, actual) = (split.parts, headers.len());
                    return Err(ModelError::Parts { expected, actual });
                }
            }
        }
        let model = Model {
            name: first.name.clone(),
            architecture: first.architecture.clone().ok_or(ModelError::NoArchitecture)?,
            quantization: first.quantization.clone(),
            parameters: headers.iter().fold(0, |sum, it| sum.saturating_add(it.parameters)),
            context_length: first.context_length,
            layers: first.layers,
            cache_bytes_per_token: first.cache_bytes_per_token,
            vocabulary: first.vocabulary,
            chat_template: first.chat_template.clone(),
            special: first.special,
            sizes: order.iter().map(|at| headers[*at].size).collect(),
        };
        Ok((model, order))
    }

    /// Bytes of all files.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.sizes.iter().fold(0, |sum, size| sum.saturating_add(*size))
    }

    /// The estimated memory with a context of `context` tokens, in bytes.
    #[must_use]
    pub fn memory(&self, context: u64) -> u64 {
        let cache = self.cache_bytes_per_token.unwrap_or_default().saturating_mul(context);
        self.size().saturating_add(cache).saturating_add(OVERHEAD)
    }

    /// The context to load, in tokens: at most `wanted`, the training's, and what fits into
    /// `memory` bytes.
    #[must_use]
    pub fn context(&self, wanted: u64, memory: u64) -> u64 {
        let trained = self.context_length.filter(|length| *length > 0).unwrap_or(wanted);
        let left = memory.saturating_sub(self.memory(0));
        let fits = self.cache_bytes_per_token.and_then(|bytes| left.checked_div(bytes));
        let context = wanted.min(trained).min(fits.unwrap_or(wanted));
        // Whole blocks of the cache.
        if context > 256 { context - context % 256 } else { context }
    }

    /// Rejects a model that can't be loaded into `memory` bytes.
    ///
    /// # Errors
    /// The reason and the remedy.
    pub fn check(&self, memory: u64) -> Result<(), ModelError> {
        if !is_known(&self.architecture) {
            return Err(ModelError::Architecture(self.architecture.clone()));
        }
        if let Some(size) = self.sizes.iter().copied().find(|size| *size > MOST_FILE_BYTES) {
            return Err(ModelError::FileSize { size });
        }
        let shortest = self.context_length.map_or(SHORTEST_CONTEXT, |it| it.min(SHORTEST_CONTEXT));
        let needed = self.memory(shortest);
        if needed > memory {
            let megabytes = |bytes: u64| bytes.div_ceil(1_000_000);
            let (needed, available) = (megabytes(needed), memory / 1_000_000);
            return Err(ModelError::Memory { needed, available });
        }
        Ok(())
    }
}
