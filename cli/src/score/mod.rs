//! `api-bank score`: scores third-party predictions on the original's data, under any profile.

mod summary;

use crate::files::{self, SearchFiles};
use crate::pack;
use crate::shown::{put, shown};
use crate::{FINISHED, INCOMPLETE, output, rows};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use dataset::import::Place;
use original::Samples;
use runner::benchmark::Benchmark;
use runner::predictions::{ScoredCall, ScoredReply, Tally, judge_call, judge_reply};
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::sync::Arc;

/// What to score and how.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The original's data, in any of its released layouts: a folder, a file, or a zip or tar.gz
    /// archive; can be repeated.
    #[arg(long, value_name = "PATH", required = true)]
    pack: Vec<PathBuf>,
    /// The profile that judges calls.
    #[arg(long, default_value = "execution")]
    profile: Profile,
    /// JSON lines with level, file (levels 1 and 2), sample_id, api_id (level 3) and prediction; -
    /// is standard input.
    #[arg(long, value_name = "FILE")]
    predictions: PathBuf,
    /// The output: the rows with their verdicts; with - for standard output, the summary goes to
    /// standard error.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The folder with model.onnx, vocab.txt and vectors.bin; defaults as for run.
    #[arg(long, value_name = "DIR")]
    search_files: Option<PathBuf>,
}

/// The profile that judges calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Profile {
    /// The verdict of the original Python evaluator, bugs included.
    Original,
    /// Same effect: the same results and the same database changes.
    Execution,
    /// Same name and same arguments.
    Exact,
    /// F1 over names and over arguments.
    F1,
}

impl Profile {
    fn as_str(self) -> &'static str {
        self.scoring().as_str()
    }

    const fn scoring(self) -> scoring::Profile {
        match self {
            Profile::Original => scoring::Profile::Original,
            Profile::Execution => scoring::Profile::Execution,
            Profile::Exact => scoring::Profile::Exact,
            Profile::F1 => scoring::Profile::F1,
        }
    }
}

/// Columns that scoring may add to a row.
const COLUMNS: [&str; 12] = [
    "correct",
    "category",
    "error_class",
    "explanation",
    "crash",
    "rouge_l",
    "f1_name",
    "f1_arguments",
    "corrected",
    "excluded",
    "excluded_because",
    "error",
];

/// Scores every row, writes the rows and prints the summary.
pub(crate) fn run(arguments: &Arguments) -> Result<u8> {
    output::check_writable(&arguments.out)?;
    let mut predictions = rows::read(&files::read(&arguments.predictions)?);
    let pack = pack::runnable(&arguments.pack)?;
    let bench = match arguments.profile {
        // F1 compares names and arguments and needs no search.
        Profile::F1 => None,
        _ => {
            let files = SearchFiles::find(arguments.search_files.as_deref())?;
            Some(Benchmark::imported(pack.clone(), Arc::new(files.encoder()?)))
        }
    };
    let samples = Samples::new(&pack);
    let mut output = rows::Output::default();
    let mut tally = Tally::default();
    for fields in predictions.iter_mut().filter_map(|row| row.fields.as_mut().ok()) {
        // Drop the input's own verdict columns, so that they can't pass for new ones.
        fields.retain(|name, _| !COLUMNS.contains(&name.as_str()));
    }
    for row in &predictions {
        let fields = row.fields.as_ref().map_err(Clone::clone);
        let scored = fields.and_then(|fields| {
            let place = place(fields)?;
            let prediction = rows::text(fields, "prediction")?;
            let sample = samples.find(&place).map_err(|error| error.to_string())?;
            let added = match (sample.gold_reply(), sample.gold_call()) {
                (Some(reply), _) => {
                    let scored = judge_reply(place.level, reply, prediction);
                    tally.reply(place.level, scored.rouge_l);
                    replied(&scored)
                }
                (None, Some(gold)) => {
                    let profile = arguments.profile.scoring();
                    let scored = judge_call(bench.as_ref(), profile, sample, gold, prediction)
                        .map_err(|error| error.to_string())?;
                    tally.call(&place, &scored);
                    called(&scored)
                }
                (None, None) => return Err("the sample asks for nothing".to_owned()),
            };
            Ok((fields, added))
        });
        match scored {
            Ok((fields, added)) => output.row(fields, added),
            Err(reason) => output.error(row, &reason),
        }
    }
    output::write(&arguments.out, &output.text).context("the verdicts are lost")?;
    let text = summary::text(arguments.profile, &tally, output.errors);
    if files::is_standard(&arguments.out) {
        eprint!("{}", shown(&text));
    } else {
        put(&shown(&text));
    }
    Ok(if output.errors > 0 { INCOMPLETE } else { FINISHED })
}

/// Parses a row's place in the data.
fn place(fields: &Map<String, Value>) -> Result<Place, String> {
    let level = match rows::number(fields, "level")? {
        1 => 1,
        2 => 2,
        3 => 3,
        other => return Err(format!("level: expected 1, 2 or 3, got {other}")),
    };
    let sample = rows::number(fields, "sample_id")?;
    if level == 3 {
        let step = rows::number(fields, "api_id")?;
        return Ok(Place { level, file: String::new(), sample, step });
    }
    let file = rows::text(fields, "file")?.to_owned();
    Ok(Place { level, file, sample, step: 0 })
}

/// The columns of a scored call.
fn called(scored: &ScoredCall) -> Map<String, Value> {
    let mut added = object(json!({
        "correct": scored.correct,
        "category": scored.category,
        "error_class": scored.error_class,
        "explanation": scored.explanation,
    }));
    if scored.crash {
        added.insert("crash".to_owned(), Value::from(true));
    }
    if let Some(overlap) = scored.overlap {
        added.insert("f1_name".to_owned(), json!(overlap.name.f1()));
        added.insert("f1_arguments".to_owned(), json!(overlap.arguments.f1()));
    }
    if let Some(why) = scored.corrected {
        added.insert("corrected".to_owned(), Value::from(why));
    }
    if let Some(why) = &scored.excluded {
        added.insert("excluded".to_owned(), Value::from(true));
        added.insert("excluded_because".to_owned(), Value::from(why.as_str()));
    }
    added
}

/// The columns of a scored reply: ROUGE-L, no verdict.
fn replied(scored: &ScoredReply) -> Map<String, Value> {
    object(json!({
        "correct": null,
        "category": null,
        "error_class": null,
        "explanation": scored.explanation,
        "rouge_l": scored.rouge_l,
    }))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
