//! The result of a call.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A call's result in API-Bank's format.
///
/// Exactly one of `output` and `exception` is present.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ApiResult {
    /// The API that was called.
    pub api_name: String,
    /// The arguments as they were understood.
    #[serde(default)]
    pub input: Value,
    /// The output of a call that succeeded.
    #[serde(default)]
    pub output: Option<Value>,
    /// The message of a call that failed.
    #[serde(default)]
    pub exception: Option<String>,
}

impl ApiResult {
    /// The result of a failed call.
    pub fn failure(api_name: &str, input: Value, message: impl Into<String>) -> Self {
        ApiResult {
            api_name: api_name.to_owned(),
            input,
            output: None,
            exception: Some(message.into()),
        }
    }

    /// Whether output and exception are equal. Ignores the input.
    pub fn same_outcome(&self, other: &ApiResult) -> bool {
        self.output == other.output && self.exception == other.exception
    }
}
