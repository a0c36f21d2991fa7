//! The options of a run, each declared once in [`declared`]: form, links, command line, endpoint files,
//! the command that repeats a run, and the leaderboard's rules are folds of the declarations.

mod declared;

pub use declared::*;

use crate::{Model, RunSettings};
use provider::Endpoint;
use serde_json::{Map, Value as Json};
use std::fmt;

/// An option of a run.
#[derive(Debug)]
pub struct RunOption {
    /// The name in links, endpoint files and messages.
    pub name: &'static str,
    /// The long option of the command line, unless it is the name with dashes. For [`Values::Switch`],
    /// the one that changes the default.
    pub flag: Option<&'static str>,
    /// The name of the field in records.
    pub field: &'static str,
    /// The label in forms.
    pub label: &'static str,
    /// One or two sentences of help.
    pub help: &'static str,
    /// Its part of a run.
    pub group: Group,
    /// The valid values.
    pub values: Values,
    /// The default; empty leaves it to the endpoint.
    pub default: &'static str,
    /// Whether it can be left to the endpoint: empty, or [`NONE`] on the command line.
    pub is_optional: bool,
    /// The default for models that need another one.
    pub suits: fn(&Model) -> Option<String>,
    /// Whether it has an effect under other settings.
    pub counts: fn(&RunSettings) -> bool,
    /// Whether a value can make tasks easier than the default does.
    pub is_easier: fn(&str) -> bool,
    /// Whether the leaderboard takes runs with the default alone.
    pub is_ranked: bool,
    /// Reads it as text.
    pub read: fn(&RunSettings) -> String,
    /// Writes a value.
    pub write: fn(&mut RunSettings, Value),
}

/// The part of a run that an option configures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// The questions and their format.
    Prompts,
    /// How an endpoint answers.
    Sampling,
    /// How requests are sent; it affects no result.
    Requests,
    /// What the record says of the run; it affects no result.
    Claims,
}

/// The valid values of an option.
#[derive(Debug)]
pub enum Values {
    /// One of several.
    Names(&'static [Name]),
    /// Whole numbers.
    Whole {
        /// The least.
        from: u64,
        /// The greatest.
        to: u64,
    },
    /// Numbers up to a greatest one.
    Decimal {
        /// Whether 0 is one.
        zero: bool,
        /// The greatest.
        to: f64,
    },
    /// On or off.
    Switch,
    /// A JSON object: members of the request body.
    Object,
    /// A line of text.
    Text {
        /// The maximum length in characters.
        longest: usize,
    },
}

/// A value with a name.
#[derive(Debug)]
pub struct Name {
    /// The identifier.
    pub id: &'static str,
    /// The label in forms.
    pub title: &'static str,
    /// One or two sentences of help; may be empty.
    pub help: &'static str,
}

/// A value of an option.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Left to the endpoint.
    Left,
    /// One of several, by its identifier.
    Name(&'static str),
    /// A whole number.
    Whole(u64),
    /// A number.
    Decimal(f64),
    /// On or off.
    Switch(bool),
    /// A JSON object.
    Object(Map<String, Json>),
    /// A line of text.
    Text(String),
}

/// The command-line value that leaves an option to the endpoint.
pub const NONE: &str = "none";

/// Why a text is no value of an option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wrong {
    /// Another kind of value is expected.
    Kind,
    /// The text is no JSON object, for this reason.
    Json(String),
    /// The object has a member that decides what is asked.
    Member(String),
}

impl RunOption {
    /// The long option of the command line, without dashes before it.
    pub fn long(&self) -> String {
        self.flag.map_or_else(|| self.name.replace('_', "-"), str::to_owned)
    }

    /// The default for a model, as text.
    pub fn default_of(&self, model: &Model) -> String {
        (self.suits)(model).unwrap_or_else(|| self.default.to_owned())
    }

    /// Whether a run has another value than its model's default, where that makes a difference.
    pub fn differs(&self, settings: &RunSettings) -> bool {
        (self.counts)(settings) && (self.read)(settings) != self.default_of(&settings.model)
    }

    /// Parses a value. Empty text means [`Self::default`].
    ///
    /// # Errors
    /// When it is not valid.
    pub fn parse(&self, text: &str) -> Result<Value, Wrong> {
        let text = text.trim();
        if self.is_optional && (text.is_empty() || text == NONE) {
            return Ok(Value::Left);
        }
        let text = if text.is_empty() { self.default } else { text };
        let value = match &self.values {
            Values::Names(names) => {
                names.iter().find(|name| name.id == text).map(|name| Value::Name(name.id))
            }
            Values::Whole { from, to } => {
                text.parse().ok().filter(|number| (from..=to).contains(&number)).map(Value::Whole)
            }
            Values::Decimal { zero, to } => text
                .parse()
                .ok()
                .filter(|it: &f64| (0.0..=*to).contains(it) && (*zero || *it > 0.0))
                .map(Value::Decimal),
            Values::Switch => text.parse().ok().map(Value::Switch),
            Values::Object => return object(text).map(Value::Object),
            Values::Text { longest } => {
                let fits = text.chars().count() <= *longest && !text.contains(char::is_control);
                fits.then(|| Value::Text(text.to_owned()))
            }
        };
        value.ok_or(Wrong::Kind)
    }

    /// Writes a text into settings.
    ///
    /// # Errors
    /// When it is not valid; the settings stay as they are.
    pub fn set(&self, settings: &mut RunSettings, text: &str) -> Result<(), Wrong> {
        (self.write)(settings, self.parse(text)?);
        Ok(())
    }

    /// The words of a command line that give a run's value; none for the default.
    pub fn words(&self, settings: &RunSettings) -> Vec<String> {
        if !self.differs(settings) {
            return Vec::new();
        }
        let flag = format!("--{}", self.long());
        match (&self.values, (self.read)(settings)) {
            (Values::Switch, _) => vec![flag],
            (_, text) if text.is_empty() => vec![flag, NONE.to_owned()],
            (_, text) => vec![flag, text],
        }
    }
}

impl Value {
    /// A whole number in the range of a type; `None` if it is left to the endpoint.
    fn whole<T: TryFrom<u64>>(&self) -> Option<T> {
        match self {
            Value::Whole(n) => T::try_from(*n).ok(),
            _ => None,
        }
    }

    fn decimal(&self) -> Option<f64> {
        match self {
            Value::Decimal(n) => Some(*n),
            _ => None,
        }
    }

    fn text(self) -> Option<String> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    fn is_on(&self) -> bool {
        *self == Value::Switch(true)
    }
}

/// The first option in which a run differs from those that the leaderboard takes.
pub fn unranked(settings: &RunSettings) -> Option<&'static RunOption> {
    OPTIONS.into_iter().find(|option| option.is_ranked && (option.read)(settings) != option.default)
}

/// The first option with an invalid value, which a record may have.
pub fn invalid(settings: &RunSettings) -> Option<&'static RunOption> {
    OPTIONS.into_iter().find(|it| it.parse(&(it.read)(settings)).is_err())
}

/// Parses extra members of the request body. Rejects those that change the question.
fn object(text: &str) -> Result<Map<String, Json>, Wrong> {
    let members: Map<String, Json> =
        serde_json::from_str(text).map_err(|error| Wrong::Json(error.to_string()))?;
    match provider::extra::refused(&members) {
        Some((name, _)) => Err(Wrong::Member(name.to_owned())),
        None => Ok(members),
    }
}

impl fmt::Display for Values {
    /// The expected values, for example `a whole number from 1 to 100`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Values::Names(names) => {
                let ids: Vec<&str> = names.iter().map(|name| name.id).collect();
                write!(f, "one of {}", ids.join(", "))
            }
            Values::Whole { from, to: u64::MAX } => write!(f, "a whole number from {from}"),
            Values::Whole { from, to } => write!(f, "a whole number from {from} to {to}"),
            Values::Decimal { zero: true, to } => write!(f, "a number from 0 to {to}"),
            Values::Decimal { zero: false, to } => write!(f, "a number above 0, at most {to}"),
            Values::Switch => f.write_str("true or false"),
            Values::Object => f.write_str("a JSON object such as {\"reasoning_effort\": \"low\"}"),
            Values::Text { longest } => write!(f, "a line of at most {longest} characters"),
        }
    }
}

/// The endpoint of a run, if its model is one's.
fn endpoint(settings: &RunSettings) -> Option<&Endpoint> {
    match &settings.model {
        Model::Endpoint(endpoint) => Some(endpoint),
        Model::Builtin { .. } | Model::Agent(_) => None,
    }
}

/// Changes the endpoint of a run, if its model is one's.
fn with_endpoint(settings: &mut RunSettings, change: impl FnOnce(&mut Endpoint)) {
    if let Model::Endpoint(endpoint) = &mut settings.model {
        change(endpoint);
    }
}

#[cfg(test)]
mod tests;
