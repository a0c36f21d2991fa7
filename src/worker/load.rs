//! Loads API Search and the built-in pack.

use super::tell::Teller;
use crate::messages::{AbilityFacts, Asset, Assets, ImportedFacts, Load, LoadProgress, PackFacts};
use crate::platform::fetch;
use dataset::{Ability, Pack};
use exchange::protocol::{SampleKind, samples};
use original::evaluator::lacking;
use retrieval::{
    EmbeddingModel, Encoder, Index, ModelError, Pooling, RetrievalError, TokenizerError, WordPiece,
};
use std::cell::Cell;

/// The files of the search model, being fetched.
pub(super) struct ModelFiles<'a> {
    assets: &'a Assets,
    page: Teller<Load>,
    /// Bytes received so far.
    received: Cell<u64>,
}

impl<'a> ModelFiles<'a> {
    /// The site's files.
    pub(super) fn new(assets: &'a Assets, page: Teller<Load>) -> Self {
        ModelFiles { assets, page, received: Cell::new(0) }
    }

    fn tell(&self, bytes: &[u8]) {
        self.received.set(self.received.get() + bytes.len() as u64);
        self.page.tell(&LoadProgress::Bytes(self.received.get()));
    }

    /// Fetches the vectors of the APIs, a hundredth of the model's bytes.
    ///
    /// # Errors
    /// A message for the user, with the remedy.
    pub(super) async fn index(&self) -> Result<Index, String> {
        let index = fetch::load_parsed(&self.assets.search_vectors, |bytes| {
            self.tell(&bytes);
            Index::from_bytes(&bytes)
        });
        index.await?.map_err(|error| no_search(&error))
    }

    /// Fetches the model.
    ///
    /// # Errors
    /// A message for the user, with the remedy.
    pub(super) async fn encoder(&self) -> Result<Encoder, String> {
        let assets = self.assets;
        let tokenizer = fetch::load_parsed(&assets.search_vocab, |bytes| {
            self.tell(&bytes);
            let vocabulary = str::from_utf8(&bytes)
                .map_err(|error| TokenizerError::Vocabulary(format!("UTF-8, found {error}")))?;
            WordPiece::new(vocabulary)
        });
        let model = fetch::load_parsed(&assets.search_model, |bytes| {
            self.tell(&bytes);
            model(bytes, &assets.search_model)
        });
        let (tokenizer, model) = futures::try_join!(tokenizer, model)?;
        let encoder = || Ok::<_, RetrievalError>(Encoder::new(tokenizer?, model?));
        encoder().map_err(|error| no_search(&error))
    }
}

/// The message for damaged files of API Search.
pub(super) fn no_search(error: &dyn std::fmt::Display) -> String {
    format!("API Search cannot start: {error}. Reload the page.")
}

/// Reads the built-in pack.
///
/// # Errors
/// When the built-in pack is corrupt.
pub(super) fn pack() -> Result<Pack, String> {
    dataset::builtin().map_err(|error| format!("The dataset is damaged: {error}."))
}

/// Parses the model, reusing the digest that the browser has checked, if there is one.
fn model(bytes: Vec<u8>, asset: &Asset) -> Result<EmbeddingModel, ModelError> {
    match fetch::sha256_of(&asset.integrity) {
        Some(digest) => EmbeddingModel::read_known(bytes, Pooling::Mean, digest),
        None => EmbeddingModel::read(bytes, Pooling::Mean),
    }
}

/// The pack's size, by ability.
pub(super) fn facts(pack: &Pack) -> PackFacts {
    let all = samples(pack);
    let count = |ability: Ability, kind: SampleKind| {
        all.iter().filter(|sample| sample.ability() == ability && sample.kind == kind).count()
    };
    let abilities = Ability::ALL
        .into_iter()
        .map(|ability| AbilityFacts {
            ability,
            dialogues: pack.dialogues.iter().filter(|dialogue| dialogue.ability == ability).count(),
            calls: count(ability, SampleKind::Call),
            replies: count(ability, SampleKind::Reply),
        })
        .collect();
    let source = pack.source();
    let imported = pack.imported.as_ref().map(|imported| {
        let calls = || imported.samples.iter().filter(|sample| !sample.reply);
        let noted = |excluded: bool| {
            let notes = calls().filter_map(|call| call.correction.as_ref());
            notes.filter(|note| note.excluded == excluded).count()
        };
        let there: Vec<Ability> = Ability::ALL
            .into_iter()
            .filter(|ability| pack.dialogues.iter().any(|dialogue| dialogue.ability == *ability))
            .collect();
        ImportedFacts {
            corrected: noted(false),
            excluded: noted(true),
            prompts: imported.samples.iter().filter(|sample| sample.prompt.is_some()).count(),
            original_lacks: lacking(&imported.original, &there),
        }
    });
    let dataset::Source { name, version, digest, .. } = source;
    let own_tools = pack.tools.as_ref().map(|it| it.tools.len());
    PackFacts { name, version, digest, abilities, imported, own_tools }
}
