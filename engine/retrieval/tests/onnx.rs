//! Models other than the built-in one: a tiny generated ONNX file with known vectors.

#![expect(clippy::expect_used, reason = "a test that cannot make its model has failed")]

use prost::Message;
use quantize::{QuantizeError, quantize};
use retrieval::{EmbeddingModel, Encoder, EncoderConfig, ModelError, Pooling, RetrievalError};
use serde_json::json;
use tract_onnx::pb::attribute_proto::AttributeType;
use tract_onnx::pb::tensor_shape_proto::{Dimension, dimension};
use tract_onnx::pb::type_proto::{Tensor as TensorType, Value};
use tract_onnx::pb::{
    AttributeProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto,
    TensorShapeProto, TypeProto, ValueInfoProto,
};
use tract_onnx::prelude::*;

const FLOAT: i32 = 1;
const INT64: i32 = 7;
/// Enough rows for the table to be quantized.
const ROWS: usize = 1 << 16;
const WIDTH: usize = 16;
const OUTPUTS: usize = 8;

/// Pseudo-random numbers from -1 to 1.
fn noise(count: usize, seed: u32) -> Vec<f32> {
    let number = |at: u32| (at.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 8) as f32;
    (0..count as u32).map(|at| number(at) / (1 << 23) as f32 - 1.0).collect()
}

fn tensor(name: &str, shape: &[usize], numbers: &[f32]) -> TensorProto {
    TensorProto {
        name: name.to_owned(),
        dims: shape.iter().map(|size| *size as i64).collect(),
        data_type: FLOAT,
        raw_data: numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
        ..TensorProto::default()
    }
}

fn node(op_type: &str, input: &[&str], output: &str) -> NodeProto {
    NodeProto {
        op_type: op_type.to_owned(),
        input: input.iter().map(|name| (*name).to_owned()).collect(),
        output: vec![output.to_owned()],
        ..NodeProto::default()
    }
}

fn axis(axis: i64) -> AttributeProto {
    AttributeProto {
        name: "axis".to_owned(),
        r#type: AttributeType::Int as i32,
        i: axis,
        ..AttributeProto::default()
    }
}

fn value(name: &str, elem_type: i32, shape: &[&str]) -> ValueInfoProto {
    let dimension = |name: &&str| Dimension {
        value: Some(dimension::Value::DimParam((*name).to_owned())),
        ..Dimension::default()
    };
    let shape = TensorShapeProto { dim: shape.iter().map(dimension).collect() };
    let tensor = Value::TensorType(TensorType { elem_type, shape: Some(shape) });
    let of = TypeProto { value: Some(tensor), ..TypeProto::default() };
    ValueInfoProto { name: name.to_owned(), r#type: Some(of), ..ValueInfoProto::default() }
}

/// A model of [`ROWS`] words.
fn tiny() -> ModelProto {
    model(ROWS)
}

/// `words[ids] · matrix + bias`, one vector per token.
fn model(rows: usize) -> ModelProto {
    let inputs = ["input_ids", "attention_mask", "token_type_ids"];
    let graph = GraphProto {
        name: "tiny".to_owned(),
        input: inputs.iter().map(|name| value(name, INT64, &["batch", "length"])).collect(),
        initializer: vec![
            tensor("words", &[rows, WIDTH], &noise(rows * WIDTH, 1)),
            tensor("matrix", &[WIDTH, OUTPUTS], &noise(WIDTH * OUTPUTS, 2)),
            tensor("bias", &[OUTPUTS], &noise(OUTPUTS, 3)),
        ],
        node: vec![
            node("Gather", &["words", "input_ids"], "looked_up"),
            node("MatMul", &["looked_up", "matrix"], "product"),
            node("Add", &["bias", "product"], "hidden"),
        ],
        output: vec![value("hidden", FLOAT, &["batch", "length", "width"])],
        ..GraphProto::default()
    };
    ModelProto {
        ir_version: 8,
        opset_import: vec![OperatorSetIdProto { domain: String::new(), version: 17 }],
        graph: Some(graph),
        ..ModelProto::default()
    }
}

/// The encoded model after a change to its graph.
fn changed(change: impl FnOnce(&mut GraphProto)) -> Vec<u8> {
    let mut model = tiny();
    change(model.graph.as_mut().expect("a graph"));
    model.encode_to_vec()
}

/// The expected vector of a token.
fn expected(id: usize) -> Vec<f32> {
    let (words, matrix) = (noise(ROWS * WIDTH, 1), noise(WIDTH * OUTPUTS, 2));
    let row = &words[id * WIDTH..][..WIDTH];
    let column = |at: usize| matrix[at..].iter().step_by(OUTPUTS);
    let product = |at: usize| row.iter().zip(column(at)).map(|(a, b)| a * b).sum::<f32>();
    noise(OUTPUTS, 3).iter().enumerate().map(|(at, bias)| product(at) + bias).collect()
}

fn unit(vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    vector.into_iter().map(|number| number / length).collect()
}

fn check_close(found: &[f32], expected: &[f32], tolerance: f32) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= tolerance, "{found}, not {expected}");
    }
}

fn embed(onnx: Vec<u8>, pooling: Pooling, ids: &[u32]) -> Result<Vec<f32>, ModelError> {
    EmbeddingModel::read(onnx, pooling)?.embed(ids)
}

#[test]
fn pools_by_its_configuration() {
    let onnx = tiny().encode_to_vec();
    let (first, second) = (expected(7), expected(ROWS - 1));
    let mean = first.iter().zip(&second).map(|(a, b)| (a + b) / 2.0).collect();
    let ids = [7, ROWS as u32 - 1];
    let found = embed(onnx.clone(), Pooling::Mean, &ids).expect("a vector");
    check_close(&found, &unit(mean), 1e-6);
    let found = embed(onnx, Pooling::Cls, &ids).expect("a vector");
    check_close(&found, &unit(first.clone()), 1e-6);
    // The model's own text vector, here the first token's.
    let onnx = changed(|graph| {
        let zero =
            TensorProto { data_type: INT64, raw_data: vec![0; 8], ..tensor("zero", &[], &[]) };
        graph.initializer.push(zero);
        let mut first = node("Gather", &["hidden", "zero"], "pooled");
        first.attribute.push(axis(1));
        graph.node.push(first);
        graph.output.push(value("pooled", FLOAT, &["batch", "width"]));
    });
    let found = embed(onnx, Pooling::Model, &ids).expect("a vector");
    check_close(&found, &unit(first), 1e-6);
}

#[test]
fn quantized_files_are_small_and_mean_the_same_everywhere() {
    let onnx = tiny().encode_to_vec();
    let small = quantize(&onnx).expect("weights to quantize");
    // A quarter of the bytes, plus one step per row.
    assert!(small.len() < onnx.len() / 3, "{} of {} bytes", small.len(), onnx.len());
    let ids = [3, 50_000, 12];
    let exact = embed(onnx, Pooling::Mean, &ids).expect("a vector");
    let ours = embed(small.clone(), Pooling::Mean, &ids).expect("a vector");
    check_close(&ours, &exact, 0.02);
    // Plain tract, without the integer layers, must agree.
    let plain = tract_onnx::onnx().model_for_read(&mut &*small).expect("an ONNX file");
    let fact = || InferenceFact::dt_shape(i64::datum_type(), [1, ids.len()]);
    let plain = (0..3).try_fold(plain, |model, at| model.with_input_fact(at, fact()));
    let plain = plain.and_then(|model| model.into_optimized()?.into_runnable()).expect("a model");
    let input = |numbers: [i64; 3]| Tensor::from_shape(&[1, 3], &numbers).expect("3 numbers");
    let inputs = [ids.map(i64::from), [1; 3], [0; 3]].map(|it| input(it).into_tvalue());
    let output = plain.run(inputs.into_iter().collect()).expect("an answer");
    let hidden = output[0].to_plain_array_view::<f32>().expect("f32");
    let sum = |at: usize| (0..ids.len()).map(|token| hidden[[0, token, at]]).sum::<f32>();
    check_close(&ours, &unit((0..OUTPUTS).map(sum).collect()), 1e-3);
}

#[test]
fn positions_that_no_text_reaches_are_dropped() {
    let with = |name: &str| {
        let onnx = changed(|graph| {
            graph.initializer.push(tensor(name, &[512, WIDTH], &noise(512 * WIDTH, 4)));
            graph.node[1].input[0] = "placed".to_owned();
            graph.node.insert(1, node("Gather", &[name, "token_type_ids"], "placed_at"));
            graph.node.insert(2, node("Add", &["looked_up", "placed_at"], "placed"));
        });
        let small = quantize(&onnx).expect("weights to quantize");
        let ids = [3, 7];
        let [exact, ours] =
            [onnx, small.clone()].map(|onnx| embed(onnx, Pooling::Mean, &ids).expect("a vector"));
        check_close(&ours, &exact, 0.02);
        small.len()
    };
    let dropped = with("any.other_embeddings.weight") - with("any.position_embeddings.weight");
    assert_eq!(quantize::MAX_TOKENS, retrieval::MAX_TOKENS);
    // The names have the same effect on the size, up to their lengths.
    assert!(dropped.abs_diff((512 - 128) * WIDTH * 4) < 32, "{dropped}");
}

#[test]
fn a_table_that_is_used_twice_stays() {
    let onnx = changed(|graph| {
        graph.node.push(node("Transpose", &["words"], "transposed"));
        graph.output.push(value("transposed", FLOAT, &["width", "rows"]));
    });
    let small = quantize(&onnx).expect("weights to quantize");
    embed(small, Pooling::Mean, &[1]).expect("a vector");
}

#[test]
fn refusals_name_what_is_wrong() {
    let onnx = changed(|graph| graph.node[2].op_type = "Frobnicate".to_owned());
    let error = EmbeddingModel::read(onnx, Pooling::Mean).expect_err("no such operator");
    assert_eq!(error, ModelError::UnsupportedOperators(vec!["Frobnicate".to_owned()]));
    let onnx = changed(|graph| graph.input[1].name = "pixel_values".to_owned());
    let error = EmbeddingModel::read(onnx, Pooling::Mean).expect_err("a model of images");
    assert_eq!(error, ModelError::Input("pixel_values".to_owned()));
    let onnx = tiny().encode_to_vec();
    let error = EmbeddingModel::read(onnx.clone(), Pooling::Model).expect_err("no such output");
    assert!(matches!(error, ModelError::Output { rank: 2, .. }), "{error}");
    let error = embed(onnx, Pooling::Mean, &[0, ROWS as u32]).expect_err("no such token");
    assert_eq!(error, ModelError::Token { rows: ROWS, id: ROWS as u32 });
    let mut old = tiny();
    old.opset_import[0].version = 12;
    let error = quantize(&old.encode_to_vec()).expect_err("too old").to_string();
    assert!(error.contains("version 13"), "{error}");
    let bare = changed(|graph| graph.node.clear());
    assert!(matches!(quantize(&bare), Err(QuantizeError::NoWeights)));
}

#[test]
fn a_graph_of_too_many_nodes_is_refused_at_once() {
    let count = 100_000;
    let onnx = changed(|graph| {
        graph.node.extend((0..count).map(|at| node("Identity", &["hidden"], &format!("n{at}"))));
    });
    let error = EmbeddingModel::read(onnx, Pooling::Mean).expect_err("a graph that takes minutes");
    assert_eq!(error, ModelError::Nodes(count + 3));
    // Subgraphs count too.
    let onnx = changed(|graph| {
        let inner =
            GraphProto { node: vec![node("Identity", &["a"], "b"); count], ..graph.clone() };
        let attribute = AttributeProto { g: Some(inner), ..axis(0) };
        graph.node[2].attribute.push(attribute);
    });
    let error = EmbeddingModel::read(onnx, Pooling::Mean).expect_err("a graph that takes minutes");
    assert_eq!(error, ModelError::Nodes(count + 3));
}

#[test]
fn damaged_files_are_refused() {
    let missing = changed(|graph| graph.initializer.clear());
    assert!(EmbeddingModel::read(missing, Pooling::Mean).is_err(), "no weights");
    // Few words, so that every cut can be tried.
    let onnx = model(4).encode_to_vec();
    embed(onnx.clone(), Pooling::Mean, &[1]).expect("the whole file is accepted");
    for end in 0..onnx.len() {
        assert!(EmbeddingModel::read(onnx[..end].to_vec(), Pooling::Mean).is_err(), "cut at {end}");
    }
    assert!(EmbeddingModel::read(b"<html>".to_vec(), Pooling::Mean).is_err());
}

#[test]
fn any_model_with_its_tokenizer_is_an_encoder() {
    let tokenizer = json!({
        "normalizer": { "type": "BertNormalizer" },
        "pre_tokenizer": { "type": "BertPreTokenizer" },
        "model": { "type": "WordPiece", "unk_token": "?", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": { "?": 0, "query": 5, ":": 6, "alarm": 7, "none": ROWS } },
    });
    let tokenizer = tokenizer.to_string().into_bytes();
    let config = EncoderConfig { query_prefix: "query: ".to_owned(), ..EncoderConfig::default() };
    let encoder = Encoder::from_onnx(tiny().encode_to_vec(), &tokenizer, config);
    let encoder = encoder.expect("an encoder");
    let passage = encoder.encode_passage("Alarm").expect("a vector");
    check_close(&passage, &unit(expected(7)), 1e-6);
    let query = encoder.encode_query("alarm").expect("a vector");
    assert_eq!(query, encoder.encode("query : alarm").expect("a vector"));
    assert_ne!(query, passage);
    let error = encoder.encode("none").expect_err("a word of another model");
    assert!(matches!(error, RetrievalError::Model(ModelError::Token { .. })), "{error}");
}
