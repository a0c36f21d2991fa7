//! Answers the requests of the Dataset page.

use crate::messages::browse::{Overview, ReadDialogue};
use dataset::browse::Reading;
use dataset::{Split, browse, errata, statistics};
use runner::benchmark::Benchmark;

/// A dialogue with the changes its calls make.
///
/// # Errors
/// When the loaded data has no such dialogue.
pub(super) fn dialogue(bench: &Benchmark, request: &ReadDialogue) -> Result<Reading, String> {
    let dialogue = &request.dialogue;
    browse::read(&bench.pack, &bench.world, dialogue).ok_or_else(|| {
        format!("The loaded data has no dialogue {dialogue}. Choose one from the list.")
    })
}

/// Dialogues and statistics of the loaded data.
///
/// # Errors
/// When the built-in errata are damaged.
pub(super) fn overview(bench: &Benchmark) -> Result<Overview, String> {
    let pack = &bench.pack;
    let source = pack.source();
    let own = !pack.is_own();
    let corrections = if own { errata::own().map_err(|error| error.to_string())?.len() } else { 0 };
    Ok(Overview {
        name: source.name,
        version: source.version,
        digest: source.digest,
        own,
        errata: corrections,
        statistics: Split::ALL
            .into_iter()
            .filter(|split| !pack.split(*split).is_empty())
            .map(|split| (split, statistics::measure(pack.split(split))))
            .collect(),
        entries: browse::entries(pack),
    })
}
