//! `api-bank training check`: runs every check that needs no request.

use super::load;
use crate::files::SearchFiles;
use crate::shown::say;
use crate::{FINISHED, INCOMPLETE};
use anyhow::{Context, Result};
use clap::Args;
use generator::checks::Neighbours;
use generator::set::Checked;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Which set.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The set's folder, with domains/ and rejected/.
    folder: PathBuf,
    /// The folder with model.onnx, vocab.txt and vectors.bin; defaults as for run.
    #[arg(long, value_name = "DIR")]
    search_files: Option<PathBuf>,
}

/// Checks the set and prints one finding per line.
pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let set = load(&arguments.folder)?;
    let encoder = SearchFiles::find(arguments.search_files.as_deref())?.encoder()?;
    let embed = |text: &str| encoder.encode(text);
    let pack = dataset::builtin().context("the data set of this program is damaged")?;
    let evaluation = Neighbours::of_pack(&pack, &embed)?;
    let Checked { findings, closest } = set.check(&evaluation, &embed)?;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in &findings {
        say!("{}: {}: {}", finding.file, finding.name, finding.reason);
        *counts.entry(finding.reason.code.as_str()).or_default() += 1;
    }
    let rejected: usize = set.rejected.values().map(|file| file.rejected.len()).sum();
    let apis: usize = set.domains.values().map(|domain| domain.apis.len()).sum();
    say!(
        "{} domains, {apis} APIs, {} dialogues, {rejected} rejections checked against {} dialogues \
         of the evaluation set.",
        set.domains.len(),
        set.items().count(),
        evaluation.len()
    );
    if let Some((id, near)) = closest.phrases {
        say!("Most shared phrases: {id} shares {:.0} % with {}.", 100.0 * near.phrases, near.id);
    }
    if let Some((id, near)) = closest.meaning {
        say!(
            "Nearest in meaning: {id} has cosine {:.2} with {}.",
            near.cosine.unwrap_or(0.0),
            near.id
        );
    }
    if findings.is_empty() {
        say!("Nothing found.");
        return Ok(FINISHED);
    }
    let counts: Vec<String> =
        counts.iter().map(|(code, count)| format!("{code} {count}")).collect();
    say!("Found: {}.", counts.join(", "));
    Ok(INCOMPLETE)
}
