//! An endpoint's settings.

use super::origin::AddressError;
use super::{
    Failure, InPageModel, Origin, Preset, Quirks, WireFormat, extra, is_browser_model, is_in_page,
};
use apis::nesting::{MOST_LEVELS, is_too_deep};
use exchange::protocol::Ask;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Whether the model must call a tool if tools are described.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ToolChoice {
    /// The model decides. Nothing is sent, because this is every vendor's default.
    #[default]
    Auto,
    /// The model must call one.
    Required,
}

/// An endpoint and its sampling settings. It has no key, so it can be saved.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Endpoint {
    /// The preset.
    pub preset: Preset,
    /// The wire format of requests and answers.
    pub format: WireFormat,
    /// Address including the version, for example `http://localhost:8080/v1`.
    pub base_url: String,
    /// Name of the model.
    pub model: String,
    /// Sampling temperature; `None` leaves it to the endpoint.
    pub temperature: Option<f64>,
    /// Nucleus sampling: cumulative probability, 0 to 1; `None` leaves it to the endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Sampling seed; `None` leaves it to the endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Maximum answer length in tokens; `None` leaves it to the endpoint.
    pub max_tokens: Option<u32>,
    /// Context length in tokens, for servers that accept it with each request (Ollama).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub num_ctx: Option<u32>,
    /// Whether to stream answers. Streaming measures the time to first token, and the response head
    /// arrives before the text is complete.
    pub streaming: bool,
    /// Whether the model must call a tool if tools are described.
    pub tool_choice: ToolChoice,
    /// Whether the endpoint should constrain answers to a JSON Schema, for prompts that have one.
    pub constrained: bool,
    /// Whether runs ask the endpoint to constrain answers to a grammar, for protocols and wire formats
    /// that can have one. Earlier versions had only `constrained`, which did nothing in runs.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub grammar: bool,
    /// Whether system messages and tool results are folded into the user's turns, for chat templates
    /// without these roles.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fold_roles: bool,
    /// Additional members of the request body, as documented by the vendor.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
    /// What serves the model, as its user describes it: the device, its memory, the size of the model's file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hardware: Option<String>,
    /// The model that ran in the page, at [`IN_PAGE_ADDRESS`](super::IN_PAGE_ADDRESS); `None` for a
    /// server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_page: Option<Box<InPageModel>>,
}

/// Whether a path has no fragment, and in its query nothing but a version, as Azure's addresses do.
/// Anything else might be a key.
fn has_only_a_version(path: &str) -> bool {
    let Some((_, query)) = path.split_once('?') else { return !path.contains('#') };
    let version = query.strip_prefix("api-version=").unwrap_or_default();
    let is_plain =
        version.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte));
    is_plain && (1..=24).contains(&version.len())
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
        let (_, path) = Origin::split(&self.base_url).map_err(address_failure)?;
        if !has_only_a_version(path) {
            return Err(Failure::configuration(
                "Address: after a ? it may have api-version=VERSION alone, and no #, because records \
                 store it. A key goes into its own field, or into the variable API_BANK_KEY on the \
                 command line.",
            ));
        }
        if is_in_page(&self.base_url) != self.in_page.is_some() {
            return Err(Failure::configuration(
                "Address: in-page.invalid stands for a model that is loaded in the page; load the \
                 model on the Run page, or enter a server's address.",
            ));
        }
        let is_browsers = self.in_page.as_ref().is_some_and(|in_page| in_page.is_browsers());
        if is_browser_model(&self.base_url) != is_browsers {
            return Err(Failure::configuration(
                "Address: in-page.invalid/v1/browser stands for the browser's own model; choose it on \
                 the Run page.",
            ));
        }
        if self.model.trim().is_empty() {
            return Err(Failure::configuration("Model: the name is missing."));
        }
        if self.extra.values().any(is_too_deep) {
            return Err(Failure::configuration(format!(
                "Extra parameters: expected at most {MOST_LEVELS} levels of lists and objects."
            )));
        }
        if let Some((name, decides)) = extra::refused(&self.extra) {
            return Err(Failure::configuration(format!(
                "Extra parameters: {name} decides {decides}, so the record would not say what was \
                 asked. Leave it out."
            )));
        }
        Ok(())
    }

    /// The server: the configured preset, or else the one that matches the address.
    pub fn server(&self) -> Preset {
        match self.preset {
            Preset::Custom => Preset::of_address(&self.base_url),
            preset => preset,
        }
    }

    /// Whether the model must call one of the tools of a prompt.
    pub(super) fn forces_tool(&self, ask: &Ask) -> bool {
        self.tool_choice == ToolChoice::Required && !ask.tools.is_empty()
    }

    /// The schema that constrains the answer to a prompt.
    pub(super) fn schema<'a>(&self, ask: &'a Ask) -> Option<&'a Value> {
        ask.schema.as_ref().filter(|_| self.constrained)
    }

    /// How its vendor deviates from the format.
    pub fn quirks(&self) -> Quirks {
        self.server().facts().quirks
    }
}

pub(super) fn address_failure(error: AddressError) -> Failure {
    Failure::configuration(format!("Address: {error}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BROWSER_MODEL_ADDRESS, Backend, IN_PAGE_ADDRESS};

    #[test]
    fn the_address_of_a_model_in_the_page_needs_a_loaded_model() {
        let at = |base_url: &str, in_page: Option<InPageModel>| Endpoint {
            base_url: base_url.to_owned(),
            model: "m".to_owned(),
            in_page: in_page.map(Box::new),
            ..Endpoint::default()
        };
        let loaded = InPageModel::default();
        assert!(at(IN_PAGE_ADDRESS, Some(loaded.clone())).check().is_ok());
        assert!(at("https://h/v1", None).check().is_ok());
        let failure = at(IN_PAGE_ADDRESS, None).check().unwrap_err();
        assert!(failure.message.starts_with("Address: in-page.invalid"), "{failure}");
        assert!(at("https://h/v1", Some(loaded.clone())).check().is_err(), "a server has no file");
        let browsers = InPageModel { backend: Backend::Browser, ..InPageModel::default() };
        assert!(at(BROWSER_MODEL_ADDRESS, Some(browsers.clone())).check().is_ok());
        assert!(at(BROWSER_MODEL_ADDRESS, Some(loaded)).check().is_err(), "a file is elsewhere");
        assert!(at(IN_PAGE_ADDRESS, Some(browsers)).check().is_err(), "the browser's is elsewhere");
    }

    #[test]
    fn an_address_with_a_query_is_refused_and_not_repeated() {
        let azure = "https://h/openai/v1?api-version=2024-10-21".to_owned();
        let model = "gpt".to_owned();
        assert_eq!(Endpoint { base_url: azure, model, ..Endpoint::default() }.check(), Ok(()));
        for tail in [
            "?key=sk-secret-1",
            "?api-version=sk-secret-1-with-some-more-of-it",
            "?api-version=1&key=sk-secret-1",
            "?api-version=1#sk-secret-1",
            "#sk-secret-1",
            "/?x",
        ] {
            let base_url = format!("https://h/v1{tail}");
            let endpoint = Endpoint { base_url, model: "m".to_owned(), ..Endpoint::default() };
            let message = endpoint.check().unwrap_err().message;
            assert!(
                message.starts_with("Address") && message.contains("API_BANK_KEY"),
                "{message}"
            );
            assert!(!message.contains("sk-secret"), "{message}");
        }
    }

    #[test]
    fn a_preset_has_one_address() {
        let at = |preset, base_url: &str| {
            let base_url = base_url.to_owned();
            Endpoint { preset, base_url, ..Endpoint::default() }.is_at_own_address()
        };
        let openai = Preset::OpenAi.facts().address;
        assert!(at(Preset::OpenAi, openai) && at(Preset::Custom, &format!("{openai}/")));
        assert!(!at(Preset::OpenAi, "https://evil.example/v1"));
        assert!(!at(Preset::OpenAi, "https://api.openai.com/tenant/v1"));
        assert!(!at(Preset::Custom, "http://10.0.0.1/v1") && !at(Preset::Custom, ""));
    }

    #[test]
    fn a_record_without_it_reads_as_a_server() {
        let text = serde_json::to_string(&Endpoint::default()).unwrap();
        assert!(!text.contains("in_page"), "{text}");
        assert_eq!(serde_json::from_str::<Endpoint>(&text).unwrap(), Endpoint::default());
    }
}
