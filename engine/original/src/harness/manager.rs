//! The tool manager: which parameters a call may have, what their texts become, how an API's
//! exception turns into a result.

pub(super) use super::response::Response;

use super::python::{Dict, Py};
use super::response::{CheckFault, Gold};
use super::tables::{Databases, Described, Descriptions, Table};
use super::text::{is_digit, parse_float, parse_int};
use super::{Suite, ToolRanker};
use indexmap::IndexMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The declared type of a parameter, as far as the manager treats it differently.
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

/// A required parameter that is passed on as text.
pub(super) const fn text(name: &'static str) -> Param {
    req(name, Kind::Raw)
}

/// A parameter that may be left out.
pub(super) const fn opt(name: &'static str, kind: Kind) -> Param {
    Param { name, kind, required: false }
}

/// How a result is put together.
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

/// What can go wrong inside an API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// Caught by the API: its text becomes the result's exception.
    Exception(String),
    /// Leaves the API: the Python exception's type and text.
    Escaped(&'static str, String),
    /// Never returns.
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

/// Why there is no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CallError {
    /// No API of that name in the suite.
    UnknownTool,
    /// A parameter that the API does not declare.
    UnknownParameter(String),
    /// A text that does not pass for a number (an assertion there).
    BadNumber(String),
    /// A text that passes for a number and is none (a `ValueError` there).
    NoNumber(String),
    /// A required parameter that is absent.
    MissingParameter(&'static str),
    /// An exception that the API lets through: its type and text.
    Escaped(&'static str, String),
    /// The API never returns.
    Hang,
}

/// The arguments of a call, converted.
#[derive(Debug, Default)]
pub(super) struct Args(Dict);

impl Args {
    /// A text argument; empty when it was left out.
    pub(super) fn text(&self, name: &str) -> &str {
        self.0.get(name).and_then(Py::as_text).unwrap_or("")
    }

    /// An argument, if given.
    pub(super) fn get(&self, name: &str) -> Option<&Py> {
        self.0.get(name)
    }

    /// An argument for storing; `None` when it was left out.
    pub(super) fn value(&self, name: &str) -> Py {
        self.get(name).cloned().unwrap_or(Py::None)
    }

    /// An integer argument; 0 when it was left out.
    pub(super) fn int(&self, name: &str) -> i128 {
        match self.0.get(name) {
            Some(Py::Int(value)) => *value,
            _ => 0,
        }
    }

    /// A float argument; 0 when it was left out.
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

/// The state that calls read and write: the tables as loaded, and copies of those written to.
pub(super) struct World<'a> {
    pub(super) suite: Suite,
    pub(super) databases: &'a Databases,
    descriptions: &'a Descriptions,
    ranker: &'a dyn ToolRanker,
    written: BTreeMap<Table, Py>,
    /// What the first call of ForgotPassword leaves for the second: whose code it is.
    pub(super) recovering: Option<String>,
    /// Accounts opened by OpenBankAccount beside the one it starts with.
    pub(super) opened: Vec<String>,
}

impl<'a> World<'a> {
    /// A fresh world.
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

    /// A table as the calls so far left it.
    pub(super) fn read(&self, table: Table) -> &Py {
        self.written.get(&table).unwrap_or_else(|| self.databases.table(table))
    }

    /// The rows of a table, in order; none when it is no dict.
    pub(super) fn rows(&self, table: Table) -> impl Iterator<Item = (&Arc<str>, &Py)> {
        self.read(table).as_dict().into_iter().flatten()
    }

    /// A database for writing.
    pub(super) fn write(&mut self, table: Table) -> &mut Py {
        let loaded = self.databases.table(table);
        self.written.entry(table).or_insert_with(|| loaded.clone())
    }

    /// Puts a row into a table that is a dict.
    pub(super) fn put(&mut self, table: Table, key: Arc<str>, row: Py) {
        if let Some(rows) = dict_mut(self.write(table)) {
            rows.insert(key, row);
        }
    }

    /// Takes a row out of a table that is a dict.
    pub(super) fn remove(&mut self, table: Table, key: &str) -> Option<Py> {
        dict_mut(self.write(table))?.shift_remove(key)
    }

    /// Sets a field of a row that is a dict.
    pub(super) fn set(&mut self, table: Table, key: &str, field: &str, value: Py) {
        let row = dict_mut(self.write(table)).and_then(|rows| rows.get_mut(key));
        if let Some(row) = row.and_then(dict_mut) {
            row.insert(field.into(), value);
        }
    }

    /// What API Search finds.
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
    /// What stops the call before there is a result, in the order in which the original looks.
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

/// Looks at the parameters in the order given and converts them; then at those that are missing.
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

/// The value that a text becomes under a declared type.
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

/// The key under which Python would hold an integer: apart from every text key.
pub(super) fn int_key(number: usize) -> Arc<str> {
    format!("\0{number}").into()
}
