//! The parts of an ONNX file that quantization reads or writes; all others pass through as bytes.
//!
//! Source: `onnx.proto` of ONNX, whose field numbers stand here.

use prost::Message;

/// Element type f32.
pub(crate) const FLOAT: i32 = 1;
/// Element type i8.
pub(crate) const INT8: i32 = 3;
/// Attribute type of a whole number.
const INT: i32 = 2;

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Model {
    #[prost(int64, tag = "1")]
    ir_version: i64,
    #[prost(string, tag = "2")]
    producer_name: String,
    #[prost(string, tag = "3")]
    producer_version: String,
    #[prost(string, tag = "4")]
    domain: String,
    #[prost(int64, tag = "5")]
    model_version: i64,
    #[prost(string, tag = "6")]
    doc_string: String,
    #[prost(message, optional, tag = "7")]
    pub(crate) graph: Option<Graph>,
    #[prost(message, repeated, tag = "8")]
    opset_import: Vec<OperatorSet>,
    #[prost(bytes = "vec", repeated, tag = "14")]
    metadata_props: Vec<Vec<u8>>,
    #[prost(bytes = "vec", repeated, tag = "25")]
    functions: Vec<Vec<u8>>,
}

impl Model {
    /// The version of ONNX's own operators, 0 if none is named.
    pub(crate) fn operators(&self) -> i64 {
        let own = self.opset_import.iter().filter(|opset| matches!(&*opset.domain, "" | "ai.onnx"));
        own.map(|opset| opset.version).max().unwrap_or_default()
    }
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct OperatorSet {
    #[prost(string, tag = "1")]
    domain: String,
    #[prost(int64, tag = "2")]
    version: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Graph {
    #[prost(message, repeated, tag = "1")]
    pub(crate) node: Vec<Node>,
    #[prost(string, tag = "2")]
    name: String,
    /// Each a [`Tensor`].
    #[prost(bytes = "vec", repeated, tag = "5")]
    pub(crate) initializer: Vec<Vec<u8>>,
    #[prost(string, tag = "10")]
    doc_string: String,
    #[prost(bytes = "vec", repeated, tag = "11")]
    input: Vec<Vec<u8>>,
    #[prost(bytes = "vec", repeated, tag = "12")]
    output: Vec<Vec<u8>>,
    #[prost(bytes = "vec", repeated, tag = "13")]
    value_info: Vec<Vec<u8>>,
    #[prost(bytes = "vec", repeated, tag = "14")]
    quantization_annotation: Vec<Vec<u8>>,
    #[prost(bytes = "vec", repeated, tag = "15")]
    sparse_initializer: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Node {
    #[prost(string, repeated, tag = "1")]
    pub(crate) input: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    pub(crate) output: Vec<String>,
    #[prost(string, tag = "3")]
    pub(crate) name: String,
    #[prost(string, tag = "4")]
    pub(crate) op_type: String,
    /// Each an [`Attribute`].
    #[prost(bytes = "vec", repeated, tag = "5")]
    pub(crate) attribute: Vec<Vec<u8>>,
    #[prost(string, tag = "6")]
    pub(crate) doc_string: String,
    #[prost(string, tag = "7")]
    pub(crate) domain: String,
}

/// An attribute that is a whole number.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Attribute {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(int64, tag = "3")]
    pub(crate) i: i64,
    #[prost(int32, tag = "20")]
    kind: i32,
}

impl Attribute {
    pub(crate) fn int(name: &str, i: i64) -> Self {
        Attribute { name: name.to_owned(), i, kind: INT }
    }
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Tensor {
    #[prost(int64, repeated, tag = "1")]
    pub(crate) dims: Vec<i64>,
    #[prost(int32, tag = "2")]
    pub(crate) data_type: i32,
    #[prost(float, repeated, tag = "4")]
    pub(crate) float_data: Vec<f32>,
    #[prost(string, tag = "8")]
    pub(crate) name: String,
    #[prost(bytes = "vec", tag = "9")]
    pub(crate) raw_data: Vec<u8>,
}
