//! A model that runs in the page: facts for the record, and the address that stands for it.
//!
//! Such a model answers the same requests as an endpoint, but they never reach the network: the
//! platform hands them to the engine in the page. The address is of a domain that no resolver
//! answers (RFC 2606).

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// The address of a model in the page.
pub const IN_PAGE_ADDRESS: &str = "https://in-page.invalid/v1";

/// The address of the browser's own model, which the browser offers to pages (Prompt API).
pub const BROWSER_MODEL_ADDRESS: &str = "https://in-page.invalid/v1/browser";

/// What the engine computes with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum Backend {
    /// The GPU, by WebGPU.
    #[serde(rename = "webgpu")]
    #[strum(serialize = "webgpu")]
    WebGpu,
    /// Several threads of the CPU.
    Threads,
    /// One thread of the CPU.
    #[default]
    SingleThread,
    /// Whatever the browser runs its own model on.
    Browser,
}

impl Backend {
    /// The identifier in records.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A model that was loaded in the page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InPageModel {
    /// The engine's library: `wllama`, or `Prompt API` for the browser's own model, of which only
    /// version and context are known.
    pub library: String,
    /// Its version, or the browser's name and version.
    pub version: String,
    /// What it computed with.
    pub backend: Backend,
    /// Number of threads.
    pub threads: u32,
    /// SHA-256 of each GGUF file, in the order of the parts, in lower-case hexadecimal.
    pub digests: Vec<String>,
    /// Bytes of all files.
    pub bytes: u64,
    /// The architecture, such as `llama`.
    pub architecture: String,
    /// The quantization, such as `Q4_K_M`; absent if the file does not name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantization: Option<String>,
    /// Number of weights.
    pub parameters: u64,
    /// The context length that it was loaded with, in tokens.
    pub context: u64,
    /// SHA-256 of the chat template; absent if the model has none, so that it continues texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template_digest: Option<String>,
}

impl InPageModel {
    /// Whether it is the browser's own model: without a digest, and without settings for sampling.
    pub fn is_browsers(&self) -> bool {
        self.backend == Backend::Browser
    }
}

/// Whether an address stands for the browser's own model.
pub fn is_browser_model(url: &str) -> bool {
    let rest = url.trim().strip_prefix(BROWSER_MODEL_ADDRESS);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether an address stands for a model in the page.
pub fn is_in_page(url: &str) -> bool {
    let rest = url.trim().strip_prefix(IN_PAGE_ADDRESS);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_address_itself_is_in_the_page() {
        for url in [IN_PAGE_ADDRESS.to_owned(), format!("{IN_PAGE_ADDRESS}/chat/completions")] {
            assert!(is_in_page(&url) && !is_browser_model(&url), "{url}");
        }
        let browsers = format!("{BROWSER_MODEL_ADDRESS}/chat/completions");
        assert!(is_in_page(&browsers) && is_browser_model(&browsers));
        for url in ["https://in-page.invalid/v10", "https://in-page.invalid.example/v1", ""] {
            assert!(!is_in_page(url), "{url}");
        }
    }

    #[test]
    fn backends_are_named_alike_everywhere() {
        for backend in [Backend::WebGpu, Backend::Threads, Backend::SingleThread, Backend::Browser]
        {
            assert_eq!(serde_json::json!(backend), backend.as_str());
        }
    }
}
