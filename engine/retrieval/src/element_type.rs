//! Element types of ONNX tensors.

/// ONNX element type f32.
pub(super) const FLOAT: i32 = 1;
/// ONNX element type i64.
pub(super) const INT64: i32 = 7;
/// ONNX element type i8.
pub(super) const INT8: i32 = 3;
