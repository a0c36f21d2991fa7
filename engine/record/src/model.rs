//! The model of a run.

use crate::Baseline;
use exchange::protocol::Protocol;
use provider::Endpoint;
use serde::{Deserialize, Serialize};

/// The model of a run, without its key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "provider", rename_all = "kebab-case")]
pub enum Model {
    /// A built-in model.
    Builtin {
        /// Its name.
        name: Baseline,
    },
    /// An endpoint. Version 1 named it after the only wire format that existed.
    #[serde(alias = "chat-completions")]
    Endpoint(Endpoint),
    /// An agent that called the tools itself, over the Model Context Protocol.
    Agent(Agent),
}

/// An agent, as it introduced itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Agent {
    /// Its name.
    pub name: String,
    /// Its version; empty if it gave none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub version: String,
}

impl Model {
    /// The model's name for display.
    pub fn title(&self) -> &str {
        match self {
            Model::Builtin { name } => name.title(),
            Model::Endpoint(endpoint) => &endpoint.model,
            Model::Agent(agent) => &agent.name,
        }
    }

    /// The hardware: the user's description, then what the page read from the model's file.
    pub fn hardware(&self) -> Option<String> {
        let Model::Endpoint(endpoint) = self else { return None };
        let loaded = endpoint.in_page.as_ref().filter(|it| !it.is_browsers()).map(|it| {
            let quantization = it.quantization.as_deref().unwrap_or(&it.architecture);
            let gigabytes = it.bytes as f64 / 1e9;
            let threads = if it.threads == 1 { "thread" } else { "threads" };
            format!(
                "{quantization}, {gigabytes:.1} GB, context {}, {} {threads} in the page",
                it.context, it.threads
            )
        });
        let parts: Vec<String> = endpoint.hardware.iter().cloned().chain(loaded).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// The model without what served it, for comparing runs.
    #[must_use]
    pub fn without_hardware(mut self) -> Self {
        if let Model::Endpoint(endpoint) = &mut self {
            endpoint.hardware = None;
        }
        self
    }

    /// Whether it is the browser's own model.
    pub fn is_browsers(&self) -> bool {
        let Model::Endpoint(endpoint) = self else { return false };
        endpoint.in_page.as_ref().is_some_and(|in_page| in_page.is_browsers())
    }

    /// Whether its answers are constrained to a grammar under a protocol: where calls are text and the
    /// wire format can carry one.
    pub fn has_grammar(&self, protocol: Protocol) -> bool {
        let Model::Endpoint(endpoint) = self else { return false };
        let takes = endpoint.grammar && endpoint.format.takes_grammar();
        takes && matches!(protocol, Protocol::Bracket | Protocol::Paper)
    }

    /// Whether system messages and tool results were folded into the user's turns.
    pub fn folds_roles(&self) -> bool {
        matches!(self, Model::Endpoint(endpoint) if endpoint.fold_roles)
    }
}
