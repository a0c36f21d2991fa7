//! The options that name an endpoint, shared by `run` and `check`.

use crate::Usage;
use crate::choice::one_of;
use crate::options::{Options, Sampling};
use crate::shown::tell;
use anyhow::Result;
use clap::Args;
use clap::builder::TypedValueParser;
use provider::{ApiKey, Endpoint, PRESETS, Preset, WireFormat};
use record::{Model, RunSettings};
use serde_json::Value;

/// The environment variable that holds the API key.
const KEY: &str = "API_BANK_KEY";

/// The endpoint and its settings. The API key is read from the environment variable API_BANK_KEY.
#[derive(Debug, Args)]
pub(crate) struct EndpointArguments {
    /// A preset server with its default address and format.
    #[arg(long, value_parser = one_of(&PRESETS, |facts| facts.id).map(|facts| facts.preset))]
    preset: Option<Preset>,
    /// The endpoint's base URL, such as http://localhost:8080/v1; defaults to the preset's.
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
    /// The wire format; defaults to the best one that the preset, or the server at this address,
    /// supports.
    #[arg(long, value_parser = one_of(&WireFormat::ALL, WireFormat::as_str))]
    format: Option<WireFormat>,
    #[command(flatten)]
    sampling: Options<Sampling>,
}

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
        let Some(address) = self.address() else {
            return Err(Usage(format!(
                "this record names {base}, and its requests would go there with the key in {KEY}. \
                 If that is where you want them, add --endpoint {base}"
            ))
            .into());
        };
        let given = Endpoint { base_url: address.to_owned(), ..recorded.clone() };
        given.check().map_err(|failure| Usage(format!("--endpoint: {}", failure.message)))?;
        let given = given.base().map_err(|failure| Usage(failure.message))?;
        if given != base {
            return Err(Usage(format!(
                "this record names {base}, and the command line {given}: requests go to neither. \
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
        let preset = self.preset.unwrap_or_default();
        let address = self.address().unwrap_or_default();
        if address.is_empty() {
            return Err(Usage("--endpoint: name the address, or a --preset".to_owned()).into());
        }
        let preset = match preset {
            Preset::Custom => Preset::of_address(address),
            preset => preset,
        };
        let format = self.format.unwrap_or(preset.facts().format);
        let endpoint = Endpoint {
            preset,
            format,
            base_url: address.to_owned(),
            model: model.trim().to_owned(),
            ..Endpoint::default()
        };
        let endpoint = self.sampled(endpoint);
        // Check everything except the name, which the list may supply.
        let named = Endpoint { model: "?".to_owned(), ..endpoint.clone() };
        named.check().map_err(|failure| Usage(failure.message))?;
        reqwest::Url::parse(&endpoint.base_url)
            .map_err(|error| Usage(format!("--endpoint: this is no address: {error}")))?;
        Ok(endpoint)
    }

    /// Sets the sampling options.
    fn sampled(&self, endpoint: Endpoint) -> Endpoint {
        let mut settings = RunSettings::new(Model::Endpoint(endpoint.clone()));
        self.sampling.apply(&mut settings);
        match settings.model {
            Model::Endpoint(endpoint) => endpoint,
            Model::Builtin { .. } | Model::Agent(_) => endpoint,
        }
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
