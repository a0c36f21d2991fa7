//! The descriptor of an API: everything about it, declared once.
//!
//! Prompts, JSON Schemas, forms, documentation and search text are derived from
//! it (see [`crate::describe`]).

use crate::arguments::{self, Arguments};
use crate::error::ApiError;
use crate::param::Param;
use crate::store::{TableName, World};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The two pools of API-Bank. An API is identified by suite and name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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
    pub const ALL: [Suite; 2] = [Suite::Dialogue, Suite::Planning];

    /// The suite's name as it is written in files and addresses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Suite::Dialogue => "dialogue",
            Suite::Planning => "planning",
        }
    }
}

/// Domains after Table 8 of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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
    /// Every domain, in the order in which pages list them.
    pub const ALL: [Domain; 9] = [
        Domain::Account,
        Domain::Schedule,
        Domain::Health,
        Domain::SmartHome,
        Domain::Finance,
        Domain::Information,
        Domain::Entertainment,
        Domain::Travel,
        Domain::Communication,
    ];

    /// The domain's name for people.
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

/// What a parameter takes. Fixes its published type, its JSON Schema, its form
/// field and how a model's text becomes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any text.
    Text,
    /// A calendar date, `%Y-%m-%d`.
    Date,
    /// A date and time of day, `%Y-%m-%d %H:%M:%S`.
    DateTime,
    /// A day of any year, `%m-%d`.
    MonthDay,
    /// A whole number.
    Integer,
    /// A finite number.
    Number,
    /// True or false.
    Boolean,
    /// A list of texts, published as `list(str)`.
    TextList,
    /// A list of texts, published as plain `list`.
    UntypedTextList,
    /// A list of records that each have these text fields, published as `list`.
    RecordList(&'static [&'static str]),
}

impl Kind {
    /// The type's name as API-Bank publishes it.
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

    /// The format that a description names, in strftime terms.
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
    /// Name of the field.
    pub name: &'static str,
    /// Published type: `str`, `int`, `float`, `list`, `dict`.
    pub label: &'static str,
    /// What it holds, one sentence.
    pub description: &'static str,
}

/// A call that documentation shows and tests run on the project's own databases.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// Arguments as a JSON object.
    pub arguments: &'static str,
    /// Whether the call succeeds.
    pub succeeds: bool,
}

/// The function behind an API: typed arguments in, output or error out.
pub type Run = fn(&Arguments, &mut World) -> Result<Value, ApiError>;

/// The code of an API, as its descriptor holds it.
///
/// Without the feature `run` it is left out: descriptors stand in statics, and would otherwise keep
/// all code and the databases' types in a program that only reads them, such as the page.
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

/// Stands for the code of every API in a program without it.
#[cfg(not(feature = "run"))]
pub(crate) fn left_out(_: &Arguments, _: &mut World) -> Result<Value, ApiError> {
    Err(ApiError::Refused("This program describes APIs and does not run them.".to_owned()))
}

/// One API of the pool.
#[derive(Debug, Clone, Copy)]
pub struct Api {
    /// Name, as in API-Bank.
    pub name: &'static str,
    /// Which pool it belongs to.
    pub suite: Suite,
    /// Which domain.
    pub domain: Domain,
    /// What it is for; a prompt shows it and API Search embeds it.
    pub description: &'static str,
    /// Other words for it, which API Search also looks at; prompts don't show them.
    pub hints: &'static [&'static str],
    /// Parameters in published order.
    pub params: &'static [Param],
    /// Fields of a successful result.
    pub returns: &'static [Field],
    /// Tables that a call may read.
    pub reads: &'static [TableName],
    /// Tables that a call may change.
    pub writes: &'static [TableName],
    /// When a call fails, one sentence a case.
    pub errors: &'static [&'static str],
    /// Calls for documentation and tests: a success and, where one exists, a failure.
    pub examples: &'static [Example],
    /// The implementation.
    pub run: Run,
}

/// What a call gave back, in the shape that API-Bank records.
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
    /// A result that carries a failure.
    pub fn failure(api_name: &str, input: Value, message: impl Into<String>) -> Self {
        ApiResult {
            api_name: api_name.to_owned(),
            input,
            output: None,
            exception: Some(message.into()),
        }
    }

    /// Whether two results say the same; the echo of the input is not looked at.
    pub fn same_outcome(&self, other: &ApiResult) -> bool {
        self.output == other.output && self.exception == other.exception
    }
}

impl Api {
    /// The parameter of this name.
    pub fn param(&self, name: &str) -> Option<&'static Param> {
        self.params.iter().find(|param| param.name == name)
    }

    /// Whether a call needs a user token first.
    pub fn needs_token(&self) -> bool {
        self.param("token").is_some()
    }

    /// Runs the API. A call that fails leaves the world as it was.
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

    /// Runs the API with arguments that [`arguments::read`] returned.
    pub fn call_read(&self, arguments: Arguments, world: &mut World) -> ApiResult {
        if let Some(result) = world.recorded.answer(self, &arguments) {
            return result;
        }
        // The draft is what makes a failed call harmless: tables are copied only
        // when written, so it costs one reference count a table.
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

/// Turns checked arguments into an API's own argument struct.
///
/// # Errors
/// When the struct asks for something that the descriptor does not promise.
pub fn typed<T: DeserializeOwned>(arguments: &Arguments) -> Result<T, ApiError> {
    serde_json::from_value(Value::Object(arguments.clone()))
        .map_err(|error| ApiError::Refused(format!("the arguments do not fit: {error}")))
}
