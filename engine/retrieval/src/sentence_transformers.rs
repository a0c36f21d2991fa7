//! Parses the configuration files of a sentence-transformers model: `modules.json`,
//! `1_Pooling/config.json`, `sentence_bert_config.json` and `config_sentence_transformers.json`.
//!
//! Source: sentence-transformers, `SentenceTransformer.save`. Every file may be missing.

use super::{EncoderConfig, Pooling};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The most tokens per text that a file may ask for, the limit of BERT's position embeddings.
const MOST_TOKENS: usize = 512;
/// The most bytes in a configuration file; published ones have less than 2 KB.
const MOST_BYTES: usize = 1 << 16;

/// Why a configuration file can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {field}: {reason}")]
pub struct ConfigError {
    /// The file.
    pub file: &'static str,
    /// The field, or `file` for the whole file.
    pub field: &'static str,
    /// What was expected and what was found.
    pub reason: String,
}

/// The configuration files, those that are at hand.
#[derive(Debug, Clone, Copy, Default)]
pub struct ConfigFiles<'a> {
    /// `modules.json`: the layers around the transformer.
    pub modules: Option<&'a [u8]>,
    /// `1_Pooling/config.json`.
    pub pooling: Option<&'a [u8]>,
    /// `sentence_bert_config.json`: the maximum number of tokens.
    pub transformer: Option<&'a [u8]>,
    /// `config_sentence_transformers.json`: the prompts.
    pub prompts: Option<&'a [u8]>,
}

#[derive(Deserialize)]
struct Module {
    r#type: String,
}

#[derive(Deserialize)]
struct PoolingFile {
    #[serde(default)]
    pooling_mode: Option<String>,
    #[serde(flatten)]
    others: BTreeMap<String, serde_json::Value>,
}

#[derive(Deserialize)]
struct Transformer {
    #[serde(default)]
    max_seq_length: Option<usize>,
}

#[derive(Deserialize)]
struct Prompts {
    #[serde(default)]
    prompts: BTreeMap<String, String>,
    #[serde(default)]
    default_prompt_name: Option<String>,
}

impl EncoderConfig {
    /// The settings that the files state, and the defaults for what they don't.
    ///
    /// A `Normalize` module changes nothing, because an [`Encoder`](super::Encoder) always returns
    /// unit vectors.
    ///
    /// # Errors
    /// When a file is not what its name says, or asks for something that is not supported.
    pub fn from_files(files: ConfigFiles<'_>) -> Result<Self, ConfigError> {
        let mut config = EncoderConfig::default();
        if let Some(bytes) = files.modules {
            modules(bytes)?;
        }
        if let Some(bytes) = files.pooling {
            config.pooling = pooling(bytes)?;
        }
        if let Some(bytes) = files.transformer {
            let file: Transformer = parse("sentence_bert_config.json", bytes)?;
            if let Some(tokens) = file.max_seq_length {
                if !(3..=MOST_TOKENS).contains(&tokens) {
                    let reason = format!("expected 3 to {MOST_TOKENS} tokens, found {tokens}");
                    let (file, field) = ("sentence_bert_config.json", "max_seq_length");
                    return Err(ConfigError { file, field, reason });
                }
                config.max_tokens = tokens;
            }
        }
        if let Some(bytes) = files.prompts {
            let file: Prompts = parse("config_sentence_transformers.json", bytes)?;
            let named = |names: &[&str]| {
                names.iter().find_map(|name| file.prompts.get(*name)).cloned().unwrap_or_default()
            };
            let default = file.default_prompt_name.as_deref().into_iter().collect::<Vec<_>>();
            config.query_prefix = named(&[&["query"][..], &default].concat());
            config.passage_prefix = named(&[&["document", "passage"][..], &default].concat());
        }
        Ok(config)
    }
}

fn parse<'a, T: Deserialize<'a>>(file: &'static str, bytes: &'a [u8]) -> Result<T, ConfigError> {
    let no = |reason| ConfigError { file, field: "file", reason };
    if bytes.len() > MOST_BYTES {
        return Err(no(format!("expected at most {MOST_BYTES} bytes, found {}", bytes.len())));
    }
    serde_json::from_slice(bytes)
        .map_err(|error| no(format!("expected JSON as sentence-transformers writes it: {error}")))
}

/// Accepts a transformer, pooling and normalization.
fn modules(bytes: &[u8]) -> Result<(), ConfigError> {
    let modules: Vec<Module> = parse("modules.json", bytes)?;
    for Module { r#type } in modules {
        let kind = r#type.rsplit('.').next().unwrap_or_default();
        if !["Transformer", "Pooling", "Normalize"].contains(&kind) {
            let reason = format!(
                "{kind:?} is not supported, only Transformer, Pooling and Normalize: export the \
                 model to ONNX with its last layer, so that it outputs one vector per text"
            );
            return Err(ConfigError { file: "modules.json", field: "type", reason });
        }
    }
    Ok(())
}

/// The pooling of `1_Pooling/config.json`.
fn pooling(bytes: &[u8]) -> Result<Pooling, ConfigError> {
    let file = "1_Pooling/config.json";
    let found: PoolingFile = parse(file, bytes)?;
    let mut modes: Vec<&str> = match &found.pooling_mode {
        Some(mode) => vec![mode],
        None => Vec::new(),
    };
    let flags = found.others.iter().filter(|(_, value)| **value == serde_json::Value::Bool(true));
    modes.extend(flags.filter_map(|(name, _)| name.strip_prefix("pooling_mode_")));
    match modes.as_slice() {
        ["mean_tokens" | "mean"] => Ok(Pooling::Mean),
        ["cls_token" | "cls"] => Ok(Pooling::Cls),
        _ => {
            let found = if modes.is_empty() { "none".to_owned() } else { modes.join(" and ") };
            let reason = format!("expected either mean_tokens or cls_token, found {found}");
            Err(ConfigError { file, field: "pooling_mode", reason })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(files: ConfigFiles<'_>) -> Result<EncoderConfig, String> {
        EncoderConfig::from_files(files).map_err(|error| error.to_string())
    }

    #[test]
    fn published_files_are_understood() {
        let modules = br#"[{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
            {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}]"#;
        let pooling = br#"{"word_embedding_dimension": 384, "pooling_mode_cls_token": true,
            "pooling_mode_mean_tokens": false, "include_prompt": true}"#;
        let prompts = br#"{"__version__": {"pytorch": "2"}, "prompts": {"query": "query: ",
            "document": "passage: "}, "default_prompt_name": null}"#;
        let config = read(ConfigFiles {
            modules: Some(modules),
            pooling: Some(pooling),
            transformer: Some(br#"{"max_seq_length": 256, "do_lower_case": false}"#),
            prompts: Some(prompts),
        });
        assert_eq!(
            config,
            Ok(EncoderConfig {
                pooling: Pooling::Cls,
                max_tokens: 256,
                query_prefix: "query: ".to_owned(),
                passage_prefix: "passage: ".to_owned(),
            })
        );
        assert_eq!(read(ConfigFiles::default()), Ok(EncoderConfig::default()));
        let newer =
            ConfigFiles { pooling: Some(br#"{"pooling_mode": "cls"}"#), ..Default::default() };
        assert_eq!(read(newer).map(|config| config.pooling), Ok(Pooling::Cls));
    }

    #[test]
    fn errors_name_file_and_field() {
        let dense = br#"[{"type": "sentence_transformers.models.Dense"}]"#;
        let error = read(ConfigFiles { modules: Some(dense), ..Default::default() }).unwrap_err();
        assert!(error.starts_with("modules.json: type: \"Dense\""), "{error}");
        let both = br#"{"pooling_mode_max_tokens": true, "pooling_mode_mean_tokens": true}"#;
        let error = read(ConfigFiles { pooling: Some(both), ..Default::default() }).unwrap_err();
        assert!(error.contains("found max_tokens and mean_tokens"), "{error}");
        let long = br#"{"max_seq_length": 8192}"#;
        let error = read(ConfigFiles { transformer: Some(long), ..Default::default() });
        assert!(error.unwrap_err().contains("max_seq_length: expected 3 to 512"));
        let error = read(ConfigFiles { prompts: Some(b"3"), ..Default::default() }).unwrap_err();
        assert!(error.starts_with("config_sentence_transformers.json: file"), "{error}");
        let large = vec![b' '; MOST_BYTES + 1];
        let error = read(ConfigFiles { prompts: Some(&large), ..Default::default() });
        assert!(error.unwrap_err().contains("at most"));
    }
}
