//! A request to a model, independent of the wire format: messages, tools and their calls.
//!
//! A protocol builds an [`Ask`]; the provider encodes it.

use crate::shared_text;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// The author of a message.
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
    /// The result of a tool call.
    Tool,
}

/// One message of a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Message {
    /// The author.
    pub role: Role,
    /// The text; in a tool message, the result as JSON text.
    #[serde(with = "shared_text")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub content: Arc<str>,
    /// Tool calls of an assistant message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    /// In a tool message: the [`ToolCall::id`] of its call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// In an assistant message from the endpoint: its original form. It is sent back unchanged,
    /// because some vendors require parts that have no field here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<Value>,
}

impl Message {
    /// A message with only text.
    pub fn text(role: Role, content: impl AsRef<str>) -> Self {
        let content = shared_text::share(content.as_ref());
        Message { role, content, calls: Vec::new(), call_id: None, raw: None }
    }

    /// An assistant message with tool calls.
    pub fn calls(calls: Vec<ToolCall>) -> Self {
        Message { calls, ..Message::text(Role::Assistant, "") }
    }

    /// The result of a call.
    pub fn result(call_id: impl Into<String>, content: impl AsRef<str>) -> Self {
        Message { call_id: Some(call_id.into()), ..Message::text(Role::Tool, content) }
    }
}

/// A native tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolCall {
    /// Matches the result to the call. Empty if the endpoint sent none.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// The arguments as the model wrote them: the JSON text of an object, if it follows the format.
    pub arguments: String,
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// Letters, digits, `_` and `-`, at most 64.
    pub name: String,
    /// The description that the model sees.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Value,
}

/// The contents of one request to a model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    /// The conversation, instructions first.
    pub messages: Vec<Message>,
    /// The tools; empty if calls are text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Tool>,
    /// JSON Schema for the answer, for endpoints that can enforce one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// Grammar for the answer in GBNF, for servers that can enforce one. It follows from the sample,
    /// so records don't repeat it.
    #[serde(skip)]
    pub grammar: Option<String>,
}
