//! The corpora and queries of an evaluation.

use super::Arguments;
use crate::shown::tell;
use crate::{Usage, files};
use anyhow::{Context, Result};
use ranking::{Corpus, Query, QueryFiles, QueryKind, parse_queries, parse_tools};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// The most bytes of a file of a training set.
const MOST_BYTES: u64 = 64 << 20;

/// A corpus by its name, or from a file.
pub(super) fn corpus(name: &str, arguments: &Arguments) -> Result<Corpus> {
    match name {
        "pool-by-suite" => return Ok(Corpus::by_suite()),
        "pool" => return Ok(Corpus::pool()),
        "training" => return training(&arguments.training),
        _ => {}
    }
    if let Some(count) = name.strip_prefix("distractors:") {
        let count = count.parse().map_err(|_| {
            Usage(format!("--corpus: expected a number after distractors:, got {count:?}"))
        })?;
        let corpus = Corpus::with_distractors(count, arguments.seed);
        return Ok(corpus.map_err(|error| Usage(format!("--corpus: {error}")))?);
    }
    let path = Path::new(name);
    let bytes = files::read(path).context(
        "--corpus: expected pool-by-suite, pool, training, distractors:COUNT or a file of tools",
    )?;
    let title = path.file_name().map_or_else(|| name.into(), |it| it.to_string_lossy());
    parse_tools(&title, &bytes).with_context(|| path.display().to_string())
}

/// The pool among the APIs of a training set.
fn training(folder: &Path) -> Result<Corpus> {
    let domains = folder.join("domains");
    let can_t_read =
        || format!("can't read {}: name the set's folder with --training", domains.display());
    let mut contents = Vec::new();
    for entry in fs::read_dir(&domains).with_context(can_t_read)? {
        let path = entry.with_context(can_t_read)?.path();
        if path.extension().is_some_and(|it| it == "json") {
            let text = files::bounded_text(&path, MOST_BYTES)?;
            contents.push((path.display().to_string(), text));
        }
    }
    // Folders have no order.
    contents.sort();
    let files = contents.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    Ok(Corpus::with_training(files)?)
}

/// The queries of every name, or from files.
pub(super) fn queries(names: &[String]) -> Result<Vec<Query>> {
    let pack = dataset::builtin().context("the data set of this program is damaged")?;
    let mut queries = Vec::new();
    for name in names {
        let kind = QueryKind::BUILTIN.into_iter().find(|kind| kind.as_str() == name);
        let found = match kind {
            Some(kind) => Query::builtin(&pack, QueryFiles::BUILTIN, kind)?,
            None => {
                let known = QueryKind::BUILTIN.map(QueryKind::as_str).join(", ");
                let bytes = files::read(Path::new(name))
                    .with_context(|| format!("--queries: expected {known} or a file"))?;
                parse_queries(&bytes).with_context(|| name.clone())?
            }
        };
        queries.extend(found);
    }
    Ok(queries)
}

/// The queries with a relevant tool in the corpus; reports how many have none.
pub(super) fn answerable(queries: &[Query], corpus: &Corpus) -> Result<Arc<[Query]>> {
    let kept = Query::answerable(queries, corpus);
    let left_out = queries.len() - kept.len();
    if kept.is_empty() {
        let reason = format!(
            "--queries: none of the {} queries needs a tool of {}: give its queries in a file",
            queries.len(),
            corpus.title
        );
        return Err(Usage(reason).into());
    }
    if left_out > 0 {
        tell!("{}: {left_out} queries need no tool of it and are left out.", corpus.title);
    }
    Ok(kept.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_queries_need_apis_of_the_pool() {
        let names = QueryKind::BUILTIN.map(|kind| kind.as_str().to_owned());
        let all = queries(&names).unwrap();
        for corpus in [Corpus::by_suite(), Corpus::pool()] {
            let pool = corpus.names();
            for query in &all {
                assert!(query.relevant.iter().all(|tool| pool.contains(tool)), "{query:?}");
            }
        }
        let ids: std::collections::BTreeSet<&str> = all.iter().map(|it| it.id.as_str()).collect();
        assert_eq!(ids.len(), all.len());
        let several = |query: &&Query| query.relevant.len() > 1;
        assert!(all.iter().filter(several).all(|query| query.kind == QueryKind::User));
        assert!(all.iter().any(|query| query.relevant.len() > 2));
    }
}
