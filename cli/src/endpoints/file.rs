//! The file that names the endpoints.

use crate::Usage;
use crate::endpoint::{EndpointArguments, key_in};
use crate::options::{Options, Prompts};
use crate::{files, run};
use anyhow::{Context, Result};
use clap::Parser;
use dataset::{Ability, Edition, Language, Split};
use exchange::protocol::Protocol;
use provider::{ApiKey, Endpoint, Origin};
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
#[serde(rename_all = "kebab-case")]
pub(super) struct File {
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
    endpoint: Vec<Table>,
    /// The prompt options of `run`.
    #[serde(flatten)]
    options: Table,
}

fn all() -> Vec<Ability> {
    Ability::ALL.to_vec()
}

/// An endpoint of the file.
#[derive(Debug)]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) endpoint: Endpoint,
    pub(super) key: Option<ApiKey>,
    pub(super) prices: Option<Prices>,
}

/// An environment variable with the key for an origin, or for one address of it.
#[derive(Debug, Clone)]
pub(super) struct KeyOf {
    /// Origin and path, as [`Endpoint::base`] gives them.
    address: String,
    variable: String,
}

impl KeyOf {
    /// Whether the key is for an endpoint: the whole address, or its origin.
    fn fits(&self, endpoint: &Endpoint) -> bool {
        let is_origin = endpoint.origin().is_ok_and(|it| it.to_string() == self.address);
        is_origin || self.is_address_of(endpoint)
    }

    fn is_address_of(&self, endpoint: &Endpoint) -> bool {
        is_address_of(&self.address, endpoint)
    }
}

/// Whether an address that the user typed is an endpoint's.
fn is_address_of(address: &str, endpoint: &Endpoint) -> bool {
    let typed = Endpoint { base_url: address.to_owned(), ..endpoint.clone() };
    endpoint.base().is_ok_and(|base| typed.base().is_ok_and(|typed| typed == base))
}

impl FromStr for KeyOf {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let example = "expected ORIGIN=VARIABLE, such as https://openrouter.ai=OPENROUTER_KEY";
        let (address, variable) = text.rsplit_once('=').unwrap_or_default();
        let (origin, path) =
            Origin::split(address).map_err(|error| format!("{example}: {error}"))?;
        if variable.is_empty() || path.contains(['?', '#']) {
            return Err(example.to_owned());
        }
        let address = format!("{origin}{}", path.trim_end_matches('/'));
        Ok(KeyOf { address, variable: variable.to_owned() })
    }
}

/// The prompt options of all runs; the protocol defaults to `tools`.
#[derive(Debug, Parser)]
#[command(no_binary_name = true)]
struct Asked {
    #[command(flatten)]
    prompts: Options<Prompts>,
}

/// The options of `run` that describe an endpoint.
#[derive(Debug, Parser)]
#[command(no_binary_name = true)]
struct OfEndpoint {
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
        file.asked().with_context(context)?;
        Ok(file)
    }

    /// The endpoints, in order, with their keys. The file may come from a stranger: it names no key,
    /// and no address other than a preset's own unless the user repeats it, in `addresses` or with
    /// its key.
    ///
    /// # Errors
    /// Names the endpoint and the field, or the option to add.
    pub(super) fn endpoints(&self, keys: &[KeyOf], addresses: &[String]) -> Result<Vec<Named>> {
        let mut names = BTreeSet::new();
        let mut found = Vec::new();
        for (index, table) in self.endpoint.iter().enumerate() {
            let place = format!("endpoint {}", index + 1);
            let mut named = named(table.clone()).with_context(|| place.clone())?;
            let endpoint = &named.endpoint;
            let is_repeated = addresses.iter().any(|address| is_address_of(address, endpoint))
                || keys.iter().any(|key| key.is_address_of(endpoint));
            if !endpoint.is_at_own_address() && !is_repeated {
                let base = endpoint.base().map_err(|failure| Usage(failure.message))?;
                let message = format!(
                    "{place}: the file sends requests to {base}. If that is where you want them, \
                     add --address {base}"
                );
                return Err(Usage(message).into());
            }
            let own = keys.iter().filter(|key| key.fits(endpoint));
            // A key for one address goes before the key for its origin.
            if let Some(KeyOf { variable, .. }) = own.max_by_key(|it| it.address.len()) {
                let key = key_in(endpoint, variable)?;
                let unset = || Usage(format!("--key: the variable {variable} is not set"));
                named.key = Some(key.ok_or_else(unset)?);
            }
            if !names.insert(named.name.clone()) {
                return Err(Usage(format!("{place}: name: {} is taken", named.name)).into());
            }
            found.push(named);
        }
        let unused = |it: &&KeyOf| !found.iter().any(|named| it.fits(&named.endpoint));
        if let Some(KeyOf { address, .. }) = keys.iter().find(unused) {
            return Err(Usage(format!("--key: the file has no endpoint at {address}")).into());
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

    /// The prompt options of all runs.
    fn asked(&self) -> Result<Asked> {
        let mut options = self.options.clone();
        options.entry("protocol").or_insert_with(|| Protocol::Tools.as_str().into());
        parse(options)
    }

    /// The settings of an endpoint's run.
    ///
    /// # Errors
    /// When `subset` or another setting is invalid.
    pub(super) fn settings(&self, endpoint: &Endpoint) -> Result<RunSettings> {
        let mut settings = RunSettings::new(Model::Endpoint(endpoint.clone()));
        self.asked()?.prompts.apply(&mut settings);
        settings.edition = self.edition()?;
        settings.split = self.split;
        settings.abilities.clone_from(&self.abilities);
        settings.abilities.sort_unstable();
        settings.abilities.dedup();
        if let Some(subset) = &self.subset {
            let text = subset.as_str().map_or_else(|| subset.to_string(), str::to_owned);
            settings.subset =
                run::subset(&text).map_err(|error| Usage(format!("subset: {error}")))?;
        }
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
        let message = "key: the file can't name it; give --key ORIGIN=VARIABLE instead".to_owned();
        return Err(usage(message));
    }
    let prices = table.remove("prices").map(GivenPrices::deserialize).transpose();
    let prices = prices.map_err(|error| usage(format!("prices: {error}")))?;
    let options: OfEndpoint = parse(table)?;
    let endpoint = options.endpoint.read(&options.model)?;
    let prices = prices.map(|it| Prices { prompt: it.prompt, completion: it.completion });
    Ok(Named { name, endpoint, key: None, prices })
}

/// Reads fields as options of the command line.
fn parse<T: Parser>(fields: Table) -> Result<T> {
    let words = fields.into_iter().flat_map(|(option, value)| words(&option, value));
    T::try_parse_from(words).map_err(|error| {
        let text = error.to_string();
        let message = text.lines().next().unwrap_or("unusable options").replacen("error: ", "", 1);
        Usage(message).into()
    })
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

    fn error_of(text: &str) -> String {
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
    fn a_key_is_for_an_origin_or_one_address() {
        let at = |base_url: &str| Endpoint { base_url: base_url.to_owned(), ..Endpoint::default() };
        let key: KeyOf = "https://gw.example/mine/v1/=A".parse().unwrap();
        assert!(key.fits(&at("https://gw.example/mine/v1")));
        assert!(
            !key.fits(&at("https://gw.example/theirs/v1")) && !key.fits(&at("https://x/mine/v1"))
        );
        let key: KeyOf = "https://gw.example=A".parse().unwrap();
        assert!(
            key.fits(&at("https://gw.example/any/v1")) && !key.fits(&at("http://gw.example/v1"))
        );
        for bad in ["a=A", "https://h", "https://h=", "https://h?x=A", "=A", "https://me@h=A"] {
            assert!(bad.parse::<KeyOf>().unwrap_err().contains("ORIGIN=VARIABLE"), "{bad}");
        }
    }

    #[test]
    fn errors_name_the_field() {
        let good = "name = 'a'\nendpoint = 'http://localhost:1/v1'\nmodel = 'm'\n";
        assert!(error_of("model = 'm'").contains("name"));
        assert!(error_of("name = '../x'").contains("name"));
        assert!(error_of(&format!("{good}tempreature = 1")).contains("--tempreature"));
        assert!(error_of(&format!("{good}prices = {{prompt = 1}}")).contains("completion"));
        assert!(error_of(&format!("{good}key = 'PATH'")).contains("--key ORIGIN=VARIABLE"));
    }
}
