//! The options that name an endpoint, shared by `run` and `check`.

use crate::Usage;
use crate::choice::one_of;
use crate::shown::tell;
use anyhow::Result;
use clap::Args;
use clap::builder::TypedValueParser;
use provider::{ApiKey, Endpoint, PRESETS, Preset, ToolChoice, WireFormat};
use serde_json::{Map, Value};

/// The environment variable that holds the API key.
const KEY: &str = "API_BANK_KEY";

/// The endpoint and its settings. The API key is read from the environment variable API_BANK_KEY.
#[derive(Debug, Args)]
pub(crate) struct EndpointArguments {
    /// A preset server with its default address and format.
    #[arg(long, value_parser = one_of(&PRESETS, |it| it.id).map(|facts| facts.preset))]
    preset: Option<Preset>,
    /// The endpoint's base URL, such as http://localhost:8080/v1; defaults to the preset's.
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
    /// The wire format; defaults to the best one that the preset, or the server at this address,
    /// supports.
    #[arg(long, value_parser = one_of(&WireFormat::ALL, WireFormat::as_str))]
    format: Option<WireFormat>,
    /// Sampling temperature, 0 to 2; none uses the endpoint's default.
    #[arg(long, default_value = "0", value_parser = temperature)]
    temperature: Setting<f64>,
    /// Nucleus sampling (top-p), above 0 and at most 1.
    #[arg(long, value_parser = top_p)]
    top_p: Option<f64>,
    /// The sampling seed.
    #[arg(long)]
    sampling_seed: Option<u64>,
    /// The maximum answer length in tokens; none uses the endpoint's default.
    #[arg(long, default_value = "4096", value_parser = max_tokens)]
    max_tokens: Setting<u32>,
    /// The context length in tokens; only Ollama takes it, with each request.
    #[arg(long, default_value_t = 8192, value_parser = clap::value_parser!(u32).range(256..))]
    num_ctx: u32,
    /// Request answers in one piece instead of streaming.
    #[arg(long)]
    no_stream: bool,
    /// Require a tool call where tools are described.
    #[arg(long)]
    require_tools: bool,
    /// Constrain answers to a grammar of the described APIs' calls, or words: under bracket and paper, by
    /// llama.cpp's servers.
    #[arg(long)]
    constrained: bool,
    /// Fold system messages and tool results into the user's turns, for chat templates without these
    /// roles; `check` says when it is needed.
    #[arg(long)]
    fold_roles: bool,
    /// Extra members of the request body, a JSON object such as {"reasoning_effort": "low"}.
    #[arg(long, value_name = "JSON", value_parser = extra)]
    extra: Option<Map<String, Value>>,
}

/// A setting that can be left to the endpoint: `none` on the command line.
#[derive(Debug, Clone, Copy)]
struct Setting<T>(Option<T>);

impl EndpointArguments {
    /// Whether the command line names an endpoint.
    pub(crate) fn is_given(&self) -> bool {
        self.preset.is_some() || self.endpoint.is_some()
    }

    /// The address given directly, or the preset's.
    pub(crate) fn address(&self) -> Option<&str> {
        let preset = || self.preset.map(|preset| preset.facts().address);
        self.endpoint.as_deref().map(str::trim).or_else(preset)
    }

    /// Checks that the command line names the address that a record's requests went to, with its
    /// path, because a file must never decide where the key is sent: on a gateway, a path is a
    /// tenant.
    ///
    /// # Errors
    /// When the addresses differ or none is given; names the option to add or change.
    pub(crate) fn agrees_with(&self, recorded: &Endpoint) -> Result<()> {
        recorded.check().map_err(|failure| Usage(failure.message))?;
        let base = recorded.base().map_err(|failure| Usage(failure.message))?;
        let Some(told) = self.address() else {
            return Err(Usage(format!(
                "this record names {base}, and its requests would go there with the key in {KEY}. \
                 If that is where you want them, add --endpoint {base}"
            ))
            .into());
        };
        let told = Endpoint { base_url: told.to_owned(), ..recorded.clone() };
        told.check().map_err(|failure| Usage(format!("--endpoint: {}", failure.message)))?;
        let told = told.base().map_err(|failure| Usage(failure.message))?;
        if told != base {
            return Err(Usage(format!(
                "this record names {base}, and the command line {told}: requests go to neither. \
                 Name the record's own with --endpoint {base}, or begin a new run"
            ))
            .into());
        }
        tell!("Requests go to {}.", recorded.prompt_address().map_err(|it| Usage(it.message))?);
        if !recorded.extra.is_empty() {
            let extra = Value::Object(recorded.extra.clone());
            tell!("Each has these extra fields of the record: {extra}");
        }
        Ok(())
    }

    /// The endpoint for `model`.
    ///
    /// # Errors
    /// Names the unusable setting and the remedy.
    pub(crate) fn read(&self, model: &str) -> Result<Endpoint> {
        let endpoint = self.read_nameless(model)?;
        endpoint.check().map_err(|failure| Usage(failure.message))?;
        Ok(endpoint)
    }

    /// Like [`Self::read`], but `model` may be empty: the check takes it from the endpoint's list.
    ///
    /// # Errors
    /// Names the unusable setting and the remedy.
    pub(crate) fn read_nameless(&self, model: &str) -> Result<Endpoint> {
        let told = self.preset.unwrap_or_default();
        let address = self.address().unwrap_or_default();
        if address.is_empty() {
            return Err(Usage("--endpoint: name the address, or a --preset".to_owned()).into());
        }
        let preset = match told {
            Preset::Custom => Preset::of_address(address),
            told => told,
        };
        let format = self.format.unwrap_or(preset.facts().format);
        let endpoint = Endpoint {
            preset,
            format,
            base_url: address.to_owned(),
            model: model.trim().to_owned(),
            temperature: self.temperature.0,
            top_p: self.top_p,
            seed: self.sampling_seed,
            max_tokens: self.max_tokens.0,
            num_ctx: (format == WireFormat::Ollama).then_some(self.num_ctx),
            streaming: !self.no_stream,
            tool_choice: if self.require_tools { ToolChoice::Required } else { ToolChoice::Auto },
            constrained: self.constrained,
            grammar: self.constrained,
            fold_roles: self.fold_roles,
            extra: self.extra.clone().unwrap_or_default(),
            in_page: None,
        };
        // Check everything except the name, which the list may supply.
        let named = Endpoint { model: "?".to_owned(), ..endpoint.clone() };
        named.check().map_err(|failure| Usage(failure.message))?;
        reqwest::Url::parse(&endpoint.base_url)
            .map_err(|error| Usage(format!("--endpoint: this is no address: {error}")))?;
        Ok(endpoint)
    }
}

/// The key from the environment, for the endpoint named on the command line only.
///
/// # Errors
/// When the variable's text is not a valid key.
pub(crate) fn key(endpoint: &Endpoint) -> Result<Option<ApiKey>> {
    key_in(endpoint, KEY)
}

/// Like [`key`], from a variable that the user names for the endpoint.
///
/// # Errors
/// When the variable's text is not a valid key.
pub(crate) fn key_in(endpoint: &Endpoint, variable: &str) -> Result<Option<ApiKey>> {
    let origin = endpoint.origin().map_err(|failure| Usage(failure.message))?;
    if origin.is_exposed() {
        eprintln!(
            "{origin} is plain http on a public network: everybody on the way can read the key and \
             the questions. Use https:// where the server has it."
        );
    }
    let Some(text) = std::env::var_os(variable) else { return Ok(None) };
    let text = text.to_string_lossy();
    let key = ApiKey::new(origin, &text).map_err(|error| Usage(format!("{variable}: {error}")))?;
    let settings = serde_json::to_string(endpoint)?;
    if key.as_ref().is_some_and(|key| key.is_in(&settings)) {
        let message = "the settings of the endpoint have the key in them, and records store them. \
                       Leave it out of address, model and extra fields";
        return Err(Usage(format!("{message}: {variable} is enough")).into());
    }
    Ok(key)
}

fn temperature(text: &str) -> Result<Setting<f64>, String> {
    setting(text, |value| (0.0..=2.0).contains(value))
        .ok_or_else(|| "expected a number from 0 to 2, or none".to_owned())
}

fn max_tokens(text: &str) -> Result<Setting<u32>, String> {
    setting(text, |value| *value > 0)
        .ok_or_else(|| "expected a whole number above 0, or none".to_owned())
}

fn top_p(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|value| *value > 0.0 && *value <= 1.0);
    value.ok_or_else(|| "expected a number above 0, at most 1".to_owned())
}

fn extra(text: &str) -> Result<Map<String, Value>, String> {
    serde_json::from_str(text).map_err(|error| format!("expected a JSON object: {error}"))
}

fn setting<T: std::str::FromStr>(text: &str, fits: fn(&T) -> bool) -> Option<Setting<T>> {
    if text == "none" {
        return Some(Setting(None));
    }
    text.parse().ok().filter(fits).map(|value| Setting(Some(value)))
}
