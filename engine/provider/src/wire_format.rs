//! The wire formats by name.

use serde::{Deserialize, Serialize};
use strum::{EnumCount, IntoStaticStr, VariantArray};

/// Encoding of requests and answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[derive(EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum WireFormat {
    /// OpenAI's Chat Completions, which most servers support.
    #[default]
    ChatCompletions,
    /// OpenAI's Responses.
    Responses,
    /// Anthropic's Messages.
    Messages,
    /// Ollama's native API.
    Ollama,
    /// Legacy Completions, for base models.
    Completions,
}

impl WireFormat {
    /// Every format, in menu order.
    pub const ALL: [WireFormat; WireFormat::COUNT] = *WireFormat::VARIANTS.first_chunk().unwrap();

    /// The identifier in records and on the command line.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The name in the UI.
    pub const fn title(self) -> &'static str {
        match self {
            WireFormat::ChatCompletions => "Chat Completions",
            WireFormat::Responses => "Responses",
            WireFormat::Messages => "Anthropic Messages",
            WireFormat::Ollama => "Ollama",
            WireFormat::Completions => "Legacy Completions",
        }
    }

    /// The path for prompts, below the endpoint's base address.
    pub(super) const fn path(self) -> &'static str {
        match self {
            WireFormat::ChatCompletions => "chat/completions",
            WireFormat::Responses => "responses",
            WireFormat::Messages => "messages",
            WireFormat::Ollama => "api/chat",
            WireFormat::Completions => "completions",
        }
    }

    /// Body members that this format requires. All others are optional.
    pub(super) const fn required(self) -> &'static [&'static str] {
        match self {
            WireFormat::ChatCompletions | WireFormat::Ollama => &["model", "messages", "tools"],
            // Without `store: false` the vendor stores every prompt.
            WireFormat::Responses => &["model", "instructions", "input", "store", "tools"],
            WireFormat::Messages => &["model", "max_tokens", "system", "messages", "tools"],
            WireFormat::Completions => &["model", "prompt"],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_the_names_in_json() {
        for it in WireFormat::ALL {
            assert_eq!(serde_json::json!(it), it.as_str());
        }
    }
}
