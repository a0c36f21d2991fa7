//! A user's own tools: their descriptions, the tasks that call them, and the pack of both.
//!
//! A pack is one JSON file ([`ToolsFile`]). It is data: nothing in it is run and no address in it is asked.

pub mod checks;
pub mod example;
mod file;
pub mod listing;
pub mod logs;
pub mod schema;

pub use file::{Limits, OwnDialogue, SCHEMA, SCHEMA_VERSION, ToolsError, ToolsFile};

use apis::search::find;
use apis::{Kind, Rule, Suite};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The prefix of these dialogues' ids.
pub const FOLDER: &str = "tools/";

/// The description of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Its name: letters, digits and `_`, at most 64.
    pub name: String,
    /// The description, as the model sees it.
    #[serde(default)]
    pub description: String,
    /// JSON Schema of its arguments, an object, without references.
    #[serde(default = "no_parameters")]
    pub parameters: Value,
    /// Whether a call changes nothing. Extra calls of such a tool are not errors.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
}

fn no_parameters() -> Value {
    json!({"type": "object", "properties": {}})
}

impl Tool {
    /// Names and schemas of the parameters, in order.
    pub fn params(&self) -> impl Iterator<Item = (&str, &Value)> {
        let properties = self.parameters.get("properties").and_then(Value::as_object);
        properties.into_iter().flatten().map(|(name, schema)| (name.as_str(), schema))
    }

    /// The schema of a parameter.
    pub fn param(&self, name: &str) -> Option<&Value> {
        self.parameters.get("properties")?.get(name)
    }

    /// Whether a call without the parameter is refused.
    pub fn requires(&self, name: &str) -> bool {
        let required = self.parameters.get("required").and_then(Value::as_array);
        required.is_some_and(|all| all.iter().any(|it| it == name))
    }

    /// What prompts with calls in text show.
    pub fn prompt_json(&self) -> Value {
        json!({"name": self.name, "description": self.description, "parameters": self.parameters})
    }

    /// Name and description, for comparison with other tools and with queries.
    pub fn text(&self) -> String {
        let name = self.name.replace(['_', '-', '.', '/'], " ");
        let words: Vec<String> = name.split_whitespace().map(apis::describe::split_name).collect();
        format!("{}. {}", words.join(" "), self.description.trim())
    }
}

/// The tools of a pack.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Toolset {
    /// In the pack's order, with unique names.
    pub tools: Vec<Tool>,
    /// By dialogue, the tools that a model could mistake for the right ones. Prompts describe them.
    pub near: BTreeMap<String, Vec<String>>,
    /// The model that wrote the tasks; `None` for a person.
    pub written_by: Option<String>,
}

impl Toolset {
    /// The tool with a name.
    pub fn find(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}

/// The summary of a pack's own tools in a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OwnTools {
    /// The number of tools.
    pub count: usize,
    /// The model that wrote the tasks; absent for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_by: Option<String>,
}

/// The tools that a dialogue's calls name: a suite of the built-in APIs, or a pack's own.
#[derive(Debug, Clone, Copy)]
pub enum Pool<'a> {
    /// Built-in APIs.
    Suite(Suite),
    /// The pack's own tools; a name that a built-in API has as well means the own tool.
    Own(&'a Toolset),
}

impl From<Suite> for Pool<'_> {
    fn from(suite: Suite) -> Self {
        Pool::Suite(suite)
    }
}

impl<'a> Pool<'a> {
    /// Whether there is a tool of this name.
    pub fn knows(self, name: &str) -> bool {
        match self {
            Pool::Suite(suite) => find(suite, name).is_some(),
            Pool::Own(tools) => tools.find(name).is_some(),
        }
    }

    /// A pack's own tools.
    pub fn own(self) -> Option<&'a Toolset> {
        match self {
            Pool::Suite(_) => None,
            Pool::Own(tools) => Some(tools),
        }
    }

    /// The name in errors: `the dialogue suite`.
    pub fn title(self) -> String {
        match self {
            Pool::Suite(suite) => format!("the {} suite", suite.as_str()),
            Pool::Own(_) => "the pack".to_owned(),
        }
    }

    /// Whether a tool has a parameter; false for an unknown tool.
    pub(crate) fn has_param(self, name: &str, param: &str) -> bool {
        match self {
            Pool::Suite(suite) => find(suite, name).is_some_and(|api| api.param(param).is_some()),
            Pool::Own(tools) => tools.find(name).is_some_and(|tool| tool.param(param).is_some()),
        }
    }

    /// Whether facts can be declared for a parameter. Those of an unknown tool count as free text.
    pub(crate) fn is_free_text(self, name: &str, param: &str) -> bool {
        match self {
            Pool::Suite(suite) => find(suite, name)
                .and_then(|api| api.param(param))
                .is_none_or(|it| it.kind == Kind::Text && it.rule != Rule::Exact),
            Pool::Own(tools) => {
                tools.find(name).and_then(|it| it.param(param)).is_none_or(schema::is_free_text)
            }
        }
    }
}
