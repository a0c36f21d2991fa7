//! The file that names the endpoints.

use crate::Usage;
use crate::endpoint::{EndpointArguments, key_in};
use crate::{files, run};
use anyhow::{Context, Result};
use clap::Parser;
use dataset::{Ability, Edition, Language, Split};
use exchange::protocol::Protocol;
use provider::{ApiKey, Endpoint};
use record::metrics::Prices;
use record::{Model, RunSettings};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::Path;
use std::str::FromStr;
use toml::{Table, Value};

/// The maximum number of endpoints.
pub(super) const MOST: usize = 6;

/// The file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct File {
    /// As `run --protocol`.
    #[serde(default = "tools")]
    protocol: Protocol,
    #[serde(default)]
    split: Split,
    #[serde(default = "all")]
    abilities: Vec<Ability>,
    /// As `run --subset`: text or a number.
    subset: Option<Value>,
    /// As `run --variant`.
    variant: Option<u32>,
    /// As `run --language`.
    language: Option<Language>,
    #[serde(default = "one")]
    seed: u32,
    #[serde(default = "one")]
    trials: u32,
    endpoint: Vec<Table>,
}

const fn tools() -> Protocol {
    Protocol::Tools
}

fn all() -> Vec<Ability> {
    Ability::ALL.to_vec()
}

const fn one() -> u32 {
    1
}

/// An endpoint of the file.
#[derive(Debug)]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) endpoint: Endpoint,
    pub(super) key: Option<ApiKey>,
    pub(super) prices: Option<Prices>,
}

/// The environment variable that holds an endpoint's key.
#[derive(Debug, Clone)]
pub(super) struct KeyOf {
    name: String,
    variable: String,
}

impl FromStr for KeyOf {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((name, variable)) if !name.is_empty() && !variable.is_empty() => {
                Ok(KeyOf { name: name.to_owned(), variable: variable.to_owned() })
            }
            _ => Err("expected NAME=VARIABLE, such as reference=OPENROUTER_KEY".to_owned()),
        }
    }
}

/// The options of `run` that describe an endpoint.
#[derive(Debug, Parser)]
#[command(no_binary_name = true)]
struct Options {
    #[arg(long)]
    model: String,
    #[command(flatten)]
    endpoint: EndpointArguments,
}

/// Prices per million tokens.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenPrices {
    prompt: f64,
    completion: f64,
}

impl File {
    /// Reads a file.
    ///
    /// # Errors
    /// When it can't be read; names the field.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let context = || path.display().to_string();
        let text = files::text(path)?;
        let file: File =
            toml::from_str(&text).map_err(|error| Usage(format!("{}: {error}", context())))?;
        if !(2..=MOST).contains(&file.endpoint.len()) {
            let count = file.endpoint.len();
            let message = format!("{}: endpoint: expected 2 to {MOST}, got {count}", context());
            return Err(Usage(message).into());
        }
        Ok(file)
    }

    /// The endpoints, in order, with their keys. The file does not name keys: it may come from a
    /// stranger, who must not choose who gets one.
    ///
    /// # Errors
    /// Names the endpoint and the field.
    pub(super) fn endpoints(&self, keys: &[KeyOf]) -> Result<Vec<Named>> {
        let mut names = BTreeSet::new();
        let mut found = Vec::new();
        for (index, table) in self.endpoint.iter().enumerate() {
            let place = format!("endpoint {}", index + 1);
            let mut named = named(table.clone()).with_context(|| place.clone())?;
            if let Some(KeyOf { variable, .. }) = keys.iter().find(|it| it.name == named.name) {
                let key = key_in(&named.endpoint, variable)?;
                let unset = || Usage(format!("--key: the variable {variable} is not set"));
                named.key = Some(key.ok_or_else(unset)?);
            }
            if !names.insert(named.name.clone()) {
                return Err(Usage(format!("{place}: name: {} is taken", named.name)).into());
            }
            found.push(named);
        }
        if let Some(KeyOf { name, .. }) = keys.iter().find(|it| !names.contains(&it.name)) {
            return Err(Usage(format!("--key: the file has no endpoint named {name}")).into());
        }
        Ok(found)
    }

    /// The edition of the built-in pack that the runs are on.
    ///
    /// # Errors
    /// When the file names a variant and a language.
    pub(super) fn edition(&self) -> Result<Edition> {
        match (self.variant, self.language) {
            (Some(_), Some(_)) => {
                let message = "language: variants are in English; leave out variant or language";
                Err(Usage(message.to_owned()).into())
            }
            (Some(seed), None) => Ok(Edition::Variant(seed)),
            (None, Some(language)) => Ok(Edition::Language(language)),
            (None, None) => Ok(Edition::Original),
        }
    }

    /// The settings of an endpoint's run.
    ///
    /// # Errors
    /// When `subset` or another setting is invalid.
    pub(super) fn settings(&self, endpoint: &Endpoint) -> Result<RunSettings> {
        let mut settings = RunSettings::new(Model::Endpoint(endpoint.clone()));
        settings.edition = self.edition()?;
        settings.protocol = self.protocol;
        settings.split = self.split;
        settings.abilities.clone_from(&self.abilities);
        settings.abilities.sort_unstable();
        settings.abilities.dedup();
        if let Some(subset) = &self.subset {
            let text = subset.as_str().map_or_else(|| subset.to_string(), str::to_owned);
            settings.subset =
                run::subset(&text).map_err(|error| Usage(format!("subset: {error}")))?;
        }
        (settings.seed, settings.trials) = (self.seed, self.trials);
        // One request at a time: it keeps the runs side by side and the latencies comparable.
        settings.concurrency = 1;
        settings.check().map_err(|error| Usage(error.to_string()))?;
        Ok(settings)
    }
}

/// A word for a file name: letters, digits, dots, dashes and underscores.
fn is_word(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    !name.is_empty() && name.len() <= 60 && name.chars().all(allowed) && !name.starts_with('.')
}

fn named(mut table: Table) -> Result<Named> {
    let usage = |message: String| anyhow::Error::new(Usage(message));
    let name = table.remove("name").and_then(|name| name.as_str().map(str::to_owned));
    let name = name.filter(|name| is_word(name)).ok_or_else(|| {
        usage("name: expected letters, digits, dots and dashes; it names the record".to_owned())
    })?;
    if table.contains_key("key") {
        let message = format!("key: the file can't name it; give --key {name}=VARIABLE instead");
        return Err(usage(message));
    }
    let prices = table.remove("prices").map(GivenPrices::deserialize).transpose();
    let prices = prices.map_err(|error| usage(format!("prices: {error}")))?;
    let words = table.into_iter().flat_map(|(option, value)| words(&option, value));
    let options = Options::try_parse_from(words).map_err(|error| {
        let text = error.to_string();
        usage(text.lines().next().unwrap_or("unusable options").replacen("error: ", "", 1))
    })?;
    let endpoint = options.endpoint.read(&options.model)?;
    let prices = prices.map(|it| Prices { prompt: it.prompt, completion: it.completion });
    Ok(Named { name, endpoint, key: None, prices })
}

/// A field as an option of the command line.
fn words(option: &str, value: Value) -> Vec<String> {
    let name = format!("--{}", option.replace('_', "-"));
    match value {
        Value::Boolean(true) => vec![name],
        Value::Boolean(false) => Vec::new(),
        Value::String(text) => vec![format!("{name}={text}")],
        Value::Table(table) => {
            let json = serde_json::to_string(&table).unwrap_or_default();
            vec![format!("{name}={json}")]
        }
        other => vec![format!("{name}={other}")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        match named(text.parse().unwrap()) {
            Ok(named) => panic!("{named:?}"),
            Err(error) => format!("{error:#}"),
        }
    }

    #[test]
    fn an_endpoint_has_the_options_of_run() {
        let table = "name = 'a'\nendpoint = 'http://localhost:1/v1'\nmodel = 'm'\n\
                     temperature = 0.5\nno-stream = true\nextra = {reasoning_effort = 'low'}\n\
                     prices = {prompt = 1.0, completion = 2.0}";
        let Named { endpoint, prices, key, .. } = named(table.parse().unwrap()).unwrap();
        assert_eq!((endpoint.model.as_str(), endpoint.temperature), ("m", Some(0.5)));
        assert!(!endpoint.streaming && key.is_none() && prices.is_some());
        assert_eq!(endpoint.extra["reasoning_effort"], "low");
    }

    #[test]
    fn a_file_names_one_edition() {
        let edition = |fields: &str| {
            let file: File = toml::from_str(&format!("{fields}\nendpoint = []")).unwrap();
            file.edition().map_err(|error| error.to_string())
        };
        assert_eq!(edition(""), Ok(Edition::Original));
        assert_eq!(edition("variant = 7"), Ok(Edition::Variant(7)));
        assert_eq!(edition("language = 'es'"), Ok(Edition::Language(Language::Spanish)));
        assert!(edition("variant = 7\nlanguage = 'es'").unwrap_err().contains("language"));
    }

    #[test]
    fn errors_name_the_field() {
        let good = "name = 'a'\nendpoint = 'http://localhost:1/v1'\nmodel = 'm'\n";
        assert!(told("model = 'm'").contains("name"));
        assert!(told("name = '../x'").contains("name"));
        assert!(told(&format!("{good}tempreature = 1")).contains("--tempreature"));
        assert!(told(&format!("{good}prices = {{prompt = 1}}")).contains("completion"));
        assert!(told(&format!("{good}key = 'PATH'")).contains("--key a=VARIABLE"));
    }
}
