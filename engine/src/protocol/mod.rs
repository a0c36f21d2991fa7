//! From abilities to samples to prompts: how a model is asked.

pub mod bracket;
mod sample;

pub use sample::{Sample, SampleKind, replayed, samples, world_at};

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

/// Who says a message of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Instructions.
    System,
    /// The user.
    User,
    /// The model.
    Assistant,
}

/// One message of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: String,
}

/// The prompt of a sample under a protocol.
pub fn prompt(protocol: Protocol, sample: &Sample<'_>, year: i16) -> Vec<Message> {
    match protocol {
        Protocol::Bracket => bracket::prompt(sample, year),
    }
}
