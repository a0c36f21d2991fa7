//! Requests for the data that a run uses: the site's files, the chosen pack, its gold.

use super::PackFacts;
use serde::{Deserialize, Serialize};

/// A file of the site: address relative to the page, and subresource integrity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asset {
    /// Address.
    pub url: String,
    /// `sha256-…` or longer; empty if the site was built without it.
    pub integrity: String,
}

/// The files that the worker loads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assets {
    /// The search model: an ONNX file.
    pub search_model: Asset,
    /// Its vocabulary.
    pub search_vocab: Asset,
    /// Vectors of the APIs.
    pub search_vectors: Asset,
}

/// Load the pack and the search model. The first request to a worker; all others wait until the pack
/// is there. It ends when searches can be answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Load {
    /// The site's files, with absolute addresses.
    pub assets: Assets,
    /// Digest of the imported pack to use; `None` for the built-in one.
    pub pack: Option<String>,
    /// The tab's id: each tab has its own pack of own tools.
    pub tab: String,
}

/// Progress of loading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadProgress {
    /// Bytes received, over all files.
    Bytes(u64),
    /// The pack is loaded. The search model of the built-in pack may still be on its way: searches
    /// wait for it.
    Ready(ChosenPack),
}

/// Use another pack. Refused during a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsePack {
    /// Digest of an imported pack; `None` for the built-in one.
    pub digest: Option<String>,
}

/// The pack that runs use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChosenPack {
    /// Facts about it.
    pub pack: PackFacts,
    /// Why it is the built-in one instead of the wanted one, with the remedy.
    pub refused: Option<String>,
}

/// Judge the gold of the current pack under every profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditGold {}

/// Reset the scratch databases to the pack's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResetWorld {}
