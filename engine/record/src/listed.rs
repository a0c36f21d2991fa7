//! The settings of a run that differ from the defaults, for every reader of a record.
//!
//! One fold over the serialized settings: a new setting is listed without a line here.

use crate::options::OPTIONS;
use crate::{Model, Record, RunSettings, retriever_title};
use provider::Endpoint;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Settings that are no part of how a task is posed, or that a record's readers show under a name
/// of their own: what is run, who answers, and how fast.
const ELSEWHERE: [&str; 18] = [
    "abilities",
    "backoff_ms",
    "base_url",
    "concurrency",
    // In runs, `grammar` decides.
    "constrained",
    "custom_prompts",
    "hardware",
    "in_page",
    "model",
    "preset",
    "protocol",
    "retries",
    "seed",
    "shard",
    "split",
    "subset",
    "timeouts",
    "trials",
];

/// The sampling seed, which would otherwise have the name of the run's.
const SAMPLING_SEED: &str = "sampling_seed";
/// What precedes the name of an extra field.
const EXTRA: &str = "extra.";
/// The value of a setting that is null.
const NONE: &str = "none";
/// The value of a setting that is not there.
pub(crate) const ABSENT: &str = "default";

/// A setting with another value than the default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// Its name in the record.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Whether it can make tasks easier.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub easier: bool,
}

impl std::fmt::Display for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mark = if self.easier { " (can make tasks easier)" } else { "" };
        write!(f, "{} = {}{mark}", self.name, self.value)
    }
}

/// Whether a setting's value can make tasks easier than the default does. An extra field can do
/// anything.
fn is_easier(record: &Record, name: &str, value: &str) -> bool {
    match name {
        "grammar" => record.model.has_grammar(record.protocol),
        "retriever" => value == "oracle",
        _ if name.starts_with(EXTRA) => true,
        _ => OPTIONS.iter().any(|option| option.field == name && (option.is_easier)(value)),
    }
}

/// The settings that differ from the defaults, by name.
pub fn differing(record: &Record) -> Vec<Setting> {
    let settings = record.settings();
    let usual = flat(&usual(&settings));
    let mut found: Vec<Setting> = flat(&settings)
        .into_iter()
        .filter(|(name, value)| usual.get(name).map_or(ABSENT, String::as_str) != value)
        .map(|(name, value)| Setting { easier: is_easier(record, &name, &value), name, value })
        .collect();
    if !record.dropped_parameters.is_empty() {
        found.push(Setting {
            name: "dropped_parameters".to_owned(),
            value: record.dropped_parameters.join(", "),
            easier: false,
        });
    }
    found
}

/// The settings of two runs that differ: names with both values.
pub(crate) fn differences(one: &Record, other: &Record) -> Vec<(String, String, String)> {
    let (one, mut other) = (flat(&one.settings()), flat(&other.settings()));
    let absent = || ABSENT.to_owned();
    let mut found = Vec::new();
    for (name, value) in one {
        let theirs = other.remove(&name).unwrap_or_else(absent);
        if value != theirs {
            found.push((name, value, theirs));
        }
    }
    found.extend(other.into_iter().map(|(name, value)| (name, absent(), value)));
    found.retain(|(_, one, other)| one != other);
    found
}

/// The default settings for the same model at the same address.
fn usual(settings: &RunSettings) -> RunSettings {
    let mut usual = RunSettings::new(settings.model.clone());
    if let Model::Endpoint(endpoint) = &mut usual.model {
        let (format, in_page) = (endpoint.server().facts().format, endpoint.in_page.take());
        *endpoint = Endpoint { format, in_page, ..Endpoint::default() };
    }
    for option in OPTIONS {
        // A default is valid.
        let _ = option.set(&mut usual, option.default);
    }
    usual
}

/// Names and values of all settings except [`ELSEWHERE`].
fn flat(settings: &RunSettings) -> BTreeMap<String, String> {
    let object = |value: Value| match value {
        Value::Object(members) => members,
        _ => Map::new(),
    };
    let mut all = object(json!(settings));
    all.retain(|name, _| !ELSEWHERE.contains(&name.as_str()));
    if let Model::Endpoint(endpoint) = &settings.model {
        let mut own = object(json!(endpoint));
        if let Some(seed) = own.remove("seed") {
            all.insert(SAMPLING_SEED.to_owned(), seed);
        }
        let extra = own.remove("extra").map(object).unwrap_or_default();
        own.retain(|name, _| !ELSEWHERE.contains(&name.as_str()));
        all.extend(own);
        all.extend(extra.into_iter().map(|(name, value)| (format!("{EXTRA}{name}"), value)));
    }
    // Two whose JSON is more than a word.
    all.insert("edition".to_owned(), json!(settings.edition.to_string()));
    all.insert("retriever".to_owned(), json!(retriever_title(settings.retriever.as_ref())));
    all.into_iter().map(|(name, value)| (name, text(value))).collect()
}

fn text(value: Value) -> String {
    match value {
        Value::Null => NONE.to_owned(),
        Value::String(text) => text,
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Retriever, Shard, Subset};
    use apis::search::SearchResults;
    use dataset::{Edition, Language, Split};
    use exchange::protocol::{DescribedApis, Protocol, Steps};
    use provider::{Preset, ToolChoice, WireFormat};

    const VERSION_1: &str = include_str!("../tests/data/record_v1.json");

    fn record(endpoint: Endpoint) -> Record {
        let frame = Record::from_json(VERSION_1).unwrap();
        Record {
            model: Model::Endpoint(endpoint),
            described_apis: DescribedApis::default(),
            steps: Steps::All,
            search: crate::SearchSource { results: SearchResults::Five, ..frame.search },
            dropped_parameters: Vec::new(),
            ..frame
        }
    }

    fn usual() -> Endpoint {
        Endpoint {
            temperature: Some(0.0),
            max_tokens: Some(4096),
            streaming: true,
            ..Endpoint::default()
        }
    }

    fn listed(record: &Record) -> Vec<String> {
        differing(record).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_run_with_default_settings_lists_none() {
        assert_eq!(listed(&record(usual())), Vec::<String>::new());
        let ollama = Endpoint {
            preset: Preset::Ollama,
            format: WireFormat::Ollama,
            num_ctx: Some(8192),
            ..usual()
        };
        assert_eq!(listed(&record(ollama)), Vec::<String>::new());
    }

    #[test]
    fn every_other_value_is_listed_and_what_eases_is_marked() {
        const EASIER: &str = " (can make tasks easier)";
        let run = record(usual());
        let with = |endpoint: Endpoint| Record { model: Model::Endpoint(endpoint), ..run.clone() };
        let mut translated = run.clone();
        translated.pack.language = Some(Language::German);
        let mut searched = run.clone();
        searched.search.results = SearchResults::One;
        let mut oracle = run.clone();
        oracle.search.retriever = Some(Retriever::Oracle);
        let mut extra = usual();
        extra.extra.insert("min_p".to_owned(), json!(0.1));
        for (record, expected, easier) in [
            (
                Record { described_apis: DescribedApis::Own, ..run.clone() },
                "described_apis = own",
                true,
            ),
            (
                Record { described_apis: DescribedApis::All, ..run.clone() },
                "described_apis = all",
                false,
            ),
            (Record { steps: Steps::First, ..run.clone() }, "steps = first", true),
            (Record { turn_limit: Some(99), ..run.clone() }, "turn_limit = 99", true),
            (Record { turn_limit: Some(9), ..run.clone() }, "turn_limit = 9", false),
            (translated, "edition = in German", false),
            (searched, "search_results = 1", false),
            (oracle, "retriever = oracle", true),
            (with(extra), "extra.min_p = 0.1", true),
            (with(Endpoint { grammar: true, ..usual() }), "grammar = true", true),
            (
                with(Endpoint { tool_choice: ToolChoice::Required, ..usual() }),
                "tool_choice = required",
                true,
            ),
            (with(Endpoint { temperature: None, ..usual() }), "temperature = none", false),
            (with(Endpoint { temperature: Some(0.7), ..usual() }), "temperature = 0.7", false),
            (with(Endpoint { seed: Some(7), ..usual() }), "sampling_seed = 7", false),
            (
                with(Endpoint { format: WireFormat::Completions, ..usual() }),
                "format = completions",
                false,
            ),
            (
                Record { dropped_parameters: vec!["seed".to_owned()], ..run.clone() },
                "dropped_parameters = seed",
                false,
            ),
        ] {
            let expected = format!("{expected}{}", if easier { EASIER } else { "" });
            assert_eq!(listed(&record), [expected]);
        }
    }

    /// What is in neither list has been forgotten.
    #[test]
    fn every_setting_is_listed_or_shown_elsewhere() {
        let mut settings = RunSettings::new(Model::Endpoint(usual()));
        settings.edition = Edition::Variant(7);
        settings.split = Split::Hard;
        settings.protocol = Protocol::Agent;
        settings.subset = Subset::PerAbility(1);
        settings.shard = Some(Shard { part: 1, of: 2 });
        settings.steps = Steps::First;
        settings.retriever = Some(Retriever::Oracle);
        let listed = flat(&settings);
        for name in json!(settings).as_object().unwrap().keys() {
            let is_elsewhere = ELSEWHERE.contains(&name.as_str());
            assert!(is_elsewhere != listed.contains_key(name), "{name}");
        }
        assert_eq!((listed["edition"].as_str(), listed["steps"].as_str()), ("variant 7", "first"));
    }

    #[test]
    fn two_runs_differ_by_names_and_values() {
        let one = record(usual());
        let other = record(Endpoint { temperature: Some(1.0), top_p: Some(0.9), ..usual() });
        let found = differences(&one, &other);
        let found: Vec<_> = found.iter().map(|(name, a, b)| format!("{name} {a} {b}")).collect();
        assert_eq!(found, ["temperature 0.0 1.0", "top_p default 0.9"]);
    }
}
