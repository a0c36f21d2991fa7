//! Loads a pack: manifest, databases and dialogues, with a digest of its files.

use crate::ability::Ability;
use crate::dialogue::Dialogue;
use crate::edition::Edition;
use crate::error::PackError;
use crate::hard::{Hard, Split};
use crate::hard_index;
use crate::import::Imported;
use crate::language::Language;
use crate::own_tools::{OwnTools, Pool, Toolset};
use apis::store::hex;
use apis::{Date, TableName, World};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A pack's metadata, `manifest.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Name of the dataset.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The date that GetToday returns.
    pub today: Date,
    /// Seed of ids and tokens.
    pub seed: u64,
    /// The seed of the variant; absent in the original.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<u32>,
    /// The language of user and assistant; absent for English.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    /// The seed of the horizon tasks; absent for dialogues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub horizon: Option<u32>,
    /// A string by which texts that contain this data are found, to keep them out of training.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canary: Option<String>,
}

/// Name, version and digest of a pack.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Source {
    /// Name of the dataset.
    pub name: String,
    /// Its version.
    pub version: String,
    /// SHA-256 of all files in order of path, JSON minified; hexadecimal.
    pub digest: String,
    /// The seed of the pack's variant; absent for the pack itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<u32>,
    /// The language of user and assistant; absent for English.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    /// The seed of the pack's horizon tasks; absent for dialogues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub horizon: Option<u32>,
    /// Of a pack of a user's own tools: their number, and who wrote the tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<OwnTools>,
}

impl Source {
    /// Which data it is. A record that names several, which none does, counts as the first.
    pub fn edition(&self) -> Edition {
        match (self.variant, self.language, self.horizon) {
            (Some(seed), _, _) => Edition::Variant(seed),
            (None, Some(language), _) => Edition::Language(language),
            (None, None, Some(seed)) => Edition::Horizon(seed),
            (None, None, None) => Edition::Original,
        }
    }

    /// The version, with the edition: `1.0.0, variant 7`.
    pub fn full_version(&self) -> String {
        match self.edition() {
            Edition::Original => self.version.clone(),
            edition => format!("{}, {edition}", self.version),
        }
    }

    /// Name and full version.
    pub fn title(&self) -> String {
        format!("{} {}", self.name, self.full_version())
    }
}

/// A loaded pack.
#[derive(Debug, Clone)]
pub struct Pack {
    /// The pack's metadata.
    pub manifest: Manifest,
    /// The databases as loaded; every sample starts from a clone.
    pub world: World,
    /// The standard split, by ability, then name.
    pub dialogues: Vec<Dialogue>,
    /// The hard split, by name.
    pub hard: Vec<Dialogue>,
    /// SHA-256 of the files, hexadecimal.
    pub digest: String,
    /// The imported data; `None` for a pack in the project's own layout.
    pub imported: Option<Arc<Imported>>,
    /// The tools that its dialogues call; `None` for the built-in APIs.
    pub tools: Option<Arc<Toolset>>,
}

impl Pack {
    /// Loads a pack from its files: paths and texts.
    ///
    /// # Errors
    /// The first defect, with file and place.
    pub fn load<'a>(
        files: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, PackError> {
        let mut files: Vec<(&str, &str)> = files.into_iter().collect();
        files.sort_unstable();
        let mut hash = Sha256::new();
        for (path, text) in &files {
            hash.update(path);
            hash.update([0]);
            for value in values(path, text)? {
                hash.update(value.to_string());
            }
        }
        Self::load_known(&files, hex(&hash.finalize()))
    }

    /// As [`Pack::load`], for sorted files with a known digest, such as the built-in pack's, which
    /// is computed at build time.
    ///
    /// # Errors
    /// As [`Pack::load`].
    pub(crate) fn load_known(files: &[(&str, &str)], digest: String) -> Result<Self, PackError> {
        let manifest = Self::manifest_of(files)?;
        let mut world = World::empty(manifest.seed);
        world.today = manifest.today;
        let mut lists = Lists::default();
        for (path, text) in files {
            read_file(path, text, &mut world, &mut lists)?;
        }
        let Lists { mut dialogues, hard, index } = lists;
        dialogues.sort_by(|a, b| (a.ability, &a.id).cmp(&(b.ability, &b.id)));
        let hard = hard_index::join(hard, index, &dialogues)?;
        Ok(Pack { manifest, world, dialogues, hard, digest, imported: None, tools: None })
    }

    /// The manifest among a pack's files.
    ///
    /// # Errors
    /// If it is missing or damaged.
    pub(crate) fn manifest_of(files: &[(&str, &str)]) -> Result<Manifest, PackError> {
        match files.iter().find(|(path, _)| *path == "manifest.json") {
            Some((path, text)) => read_manifest(path, text),
            None => Err(PackError::Manifest {
                file: "manifest.json".to_owned(),
                reason: "the file is missing".to_owned(),
            }),
        }
    }

    /// The reference to this pack for a record.
    pub fn source(&self) -> Source {
        Source {
            name: self.manifest.name.clone(),
            version: self.manifest.version.clone(),
            digest: self.digest.clone(),
            variant: self.manifest.variant,
            language: self.manifest.language,
            horizon: self.manifest.horizon,
            tools: self
                .tools
                .as_ref()
                .map(|it| OwnTools { count: it.tools.len(), written_by: it.written_by.clone() }),
        }
    }

    /// Whether it is the user's own data, which has no editions.
    pub fn is_own(&self) -> bool {
        self.imported.is_some() || self.tools.is_some()
    }

    /// The tools that calls of an ability name.
    pub fn pool(&self, ability: Ability) -> Pool<'_> {
        match &self.tools {
            Some(tools) => Pool::Own(tools),
            None => ability.suite().into(),
        }
    }

    /// The dialogues of a split.
    pub fn split(&self, split: Split) -> &[Dialogue] {
        match split {
            Split::Standard => &self.dialogues,
            Split::Hard => &self.hard,
        }
    }

    /// The dialogue with an id, from either split.
    pub fn dialogue(&self, id: &str) -> Option<&Dialogue> {
        self.dialogues.iter().chain(&self.hard).find(|dialogue| dialogue.id == id)
    }
}

/// The dialogues of a pack, and the index of the hard split.
#[derive(Default)]
struct Lists {
    dialogues: Vec<Dialogue>,
    hard: Vec<Dialogue>,
    index: BTreeMap<String, Hard>,
}

fn read_manifest(path: &str, text: &str) -> Result<Manifest, PackError> {
    serde_json::from_str(text)
        .map_err(|error| PackError::Manifest { file: path.to_owned(), reason: error.to_string() })
}

/// The JSON values of a file: one, or one per line.
pub(crate) fn values(path: &str, text: &str) -> Result<Vec<Value>, PackError> {
    serde_json::Deserializer::from_str(text)
        .into_iter()
        .map(|value| {
            value.map_err(|error: serde_json::Error| PackError::Json {
                file: path.to_owned(),
                line: error.line(),
                reason: error.to_string(),
            })
        })
        .collect()
}

fn read_file(
    path: &str,
    text: &str,
    world: &mut World,
    lists: &mut Lists,
) -> Result<(), PackError> {
    let unknown = || PackError::UnknownFile { file: path.to_owned() };
    let parts: Vec<&str> = path.split('/').collect();
    match parts[..] {
        ["manifest.json"] => {}
        ["databases", file] => {
            let name = TableName::ALL
                .iter()
                .find(|name| file.strip_suffix(".json") == Some(name.as_str()))
                .ok_or_else(unknown)?;
            if let Some(json) = values(path, text)?.first() {
                world.load_table(*name, path, json)?;
            }
        }
        ["dialogues", "plan", file] if file.ends_with(".json") => {
            lists.dialogues.push(Dialogue::read_plan(path, text)?);
        }
        ["dialogues", folder, file] if file.ends_with(".jsonl") => {
            let ability =
                Ability::ALL.into_iter().find(|a| a.as_str() == folder).ok_or_else(unknown)?;
            lists.dialogues.push(Dialogue::read_lines(path, ability, text)?);
        }
        _ if path == hard_index::INDEX => {
            lists.index = serde_json::from_str(text).map_err(|error| PackError::Manifest {
                file: path.to_owned(),
                reason: error.to_string(),
            })?;
        }
        ["hard", file] if file.ends_with(".jsonl") => {
            lists.hard.push(Dialogue::read_hard(path, text)?);
        }
        _ => return Err(unknown()),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: (&str, &str) =
        ("manifest.json", r#"{"name": "n", "version": "1", "today": "2024-05-15", "seed": 1}"#);

    #[test]
    fn the_digest_depends_on_content_and_not_on_whitespace() {
        let digest = |text| Pack::load([MANIFEST, ("databases/Post.json", text)]).unwrap().digest;
        assert_eq!(digest(r#"{"1": 10}"#), digest("{\n \"1\": 10 }"));
        assert_ne!(digest(r#"{"1": 10}"#), digest(r#"{"1": 11}"#));
    }

    #[test]
    fn defects_name_their_file() {
        let load = |path, text| Pack::load([MANIFEST, (path, text)]).unwrap_err().to_string();
        assert!(
            load("databases/Post.json", r#"{"1": "x"}"#)
                .starts_with("databases/Post.json: row \"1\"")
        );
        assert!(load("databases/Posts.json", "{}").contains("databases/Posts.json: expected"));
        assert!(load("dialogues/call/a.jsonl", "{").contains("line 1"));
        let missing = Pack::load([("databases/Post.json", "{}")]).unwrap_err().to_string();
        assert_eq!(missing, "manifest.json: the file is missing");
    }
}
