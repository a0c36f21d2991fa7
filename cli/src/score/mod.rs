//! `api-bank score`: others' predictions on the original's data, under any profile.

mod judge;
mod summary;

use crate::files::{self, SearchFiles};
use crate::pack;
use crate::shown::shown;
use crate::{FINISHED, INCOMPLETE, output, rows};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use dataset::import::Place;
use original::Samples;
use runner::bench::Bench;
use scoring::rouge::{rouge_l_dialogue, rouge_l_plan};
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use summary::Summary;

/// What to score and how.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The original's data, in any of its released layouts: a folder or a zip archive.
    #[arg(long, value_name = "PATH")]
    pack: PathBuf,
    /// How calls are judged.
    #[arg(long, default_value = "execution")]
    profile: Profile,
    /// Rows of level, file (levels 1 and 2), sample_id, api_id (level 3) and prediction, JSON
    /// lines; - is standard input.
    #[arg(long, value_name = "FILE")]
    predictions: PathBuf,
    /// The rows with their verdicts; - is standard output, and the summary goes to standard error.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The folder with weights.bin, vocab.txt and vectors.bin; by default that of the cache.
    #[arg(long, value_name = "DIR")]
    search_files: Option<PathBuf>,
}

/// How calls are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Profile {
    /// What the original Python evaluator says, its defects included.
    Original,
    /// Same effect: the same results and the same changes to the databases.
    Execution,
    /// Name and arguments equal.
    Exact,
    /// F1 of names and of arguments.
    F1,
}

impl Profile {
    const fn as_str(self) -> &'static str {
        match self {
            Profile::Original => "original",
            Profile::Execution => "execution",
            Profile::Exact => "exact",
            Profile::F1 => "f1",
        }
    }
}

/// Columns that a scored row may have beside its own.
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

/// What a profile says of one call, as the columns of its row.
#[derive(Debug, Default)]
struct Scored {
    correct: bool,
    category: String,
    error_class: Option<scoring::ErrorClass>,
    explanation: String,
    crash: bool,
    /// Why the gold call was corrected, where it was.
    corrected: Option<&'static str>,
    /// Why the sample does not count, where it does not.
    excluded: Option<String>,
    overlap: Option<scoring::f1::CallOverlap>,
}

/// Scores every row, writes the rows, prints the summary.
pub(crate) fn run(arguments: &Arguments) -> Result<u8> {
    output::check_writable(&arguments.out)?;
    let mut predictions = rows::read(&files::read(&arguments.predictions)?);
    let pack = pack::runnable(&arguments.pack)?;
    let bench = match arguments.profile {
        // Nothing is searched for to compare names and arguments.
        Profile::F1 => None,
        _ => {
            let files = SearchFiles::find(arguments.search_files.as_deref())?;
            Some(Bench::imported(pack.clone(), Arc::new(files.encoder()?)))
        }
    };
    let samples = Samples::new(&pack);
    let mut output = rows::Output::default();
    let mut summary = Summary::new(arguments.profile);
    for fields in predictions.iter_mut().filter_map(|row| row.fields.as_mut().ok()) {
        // Verdicts that the rows come with must not be taken for those that they get.
        fields.retain(|name, _| !COLUMNS.contains(&name.as_str()));
    }
    for row in &predictions {
        let fields = row.fields.as_ref().map_err(Clone::clone);
        let scored = fields.and_then(|fields| {
            let place = place(fields)?;
            let prediction = rows::text(fields, "prediction")?;
            let sample = samples.find(&place)?;
            let added = match (sample.gold_reply(), sample.gold_call()) {
                (Some(reply), _) => replied(&place, reply, prediction, &mut summary),
                (None, Some(gold)) => {
                    let scored =
                        judge::call(bench.as_ref(), arguments.profile, sample, gold, prediction)?;
                    called(&place, &scored, &mut summary)
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
    let text = summary.table(output.errors);
    if files::is_standard(&arguments.out) {
        eprint!("{}", shown(&text));
    } else {
        print!("{}", shown(&text));
    }
    Ok(if output.errors > 0 { INCOMPLETE } else { FINISHED })
}

/// Reads the place out of a row.
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

/// The columns of a call.
fn called(place: &Place, scored: &Scored, summary: &mut Summary) -> Map<String, Value> {
    summary.call(place, scored);
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

/// The columns of a reply, which has ROUGE-L and no verdict.
fn replied(
    place: &Place,
    gold: &str,
    prediction: &str,
    summary: &mut Summary,
) -> Map<String, Value> {
    let score = match place.level {
        3 => rouge_l_plan(gold, prediction),
        _ => rouge_l_dialogue(gold, prediction),
    };
    // A reply without a sentence, at which the original's package raises, has nothing in common.
    let value = score.as_ref().copied().unwrap_or(0.0);
    summary.reply(place, value);
    let explanation = match score {
        Ok(_) => "A reply: scored by ROUGE-L.".to_owned(),
        Err(error) => format!("A reply: scored by ROUGE-L, where the original raises {error}"),
    };
    object(json!({
        "correct": null,
        "category": null,
        "error_class": null,
        "explanation": explanation,
        "rouge_l": value,
    }))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
