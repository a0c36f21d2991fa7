//! Forms in which models write calls, besides the one that a protocol asks for.

use serde::{Deserialize, Serialize};
use strum::{EnumCount, VariantArray};

/// The form of a call that is not in the protocol's. Stored in records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[derive(EnumCount, VariantArray)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// `Name(key='value')`, where only native calls count.
    Python,
    /// A native call, where calls are text.
    Native,
    /// A native call whose name carries tokens of the template: `functions.Name`.
    TemplateName,
    /// `<tool_call>{…}</tool_call>` and other tags around JSON.
    ToolCallTag,
    /// `<|python_tag|>{…}`.
    PythonTag,
    /// `[TOOL_CALLS]…`.
    ToolCalls,
    /// `<function=Name>{…}</function>`.
    FunctionTag,
    /// `<function=Name><parameter=key>…`, `<invoke name="Name"><parameter name="key">…`.
    Xml,
    /// `<|channel|>commentary to=functions.Name…`.
    Harmony,
    /// DeepSeek's tokens, such as `<｜tool▁calls▁begin｜>`.
    Deepseek,
    /// A fence or tag for code that calls tools.
    ToolCode,
    /// `{"name": …, "arguments": {…}}` without any mark.
    Json,
    /// `Action: Name` and `Action Input: {…}`.
    Lines,
    /// Full-width brackets, commas or equals signs.
    FullWidth,
    /// Quotation marks that are not ASCII.
    Quotes,
    /// Characters that are not seen, such as zero-width spaces in a name.
    Invisible,
    /// HTML entities, such as `&#39;`.
    Entities,
    /// Backslashes of Markdown, such as `start\_time`.
    Escapes,
}

impl Form {
    /// Every form.
    pub const ALL: [Form; Form::COUNT] = *Form::VARIANTS.first_chunk().unwrap();

    /// The form in a sentence.
    pub const fn title(self) -> &'static str {
        match self {
            Form::Python => "a Python call in the text",
            Form::Native => "a native tool call",
            Form::TemplateName => "a tool name with tokens of the chat template",
            Form::ToolCallTag => "JSON in a tag such as <tool_call> (Hermes, Qwen)",
            Form::PythonTag => "<|python_tag|> (Llama)",
            Form::ToolCalls => "[TOOL_CALLS] (Mistral)",
            Form::FunctionTag => "<function=…> (Llama)",
            Form::Xml => "XML with a tag per parameter (Qwen3-Coder, GLM, MiniMax)",
            Form::Harmony => "a channel of harmony (gpt-oss)",
            Form::Deepseek => "DeepSeek's tool tokens",
            Form::ToolCode => "a block of tool code (Gemma)",
            Form::Json => "JSON in the text",
            Form::Lines => "ReAct lines (Action, Action Input)",
            Form::FullWidth => "full-width punctuation",
            Form::Quotes => "typographic quotation marks",
            Form::Invisible => "characters that are not seen",
            Form::Entities => "HTML entities",
            Form::Escapes => "backslashes of Markdown",
        }
    }
}
