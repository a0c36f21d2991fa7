//! The parts of an ONNX file that hold weights. Native tooling, feature `convert`.
//!
//! Field numbers are those of `onnx.proto` (<https://onnx.ai/onnx/intro/concepts.html>); fields
//! that conversion does not need are left out, and a reader of Protocol Buffers skips them.

use prost::Message;

/// A file.
#[derive(Clone, PartialEq, Message)]
pub struct ModelProto {
    /// The computation.
    #[prost(message, optional, tag = "7")]
    pub graph: Option<GraphProto>,
}

/// A computation: nodes and constants.
#[derive(Clone, PartialEq, Message)]
pub struct GraphProto {
    /// The operations.
    #[prost(message, repeated, tag = "1")]
    pub node: Vec<NodeProto>,
    /// The constants.
    #[prost(message, repeated, tag = "5")]
    pub initializer: Vec<TensorProto>,
}

/// An operation.
#[derive(Clone, PartialEq, Message)]
pub struct NodeProto {
    /// Names of what it takes.
    #[prost(string, repeated, tag = "1")]
    pub input: Vec<String>,
    /// Names of what it gives.
    #[prost(string, repeated, tag = "2")]
    pub output: Vec<String>,
    /// Which operation.
    #[prost(string, tag = "4")]
    pub op_type: String,
    /// Its settings.
    #[prost(message, repeated, tag = "5")]
    pub attribute: Vec<AttributeProto>,
}

/// A setting of an operation.
#[derive(Clone, PartialEq, Message)]
pub struct AttributeProto {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Its value, where that is one number.
    #[prost(float, tag = "2")]
    pub f: f32,
}

/// A constant.
#[derive(Clone, PartialEq, Message)]
pub struct TensorProto {
    /// Its shape.
    #[prost(int64, repeated, tag = "1")]
    pub dims: Vec<i64>,
    /// Type of its elements; 1 is f32.
    #[prost(int32, tag = "2")]
    pub data_type: i32,
    /// Elements one by one, where they are not raw.
    #[prost(float, repeated, tag = "4")]
    pub float_data: Vec<f32>,
    /// Its name.
    #[prost(string, tag = "8")]
    pub name: String,
    /// Elements in row order, little-endian.
    #[prost(bytes = "vec", tag = "9")]
    pub raw_data: Vec<u8>,
}
