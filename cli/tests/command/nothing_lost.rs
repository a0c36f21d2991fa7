//! Paid answers are never lost: to overwritten files, crashes or full disks.

use crate::support::{api_bank, folder, read_record as read, text};
use record::{Outcome, Record, SampleRecord, summarize};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The arguments of a small run of a built-in model.
const RUN: [&str; 6] = ["--model", "keyword-baseline", "--subset", "1", "--seed", "5"];

fn run(out: &Path, more: &[&str]) -> Output {
    api_bank(&[&["run"], &RUN[..], &["--out", out.to_str().unwrap()], more].concat(), "")
}

fn resume(path: &Path) -> Output {
    api_bank(&["run", "--resume", path.to_str().unwrap()], "")
}

fn output_text(output: &Output) -> String {
    text(&output.stderr)
}

/// A new folder with a complete record; prints a notice and returns `None` if the API Search files
/// are missing.
fn whole(name: &str) -> Option<(PathBuf, Record)> {
    fixtures::search_files(name)?;
    let folder = folder(name);
    let out = folder.join("whole.json");
    let output = run(&out, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
    Some((folder, read(&out)))
}

/// A journal with these samples.
fn journal(record: &Record, samples: &[SampleRecord]) -> String {
    let frame = Record { samples: Vec::new(), ..record.clone() };
    let mut text = serde_json::to_string(&frame).unwrap() + "\n";
    for sample in samples {
        text += &(serde_json::to_string(sample).unwrap() + "\n");
    }
    text
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The arguments of the command that an error suggests in backticks.
fn advised(text: &str) -> Vec<String> {
    let command = text.split('`').nth(1).unwrap();
    command.split(' ').skip(1).map(str::to_owned).collect()
}

#[test]
fn an_unfinished_run_is_not_overwritten() {
    let Some((folder, record)) = whole("kept-journal") else { return };
    let (out, partial) = (folder.join("part.json"), folder.join("part.json.partial"));
    let before = journal(&record, &record.samples[..3]);
    fs::write(&partial, &before).unwrap();
    let refused = run(&out, &[]);
    assert_eq!(refused.status.code(), Some(2), "{}", output_text(&refused));
    assert!(output_text(&refused).contains("holds 3 samples"), "{}", output_text(&refused));
    assert_eq!(fs::read_to_string(&partial).unwrap(), before);
    assert!(!out.exists(), "an empty record is left");

    // The suggested command finishes the run and asks no sample again.
    let advised = advised(&output_text(&refused));
    let advised: Vec<&str> = advised.iter().map(String::as_str).collect();
    assert_eq!(advised[..2], ["run", "--resume"]);
    let resumed = api_bank(&advised, "");
    assert_eq!(resumed.status.code(), Some(0), "{}", output_text(&resumed));
    assert_eq!(read(&out).digest, record.digest);
    let times = |record: &Record| record.samples[0].times;
    assert_eq!(times(&read(&out)), times(&record));
    assert_eq!(names(&folder), ["part.json", "whole.json"]);

    fs::remove_file(&out).unwrap();
    fs::write(&partial, &before).unwrap();
    let forced = run(&out, &["--force"]);
    assert_eq!(forced.status.code(), Some(0), "{}", output_text(&forced));
    assert_eq!(names(&folder), ["part.json", "whole.json"]);
}

#[test]
fn a_record_is_overwritten_only_when_told_to() {
    let Some((folder, record)) = whole("kept-record") else { return };
    let out = folder.join("whole.json");
    let refused = run(&out, &[]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(output_text(&refused).contains("is a finished record of"), "{}", output_text(&refused));
    // For a partial run, the error suggests how to resume it.
    let cancelled = record.clone().filled(record.samples[..2].to_vec(), record.times);
    fs::write(&out, cancelled.to_json().unwrap()).unwrap();
    let refused = run(&out, &[]);
    assert!(output_text(&refused).contains("with 2 of "), "{}", output_text(&refused));
    assert!(output_text(&refused).contains("--resume"), "{}", output_text(&refused));
    fs::write(&out, "notes").unwrap();
    assert!(output_text(&run(&out, &[])).contains("no record that can be read"));
    assert_eq!(fs::read_to_string(&out).unwrap(), "notes");
    assert_eq!(run(&out, &["--force"]).status.code(), Some(0));
    assert_eq!(read(&out).digest, record.digest);
    // An empty file, which other programs create to reserve a name, may be overwritten.
    fs::write(&out, "").unwrap();
    assert_eq!(run(&out, &[]).status.code(), Some(0));
    let same = out.to_str().unwrap();
    let export = api_bank(&["export", same, "--format", "csv", "--out", same], "");
    assert_eq!((export.status.code(), read(&out).digest), (Some(2), record.digest));
}

#[test]
fn a_compressed_record_is_resumed_and_verified() {
    let Some((folder, record)) = whole("kept-packed") else { return };
    let (out, partial) = (folder.join("part.json.gz"), folder.join("part.json.gz.partial"));
    // Cut off: only the journal is there, which is not compressed.
    fs::write(&partial, journal(&record, &record.samples[..3])).unwrap();
    assert_eq!(resume(&out).status.code(), Some(0));
    let bytes = fs::read(&out).unwrap();
    assert_eq!(bytes[..2], [0x1f, 0x8b]);
    assert_eq!((read(&out).digest, names(&folder).len()), (record.digest.clone(), 2));
    let verified = api_bank(&["verify", out.to_str().unwrap()], "");
    assert!(text(&verified.stdout).contains("Consistent"), "{}", output_text(&verified));
    // Cancelled: the record lacks samples.
    let cancelled = record.clone().filled(record.samples[..2].to_vec(), record.times);
    fs::write(&out, cancelled.to_gzip().unwrap()).unwrap();
    assert!(output_text(&run(&out, &[])).contains("with 2 of "));
    assert_eq!(resume(&out).status.code(), Some(0));
    assert_eq!(read(&out).digest, record.digest);
    assert!(fs::read(&out).unwrap().len() < record.to_json().unwrap().len() / 4);
}

#[test]
fn a_torn_record_is_made_good_from_its_journal() {
    let Some((folder, record)) = whole("torn-record") else { return };
    let (out, partial) = (folder.join("whole.json"), folder.join("whole.json.partial"));
    let text = fs::read(&out).unwrap();
    fs::write(&out, &text[..text.len() / 2]).unwrap();
    let alone = resume(&out);
    assert_eq!(alone.status.code(), Some(1));
    for part in ["whole.json", "is damaged", "--force"] {
        assert!(output_text(&alone).contains(part), "{}", output_text(&alone));
    }
    fs::write(&partial, journal(&record, &record.samples[..4])).unwrap();
    let resumed = resume(&out);
    assert_eq!(resumed.status.code(), Some(0), "{}", output_text(&resumed));
    assert!(output_text(&resumed).contains("Resuming from"), "{}", output_text(&resumed));
    assert_eq!(read(&out).digest, record.digest);
    assert_eq!(names(&folder), ["whole.json"]);
}

/// A run that crashed while resuming: the journal has more samples than the record.
#[test]
fn a_record_and_its_journal_are_resumed_together() {
    let Some((folder, record)) = whole("record-and-journal") else { return };
    let (out, partial) = (folder.join("whole.json"), folder.join("whole.json.partial"));
    let mut samples = record.samples.clone();
    for (index, sample) in samples.iter_mut().enumerate() {
        sample.times.latency_ms = 7_000 + index as u64;
    }
    let part = record.clone().filled(samples[..3].to_vec(), record.times);
    fs::write(&out, part.to_json().unwrap()).unwrap();
    fs::write(&partial, journal(&record, &samples)).unwrap();
    assert_eq!(resume(&out).status.code(), Some(0));
    assert!(read(&out).samples.iter().all(|it| it.times.latency_ms >= 7_000), "asked again");
    // Another run's journal at the same path is not deleted.
    let other = Record { seed: 6, ..record.clone() };
    fs::write(&partial, journal(&other, &samples)).unwrap();
    let refused = resume(&out);
    assert!(output_text(&refused).contains("other settings"), "{}", output_text(&refused));
    assert!(partial.exists());
}

/// A limit on file sizes stops both journal and record.
#[cfg(unix)]
#[test]
fn a_full_disk_loses_no_sample() {
    let Some((folder, record)) = whole("full-disk") else { return };
    let line = |samples: &[SampleRecord]| journal(&record, samples).len();
    let limited = |blocks: usize, name: &str, temporary: &Path| {
        let mut command = Command::new("sh");
        let limit = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let program = env!("CARGO_BIN_EXE_api-bank");
        command.args(["-c", &limit, program, "run"]).args(RUN).args(["--out", name]);
        command.env_remove("API_BANK_KEY").env("TMPDIR", temporary).current_dir(&folder);
        command.output().unwrap()
    };
    // No file has room for the record, so it goes to standard output.
    let blocks = line(&record.samples[..2]) / 512;
    let full = limited(blocks, "a.json", &folder);
    assert_eq!(full.status.code(), Some(1), "{}", output_text(&full));
    assert!(output_text(&full).contains("printed on standard output"), "{}", output_text(&full));
    let printed = Record::from_json(&String::from_utf8_lossy(&full.stdout)).unwrap();
    assert_eq!(printed.digest, record.digest);
    // The journal's samples are intact.
    let resumed = resume(&folder.join("a.json"));
    assert_eq!(resumed.status.code(), Some(0), "{}", output_text(&resumed));
    assert_eq!(read(&folder.join("a.json")).digest, record.digest);

    // The output can't be replaced, so the record goes to a temporary file.
    #[cfg(target_os = "linux")]
    {
        let temporary = folder.join("temporary");
        fs::create_dir(&temporary).unwrap();
        let full = limited(1 << 20, "/dev/full", &temporary);
        assert_eq!(full.status.code(), Some(1), "{}", output_text(&full));
        let [kept] = &names(&temporary)[..] else { unreachable!("{:?}", names(&temporary)) };
        assert!(output_text(&full).contains(kept.as_str()), "{}", output_text(&full));
        assert_eq!(read(&temporary.join(kept)).digest, record.digest);
    }
}

/// The journal fits; the record, which has a summary, does not.
#[cfg(unix)]
#[test]
fn a_record_that_does_not_fit_is_in_its_journal() {
    let Some((folder, record)) = whole("full-record") else { return };
    let begun = Record { summary: summarize(&[], record.summary.profile), ..record.clone() };
    let (journal, whole) =
        (journal(&begun, &record.samples).len(), record.to_json().unwrap().len());
    let kilobytes = (whole - 1) / 1024;
    assert!(journal <= 1024 * kilobytes, "{whole} against {journal} bytes");
    let mut command = Command::new("bash");
    let limit = format!("trap '' XFSZ; ulimit -f {kilobytes}; exec \"$0\" \"$@\"");
    command.args(["-c", &limit, env!("CARGO_BIN_EXE_api-bank"), "run"]).args(RUN);
    let full = command.args(["--out", "a.json"]).current_dir(&folder).output().unwrap();
    assert_eq!(full.status.code(), Some(1), "{}", output_text(&full));
    assert_eq!(names(&folder), ["a.json.partial", "whole.json"]);
    let advised = advised(&output_text(&full));
    let program = env!("CARGO_BIN_EXE_api-bank");
    let resumed = Command::new(program).args(advised).current_dir(&folder).output().unwrap();
    assert_eq!(resumed.status.code(), Some(0), "{}", output_text(&resumed));
    assert_eq!(read(&folder.join("a.json")).digest, record.digest);
}

/// After a new version of the data, answers to unchanged prompts are kept, and judged anew.
#[test]
fn answers_to_the_same_prompts_outlive_a_version_of_the_data() {
    let Some((folder, mut record)) = whole("answers of another version") else { return };
    record.pack.version = "0.9.0".to_owned();
    record.samples[0].messages.pop();
    let judged = record.samples.iter().skip(1).position(|it| it.verdicts.is_some()).unwrap() + 1;
    let Outcome::Answered(answer) = &mut record.samples[judged].outcome else {
        panic!("no answer")
    };
    answer.text = "As the model said it.".to_owned();
    let before = folder.join("before.json");
    fs::write(&before, serde_json::to_string(&record).unwrap()).unwrap();

    let told_of = |more: &[&str]| {
        let output = api_bank(&[&["run", "--resume", before.to_str().unwrap()], more].concat(), "");
        (output.status.code(), output_text(&output))
    };
    let (code, refused) = told_of(&[]);
    assert_eq!(code, Some(1), "{refused}");
    assert!(refused.contains("--reuse-answers"), "{refused}");
    let (code, refused) = told_of(&["--reuse-answers", "--out", before.to_str().unwrap()]);
    assert_eq!(code, Some(2), "{refused}");
    assert!(refused.contains("another file"), "{refused}");

    let after = folder.join("after.json");
    let (code, kept) = told_of(&["--reuse-answers", "--out", after.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{kept}");
    let all = record.samples.len();
    assert!(kept.contains(&format!("{} of {all} answers are kept", all - 1)), "{kept}");
    let after = read(&after);
    assert_ne!(after.pack, record.pack);
    assert_eq!(after.samples.len(), all);
    assert_ne!(after.samples[0].messages, record.samples[0].messages, "asked again");
    let Outcome::Answered(answer) = &after.samples[judged].outcome else { panic!("no answer") };
    assert_eq!(answer.text, "As the model said it.");
    assert_ne!(after.samples[judged].verdicts, record.samples[judged].verdicts, "judged anew");
}

/// Two processes on one record pay twice and keep half.
#[test]
fn a_record_in_use_by_another_process_is_left_alone() {
    let Some((folder, _)) = whole("record-in-use") else { return };
    // A server that never answers.
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1", server.local_addr().unwrap());
    let out = folder.join("shared.json");
    let path = out.to_str().unwrap();
    let endpoint = ["--endpoint", &address, "--model", "m"];
    let new = [&["run"][..], &endpoint, &["--out", path]].concat();
    let mut first = crate::support::started(&new);
    let partial = folder.join("shared.json.partial");
    while !partial.exists() {
        assert!(first.try_wait().unwrap().is_none(), "the first run has ended");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let forced = [&new[..], &["--force"]].concat();
    let resume = [&["run", "--resume", path][..], &endpoint[..2]].concat();
    let other = folder.join("other.json");
    let elsewhere = [&resume[..], &["--out", other.to_str().unwrap()]].concat();
    for arguments in [&new, &forced, &resume, &elsewhere] {
        let refused = api_bank(arguments, "");
        assert_eq!(refused.status.code(), Some(2), "{}", output_text(&refused));
        assert!(
            output_text(&refused).contains("in use by another process"),
            "{}",
            output_text(&refused)
        );
    }
    first.kill().unwrap();
    first.wait().unwrap();
    let refused = api_bank(&new, "");
    assert!(output_text(&refused).contains("holds 0 samples"), "{}", output_text(&refused));
}

/// The sentence that every sample is in the journal is true, or not said.
#[cfg(unix)]
#[test]
fn a_folder_that_vanishes_during_a_run_loses_no_sample() {
    let Some((folder, record)) = whole("vanished-folder") else { return };
    let gone = folder.join("gone");
    let temporary = folder.join("temporary");
    fs::create_dir(&gone).unwrap();
    fs::create_dir(&temporary).unwrap();
    let out = gone.join("x.json");
    // The shell removes the folder once the run has begun.
    let script = "\"$0\" \"$@\" & pid=$!
        while [ ! -e gone/x.json.partial ]; do kill -0 $pid || exit 9; sleep 0.02; done
        rm -r gone; wait $pid";
    let output = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_api-bank"), "run"])
        .args(["--model", "keyword-baseline", "--seed", "5", "--out", out.to_str().unwrap()])
        .current_dir(&folder)
        .env("TMPDIR", &temporary)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", output_text(&output));
    assert!(!output_text(&output).contains("every sample is in"), "{}", output_text(&output));
    let [kept] = &names(&temporary)[..] else { unreachable!("{:?}", names(&temporary)) };
    assert!(output_text(&output).contains(kept.as_str()), "{}", output_text(&output));
    let kept = read(&temporary.join(kept));
    assert!(!kept.samples.is_empty() && kept.pack == record.pack);
}
