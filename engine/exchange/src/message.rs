//! What a model is sent, in no vendor's format: messages, tools and their calls.
//!
//! A protocol writes an [`Ask`], a provider encodes it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Who says a message of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Instructions.
    System,
    /// The user.
    User,
    /// The model.
    Assistant,
    /// A tool: the result of a call.
    Tool,
}

/// One message of a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What is said; of a tool, the result as JSON text.
    pub content: String,
    /// The calls that an assistant's message makes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    /// Of a tool's message: the [`ToolCall::id`] that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// Of an assistant's message that came from the endpoint: its own form there. It is sent back
    /// as it came, since some vendors need parts of it that have no other place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<Value>,
}

impl Message {
    /// A message of text alone.
    pub fn text(role: Role, content: impl Into<String>) -> Self {
        Message { role, content: content.into(), calls: Vec::new(), call_id: None, raw: None }
    }

    /// An assistant's message that calls tools.
    pub fn calls(calls: Vec<ToolCall>) -> Self {
        Message { calls, ..Message::text(Role::Assistant, "") }
    }

    /// The result of a call.
    pub fn result(call_id: impl Into<String>, content: impl Into<String>) -> Self {
        Message { call_id: Some(call_id.into()), ..Message::text(Role::Tool, content) }
    }
}

/// A call in a vendor's tool format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolCall {
    /// Ties the result to the call. Empty where the endpoint gave none.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// The arguments as the model wrote them: JSON text of an object, if it kept to the format.
    pub arguments: String,
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// Letters, digits, `_` and `-`, at most 64.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Value,
}

/// Everything that a model is asked with in one request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    /// The conversation, instructions first.
    pub messages: Vec<Message>,
    /// The tools; empty where calls are text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Tool>,
    /// JSON Schema that the answer has to fit, where the endpoint can be held to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
}
