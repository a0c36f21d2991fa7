//! Requests about a model in the page: describe, load, unload.

use super::Count;
use gguf::Model;
use provider::InPageModel;
use serde::{Deserialize, Serialize};

/// Describe the files sent along, which replace the chosen model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DescribeModel {}

/// What a model's files say of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelDescription {
    /// Names of the files, in the order of the parts.
    pub files: Vec<String>,
    /// The headers.
    pub model: Model,
    /// SHA-256 of the chat template.
    pub template_digest: Option<String>,
    /// The memory that this device lets the engine use, in bytes.
    pub memory: u64,
    /// Why it can't be loaded, with the remedy; `None` if it can.
    pub problem: Option<String>,
}

/// Compute the SHA-256 of the described model's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DigestModel {}

/// Load the described model, instead of the loaded one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadModel {
    /// The context length, in tokens.
    pub context: u64,
    /// Threads of the CPU, if the page has them.
    pub threads: u32,
}

/// A loaded model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoadedModel {
    /// The facts for the record.
    pub facts: InPageModel,
    /// The name in records.
    pub name: String,
    /// Whether its chat template describes tools; others drop them silently.
    pub takes_tools: bool,
    /// How fast it answers a short prompt.
    pub speed: ModelSpeed,
}

/// How fast a model reads and writes, measured by a short prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelSpeed {
    /// Prompt tokens per second.
    pub prompt: f64,
    /// Answer tokens per second.
    pub answer: f64,
}

/// Ask the browser's own model, instead of the loaded one, through the port sent along.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UseBrowserModel {
    /// The browser's name and version.
    pub version: String,
    /// The tokens that a session takes; 0 if unknown.
    pub context: u64,
}

/// Free the loaded model's memory and forget the chosen files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnloadModel {}

/// A step of describing and loading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelStep {
    /// Computing the digest.
    Digest,
    /// Loading into the engine.
    Load,
    /// Measuring the speed.
    Measure,
}

/// Progress of a model in the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelProgress {
    /// The step.
    pub step: ModelStep,
    /// Its bytes; 0 in total if unknown.
    pub bytes: Count<u64>,
}
