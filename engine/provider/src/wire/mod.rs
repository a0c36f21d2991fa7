//! The wire formats. Each is one file with its [`Facts`] and its [`Wire`] implementation, and one line in
//! the list below.

use crate::{Endpoint, Failure};
use exchange::Answer;
use exchange::protocol::Ask;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use strum::{EnumCount, IntoStaticStr, VariantArray};

mod chat_completions;
mod completions;
mod messages;
mod ollama;
mod responses;

pub use completions::prompt as completions_prompt;

/// Declares [`WireFormat`]: each variant, and the module of the unit struct of that name.
macro_rules! formats {
    ($($(#[$doc:meta])* $name:ident in $file:ident,)+) => {
        /// Encoding of requests and answers.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[derive(EnumCount, IntoStaticStr, VariantArray)]
        #[strum(serialize_all = "kebab-case")]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "kebab-case")]
        pub enum WireFormat {
            $($(#[$doc])* $name,)+
        }

        impl WireFormat {
            pub(super) const fn wire(self) -> &'static dyn Wire {
                match self {
                    $(WireFormat::$name => &$file::$name,)+
                }
            }

            // Separate from `wire`, so that the page, which sends no requests, does not link encoders.
            pub(super) const fn facts(self) -> &'static Facts {
                match self {
                    $(WireFormat::$name => &$file::FACTS,)+
                }
            }
        }
    };
}

// In menu order.
formats! {
    /// OpenAI's Chat Completions, which most servers support.
    #[default]
    ChatCompletions in chat_completions,
    /// OpenAI's Responses.
    Responses in responses,
    /// Anthropic's Messages.
    Messages in messages,
    /// Ollama's native API.
    Ollama in ollama,
    /// Legacy Completions, for base models.
    Completions in completions,
}

impl WireFormat {
    /// Every format, in menu order.
    pub const ALL: [WireFormat; WireFormat::COUNT] = *WireFormat::VARIANTS.first_chunk().unwrap();

    /// The identifier in records and on the command line.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The name in the UI.
    pub fn title(self) -> &'static str {
        self.facts().title
    }

    /// Whether requests have messages with roles, and tools. Otherwise the model continues a text.
    pub fn has_roles(self) -> bool {
        self.facts().has_roles
    }

    /// Whether requests can have a grammar for the answer.
    pub fn takes_grammar(self) -> bool {
        self.facts().takes_grammar
    }

    /// Whether requests can have the context length.
    pub fn takes_context(self) -> bool {
        self.facts().takes_context
    }
}

/// The constants of a format.
pub(super) struct Facts {
    /// The name in the UI.
    pub title: &'static str,
    /// The path for prompts, below the endpoint's base address.
    pub path: &'static str,
    /// The path of the list of models.
    pub models_path: &'static str,
    /// Ends of addresses that the paths already have: they are stripped.
    pub own_prefixes: &'static [&'static str],
    /// Body members that this format requires. All others are optional.
    pub required: &'static [&'static str],
    /// Members with another name, which a server that refuses the first may accept.
    pub renamed: &'static [(&'static str, &'static str)],
    /// Whether a stream has one JSON document per line, not server-sent events.
    pub streams_lines: bool,
    /// See [`WireFormat::has_roles`].
    pub has_roles: bool,
    /// See [`WireFormat::takes_grammar`].
    pub takes_grammar: bool,
    /// See [`WireFormat::takes_context`].
    pub takes_context: bool,
}

impl Facts {
    /// What most formats have in common.
    const USUAL: Facts = Facts {
        title: "",
        path: "",
        models_path: "models",
        own_prefixes: &[],
        required: &[],
        renamed: &[],
        streams_lines: false,
        has_roles: true,
        takes_grammar: false,
        takes_context: false,
    };
}

/// Encodes requests to a format and decodes its answers. Its constants are the file's `FACTS`.
pub(super) trait Wire {
    /// The headers with the key, and the ones that the vendor requires with them. At several vendors
    /// any other header fails the CORS preflight.
    fn headers(&self, _: &Endpoint, key: Option<&str>) -> Vec<(&'static str, String)> {
        key.map(|key| ("Authorization", format!("Bearer {key}"))).into_iter().collect()
    }

    /// The body of a request.
    ///
    /// # Errors
    /// A configuration failure when the format does not support the request.
    fn body(&self, endpoint: &Endpoint, ask: &Ask) -> Result<Map<String, Value>, Failure>;

    /// Decodes the answer from a body.
    ///
    /// # Errors
    /// When the body has a different shape.
    fn decode(&self, body: &Value) -> Result<Answer, Failure>;

    /// Starts a streamed answer.
    fn stream(&self) -> Box<dyn Assemble>;
}

/// The relevant contents of an event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// A piece of text, reasoning or a tool call.
    pub token: bool,
    /// The end: nothing relevant follows.
    pub end: bool,
}

/// Accumulates the events of a stream into a complete body.
pub(super) trait Assemble {
    /// Adds the next event.
    fn event(&mut self, event: &Value) -> Seen;

    /// Handles `[DONE]`, which ends a stream in OpenAI's formats.
    fn done(&mut self) {}

    /// Whether the stream reached the end of the answer.
    fn is_complete(&self) -> bool;

    /// The equivalent non-streamed body of the events so far.
    fn body(&mut self) -> Value;
}

/// A tool for tests.
#[cfg(test)]
fn adding_tool() -> exchange::protocol::Tool {
    exchange::protocol::Tool {
        name: "Add".to_owned(),
        description: "adds".to_owned(),
        parameters: serde_json::json!({"type": "object"}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_the_names_in_json() {
        for format in WireFormat::ALL {
            assert_eq!(serde_json::json!(format), format.as_str());
        }
    }
}
