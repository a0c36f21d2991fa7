//! API descriptors.
//!
//! The single source of prompts, JSON Schemas, forms, documentation and search text (see
//! [`crate::describe`]).

use crate::arguments::{self, ArgumentError, Arguments};
use crate::error::ApiError;
use crate::param::Param;
use crate::store::{Call, TableName, World};
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use crate::kind::Kind;
pub use crate::result::ApiResult;
pub use crate::suite::{Domain, Suite};

/// One field of a result.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Published name.
    pub name: &'static str,
    /// Published type: `str`, `int`, `float`, `list`, `dict`.
    pub label: &'static str,
    /// Contents, in one sentence.
    pub description: &'static str,
}

/// An example call: shown in the documentation, tested on the project's databases.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// A JSON object.
    pub arguments: &'static str,
    /// Whether the call succeeds.
    pub succeeds: bool,
}

/// The implementation of an API. The arguments come from [`Api::read`].
pub type Implementation = fn(&Arguments, &mut World) -> Result<Value, ApiError>;

/// Wraps the implementation of an API in its descriptor.
///
/// Without the feature `run` it expands to a stub. Otherwise the descriptors, which are statics,
/// would link every implementation into programs that only read descriptors, such as the page.
#[cfg(feature = "run")]
macro_rules! code {
    ($code:expr) => {
        $code
    };
}
#[cfg(not(feature = "run"))]
macro_rules! code {
    ($code:expr) => {
        $crate::api::left_out
    };
}

/// The stub for every implementation.
#[cfg(not(feature = "run"))]
pub(crate) fn left_out(_: &Arguments, _: &mut World) -> Result<Value, ApiError> {
    Err(ApiError::Refused("This program describes APIs and does not run them.".to_owned()))
}

/// One API of the pool.
#[derive(Debug, Clone, Copy)]
pub struct Api {
    /// Name, as in API-Bank.
    pub name: &'static str,
    /// Identifies the API together with the name.
    pub suite: Suite,
    /// Groups the APIs on the page.
    pub domain: Domain,
    /// Shown in prompts and embedded by API Search.
    pub description: &'static str,
    /// Synonyms that API Search embeds as well; prompts don't show them.
    pub hints: &'static [&'static str],
    /// Parameters in published order.
    pub params: &'static [Param],
    /// Fields of a successful result.
    pub returns: &'static [Field],
    /// Tables that a call may read.
    pub reads: &'static [TableName],
    /// Tables that a call may change.
    pub writes: &'static [TableName],
    /// Failure cases, one sentence each.
    pub errors: &'static [&'static str],
    /// At least one success and one failure.
    pub examples: &'static [Example],
    /// The implementation.
    pub run: Implementation,
}

impl Api {
    /// Finds a parameter by name.
    pub fn param(&self, name: &str) -> Option<&'static Param> {
        self.params.iter().find(|param| param.name == name)
    }

    /// Whether a call takes a user token.
    pub fn needs_token(&self) -> bool {
        self.param("token").is_some()
    }

    /// Parses raw arguments into their declared types, with texts in the form NFC, dates in canonical form
    /// and parameters in published order.
    ///
    /// # Errors
    /// All problems: unknown parameters first, then in published order.
    pub fn read(&self, raw: &Arguments) -> Result<Arguments, Vec<ArgumentError>> {
        arguments::read(self.name, self.params, raw)
    }

    /// A call as recorded results name it.
    pub(crate) fn recorded_call(&self, raw: &Arguments) -> Call {
        let arguments = self.read(raw).unwrap_or_else(|_| raw.clone());
        Call::new(self.suite, self.name, arguments)
    }

    /// The recorded result of a call if the world lacks the API's data; `None` if the API can run.
    fn recorded(&self, raw: &Arguments, world: &World) -> Option<ApiResult> {
        if !world.recorded.stands_in_for(self.reads) {
            return None;
        }
        Some(world.recorded.find(&self.recorded_call(raw)).cloned().unwrap_or_else(|| {
            let message = format!(
                "Not recorded: the pack has no data for {}, and the call is no recorded one.",
                self.name
            );
            ApiResult::failure(self.name, Value::Object(raw.clone()), message)
        }))
    }

    /// Runs the API. A failed call leaves the world unchanged, unless an event of the world says otherwise.
    pub fn call(&self, raw: &Arguments, world: &mut World) -> ApiResult {
        if let Some(result) = self.recorded(raw, world) {
            return result;
        }
        match self.read(raw) {
            Ok(arguments) => self.call_read(arguments, world),
            Err(problems) => {
                let message =
                    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
                ApiResult::failure(self.name, Value::Object(raw.clone()), message)
            }
        }
    }

    /// Runs the API with arguments parsed by [`Api::read`].
    pub fn call_read(&self, arguments: Arguments, world: &mut World) -> ApiResult {
        if let Some(result) = self.recorded(&arguments, world) {
            return result;
        }
        // Running on a draft keeps a failed call from changing the world. Tables are copied
        // on write, so the draft costs one reference count per table.
        let mut draft = world.clone();
        match (self.run)(&arguments, &mut draft) {
            Ok(output) => world.settle(self, arguments, draft, output),
            Err(error) => {
                ApiResult::failure(self.name, Value::Object(arguments), error.to_string())
            }
        }
    }
}

/// Deserializes arguments parsed by [`Api::read`] into the API's `Args`.
///
/// # Errors
/// If they were parsed for another API.
pub fn typed<T: DeserializeOwned>(arguments: &Arguments) -> Result<T, ApiError> {
    serde_json::from_value(Value::Object(arguments.clone()))
        .map_err(|error| ApiError::Refused(format!("the arguments do not fit: {error}")))
}
