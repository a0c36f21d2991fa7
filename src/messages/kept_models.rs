//! Requests about models that this browser keeps: list, keep, choose, delete.

use super::in_page::ModelDescription;
use serde::{Deserialize, Serialize};

/// List the kept models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListKept {}

/// Keep the described model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeepModel {}

/// Stop keeping a model: what is written of it is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopKeeping {}

/// Describe a kept model, which replaces the chosen one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChooseKept {
    /// The model's id.
    pub id: String,
}

/// Delete a kept model; if it is the chosen one, unload it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeleteKept {
    /// The model's id.
    pub id: String,
}

/// The kept models.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptList {
    /// By name.
    pub models: Vec<KeptModel>,
    /// The site's storage; `None` if the browser does not tell.
    pub space: Option<Space>,
}

/// The site's storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Space {
    /// Bytes in use.
    #[serde(deserialize_with = "bytes")]
    pub used: u64,
    /// Bytes that the site may use.
    #[serde(deserialize_with = "bytes")]
    pub quota: u64,
    /// Whether the browser deletes them only if the user asks.
    pub is_persistent: bool,
}

impl Space {
    /// Bytes that are left.
    pub fn left(&self) -> u64 {
        self.quota.saturating_sub(self.used)
    }
}

/// Browsers tell bytes as floating-point numbers.
fn bytes<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    f64::deserialize(deserializer).map(|bytes| bytes as u64)
}

/// A kept model, as `model.json` describes it beside its files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptModel {
    /// The name in records.
    pub name: String,
    /// The architecture, such as `llama`.
    pub architecture: String,
    /// The quantization, if the file names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantization: Option<String>,
    /// The files, in the order of the parts; at least one.
    pub files: Vec<KeptFile>,
}

/// A file of a kept model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptFile {
    /// The name that it had.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// SHA-256 in lower-case hexadecimal.
    pub sha256: String,
}

impl KeptModel {
    /// The model as its files describe it; `None` unless there is a digest of each file.
    pub fn of(description: &ModelDescription, name: String, digests: &[String]) -> Option<Self> {
        let sizes = &description.model.sizes;
        let is_whole = [sizes.len(), digests.len()] == [description.files.len(); 2];
        let files = description.files.iter().zip(sizes).zip(digests);
        let files: Vec<KeptFile> = files
            .map(|((name, bytes), sha256)| KeptFile {
                name: name.clone(),
                bytes: *bytes,
                sha256: sha256.clone(),
            })
            .collect();
        (is_whole && !files.is_empty()).then(|| KeptModel {
            name,
            architecture: description.model.architecture.clone(),
            quantization: description.model.quantization.clone(),
            files,
        })
    }

    /// Reads `model.json`; `None` if it is not one.
    pub fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok().filter(|model: &KeptModel| !model.files.is_empty())
    }

    /// The id: SHA-256 of the first file, which names the number of parts.
    pub fn id(&self) -> &str {
        self.files.first().map_or("", |file| &file.sha256)
    }

    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).fold(0, u64::saturating_add)
    }

    /// Whether the files have these digests.
    pub fn has(&self, digests: &[String]) -> bool {
        self.files.iter().map(|file| &file.sha256).eq(digests)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gguf::Model;

    fn description() -> ModelDescription {
        ModelDescription {
            files: vec!["a.gguf".to_owned(), "b.gguf".to_owned()],
            model: Model {
                architecture: "llama".to_owned(),
                sizes: vec![10, 5],
                ..Model::default()
            },
            template_digest: None,
            memory: 1 << 32,
            problem: None,
        }
    }

    #[test]
    fn a_description_survives_its_file() {
        let digests = ["aa", "bb"].map(str::to_owned);
        let model = KeptModel::of(&description(), "m".to_owned(), &digests).unwrap();
        assert_eq!((model.id(), model.bytes()), ("aa", 15));
        assert!(model.has(&digests) && !model.has(&digests[..1]));
        let text = serde_json::to_string(&model).unwrap();
        assert_eq!(KeptModel::read(&text), Some(model));
    }

    #[test]
    fn a_file_without_digest_and_a_damaged_description_are_no_model() {
        assert_eq!(KeptModel::of(&description(), "m".to_owned(), &["aa".to_owned()]), None);
        let none = r#"{"name": "m", "architecture": "llama", "files": []}"#;
        for text in ["", "{", "[]", "{\"name\": \"m\"}", none] {
            assert_eq!(KeptModel::read(text), None, "{text}");
        }
    }

    #[test]
    fn space_is_told_as_the_browser_tells_it() {
        let json = r#"{"used": 1.5e3, "quota": 1e3, "is_persistent": false}"#;
        let space: Space = serde_json::from_str(json).unwrap();
        assert_eq!((space.used, space.left()), (1500, 0));
    }
}
