//! A training dialogue: utterances, searches, and calls with results that an agent wrote.

use super::Tool;
use apis::ApiResult;
use apis::search::TOOL_SEARCHER;
use dataset::{Ability, Dialogue, RecordedCall};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One training dialogue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// Lower-case name with dashes, unique in its set.
    pub id: String,
    /// The ability it trains.
    pub ability: Ability,
    /// Time of the dialogue, `%Y-%m-%d %H:%M:%S`; needed for relative dates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// Utterances, searches and calls, in order.
    pub turns: Vec<Turn>,
}

/// One utterance, search or call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role")]
pub enum Turn {
    /// The user speaks.
    User {
        /// The utterance.
        text: String,
    },
    /// The assistant speaks.
    #[serde(rename = "AI")]
    Assistant {
        /// The utterance.
        text: String,
    },
    /// The assistant searches or calls.
    #[serde(rename = "API")]
    Api(Call),
}

/// A call with its result: exactly one of `output`, `exception` and `finds`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The API; `ToolSearcher` for a search.
    pub api_name: String,
    /// The arguments; `keywords` for a search.
    pub param_dict: Map<String, Value>,
    /// The result: an object with the API's output fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// The error message of a failed call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exception: Option<String>,
    /// The API that a search finds; its description is the search's result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finds: Option<String>,
}

impl Call {
    /// Whether the call is a search.
    pub fn is_search(&self) -> bool {
        self.api_name == TOOL_SEARCHER
    }

    /// The result as the assistant sees it: the output, the exception, or the description of the
    /// API that a search found.
    pub fn result(&self, tools: &[Tool]) -> Value {
        if let Some(message) = &self.exception {
            return serde_json::json!({ "exception": message });
        }
        match &self.finds {
            Some(name) => {
                tools.iter().find(|tool| tool.name == *name).map_or(Value::Null, Tool::prompt_json)
            }
            None => self.output.clone().unwrap_or_default(),
        }
    }
}

impl Item {
    /// Searches and calls, in order.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.turns.iter().filter_map(|turn| match turn {
            Turn::Api(call) => Some(call),
            _ => None,
        })
    }

    /// The user's utterances, one per line: the text that near-duplicate checks compare.
    pub fn user_text(&self) -> String {
        let said: Vec<&str> = self
            .turns
            .iter()
            .filter_map(|turn| match turn {
                Turn::User { text } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        said.join("\n")
    }

    /// Converts to the dialogue type of packs, with recorded results.
    pub fn dialogue(&self, tools: &[Tool]) -> Dialogue {
        let turn = |turn: &Turn| match turn {
            Turn::User { text } => dataset::Turn::User { text: text.clone() },
            Turn::Assistant { text } => {
                dataset::Turn::Assistant { text: text.clone(), expect: None, tell: Vec::new() }
            }
            Turn::Api(call) => dataset::Turn::Api(recorded(call, tools)),
        };
        Dialogue {
            id: format!("{}/{}", self.ability.as_str(), self.id),
            ability: self.ability,
            turns: self.turns.iter().map(turn).collect(),
            hard: None,
            earlier: 0,
        }
    }
}

fn recorded(call: &Call, tools: &[Tool]) -> RecordedCall {
    let output = call.exception.is_none().then(|| call.result(tools));
    RecordedCall {
        api_name: call.api_name.clone(),
        param_dict: call.param_dict.clone(),
        result: ApiResult {
            api_name: call.api_name.clone(),
            input: Value::Object(call.param_dict.clone()),
            output,
            exception: call.exception.clone(),
        },
        alternatives: Vec::new(),
        declared: dataset::Declared::default(),
    }
}
