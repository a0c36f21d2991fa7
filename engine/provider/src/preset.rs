//! Known servers, local and hosted: default address, wire format and quirks.
//!
//! The single source for the page and the command line. Sources: the vendors' documentation.

use super::WireFormat;
use serde::{Deserialize, Serialize};

/// A known server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// Ollama on this machine.
    Ollama,
    /// llama.cpp's llama-server on this machine.
    LlamaCpp,
    /// LM Studio on this machine.
    LmStudio,
    /// vLLM on this machine.
    Vllm,
    /// OpenAI.
    #[serde(rename = "openai", alias = "open-ai")]
    OpenAi,
    /// Anthropic.
    Anthropic,
    /// OpenRouter.
    #[serde(rename = "openrouter", alias = "open-router")]
    OpenRouter,
    /// Groq.
    Groq,
    /// DeepSeek.
    #[serde(rename = "deepseek")]
    DeepSeek,
    /// Mistral.
    Mistral,
    /// Gemini, through its OpenAI-compatible path.
    Gemini,
    /// xAI.
    #[serde(rename = "xai")]
    XAi,
    /// Together.
    Together,
    /// Fireworks.
    Fireworks,
    /// Hugging Face's router of inference providers.
    HuggingFace,
    /// Azure OpenAI, API version v1.
    Azure,
    /// Any other server.
    #[default]
    Custom,
}

/// Whether a server needs a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyNeed {
    /// Requests without a key are rejected.
    Required,
    /// Only if the server was started with one.
    Optional,
}

/// How a vendor deviates from its wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quirks {
    /// The maximum-tokens parameter in Chat Completions.
    pub token_limit: &'static str,
    /// The seed parameter in Chat Completions.
    pub seed: &'static str,
    /// Whether tool call ids must be nine letters or digits.
    pub short_call_ids: bool,
    /// Whether streams include token counts only on request.
    pub stream_options: bool,
    /// Whether reasoning can be requested in encrypted form and sent back.
    pub sealed_reasoning: bool,
    /// Whether browser requests need an explicit opt-in header.
    pub browser_header: bool,
}

/// The quirks of most servers.
const PLAIN: Quirks = Quirks {
    token_limit: "max_tokens",
    seed: "seed",
    short_call_ids: false,
    stream_options: true,
    sealed_reasoning: false,
    browser_header: false,
};

/// Facts about a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PresetFacts {
    /// The server.
    pub preset: Preset,
    /// The identifier in records, in the page and on the command line.
    pub id: &'static str,
    /// The name in the UI.
    pub title: &'static str,
    /// The default address; empty for none.
    pub address: &'static str,
    /// The best format that it supports.
    pub format: WireFormat,
    /// Whether it needs a key.
    pub key: KeyNeed,
    /// Whether it usually runs on this machine.
    pub is_local: bool,
    /// Suitable number of requests in flight; 1 for local servers that work sequentially.
    pub concurrency: usize,
    /// Advice before a run. `{origin}` is replaced by the page's origin.
    pub remark: &'static str,
    /// How to allow the page through CORS. `{origin}` is replaced by the page's origin.
    pub cors: &'static str,
    /// How to enable native tool calls.
    pub tools: &'static str,
    /// How it deviates from the format.
    pub quirks: Quirks,
}

const LOCAL: PresetFacts = PresetFacts {
    preset: Preset::Custom,
    id: "custom",
    title: "Custom",
    address: "",
    format: WireFormat::ChatCompletions,
    key: KeyNeed::Optional,
    is_local: true,
    concurrency: 1,
    remark: "The address up to the version, usually ending in /v1.",
    cors: "Set the server's CORS option so that it answers requests from {origin}.",
    tools: "Use a model and a server setting that support tool calls, or the bracket protocol.",
    quirks: PLAIN,
};

const CLOUD: PresetFacts = PresetFacts {
    key: KeyNeed::Required,
    is_local: false,
    concurrency: 4,
    remark: "Needs an API key.",
    cors: "This vendor answers web pages as it is, so look for a mistyped address or a wrong key.",
    ..LOCAL
};

/// Every preset, in menu order.
pub const PRESETS: [PresetFacts; 17] = [
    PresetFacts {
        preset: Preset::Ollama,
        id: "ollama",
        title: "Ollama",
        address: "http://localhost:11434",
        format: WireFormat::Ollama,
        remark: "Start it with OLLAMA_ORIGINS={origin} set; pages on localhost pass as they are. \
                 Give the context window below, as its own is short.",
        cors: "Start it with this page let in: OLLAMA_ORIGINS={origin} ollama serve",
        tools: "Pick a model that Ollama lists under Tools: ollama show MODEL names its \
                capabilities.",
        ..LOCAL
    },
    PresetFacts {
        preset: Preset::LlamaCpp,
        id: "llama-cpp",
        title: "llama.cpp",
        address: "http://localhost:8080/v1",
        remark: "llama-server answers web pages as it is. The context is set at its start: -c 8192.",
        cors: "llama-server answers every page as it is. Start it: llama-server -m MODEL.gguf \
               --port 8080",
        tools: "Start it with --jinja and a model whose chat template has tools.",
        ..LOCAL
    },
    PresetFacts {
        preset: Preset::LmStudio,
        id: "lm-studio",
        title: "LM Studio",
        address: "http://localhost:1234/v1",
        remark: "Turn on Enable CORS in its Developer tab.",
        cors: "Turn on Enable CORS in its Developer tab, or start it with: lms server start --cors",
        tools: "Load a model that LM Studio marks with a hammer.",
        ..LOCAL
    },
    PresetFacts {
        preset: Preset::Vllm,
        id: "vllm",
        title: "vLLM",
        address: "http://localhost:8000/v1",
        concurrency: 8,
        remark: "vLLM answers web pages as it is, many requests at a time.",
        cors: "Start it so that it lets this page in: vllm serve MODEL --allowed-origins \
               '[\"{origin}\"]'",
        tools: "Start it with --enable-auto-tool-choice --tool-call-parser and the parser of the \
                model.",
        ..LOCAL
    },
    PresetFacts {
        preset: Preset::OpenAi,
        id: "openai",
        title: "OpenAI",
        address: "https://api.openai.com/v1",
        format: WireFormat::Responses,
        cors: "OpenAI answers a wrong key so that the browser hides why. Check the key first, then \
               the address.",
        quirks: Quirks { token_limit: "max_completion_tokens", sealed_reasoning: true, ..PLAIN },
        ..CLOUD
    },
    PresetFacts {
        preset: Preset::Anthropic,
        id: "anthropic",
        title: "Anthropic",
        address: "https://api.anthropic.com/v1",
        format: WireFormat::Messages,
        remark: "Needs an API key. Keys of some organisations are refused from web pages: use the \
                 command line then.",
        cors: "Anthropic refuses web pages for organisations that turned direct browser access off. \
               Check the key, or use the command line.",
        quirks: Quirks { browser_header: true, ..PLAIN },
        ..CLOUD
    },
    PresetFacts {
        preset: Preset::OpenRouter,
        id: "openrouter",
        title: "OpenRouter",
        address: "https://openrouter.ai/api/v1",
        tools: "Pick a model that OpenRouter lists with tools.",
        ..CLOUD
    },
    PresetFacts {
        preset: Preset::Groq,
        id: "groq",
        title: "Groq",
        address: "https://api.groq.com/openai/v1",
        remark: "Needs an API key. Its free tier allows few requests a minute.",
        quirks: Quirks { token_limit: "max_completion_tokens", ..PLAIN },
        ..CLOUD
    },
    PresetFacts {
        preset: Preset::DeepSeek,
        id: "deepseek",
        title: "DeepSeek",
        address: "https://api.deepseek.com/v1",
        ..CLOUD
    },
    PresetFacts {
        preset: Preset::Mistral,
        id: "mistral",
        title: "Mistral",
        address: "https://api.mistral.ai/v1",
        quirks: Quirks {
            seed: "random_seed",
            short_call_ids: true,
            stream_options: false,
            ..PLAIN
        },
        ..CLOUD
    },
    PresetFacts {
        preset: Preset::Gemini,
        id: "gemini",
        title: "Gemini",
        address: "https://generativelanguage.googleapis.com/v1beta/openai",
        cors: "Gemini answers web pages. Look for a mistyped address or a key that is restricted to \
               other websites.",
        ..CLOUD
    },
    PresetFacts {
        preset: Preset::XAi,
        id: "xai",
        title: "xAI",
        address: "https://api.x.ai/v1",
        ..CLOUD
    },
    PresetFacts {
        preset: Preset::Together,
        id: "together",
        title: "Together",
        address: "https://api.together.xyz/v1",
        ..CLOUD
    },
    PresetFacts {
        preset: Preset::Fireworks,
        id: "fireworks",
        title: "Fireworks",
        address: "https://api.fireworks.ai/inference/v1",
        ..CLOUD
    },
    PresetFacts {
        preset: Preset::HuggingFace,
        id: "hugging-face",
        title: "Hugging Face",
        address: "https://router.huggingface.co/v1",
        remark: "Needs an access token that may call inference providers.",
        tools: "Pick a model and a provider that the router lists with tools.",
        ..CLOUD
    },
    PresetFacts {
        preset: Preset::Azure,
        id: "azure",
        title: "Azure OpenAI",
        // No default: any host under the domain may be another customer's.
        address: "",
        remark: "The address is https://RESOURCE.openai.azure.com/openai/v1 with your resource, the \
                 model the name of your deployment.",
        cors: "Azure does not promise to answer web pages. Check the address and the key; if they \
               are right, use the command line.",
        quirks: Quirks { token_limit: "max_completion_tokens", ..PLAIN },
        ..CLOUD
    },
    LOCAL,
];

/// The domain that Azure's resources share, each with its own host.
const AZURE: &str = ".openai.azure.com";

impl Preset {
    /// The facts about the server.
    pub fn facts(self) -> &'static PresetFacts {
        // A test checks that the table is complete; otherwise fall back to the custom preset.
        PRESETS.iter().find(|facts| facts.preset == self).unwrap_or(&LOCAL)
    }

    /// The preset that matches an address: by host, or on this machine by the default port.
    pub fn of_address(url: &str) -> Self {
        let place = |url: &str| {
            let rest = url.trim().split_once("://").map_or("", |(_, rest)| rest);
            let place = rest.split(['/', '?', '#']).next().unwrap_or_default().to_lowercase();
            match place.strip_prefix("127.0.0.1") {
                Some(port) => format!("localhost{port}"),
                None => place,
            }
        };
        let wanted = place(url);
        if wanted.ends_with(AZURE) {
            return Preset::Azure;
        }
        let known = PRESETS.iter().find(|it| !it.address.is_empty() && place(it.address) == wanted);
        known.map_or(Preset::Custom, |facts| facts.preset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_in_the_table_under_its_identifier() {
        for facts in &PRESETS {
            let written = serde_json::to_value(facts.preset).unwrap();
            assert_eq!(written, facts.id, "the identifier of {} in records", facts.title);
            assert_eq!(facts.preset.facts(), facts);
            if !facts.address.is_empty() {
                assert_eq!(Preset::of_address(facts.address), facts.preset);
                assert_eq!(facts.is_local, facts.address.starts_with("http://localhost:"));
            }
        }
        assert_eq!(Preset::of_address("http://127.0.0.1:11434/v1"), Preset::Ollama);
        assert_eq!(Preset::of_address("http://api.openai.com.evil/v1"), Preset::Custom);
        assert_eq!(Preset::of_address("https://r1.openai.azure.com/openai/v1"), Preset::Azure);
        assert_eq!(Preset::of_address("https://openai.azure.com.evil/openai/v1"), Preset::Custom);
        assert_eq!(Preset::of_address(""), Preset::Custom);
        assert_eq!(serde_json::from_str::<Preset>("\"open-ai\"").unwrap(), Preset::OpenAi);
    }
}
