//! A tool that a file describes, and why a file can't be read.

use serde_json::{Map, Value};

/// Why a list of tools can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {reason}")]
pub struct ToolsError {
    /// The field, such as `tools[3].name`.
    pub field: String,
    /// What was expected and what was found.
    pub reason: String,
}

pub(crate) fn error(field: impl Into<String>, reason: impl Into<String>) -> ToolsError {
    ToolsError { field: field.into(), reason: reason.into() }
}

/// A tool in a file.
pub(crate) struct Found {
    /// The field of its name, for errors.
    pub(crate) field: String,
    pub(crate) name: String,
    pub(crate) description: String,
    /// JSON Schema of its arguments.
    pub(crate) parameters: Value,
    /// Whether the file says that a call changes nothing.
    pub(crate) read_only: bool,
}

/// The fields of an object.
pub(crate) fn object<'a>(
    field: &str,
    value: &'a Value,
) -> Result<&'a Map<String, Value>, ToolsError> {
    value
        .as_object()
        .ok_or_else(|| error(field, format!("expected an object, found {}", kind(value))))
}

/// The kind of a value, for errors.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
