//! The command that makes a record.

use crate::options::{Group, OPTIONS, RunOption, SEED, TURN_LIMIT};
use crate::{Model, Record, Retriever, RunSettings, Subset};
use dataset::{Ability, Edition, Split};
use provider::{Endpoint, Preset};
use std::fmt::Display;

/// Stands for an address that is no preset's default. The record may be a stranger's, and whoever
/// runs the command has a key in the environment: only they name the address.
const ADDRESS: &str = "ADDRESS";

/// The `api-bank` command with the record's settings, for a POSIX shell; `out` is the record's file.
/// Custom prompts are shown as `prompts.json`, and an address that is no preset's default as `ADDRESS`, which
/// the command line refuses.
pub fn command(record: &Record, out: &str) -> String {
    let mut words = Words(vec!["api-bank".to_owned()]);
    match &record.model {
        Model::Builtin { name } => {
            words.0.push("run".to_owned());
            words.option("--model", name.as_str());
            words.settings(&record.settings());
        }
        Model::Endpoint(endpoint) => {
            words.0.push("run".to_owned());
            words.endpoint(endpoint);
            words.settings(&record.settings());
        }
        Model::Agent(_) => words.agent(&record.settings()),
    }
    words.option("--out", out);
    words.0.join(" ")
}

/// The words of a command, quoted.
struct Words(Vec<String>);

impl Words {
    fn option(&mut self, name: &str, value: impl Display) {
        self.0.push(name.to_owned());
        self.0.push(quoted(&value.to_string()));
    }

    /// An option, unless it has the default value.
    fn unless<T: PartialEq>(&mut self, default: T, value: T, name: &str, shown: impl Display) {
        if value != default {
            self.option(name, shown);
        }
    }

    fn flag(&mut self, name: &str, on: bool) {
        if on {
            self.0.push(name.to_owned());
        }
    }

    /// An option of a run, where it differs from the default.
    fn run_option(&mut self, option: &RunOption, settings: &RunSettings) {
        self.0.extend(option.words(settings).iter().map(|word| quoted(word)));
    }

    fn settings(&mut self, settings: &RunSettings) {
        let new = RunSettings::new(settings.model.clone());
        match settings.edition {
            Edition::Original => {}
            Edition::Variant(seed) => self.option("--variant", seed),
            Edition::Language(language) => self.option("--language", language.as_str()),
            Edition::Horizon(_) => self.option("--split", "horizon"),
        }
        self.unless(new.split, settings.split, "--split", settings.split.as_str());
        let chosen =
            settings.split != Split::Hard && !matches!(settings.edition, Edition::Horizon(_));
        if chosen && settings.abilities != new.abilities {
            let names: Vec<&str> =
                settings.abilities.iter().map(|ability| Ability::as_str(*ability)).collect();
            self.option("--abilities", names.join(","));
        }
        // How requests are sent depends on the machine, and so do claims about it.
        let repeats = |it: &&&RunOption| !matches!(it.group, Group::Requests | Group::Claims);
        OPTIONS.iter().filter(repeats).for_each(|option| {
            self.run_option(option, settings);
        });
        match &settings.retriever {
            None => {}
            Some(Retriever::Model(_)) => self.option("--retriever", "MODEL-FOLDER"),
            Some(retriever) => self.option("--retriever", retriever.title()),
        }
        self.flag("--prompts prompts.json", settings.custom_prompts.is_some());
        match &settings.subset {
            Subset::All => {}
            Subset::Percent(share) => self.option("--subset", format_args!("{share}%")),
            Subset::PerAbility(count) => self.option("--subset", count),
            Subset::Dialogues(ids) => self.option("--subset", ids.join(",")),
        }
        if let Some(shard) = settings.shard {
            self.option("--shard", shard);
        }
    }

    /// The server that an agent played on.
    fn agent(&mut self, settings: &RunSettings) {
        self.0.push("mcp".to_owned());
        if let Subset::Dialogues(ids) = &settings.subset {
            self.option("--dialogue", ids.join(","));
        }
        self.run_option(&TURN_LIMIT, settings);
        self.run_option(&SEED, settings);
    }

    fn endpoint(&mut self, endpoint: &Endpoint) {
        let facts = endpoint.preset.facts();
        if endpoint.preset != Preset::Custom {
            self.option("--preset", facts.id);
        }
        if endpoint.preset == Preset::Custom || endpoint.base_url != facts.address {
            self.option("--endpoint", ADDRESS);
        }
        self.option("--model", &endpoint.model);
        // The command line derives the format from the server where it knows it.
        let format = endpoint.server().facts().format;
        self.unless(format, endpoint.format, "--format", endpoint.format.as_str());
    }
}

/// A word that a POSIX shell reads back unchanged.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:=,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}
