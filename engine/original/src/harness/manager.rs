//! The tool manager: checks and converts a call's parameters, and turns an API's exception into a
//! result.

pub(super) use super::response::Response;

use super::python::{Dict, Py};
use super::response::{CheckFault, Gold};
use super::tables::{Databases, Described, Descriptions, Table};
use super::text::{is_digit, parse_float, parse_int};
use super::{Suite, ToolRanker};
use indexmap::IndexMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The declared type of a parameter; types that the manager treats alike share a variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `str`, `list` and `list(str)`: the raw text, never parsed.
    Raw,
    /// `int`: digits only.
    Int,
    /// `float`: digits and at most one point.
    Float,
    /// `bool`: true for the exact text `True`.
    Bool,
}

/// A declared parameter.
#[derive(Debug)]
pub(super) struct Param {
    name: &'static str,
    kind: Kind,
    required: bool,
}

/// A required parameter.
pub(super) const fn req(name: &'static str, kind: Kind) -> Param {
    Param { name, kind, required: true }
}

/// A required string parameter.
pub(super) const fn text(name: &'static str) -> Param {
    req(name, Kind::Raw)
}

/// An optional parameter.
pub(super) const fn opt(name: &'static str, kind: Kind) -> Param {
    Param { name, kind, required: false }
}

/// The fields of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// `api_name`, `input`, `output`, `exception`.
    Full,
    /// Without `api_name`.
    Nameless,
    /// With an `input` of `None`.
    NoInput,
}

/// An API of the original.
#[derive(Debug)]
pub(super) struct Api {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    pub(super) params: &'static [Param],
    /// Runs the API on checked arguments.
    pub(super) call: fn(&mut World<'_>, &Args) -> Result<Py, Fault>,
    /// Compares a result with the gold.
    pub(super) check: fn(&Response, &Gold) -> Result<bool, CheckFault>,
}

/// A failure inside an API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// The API catches the exception; its message becomes the result's `exception`.
    Exception(String),
    /// The API doesn't catch the exception: its Python type and message.
    Escaped(&'static str, String),
    /// The API never returns.
    Hang,
}

impl From<&str> for Fault {
    fn from(text: &str) -> Self {
        Self::Exception(text.to_owned())
    }
}

impl From<String> for Fault {
    fn from(text: String) -> Self {
        Self::Exception(text)
    }
}

/// Why a call has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CallError {
    /// The suite has no such API.
    UnknownTool,
    /// The API does not declare this parameter.
    UnknownParameter(String),
    /// The text is not all digits (an `AssertionError` in the original).
    BadNumber(String),
    /// The text is all digits but does not parse (a `ValueError` in the original).
    NoNumber(String),
    /// A required parameter is missing.
    MissingParameter(&'static str),
    /// The API raises an exception: its Python type and message.
    Escaped(&'static str, String),
    /// The API never returns.
    Hang,
}

/// The arguments of a call, converted.
#[derive(Debug, Default)]
pub(super) struct Args(Dict);

impl Args {
    /// A string argument; empty if omitted.
    pub(super) fn text(&self, name: &str) -> &str {
        self.0.get(name).and_then(Py::as_text).unwrap_or("")
    }

    /// An argument, if given.
    pub(super) fn get(&self, name: &str) -> Option<&Py> {
        self.0.get(name)
    }

    /// An argument as a value to store; [`Py::None`] if omitted.
    pub(super) fn value(&self, name: &str) -> Py {
        self.get(name).cloned().unwrap_or(Py::None)
    }

    /// An integer argument; 0 if omitted.
    pub(super) fn int(&self, name: &str) -> i128 {
        match self.0.get(name) {
            Some(Py::Int(value)) => *value,
            _ => 0,
        }
    }

    /// A float argument; 0 if omitted.
    pub(super) fn float(&self, name: &str) -> f64 {
        match self.0.get(name) {
            Some(Py::Float(value)) => *value,
            _ => 0.0,
        }
    }

    /// A row of the named arguments.
    pub(super) fn row<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Dict {
        names.into_iter().map(|name| (name.into(), self.value(name))).collect()
    }
}

/// The state that calls read and write: the loaded tables, copied on write.
pub(super) struct World<'a> {
    pub(super) suite: Suite,
    pub(super) databases: &'a Databases,
    descriptions: &'a Descriptions,
    ranker: &'a dyn ToolRanker,
    written: BTreeMap<Table, Py>,
    /// The user to whom the first call of ForgotPassword sent the code.
    pub(super) recovering: Option<String>,
    /// Accounts opened by OpenBankAccount, without the initial one.
    pub(super) opened: Vec<String>,
}

impl<'a> World<'a> {
    /// A world with all tables as loaded.
    pub(super) fn new(
        suite: Suite,
        databases: &'a Databases,
        descriptions: &'a Descriptions,
        ranker: &'a dyn ToolRanker,
    ) -> Self {
        Self {
            suite,
            databases,
            descriptions,
            ranker,
            written: BTreeMap::new(),
            recovering: None,
            opened: Vec::new(),
        }
    }

    /// A table with the changes so far.
    pub(super) fn read(&self, table: Table) -> &Py {
        self.written.get(&table).unwrap_or_else(|| self.databases.table(table))
    }

    /// The rows of a table, in order; none if it is not a dict.
    pub(super) fn rows(&self, table: Table) -> impl Iterator<Item = (&Arc<str>, &Py)> {
        self.read(table).as_dict().into_iter().flatten()
    }

    /// A table for writing, copied on the first write.
    pub(super) fn write(&mut self, table: Table) -> &mut Py {
        let loaded = self.databases.table(table);
        self.written.entry(table).or_insert_with(|| loaded.clone())
    }

    /// Inserts a row; does nothing if the table is not a dict.
    pub(super) fn put(&mut self, table: Table, key: Arc<str>, row: Py) {
        if let Some(rows) = dict_mut(self.write(table)) {
            rows.insert(key, row);
        }
    }

    /// Removes a row; `None` if it is missing or the table is not a dict.
    pub(super) fn remove(&mut self, table: Table, key: &str) -> Option<Py> {
        dict_mut(self.write(table))?.shift_remove(key)
    }

    /// Sets a field of a row; does nothing if the row is missing or not a dict.
    pub(super) fn set(&mut self, table: Table, key: &str, field: &str, value: Py) {
        let row = dict_mut(self.write(table)).and_then(|rows| rows.get_mut(key));
        if let Some(row) = row.and_then(dict_mut) {
            row.insert(field.into(), value);
        }
    }

    /// The tool that API Search ranks first.
    pub(super) fn search(&self, query: &str) -> Option<&'a Described> {
        self.described(&self.ranker.best(self.suite, query)?)
    }

    /// The description of a tool of this world's suite.
    pub(super) fn described(&self, name: &str) -> Option<&'a Described> {
        self.descriptions.get(self.suite, name)
    }

    /// Runs one call.
    ///
    /// # Errors
    /// The first failure, in the order of the original's checks.
    pub(super) fn call(
        &mut self,
        name: &str,
        params: &IndexMap<String, String>,
    ) -> Result<Response, CallError> {
        let api = super::find(self.suite, name).ok_or(CallError::UnknownTool)?;
        let args = convert(api, params)?;
        let result = (api.call)(self, &args);
        let (output, exception) = match result {
            Ok(output) => (output, Py::None),
            Err(Fault::Exception(text)) => (Py::None, Py::text(&text)),
            Err(Fault::Escaped(kind, text)) => return Err(CallError::Escaped(kind, text)),
            Err(Fault::Hang) => return Err(CallError::Hang),
        };
        Ok(Response {
            api_name: (api.shape != Shape::Nameless).then_some(api.name),
            input: if api.shape == Shape::NoInput { Py::None } else { Py::Dict(Arc::new(args.0)) },
            output,
            exception,
        })
    }
}

/// Converts the parameters in the order given, then checks for missing ones.
fn convert(api: &Api, params: &IndexMap<String, String>) -> Result<Args, CallError> {
    let mut args = Args::default();
    for (name, text) in params {
        let declared = api.params.iter().find(|param| param.name == name);
        let param = declared.ok_or_else(|| CallError::UnknownParameter(name.clone()))?;
        args.0.insert(name.as_str().into(), coerce(param.kind, text)?);
    }
    let missing = api.params.iter().find(|p| p.required && !args.0.contains_key(p.name));
    match missing {
        Some(param) => Err(CallError::MissingParameter(param.name)),
        None => Ok(args),
    }
}

/// Converts a text to a declared type.
fn coerce(kind: Kind, text: &str) -> Result<Py, CallError> {
    let check = |digits: &str| {
        is_digit(digits).then_some(()).ok_or_else(|| CallError::BadNumber(text.to_owned()))
    };
    match kind {
        Kind::Raw => Ok(Py::text(text)),
        Kind::Bool => Ok(Py::Bool(text == "True")),
        Kind::Int => {
            check(text)?;
            parse_int(text).map(Py::Int).map_err(CallError::NoNumber)
        }
        Kind::Float => {
            check(&text.replacen('.', "", 1))?;
            parse_float(text).map(Py::Float).map_err(CallError::NoNumber)
        }
    }
}

/// The dict inside a value, for writing.
pub(super) fn dict_mut(value: &mut Py) -> Option<&mut Dict> {
    match value {
        Py::Dict(dict) => Some(Arc::make_mut(dict)),
        _ => None,
    }
}

/// The list inside a value, for writing.
pub(super) fn list_mut(value: &mut Py) -> Option<&mut Vec<Py>> {
    match value {
        Py::List(items) => Some(Arc::make_mut(items)),
        _ => None,
    }
}

/// An integer as a dict key, distinct from every string key, as in Python.
pub(super) fn int_key(number: usize) -> Arc<str> {
    format!("\0{number}").into()
}
