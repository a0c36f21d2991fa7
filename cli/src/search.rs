//! `api-bank search`: runs API Search on a pack.

use crate::choice::one_of;
use crate::files::SearchFiles;
use crate::pack;
use crate::{FINISHED, INCOMPLETE, files, output, rows};
use anyhow::Result;
use apis::Suite;
use clap::Args;
use original::search::PackSearch;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What to search, and where.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The original's data, in any of its released layouts: a folder, a file, or a zip or tar.gz
    /// archive; can be repeated.
    #[arg(long, value_name = "PATH", required = true)]
    pack: Vec<PathBuf>,
    /// The suite whose APIs are ranked.
    #[arg(long, value_parser = one_of(&Suite::ALL, Suite::as_str))]
    suite: Suite,
    /// The number of APIs per result.
    #[arg(long, default_value_t = 5)]
    top: usize,
    /// The folder with model.onnx, vocab.txt and vectors.bin; defaults as for run.
    #[arg(long, value_name = "DIR")]
    search_files: Option<PathBuf>,
    /// JSON lines with query, which is searched verbatim; - is standard input.
    file: PathBuf,
}

/// Prints one row per query: `top`, pairs of name and cosine, best first.
pub(crate) fn run(arguments: &Arguments) -> Result<u8> {
    let files = SearchFiles::find(arguments.search_files.as_deref())?;
    let search = PackSearch::new(&pack::load(&arguments.pack)?, Arc::new(files.encoder()?));
    let mut output = rows::Output::default();
    for row in rows::read(&files::read(&arguments.file)?) {
        let query = row.fields.as_ref().map_err(Clone::clone);
        match query.and_then(|fields| rows::text(fields, "query")) {
            Ok(query) => {
                let hits = search.rank(arguments.suite, query, arguments.top)?;
                let top: Vec<Value> =
                    hits.iter().map(|hit| json!([hit.name, f64::from(hit.cosine)])).collect();
                let mut fields = Map::new();
                fields.insert("query".to_owned(), Value::from(query));
                fields.insert("top".to_owned(), Value::from(top));
                output.row(&fields, Map::new());
            }
            Err(reason) => output.error(&row, &reason),
        }
    }
    output::write(Path::new("-"), &output.text)?;
    Ok(if output.errors > 0 { INCOMPLETE } else { FINISHED })
}
