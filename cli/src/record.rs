//! `api-bank verify`, `report`, `export` and `merge`: commands on records.

use crate::choice::one_of;
use crate::disclosure;
use crate::files;
use crate::output;
use crate::run;
use crate::shown::{line, put, say, shown, tell};
use crate::sign;
use crate::source::{Source, whole};
use crate::threshold::Thresholds;
use crate::{BELOW, FINISHED, Usage, resume, retriever, table};
use anyhow::{Context, Result};
use clap::Args;
use record::export::{Exporter, Format};
use record::metrics::horizon;
use record::{Fingerprint, Limits, Record};
use std::path::PathBuf;

/// The maximum number of differences printed.
const PRINTED: usize = 100;

/// What to verify.
#[derive(Debug, Args)]
pub(crate) struct VerifyArguments {
    /// The record; - is standard input.
    file: PathBuf,
    /// The imported data that the record was made with: a folder, a file or an archive; can be
    /// repeated. Defaults to the built-in pack.
    #[arg(long, value_name = "PATH")]
    pack: Vec<PathBuf>,
    /// The folder with model.onnx, vocab.txt and vectors.bin; defaults as for run.
    #[arg(long, value_name = "DIR")]
    search_files: Option<PathBuf>,
    /// The folder of the model that answered the searches, if the record names one of yours.
    #[arg(long, value_name = "DIR")]
    retriever: Option<PathBuf>,
    /// Exit with 4 unless a key with this fingerprint signed the record; can be repeated.
    #[arg(long, value_name = "FINGERPRINT", allow_hyphen_values = true)]
    trust: Vec<Fingerprint>,
}

/// What to report.
#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// The record; - is standard input. Several horizon records of one model, each of another seed, are
    /// one estimate.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    thresholds: Thresholds,
}

/// What to export.
#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// The record; - is standard input.
    file: PathBuf,
    /// The format: csv (one row per sample), evallog (inspect_ai, version 2), predictions (JSON
    /// lines for the original's evaluators and `api-bank score`), every-eval and every-eval-samples
    /// (Every Eval Ever 0.3) or eval-results (a model hub's `.eval_results/*.yaml`).
    #[arg(long, value_parser = one_of(&Format::ALL, Format::as_str))]
    format: Format,
    /// The file to write; - is standard output.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// What to merge.
#[derive(Debug, Args)]
pub(crate) struct MergeArguments {
    /// The shards' records, in any order.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The merged record; - is standard output.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    thresholds: Thresholds,
}

/// Verifies a record and prints every difference, field by field.
pub(crate) fn verify(arguments: &VerifyArguments) -> Result<u8> {
    let source = Source::new(&arguments.file)?;
    // Reject an unreadable file before loading the data.
    drop(source.open()?);
    let bench = run::bench(&arguments.pack, arguments.search_files.as_deref())?;
    let own = match &arguments.retriever {
        Some(folder) => retriever::Named::folder(folder)?,
        None => retriever::Named::Builtin,
    };
    let bench = own.offered(bench)?;
    let mut found = runner::verify(|| source.open(), &bench, &Limits::DISK, |_, _| {})
        .with_context(|| arguments.file.display().to_string())?;
    if sign::is_trusted(&found, &arguments.trust) {
        found.disclosure.trust();
    }
    for difference in found.differences.iter().take(PRINTED) {
        say!(
            "{}\n  recorded:   {}\n  recomputed: {}",
            line(&difference.path),
            line(&difference.recorded),
            line(&difference.recomputed)
        );
    }
    if found.found > PRINTED {
        say!("… and {} more.", found.found - PRINTED);
    }
    say!("{}", disclosure::warnings(&found.disclosure).trim_end());
    say!("{}", disclosure::facts(&found.disclosure).trim_end());
    let signatures = sign::lines(&found, &arguments.trust);
    if !signatures.is_empty() {
        say!("{}", signatures.trim_end());
    }
    say!("{}", line(&found.verdict()));
    let trusted = arguments.trust.is_empty() || sign::is_trusted(&found, &arguments.trust);
    if !trusted {
        say!("Not trusted: no valid signature by a key of --trust.");
    }
    Ok(if found.holds() && trusted { FINISHED } else { BELOW })
}

/// Prints the results under a profile.
pub(crate) fn report(arguments: &ReportArguments) -> Result<u8> {
    let records = arguments.files.iter().map(|path| whole(path)).collect::<Result<Vec<_>>>()?;
    let [record] = &records[..] else { return pooled(&records) };
    let results = table::results(record, arguments.thresholds.profile());
    put(&shown(&(results + &table::traces(record))));
    Ok(run::finish(record, &arguments.thresholds))
}

/// Prints the horizon over the tasks of several records.
fn pooled(records: &[Record]) -> Result<u8> {
    let rows = horizon::pooled(records).map_err(|error| Usage(error.to_string()))?;
    let model = records.first().map_or_else(String::new, |it| line(it.model.title()));
    put(&shown(&format!("{model}, {} seeds\n\n{}", records.len(), table::horizon(&rows))));
    Ok(FINISHED)
}

/// Exports a record, one sample at a time in memory.
pub(crate) fn export(arguments: &ExportArguments) -> Result<u8> {
    let source = Source::new(&arguments.file)?;
    let context = || arguments.file.display().to_string();
    if resume::same_file(&arguments.file, &arguments.out) && !files::is_standard(&arguments.out) {
        let message = "--out: this is the record itself, expected another file".to_owned();
        return Err(Usage(message).into());
    }
    let frame = Record::read(source.open()?, &Limits::DISK, |_| Ok(())).with_context(context)?;
    output::write_with(&arguments.out, |out| {
        let mut exporter = Exporter::new(arguments.format, &frame, out)?;
        Record::read(source.open()?, &Limits::DISK, |sample| exporter.sample(&sample))
            .with_context(context)?;
        Ok(exporter.finish()?.flush()?)
    })?;
    Ok(FINISHED)
}

/// Merges shards, prints the table and writes the record.
pub(crate) fn merge(arguments: &MergeArguments) -> Result<u8> {
    let parts = arguments.files.iter().map(|path| whole(path)).collect::<Result<Vec<_>>>()?;
    let signed = parts.len() > 1 && parts.iter().any(|part| !part.signatures.is_empty());
    let merged = record::merge(parts)?;
    run::save(&merged, &arguments.out)?;
    let results = table::results(&merged, arguments.thresholds.profile());
    if files::is_standard(&arguments.out) {
        eprint!("{}", shown(&results));
    } else {
        put(&shown(&results));
    }
    if let Some(shard) = &merged.shard {
        tell!("{} of {} parts are here.", shard.parts.len(), shard.of);
    }
    if signed {
        eprintln!("The signatures of the parts don't fit the whole and are dropped.");
    }
    Ok(run::finish(&merged, &arguments.thresholds))
}
