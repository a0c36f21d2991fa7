//! Loads earlier runs to resume them, and protects them from being overwritten.

use crate::journal::{self, Kept, beside, record_of};
use crate::shown::tell;
use crate::{Usage, output};
use anyhow::{Context, Result, anyhow, bail};
use record::{
    Limits, Model, Outcome, Record, RecordError, RunSettings, SampleRecord, Status, unpacked,
};
use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;

/// Loads a run to resume from its record and journal combined. Samples without an answer are
/// dropped, so that they are asked again.
pub(crate) fn earlier(path: &Path) -> Result<(Record, Vec<SampleRecord>)> {
    let context = || format!("can't resume from {}", path.display());
    let (frame, mut samples) = match record_of(path) {
        Some(record) => {
            with_record(announce(path, journal::read(path).with_context(context)?), &record)
        }
        None => of_record(path).with_context(context)?,
    };
    samples.retain(|sample| matches!(sample.outcome, Outcome::Answered(_)));
    // A journal has them in completion order.
    samples.sort_by(|a, b| a.place().cmp(&b.place()));
    samples.dedup_by(|a, b| a.place() == b.place());
    Ok((frame, samples))
}

/// Loads a run by its record's file. If the program died while resuming, the journal has more samples.
fn of_record(path: &Path) -> Result<(Record, Vec<SampleRecord>)> {
    let beside = beside(path);
    let journal = match is_filled(&beside) {
        true => {
            Some(announce(&beside, journal::read(&beside).context("move it away, or mend it")?))
        }
        false => None,
    };
    match (read_record(path), journal) {
        (Ok(record), None) => Ok(parts(record)),
        (Ok(record), Some(journal)) if same_run(&record, &journal.frame) => {
            let (frame, mut samples) = parts(record);
            samples.extend(journal.samples);
            Ok((frame, samples))
        }
        (Ok(_), Some(_)) => {
            bail!("{} is of a run with other settings: move one of the two away", beside.display())
        }
        (Err(error), Some(journal)) => {
            if is_filled(path) {
                tell!("{error:#}. Resuming from {}.", beside.display());
            }
            Ok((journal.frame, journal.samples))
        }
        (Err(error), None) if is_filled(path) => Err(error.context(format!(
            "the record is damaged, and {} is not there to resume from. Restore the file, or run \
             anew with --out {} --force",
            beside.display(),
            shell(path)
        ))),
        (Err(error), None) => Err(error),
    }
}

/// Combines a journal's run with the samples of the record next to it.
fn with_record(journal: Kept, record: &Path) -> (Record, Vec<SampleRecord>) {
    let mut samples = journal.samples;
    if let Ok(record) = read_record(record)
        && same_run(&record, &journal.frame)
    {
        samples.extend(record.samples);
    }
    (journal.frame, samples)
}

/// Reports the journal's unreadable rows and returns it.
fn announce(path: &Path, journal: Kept) -> Kept {
    if journal.unreadable > 0 {
        tell!(
            "{}: {} rows can't be read and are left out, {} are kept.",
            path.display(),
            journal.unreadable,
            journal.samples.len()
        );
    }
    journal
}

fn read_record(path: &Path) -> Result<Record> {
    let context = || format!("can't read {}", path.display());
    let file = File::open(path).with_context(context)?;
    let input = unpacked(BufReader::new(file)).with_context(context)?;
    Record::read_whole(input, &Limits::DISK).with_context(context)
}

fn parts(mut record: Record) -> (Record, Vec<SampleRecord>) {
    let samples = std::mem::take(&mut record.samples);
    (record, samples)
}

fn same_run(a: &Record, b: &Record) -> bool {
    let settings =
        |it: &Record| RunSettings { model: it.model.clone().without_hardware(), ..it.settings() };
    settings(a) == settings(b) && a.pack == b.pack
}

fn is_filled(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() > 0)
}

/// Refuses to overwrite an earlier run at `out`, unless it is the one being resumed. `more` are the
/// other options that resuming needs.
pub(crate) fn check_free(out: &Path, resumed: Option<&Path>, more: &str) -> Result<()> {
    let goes_on = |resumed: &Path| {
        let record = record_of(resumed).unwrap_or_else(|| resumed.to_owned());
        same_file(&record, out)
    };
    if !output::is_replaceable(out) || resumed.is_some_and(goes_on) {
        return Ok(());
    }
    let journal = beside(out);
    if is_filled(&journal) {
        let read = journal::read(&journal);
        let is_agents = matches!(&read, Ok(kept) if matches!(kept.frame.model, Model::Agent(_)));
        let (holds, command) = match read {
            Ok(_) if is_agents => {
                let holds = "holds a dialogue that did not end".to_owned();
                (holds, recover(&journal, out))
            }
            Ok(kept) => {
                let count = kept.samples.len();
                let holds = format!("holds {count} samples of a run that did not end");
                (holds, command(&journal, out, more))
            }
            Err(error) => (format!("is there, and {error:#}"), command(&journal, out, more)),
        };
        let journal = journal.display();
        bail!(Usage(format!(
            "{journal} {holds}. Resume it with `{command}`, or overwrite it with --force"
        )));
    }
    if is_filled(out) {
        bail!(Usage(format!("{} {}", out.display(), occupied(out, more))));
    }
    Ok(())
}

/// Describes the run that would be overwritten, and the remedy.
fn occupied(out: &Path, more: &str) -> String {
    let (mut samples, mut failed) = (0, 0);
    let count = |sample: SampleRecord| {
        samples += 1;
        failed += usize::from(matches!(sample.outcome, Outcome::Failed { .. }));
        Ok::<(), RecordError>(())
    };
    let read = File::open(out)
        .map_err(|error| anyhow!(error))
        .and_then(|file| Ok(Record::read(unpacked(BufReader::new(file))?, &Limits::DISK, count)?));
    match read {
        Ok(record) if record.status == Status::Finished && failed == 0 => format!(
            "is a finished record of {}, {samples} samples. Name another file, or overwrite it with \
             --force",
            record.model.title()
        ),
        Ok(record) => format!(
            "is a record of {} with {} of {} samples answered. Resume it with `{}`, or overwrite it \
             with --force",
            record.model.title(),
            samples - failed,
            record.planned,
            command(out, out, more)
        ),
        Err(_) => "is there and is no record that can be read. Name another file, or overwrite it \
                   with --force"
            .to_owned(),
    }
}

/// The command that resumes `from` and writes the record `out`.
pub(crate) fn command(from: &Path, out: &Path, more: &str) -> String {
    format!("api-bank run --resume {} --out {}{more}", shell(from), shell(out))
}

/// The command that writes the record of an agent's dialogue out of its journal.
pub(crate) fn recover(journal: &Path, out: &Path) -> String {
    format!("api-bank mcp --recover {} --out {}", shell(journal), shell(out))
}

/// A path quoted for the shell.
pub(crate) fn shell(path: &Path) -> String {
    let text = path.to_string_lossy();
    let plain = |c: char| c.is_alphanumeric() || "/\\._-+:=,@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.into_owned();
    }
    match cfg!(windows) {
        true => format!("\"{text}\""),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// Whether two paths name the same file, existing or not.
pub(crate) fn same_file(a: &Path, b: &Path) -> bool {
    let whole = |path: &Path| {
        let path = std::path::absolute(path).ok()?;
        // The file may not exist yet, but its folder does.
        Some(fs::canonicalize(path.parent()?).ok()?.join(path.file_name()?))
    };
    a == b || whole(a).is_some_and(|a| Some(a) == whole(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_words_of_a_command_line() {
        assert_eq!(shell(Path::new("a/b.json")), "a/b.json");
        let quoted = if cfg!(windows) { "\"a b's\"" } else { "'a b'\\''s'" };
        assert_eq!(shell(Path::new("a b's")), quoted);
    }

    #[test]
    fn one_file_has_many_names() {
        let here = std::env::current_dir().unwrap();
        assert!(same_file(Path::new("none.json"), &here.join("none.json")));
        assert!(same_file(Path::new("./none.json"), Path::new("none.json")));
        assert!(!same_file(Path::new("none.json"), Path::new("other.json")));
    }
}
