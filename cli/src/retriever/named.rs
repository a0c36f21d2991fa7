//! A retriever named on the command line.

use super::model;
use crate::Usage;
use anyhow::Result;
use record::Retriever as Setting;
use retrieval::{Bm25Parameters, Encoder};
use runner::benchmark::Benchmark;
use runner::{OwnRetriever, UserModel};
use std::path::Path;
use std::sync::Arc;

/// The names that are not folders.
const NAMES: [&str; 4] = ["builtin", "bm25", "oracle", "random"];

/// Whether a value names a folder.
pub(crate) fn is_folder(path: &Path) -> bool {
    !NAMES.iter().any(|name| path == Path::new(name))
}

/// A retriever, loaded if it is a folder.
pub(crate) enum Named {
    /// API Search's model.
    Builtin,
    /// Okapi BM25.
    Bm25,
    /// The relevant tools first.
    Oracle,
    /// A random order.
    Random,
    /// A user's model.
    Own(Box<UserModel>),
}

impl Named {
    /// The retriever of `--retriever`.
    pub(crate) fn of(path: &Path) -> Result<Self> {
        Ok(match path.to_str() {
            Some("builtin") => Named::Builtin,
            Some("bm25") => Named::Bm25,
            Some("oracle") => Named::Oracle,
            Some("random") => Named::Random,
            _ => return Self::folder(path),
        })
    }

    /// The model in a folder.
    pub(crate) fn folder(path: &Path) -> Result<Self> {
        Ok(Named::Own(Box::new(model::load(path)?)))
    }

    /// The retriever of a run; the built-in one by default.
    pub(crate) fn of_run(path: Option<&Path>) -> Result<Self> {
        match path.map(Self::of).transpose()? {
            None => Ok(Named::Builtin),
            Some(Named::Random) => {
                let reason = "--retriever: expected builtin, bm25, oracle or a folder, got random: \
                              it is a floor of `api-bank retriever` alone";
                Err(Usage(reason.to_owned()).into())
            }
            Some(named) => Ok(named),
        }
    }

    /// The setting of a run.
    pub(crate) fn setting(&self) -> Option<Setting> {
        match self {
            Named::Builtin | Named::Random => None,
            Named::Bm25 => Some(Setting::BM25),
            Named::Oracle => Some(Setting::Oracle),
            Named::Own(own) => Some(Setting::Model(own.model.clone())),
        }
    }

    /// The benchmark, with the model if this is one.
    pub(crate) fn offered(self, bench: Benchmark) -> Result<Benchmark> {
        match self {
            Named::Own(own) => {
                let UserModel { model, encoder, .. } = *own;
                Ok(bench.with_own(Arc::new(OwnRetriever::new(model, encoder)?)))
            }
            _ => Ok(bench),
        }
    }

    /// The retriever for an evaluation. `builtin` loads API Search's model.
    pub(crate) fn retriever(
        self,
        seed: u32,
        builtin: impl FnOnce() -> Result<Encoder>,
    ) -> Result<ranking::Retriever> {
        Ok(match self {
            Named::Builtin => {
                let encoder = Arc::new(builtin()?);
                ranking::Retriever::Encoder { name: "builtin".to_owned(), encoder }
            }
            Named::Bm25 => ranking::Retriever::Bm25(Bm25Parameters::default()),
            Named::Oracle => ranking::Retriever::Oracle,
            Named::Random => ranking::Retriever::Random(seed),
            Named::Own(own) => {
                let UserModel { model, encoder, .. } = *own;
                ranking::Retriever::Encoder { name: model.name, encoder: Arc::new(encoder) }
            }
        })
    }
}
