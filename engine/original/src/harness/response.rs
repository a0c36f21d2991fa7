//! The result of a call, and the recorded result of the gold call, with Python's access semantics.

use super::python::Py;
use serde_json::Value as Json;

/// An exception raised by a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CheckFault {
    /// The check's assertion of equal names fails.
    Assertion,
    /// The check reads a missing field: its name.
    Key(String),
    /// Another exception: its Python type.
    Raised(&'static str),
}

/// The recorded result of the gold call.
#[derive(Debug)]
pub(super) struct Gold(Py);

impl Gold {
    pub(super) fn new(result: &Json) -> Self {
        Self(Py::from(result))
    }

    /// A field of the result.
    ///
    /// # Errors
    /// Same as [`subscript`].
    pub(super) fn get(&self, key: &str) -> Result<&Py, CheckFault> {
        subscript(&self.0, key)
    }

    /// A field of the recorded input.
    ///
    /// # Errors
    /// Same as [`subscript`].
    pub(super) fn input(&self, key: &str) -> Result<&Py, CheckFault> {
        subscript(self.get("input")?, key)
    }
}

/// `value[key]` for a string key.
///
/// # Errors
/// `KeyError` for a missing key, `TypeError` for a value that is not a dict.
pub(super) fn subscript<'a>(value: &'a Py, key: &str) -> Result<&'a Py, CheckFault> {
    let dict = value.as_dict().ok_or(CheckFault::Raised("TypeError"))?;
    dict.get(key).ok_or_else(|| CheckFault::Key(key.to_owned()))
}

/// The string that a string method is called on.
///
/// # Errors
/// `AttributeError` if the value is not a string.
pub(super) fn text_of(value: &Py) -> Result<&str, CheckFault> {
    value.as_text().ok_or(CheckFault::Raised("AttributeError"))
}

/// A result: `output` or `exception` is `None`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Response {
    pub(super) api_name: Option<&'static str>,
    pub(super) input: Py,
    pub(super) output: Py,
    pub(super) exception: Py,
}

impl Response {
    /// A field of the input.
    ///
    /// # Errors
    /// Same as [`subscript`]: `KeyError` if missing, `TypeError` without an input.
    pub(super) fn input(&self, key: &str) -> Result<&Py, CheckFault> {
        subscript(&self.input, key)
    }
}
