//! API descriptors.
//!
//! The single source of prompts, JSON Schemas, forms, documentation and search text (see
//! [`crate::describe`]).

use crate::arguments::{self, Arguments};
use crate::error::ApiError;
use crate::param::Param;
use crate::store::{TableName, World};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use strum::{EnumCount, IntoStaticStr, VariantArray};

/// The two pools of API-Bank. An API is identified by suite and name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[derive(EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Suite {
    /// 52 APIs of the Call and Retrieve+Call dialogues.
    Dialogue,
    /// 21 APIs of the Plan+Retrieve+Call requirements.
    Planning,
}

impl Suite {
    /// Both suites.
    pub const ALL: [Suite; Suite::COUNT] = *Suite::VARIANTS.first_chunk().unwrap();

    /// The name in files and URLs.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The domains of Table 8 of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[derive(EnumCount, VariantArray)]
#[serde(rename_all = "snake_case")]
pub enum Domain {
    /// Users, passwords, tokens, profiles.
    Account,
    /// Agendas, alarms, meetings, reminders.
    Schedule,
    /// Appointments, symptoms, health records.
    Health,
    /// Scenes and timed switches.
    SmartHome,
    /// Accounts, stocks, salaries, taxes, sums.
    Finance,
    /// Look-ups: encyclopaedia, dictionary, search, documents, media.
    Information,
    /// Music, films, social posts.
    Entertainment,
    /// Hotels, flights, places, weather.
    Travel,
    /// Mail and messages.
    Communication,
}

impl Domain {
    /// In display order.
    pub const ALL: [Domain; Domain::COUNT] = *Domain::VARIANTS.first_chunk().unwrap();

    /// The display name.
    pub const fn title(self) -> &'static str {
        match self {
            Domain::Account => "Account",
            Domain::Schedule => "Schedule",
            Domain::Health => "Health",
            Domain::SmartHome => "Smart home",
            Domain::Finance => "Finance",
            Domain::Information => "Information",
            Domain::Entertainment => "Entertainment",
            Domain::Travel => "Travel",
            Domain::Communication => "Communication",
        }
    }
}

/// The type of a parameter. It determines the published type, the JSON Schema, the form
/// field, and how a model's text is parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any string.
    Text,
    /// A calendar date, `%Y-%m-%d`.
    Date,
    /// A date and time of day, `%Y-%m-%d %H:%M:%S`.
    DateTime,
    /// A day of the year, `%m-%d`.
    MonthDay,
    /// A whole number.
    Integer,
    /// A finite number.
    Number,
    /// True or false.
    Boolean,
    /// A list of strings, published as `list(str)`.
    TextList,
    /// A list of strings, published as `list`.
    UntypedTextList,
    /// A list of objects with exactly these string fields, published as `list`.
    RecordList(&'static [&'static str]),
}

impl Kind {
    /// The type name that API-Bank publishes.
    pub const fn label(self) -> &'static str {
        match self {
            Kind::Text | Kind::Date | Kind::DateTime | Kind::MonthDay => "str",
            Kind::Integer => "int",
            Kind::Number => "float",
            Kind::Boolean => "bool",
            Kind::TextList => "list(str)",
            Kind::UntypedTextList | Kind::RecordList(_) => "list",
        }
    }

    /// The strftime format that the published description mentions.
    pub const fn format(self) -> Option<&'static str> {
        match self {
            Kind::Date => Some("%Y-%m-%d"),
            Kind::DateTime => Some("%Y-%m-%d %H:%M:%S"),
            Kind::MonthDay => Some("%m-%d"),
            _ => None,
        }
    }
}

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

/// The implementation of an API. The arguments come from [`arguments::read`].
pub type Run = fn(&Arguments, &mut World) -> Result<Value, ApiError>;

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
    pub run: Run,
}

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

impl Api {
    /// Whether a call acts: it changes rows or plays music.
    pub fn acts(&self) -> bool {
        !self.writes.is_empty() || self.name == "PlayMusic"
    }

    /// Finds a parameter by name.
    pub fn param(&self, name: &str) -> Option<&'static Param> {
        self.params.iter().find(|param| param.name == name)
    }

    /// Whether a call takes a user token.
    pub fn needs_token(&self) -> bool {
        self.param("token").is_some()
    }

    /// Runs the API. A failed call leaves the world unchanged.
    pub fn call(&self, raw: &Arguments, world: &mut World) -> ApiResult {
        if let Some(result) = world.recorded.answer(self, raw) {
            return result;
        }
        match arguments::read(self, raw) {
            Ok(arguments) => self.call_read(arguments, world),
            Err(problems) => {
                let message =
                    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
                ApiResult::failure(self.name, Value::Object(raw.clone()), message)
            }
        }
    }

    /// Runs the API with arguments parsed by [`arguments::read`].
    pub fn call_read(&self, arguments: Arguments, world: &mut World) -> ApiResult {
        if let Some(result) = world.recorded.answer(self, &arguments) {
            return result;
        }
        // Running on a draft keeps a failed call from changing the world. Tables are copied
        // on write, so the draft costs one reference count per table.
        let mut draft = world.clone();
        let outcome = (self.run)(&arguments, &mut draft);
        let input = Value::Object(arguments);
        match outcome {
            Ok(output) => {
                *world = draft;
                ApiResult {
                    api_name: self.name.to_owned(),
                    input,
                    output: Some(output),
                    exception: None,
                }
            }
            Err(error) => ApiResult::failure(self.name, input, error.to_string()),
        }
    }
}

/// Deserializes arguments parsed by [`arguments::read`] into the API's `Args`.
///
/// # Errors
/// If they were parsed for another API.
pub fn typed<T: DeserializeOwned>(arguments: &Arguments) -> Result<T, ApiError> {
    serde_json::from_value(Value::Object(arguments.clone()))
        .map_err(|error| ApiError::Refused(format!("the arguments do not fit: {error}")))
}
