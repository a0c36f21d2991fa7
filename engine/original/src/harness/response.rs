//! The result of a call and the one recorded with the gold call, read as Python reads them.

use super::python::Py;
use serde_json::Value as Json;

/// How a check ends other than in yes or no.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CheckFault {
    /// Its own assertion that the names agree fails.
    Assertion,
    /// It reads a field that is not there.
    Key(String),
    /// Python raises something else: the type of the exception.
    Raised(&'static str),
}

/// The result recorded with the gold call.
#[derive(Debug)]
pub(super) struct Gold(Py);

impl Gold {
    pub(super) fn new(result: &Json) -> Self {
        Self(Py::from(result))
    }

    /// A field of the result.
    ///
    /// # Errors
    /// As a Python subscript.
    pub(super) fn get(&self, key: &str) -> Result<&Py, CheckFault> {
        subscript(&self.0, key)
    }

    /// A field of the recorded input.
    ///
    /// # Errors
    /// As a Python subscript.
    pub(super) fn input(&self, key: &str) -> Result<&Py, CheckFault> {
        subscript(self.get("input")?, key)
    }
}

/// `value[key]` for a text key.
///
/// # Errors
/// `KeyError` for an absent key, `TypeError` for a value without keys.
pub(super) fn subscript<'a>(value: &'a Py, key: &str) -> Result<&'a Py, CheckFault> {
    let dict = value.as_dict().ok_or(CheckFault::Raised("TypeError"))?;
    dict.get(key).ok_or_else(|| CheckFault::Key(key.to_owned()))
}

/// A text method called on a value: only a text has it.
///
/// # Errors
/// `AttributeError` for everything else.
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
    /// As a Python subscript: `KeyError` when absent, `TypeError` when there is no input.
    pub(super) fn input(&self, key: &str) -> Result<&Py, CheckFault> {
        subscript(&self.input, key)
    }
}
