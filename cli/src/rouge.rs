//! `api-bank rouge`: ROUGE-L of pairs of texts, as the original computes it.

use crate::{FINISHED, INCOMPLETE, files, output, rows};
use anyhow::Result;
use clap::Args;
use scoring::rouge::{RougeError, rouge_l_plan, rouge_l_unrounded};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// What to score.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// JSON lines with reference and hypothesis; - is standard input.
    file: PathBuf,
}

/// Prints one row per pair: `score` as on levels 1 and 2, but unrounded (0 for an empty
/// hypothesis), and `score_lv3` as on level 3 (trimmed, without a leading `AI:`). Where the
/// original's package raises, the row has `error` instead.
pub(crate) fn run(arguments: &Arguments) -> Result<u8> {
    let mut output = rows::Output::default();
    for row in rows::read(&files::read(&arguments.file)?) {
        let scored = row.fields.as_ref().map_err(Clone::clone).and_then(scores);
        match scored {
            Ok(scores) => output.row(&Map::new(), scores),
            Err(reason) => output.error(&row, &reason),
        }
    }
    output::write(Path::new("-"), &output.text)?;
    Ok(if output.errors > 0 { INCOMPLETE } else { FINISHED })
}

fn scores(fields: &Map<String, Value>) -> Result<Map<String, Value>, String> {
    let reference = rows::text(fields, "reference")?;
    let hypothesis = rows::text(fields, "hypothesis")?;
    let mut scores = Map::new();
    let mut put = |name: &str, error: &str, score: Result<f64, RougeError>| {
        match score {
            Ok(score) => scores.insert(name.to_owned(), json!(score)),
            Err(raised) => {
                scores.insert(name.to_owned(), Value::Null);
                scores.insert(error.to_owned(), Value::from(raised.to_string()))
            }
        };
    };
    put("score", "error", rouge_l_unrounded(reference, hypothesis));
    put("score_lv3", "error_lv3", rouge_l_plan(reference, hypothesis));
    Ok(scores)
}
