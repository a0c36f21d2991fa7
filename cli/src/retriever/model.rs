//! Loads a sentence-embedding model from a folder in the layout of sentence-transformers.

use anyhow::{Context, Result, bail};
use record::EmbeddingModel;
use retrieval::{ConfigFiles, Encoder, EncoderConfig, Pooling, RetrievalError};
use std::fs;
use std::path::{Path, PathBuf};

/// The places of the ONNX file, the first that is there.
const ONNX: [&str; 3] = ["model.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx"];

/// A model with the settings for a record.
pub(crate) struct LoadedModel {
    /// Name, digests and settings.
    pub(crate) model: EmbeddingModel,
    /// The encoder.
    pub(crate) encoder: Encoder,
}

/// Loads `model.onnx`, `tokenizer.json` and the configuration files that are there:
/// `modules.json`, `1_Pooling/config.json`, `sentence_bert_config.json` and
/// `config_sentence_transformers.json`. A model that outputs one vector per text needs no pooling.
pub(crate) fn load(folder: &Path) -> Result<LoadedModel> {
    let onnx = ONNX.iter().map(|name| folder.join(name)).find(|path| path.is_file());
    let Some(onnx) = onnx else {
        bail!(
            "expected builtin, bm25, oracle, random or a folder with {}, got {}: export the model \
             with `optimum-cli export onnx`",
            ONNX.join(" or "),
            folder.display()
        );
    };
    let onnx = read(&onnx)?;
    let tokenizer = read(&folder.join("tokenizer.json"))?;
    let optional = |name: &str| optional(&folder.join(name));
    let (modules, pooling) = (optional("modules.json")?, optional("1_Pooling/config.json")?);
    let transformer = optional("sentence_bert_config.json")?;
    let prompts = optional("config_sentence_transformers.json")?;
    let config = EncoderConfig::from_files(ConfigFiles {
        modules: modules.as_deref(),
        pooling: pooling.as_deref(),
        transformer: transformer.as_deref(),
        prompts: prompts.as_deref(),
    });
    let mut config = config.with_context(|| folder.display().to_string())?;
    let mut encoder = Encoder::from_onnx(onnx.clone(), &tokenizer, config.clone());
    if matches!(encoder, Err(RetrievalError::Model(retrieval::ModelError::Output { .. }))) {
        config.pooling = Pooling::Model;
        encoder = Encoder::from_onnx(onnx, &tokenizer, config.clone());
    }
    let encoder =
        encoder.with_context(|| format!("can't use the model in {}", folder.display()))?;
    let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let name = whole.file_name().map_or("model".into(), |name| name.to_string_lossy().into_owned());
    let model = EmbeddingModel {
        name,
        digest: encoder.digest().to_owned(),
        tokenizer_digest: retrieval::sha256_hex(&tokenizer),
        pooling: config.pooling.as_str().to_owned(),
        max_tokens: config.max_tokens,
        query_prefix: config.query_prefix,
        passage_prefix: config.passage_prefix,
    };
    Ok(LoadedModel { model, encoder })
}

fn read(path: &PathBuf) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("can't read {}", path.display()))
}

fn optional(path: &PathBuf) -> Result<Option<Vec<u8>>> {
    if path.is_file() { read(path).map(Some) } else { Ok(None) }
}
