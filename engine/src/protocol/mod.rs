//! From abilities to samples to prompts: how a model is asked.

pub mod bracket;
mod message;
mod sample;

pub use message::{Ask, Message, Role, Tool, ToolCall};
pub use sample::{Sample, SampleKind, SampleSource, replayed, samples, samples_of, world_at};

use serde::{Deserialize, Serialize};

/// How the model is asked. A run names one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// The paper's: calls are text, `[ApiName(key='value')]`, and the history is gold.
    #[default]
    Bracket,
}

impl Protocol {
    /// The protocol's identifier.
    pub const fn as_str(self) -> &'static str {
        match self {
            Protocol::Bracket => "bracket",
        }
    }
}

/// The prompt of a sample under a protocol.
pub fn prompt(protocol: Protocol, sample: &Sample<'_>, year: i16) -> Vec<Message> {
    match protocol {
        Protocol::Bracket => bracket::prompt(sample, year),
    }
}
