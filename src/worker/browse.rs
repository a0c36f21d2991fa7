//! Answers the questions of the Dataset page.

use crate::protocol::browse::{Answer, Overview, Question};
use dataset::{Split, browse, errata, statistics};
use runner::bench::Bench;

/// The answer to a question.
///
/// # Errors
/// Why there is none, and what to do.
pub(super) fn answer(bench: &Bench, question: &Question) -> Result<Answer, String> {
    match question {
        Question::Overview => Ok(Answer::Overview { overview: overview(bench)? }),
        Question::Dialogue { dialogue } => browse::read(&bench.pack, &bench.world, dialogue)
            .map(|reading| Answer::Dialogue { reading })
            .ok_or_else(|| {
                format!("The loaded data has no dialogue {dialogue}. Choose one from the list.")
            }),
    }
}

fn overview(bench: &Bench) -> Result<Overview, String> {
    let pack = &bench.pack;
    let source = pack.source();
    let own = pack.imported.is_none();
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
