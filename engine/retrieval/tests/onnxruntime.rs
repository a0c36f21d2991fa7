//! Vectors of a public model agree with those of onnxruntime (`retrieval_support/onnxruntime.py`
//! makes the file).

use retrieval::{ConfigFiles, Encoder, EncoderConfig};
use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Deserialize)]
struct Row {
    text: String,
    /// Every eighth dimension.
    vector: Vec<f32>,
}

/// The `tokenizer.json` of bert-base-uncased.
fn tokenizer_json(vocabulary: &str) -> Vec<u8> {
    let pieces = vocabulary.lines().enumerate();
    let vocab: Map<String, Value> =
        pieces.map(|(id, piece)| (piece.to_owned(), id.into())).collect();
    let id = |piece: &str| vocab.get(piece).cloned().unwrap_or_default();
    let special = |piece: &str| json!({"id": piece, "ids": [id(piece)], "tokens": [piece]});
    let (cls, sep) = (special("[CLS]"), special("[SEP]"));
    let file = json!({
        "added_tokens": [],
        "normalizer": {"type": "BertNormalizer", "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
            ],
            "special_tokens": {"[CLS]": cls, "[SEP]": sep},
        },
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": vocab,
        },
    });
    file.to_string().into_bytes()
}

#[test]
fn paraphrase_minilm_l3_agrees_with_onnxruntime() {
    let what = "the comparison with onnxruntime";
    let Some(onnx) = fixtures::cached("model/paraphrase-minilm-l3-v2.onnx", what) else { return };
    let Some(vocabulary) = fixtures::cached("model/vocab.txt", what) else { return };
    let onnx = std::fs::read(onnx).expect("the model");
    let vocabulary = std::fs::read_to_string(vocabulary).expect("the vocabulary");
    let config = EncoderConfig::from_files(ConfigFiles {
        pooling: Some(br#"{"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": false}"#),
        transformer: Some(br#"{"max_seq_length": 128}"#),
        ..ConfigFiles::default()
    });
    let config = config.expect("a configuration");
    let encoder =
        Encoder::from_onnx(onnx, &tokenizer_json(&vocabulary), config).expect("an encoder");
    let rows: Vec<Row> = serde_json::from_str(include_str!("retrieval_support/onnxruntime.json"))
        .expect("rows of vectors");
    assert_eq!(rows.len(), 8);
    for Row { text, vector } in rows {
        let found = encoder.encode(&text).expect("a vector");
        assert_eq!(found.len(), 8 * vector.len());
        for (found, expected) in found.iter().step_by(8).zip(&vector) {
            assert!((found - expected).abs() < 1e-4, "{text:?}: {found}, not {expected}");
        }
    }
}
