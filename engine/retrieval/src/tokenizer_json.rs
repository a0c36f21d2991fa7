//! Parses a `tokenizer.json`, the format of Hugging Face's `tokenizers`.
//!
//! Supports WordPiece with BERT's normalizer and pre-tokenizer, as in MiniLM, BGE, E5, GTE and
//! MPNet. For other tokenizers, such as SentencePiece and BPE, the error names the type.

use super::wordpiece::{Rules, TokenizerError, Vocabulary, WordPiece};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The types of the tokenizer's parts.
#[derive(Deserialize)]
struct Family {
    model: Typed,
    #[serde(default)]
    pre_tokenizer: Option<Typed>,
    #[serde(default)]
    normalizer: Option<Typed>,
    #[serde(default)]
    post_processor: Option<Typed>,
}

#[derive(Deserialize)]
struct Typed {
    #[serde(default)]
    r#type: String,
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    added_tokens: Vec<AddedToken>,
    normalizer: BertNormalizer,
    #[serde(default)]
    post_processor: Option<PostProcessor>,
    model: Model,
}

#[derive(Deserialize)]
struct AddedToken {
    id: u32,
    content: String,
}

#[derive(Deserialize)]
struct BertNormalizer {
    #[serde(default = "yes")]
    clean_text: bool,
    #[serde(default = "yes")]
    handle_chinese_chars: bool,
    /// Defaults to `lowercase`.
    #[serde(default)]
    strip_accents: Option<bool>,
    #[serde(default = "yes")]
    lowercase: bool,
}

fn yes() -> bool {
    true
}

/// Adds special tokens around a text.
#[derive(Deserialize)]
#[serde(tag = "type")]
enum PostProcessor {
    #[serde(rename = "TemplateProcessing")]
    Template { single: Vec<Piece>, special_tokens: BTreeMap<String, SpecialToken> },
    #[serde(rename = "BertProcessing")]
    Bert { cls: (String, u32), sep: (String, u32) },
    #[serde(rename = "RobertaProcessing")]
    Roberta { cls: (String, u32), sep: (String, u32) },
}

/// An element in the template of a single text.
#[derive(Deserialize)]
enum Piece {
    SpecialToken { id: String },
    Sequence {},
}

#[derive(Deserialize)]
struct SpecialToken {
    ids: Vec<u32>,
}

#[derive(Deserialize)]
struct Model {
    unk_token: String,
    continuing_subword_prefix: String,
    max_input_chars_per_word: usize,
    vocab: BTreeMap<String, u32>,
}

impl WordPiece {
    /// Parses a `tokenizer.json`. `max_tokens` limits the ids per text.
    ///
    /// # Errors
    /// When the file is invalid, or the tokenizer is not supported.
    pub fn from_json(json: &[u8], max_tokens: usize) -> Result<Self, TokenizerError> {
        let not_json = |error: serde_json::Error| TokenizerError::NotJson(error.to_string());
        // Check the types first: other types have other fields, and would fail with a missing
        // field.
        let family: Family = serde_json::from_slice(json).map_err(not_json)?;
        let none = Typed { r#type: "none".to_owned() };
        let part = |part: Option<Typed>| part.map(|part| part.r#type);
        check("model", family.model.r#type, &["WordPiece"], "WordPiece")?;
        let normalizer = family.normalizer.unwrap_or(none).r#type;
        check("normalizer", normalizer, &["BertNormalizer"], "BertNormalizer")?;
        if let Some(splitting) = part(family.pre_tokenizer) {
            check("pre_tokenizer", splitting, &["BertPreTokenizer"], "BertPreTokenizer")?;
        }
        if let Some(around) = part(family.post_processor) {
            let known = ["TemplateProcessing", "BertProcessing", "RobertaProcessing"];
            check("post_processor", around, &known, "TemplateProcessing and BertProcessing")?;
        }
        Self::of(serde_json::from_slice(json).map_err(not_json)?, max_tokens)
    }

    fn of(file: File, max_tokens: usize) -> Result<Self, TokenizerError> {
        let File { added_tokens, normalizer, post_processor, model } = file;
        let pieces = model.vocab.iter().map(|(piece, id)| (piece.as_str(), *id));
        let vocabulary = Vocabulary::new(pieces)?;
        let unknown = vocabulary.id(model.unk_token.as_bytes()).ok_or_else(|| {
            TokenizerError::Vocabulary(format!("the unk_token {:?}", model.unk_token))
        })?;
        let (before, after) = around(post_processor)?;
        let specials = added_tokens.into_iter().map(|token| (token.content, token.id));
        let rules = Rules {
            // An empty token would match forever.
            specials: specials.filter(|(token, _)| !token.is_empty()).collect(),
            before,
            after,
            unknown,
            inside: model.continuing_subword_prefix,
            max_word_chars: model.max_input_chars_per_word,
            max_tokens,
            clean: normalizer.clean_text,
            split_ideographs: normalizer.handle_chinese_chars,
            strip_accents: normalizer.strip_accents.unwrap_or(normalizer.lowercase),
            lowercase: normalizer.lowercase,
        };
        Ok(Self { vocabulary, rules })
    }
}

fn check(
    field: &'static str,
    found: String,
    known: &[&str],
    supported: &'static str,
) -> Result<(), TokenizerError> {
    if known.contains(&found.as_str()) {
        return Ok(());
    }
    Err(TokenizerError::Unsupported { field, found, supported })
}

/// The ids before and after a text.
fn around(processor: Option<PostProcessor>) -> Result<(Vec<u32>, Vec<u32>), TokenizerError> {
    let (single, special_tokens) = match processor {
        None => return Ok((Vec::new(), Vec::new())),
        Some(PostProcessor::Bert { cls, sep } | PostProcessor::Roberta { cls, sep }) => {
            return Ok((vec![cls.1], vec![sep.1]));
        }
        Some(PostProcessor::Template { single, special_tokens }) => (single, special_tokens),
    };
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let mut is_after = false;
    for piece in single {
        let Piece::SpecialToken { id } = piece else {
            is_after = true;
            continue;
        };
        let token = special_tokens.get(&id).ok_or_else(|| {
            TokenizerError::NotJson(format!("post_processor.special_tokens lacks {id:?}"))
        })?;
        if is_after { &mut after } else { &mut before }.extend(&token.ids);
    }
    Ok((before, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn file() -> Value {
        json!({
            "added_tokens": [{ "id": 1, "content": "<s>" }, { "id": 2, "content": "</s>" }],
            "normalizer": { "type": "BertNormalizer", "lowercase": true, "strip_accents": null },
            "pre_tokenizer": { "type": "BertPreTokenizer" },
            "post_processor": { "type": "TemplateProcessing",
                "single": [
                    { "SpecialToken": { "id": "<s>", "type_id": 0 } },
                    { "Sequence": { "id": "A", "type_id": 0 } },
                    { "SpecialToken": { "id": "</s>", "type_id": 0 } },
                ],
                "special_tokens": {
                    "<s>": { "id": "<s>", "ids": [1], "tokens": ["<s>"] },
                    "</s>": { "id": "</s>", "ids": [2], "tokens": ["</s>"] },
                } },
            "model": { "type": "WordPiece", "unk_token": "?", "continuing_subword_prefix": "@",
                "max_input_chars_per_word": 5,
                "vocab": { "?": 7, "<s>": 1, "</s>": 2, "un": 10, "@do": 11, "cafe": 12 } },
        })
    }

    fn read(file: &Value) -> Result<WordPiece, TokenizerError> {
        WordPiece::from_json(file.to_string().as_bytes(), 6)
    }

    #[test]
    fn follows_what_the_file_says() {
        let tokenizer = read(&file()).expect("a tokenizer");
        assert_eq!(tokenizer.encode("Undo CAFÉ"), [1, 10, 11, 12, 2]);
        assert_eq!(tokenizer.encode("undone abcdef </s> un un"), [1, 7, 7, 2, 10, 2]);
        let mut cased = file();
        cased["normalizer"]["lowercase"] = json!(false);
        cased["post_processor"] =
            json!({ "type": "BertProcessing", "sep": ["</s>", 2], "cls": ["<s>", 1] });
        let cased = read(&cased).expect("a tokenizer");
        assert_eq!(cased.encode("Un un café"), [1, 7, 10, 7, 2]);
    }

    #[test]
    fn names_what_it_does_not_know() {
        for (field, other) in [
            ("model", json!({ "type": "Unigram", "vocab": [["a", -1.5]] })),
            ("normalizer", json!({ "type": "Precompiled" })),
            ("pre_tokenizer", json!({ "type": "ByteLevel" })),
            ("post_processor", json!({ "type": "ByteLevel" })),
        ] {
            let mut file = file();
            let found = other["type"].as_str().unwrap_or_default().to_owned();
            file[field] = other;
            let error = read(&file).expect_err("another family");
            assert!(
                matches!(&error, TokenizerError::Unsupported { field: of, found: it, .. }
                    if *of == field && *it == found),
                "{error}"
            );
        }
        let mut file = file();
        file["model"]["unk_token"] = json!("[UNK]");
        let error = read(&file).expect_err("no such token").to_string();
        assert!(error.contains("[UNK]"), "{error}");
        assert!(WordPiece::from_json(b"<html>", 6).is_err());
    }
}
