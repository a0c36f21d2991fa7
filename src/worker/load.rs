//! What the worker works with: the built-in pack and API Search.

use crate::platform::fetch;
use crate::protocol::{AbilityFacts, Assets, Event, PackFacts};
use dataset::{Ability, Pack};
use engine::bench::Bench;
use engine::protocol::{SampleKind, samples};
use engine::retrieval::{Encoder, Index, Search};

/// Fetches the search model and puts the bench together.
///
/// # Errors
/// What happened and what to do, in words.
pub(super) async fn bench(assets: &Assets) -> Result<Bench, String> {
    let mut bytes = 0;
    let mut load = async |asset| {
        let file = fetch::asset(asset).await?;
        bytes += file.len() as u64;
        super::post(&Event::Loading { bytes });
        Ok::<_, String>(file)
    };
    let weights = load(&assets.search_weights).await?;
    let vocabulary = load(&assets.search_vocab).await?;
    let vectors = load(&assets.search_vectors).await?;
    let vocabulary = String::from_utf8(vocabulary).map_err(|error| {
        format!("The search vocabulary is not UTF-8 ({error}). Reload the page.")
    })?;
    let search = Encoder::load(&weights, &vocabulary)
        .and_then(|encoder| Search::new(encoder, Index::from_bytes(&vectors)?))
        .map_err(|error| format!("API Search cannot start: {error}. Reload the page."))?;
    let pack = dataset::builtin().map_err(|error| format!("The data set is damaged: {error}."))?;
    Ok(Bench::new(pack, search))
}

/// The pack's size, by ability.
pub(super) fn facts(pack: &Pack) -> PackFacts {
    let all = samples(pack);
    let count = |ability: Ability, kind: SampleKind| {
        all.iter().filter(|it| it.ability() == ability && it.kind == kind).count()
    };
    let abilities = Ability::ALL
        .into_iter()
        .map(|ability| AbilityFacts {
            ability,
            dialogues: pack.dialogues.iter().filter(|it| it.ability == ability).count(),
            calls: count(ability, SampleKind::Call),
            replies: count(ability, SampleKind::Reply),
        })
        .collect();
    let source = pack.source();
    PackFacts { name: source.name, version: source.version, digest: source.digest, abilities }
}
