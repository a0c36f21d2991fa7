//! An endpoint's settings.

use super::origin::AddressError;
use super::{Failure, Origin, Preset, Quirks, WireFormat};
use apis::nesting::{MOST_LEVELS, is_too_deep};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Whether a model has to call a tool, where tools are described.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ToolChoice {
    /// The model decides; nothing is sent, as it is every vendor's default.
    #[default]
    Auto,
    /// The model has to call one.
    Required,
}

/// An endpoint. The key is kept apart from everything that is saved.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Endpoint {
    /// The server that it is, where that is known.
    pub preset: Preset,
    /// How requests and answers are written.
    pub format: WireFormat,
    /// Address up to the version, for example `http://localhost:8080/v1`.
    pub base_url: String,
    /// Name of the model.
    pub model: String,
    /// Sampling temperature; `None` leaves it to the endpoint.
    pub temperature: Option<f64>,
    /// Share of the probability that is sampled from, 0 to 1; `None` leaves it to the endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Seed of the sampling; `None` leaves it to the endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Longest answer in tokens; `None` leaves it to the endpoint.
    pub max_tokens: Option<u32>,
    /// Length of the context in tokens, for servers that are told it with each request (Ollama).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub num_ctx: Option<u32>,
    /// Whether the answer is asked for piece by piece: it tells the time to the first token, and a
    /// server that would wait for the whole text answers at once.
    pub streaming: bool,
    /// Whether a model has to call a tool, where tools are described.
    pub tool_choice: ToolChoice,
    /// Whether the endpoint is to hold the model to the answer's JSON Schema, where a protocol
    /// has one.
    pub constrained: bool,
    /// Further members of the request's body, as the vendor documents them.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

impl Endpoint {
    /// The origin that requests are sent to.
    ///
    /// # Errors
    /// A configuration failure that names the field and the fix.
    pub fn origin(&self) -> Result<Origin, Failure> {
        Origin::of(&self.base_url).map_err(address_failure)
    }

    /// Validates the settings without sending anything.
    ///
    /// # Errors
    /// A configuration failure that names the field and the fix.
    pub fn check(&self) -> Result<(), Failure> {
        self.origin()?;
        if self.model.trim().is_empty() {
            return Err(Failure::configuration("Model: the name is missing."));
        }
        if self.extra.values().any(is_too_deep) {
            return Err(Failure::configuration(format!(
                "Extra parameters: expected at most {MOST_LEVELS} levels of lists and objects."
            )));
        }
        Ok(())
    }

    /// The server: the configured preset, or else the one that matches the address.
    pub fn server(&self) -> Preset {
        match self.preset {
            Preset::Custom => Preset::of_address(&self.base_url),
            told => told,
        }
    }

    /// How its vendor deviates from the format.
    pub fn quirks(&self) -> Quirks {
        self.server().facts().quirks
    }
}

pub(super) fn address_failure(error: AddressError) -> Failure {
    Failure::configuration(format!("Address: {error}."))
}
