//! `api-bank verify`, `report`, `export` and `merge`: what can be done with records.

use crate::files;
use crate::run;
use crate::threshold::Thresholds;
use crate::{BELOW, FINISHED, table};
use anyhow::{Context, Result};
use clap::Args;
use engine::export::{Exporter, Format};
use engine::record::{self, Limits, Record, RecordError};
use std::fs::File;
use std::io::{BufReader, BufWriter, Cursor, Read, Write};
use std::path::{Path, PathBuf};

/// Differences that are printed.
const PRINTED: usize = 100;

/// What to verify.
#[derive(Debug, Args)]
pub(crate) struct VerifyArguments {
    /// The record; - is standard input.
    file: PathBuf,
    /// The imported data that it was made with; by default the project's own.
    #[arg(long, value_name = "PATH")]
    pack: Option<PathBuf>,
    /// The folder with weights.bin, vocab.txt and vectors.bin; by default that of the cache.
    #[arg(long, value_name = "DIR")]
    search_files: Option<PathBuf>,
}

/// What to report.
#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// The record; - is standard input.
    file: PathBuf,
    #[command(flatten)]
    thresholds: Thresholds,
}

/// What to export.
#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// The record; - is standard input.
    file: PathBuf,
    /// The form: csv (a row a sample), evallog (inspect_ai, version 2) or predictions (JSON lines
    /// that the original's evaluators and `api-bank score` read).
    #[arg(long, value_parser = format)]
    format: Format,
    /// The file to write; - is standard output.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// What to merge.
#[derive(Debug, Args)]
pub(crate) struct MergeArguments {
    /// The records of the parts, in any order.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The merged record; - is standard output.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    thresholds: Thresholds,
}

fn format(text: &str) -> Result<Format, String> {
    let known = Format::ALL.into_iter().find(|format| format.as_str() == text);
    known.ok_or_else(|| "expected csv, evallog or predictions".to_owned())
}

/// A file that can be read again from its beginning; standard input is kept.
enum Source<'a> {
    File(&'a Path),
    Kept(Vec<u8>),
}

impl<'a> Source<'a> {
    fn new(path: &'a Path) -> Result<Self> {
        Ok(match files::is_standard(path) {
            true => Source::Kept(files::read(path)?),
            false => Source::File(path),
        })
    }

    fn open(&self) -> Result<Box<dyn Read + '_>, RecordError> {
        match self {
            Source::Kept(bytes) => Ok(Box::new(Cursor::new(bytes))),
            Source::File(path) => match File::open(path) {
                Ok(file) => Ok(Box::new(BufReader::with_capacity(1 << 16, file))),
                Err(error) => {
                    Err(RecordError::Io(format!("can't read {}: {error}", path.display())))
                }
            },
        }
    }
}

fn whole(path: &Path) -> Result<Record> {
    let source = Source::new(path)?;
    let record = source.open().and_then(|input| Record::read_whole(input, &Limits::DISK));
    record.with_context(|| path.display().to_string())
}

/// Verifies; prints every difference, field by field.
pub(crate) fn verify(arguments: &VerifyArguments) -> Result<u8> {
    let source = Source::new(&arguments.file)?;
    // A file that is none is told before the data is loaded.
    drop(source.open()?);
    let bench = run::bench(arguments.pack.as_deref(), arguments.search_files.as_deref())?;
    let found = record::verify(|| source.open(), &bench, &Limits::DISK, |_, _| {})
        .with_context(|| arguments.file.display().to_string())?;
    for difference in found.differences.iter().take(PRINTED) {
        println!(
            "{}\n  recorded:   {}\n  recomputed: {}",
            plain(&difference.path),
            plain(&difference.recorded),
            plain(&difference.recomputed)
        );
    }
    if found.found > PRINTED {
        println!("… and {} more.", found.found - PRINTED);
    }
    for note in &found.notes {
        println!("{note}");
    }
    if found.holds() {
        println!(
            "Verified: {} samples, every call and number comes out as recorded.",
            found.samples
        );
        return Ok(FINISHED);
    }
    println!("Not verified: {} differences in {} samples.", found.found, found.samples);
    Ok(BELOW)
}

/// The text without control characters, which a terminal would obey.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// Prints the numbers under a profile.
pub(crate) fn report(arguments: &ReportArguments) -> Result<u8> {
    let record = whole(&arguments.file)?;
    print!("{}", table::results(&record, arguments.thresholds.profile()));
    Ok(run::finish(&record, &arguments.thresholds))
}

/// Writes another form, sample by sample.
pub(crate) fn export(arguments: &ExportArguments) -> Result<u8> {
    let source = Source::new(&arguments.file)?;
    let context = || arguments.file.display().to_string();
    let frame = Record::read(source.open()?, &Limits::DISK, |_| Ok(())).with_context(context)?;
    files::check_writable(&arguments.out)?;
    let out: Box<dyn Write> = if files::is_standard(&arguments.out) {
        Box::new(std::io::stdout().lock())
    } else {
        let file = File::create(&arguments.out)
            .with_context(|| format!("can't write {}", arguments.out.display()))?;
        Box::new(BufWriter::new(file))
    };
    let mut exporter = Exporter::new(arguments.format, &frame, out)?;
    Record::read(source.open()?, &Limits::DISK, |sample| exporter.sample(&sample))
        .with_context(context)?;
    exporter.finish()?.flush().context("the file is lost")?;
    Ok(FINISHED)
}

/// Merges parts, prints the table, writes the record.
pub(crate) fn merge(arguments: &MergeArguments) -> Result<u8> {
    let parts = arguments.files.iter().map(|path| whole(path)).collect::<Result<Vec<_>>>()?;
    let merged = record::merge(parts)?;
    run::save(&merged, &arguments.out)?;
    let results = table::results(&merged, arguments.thresholds.profile());
    if files::is_standard(&arguments.out) {
        eprint!("{results}");
    } else {
        print!("{results}");
    }
    if let Some(shard) = &merged.shard {
        eprintln!("{} of {} parts are here.", shard.parts.len(), shard.of);
    }
    Ok(run::finish(&merged, &arguments.thresholds))
}
