//! Validates exports with the readers and schemas of the programs that they are for.
//!
//! `cargo xtask test` downloads them and sets `API_BANK_EVERY_EVAL_EVER` and
//! `API_BANK_HUGGINGFACE_HUB` to their folders.

use crate::support::{api_bank, python_package, read_record, rows, searchable, small_run, text};
use scoring::Profile;
use serde_json::Value;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The folder of a reader, if the test can run.
fn reader(variable: &str) -> Option<OsString> {
    python_package(variable).filter(|_| searchable("exporting a record"))
}

fn exported(record: &Path, format: &str) -> Vec<u8> {
    let record = record.to_str().unwrap();
    let output = api_bank(&["export", record, "--format", format, "--out", "-"], "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    output.stdout
}

/// A run of a built-in model under a protocol.
fn run(folder: &Path, protocol: &str) -> std::path::PathBuf {
    let path = folder.join(format!("{protocol}.json"));
    let output = small_run(&path, &["--protocol", protocol, "--trials", "2"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    path
}

#[test]
fn every_eval_ever_accepts_both_files() {
    let Some(package) = reader("API_BANK_EVERY_EVAL_EVER") else { return };
    let schema = |name: &str| {
        let path = Path::new(&package).join("every_eval_ever/schemas").join(name);
        let schema: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        jsonschema::validator_for(&schema).unwrap()
    };
    let (whole, instance) = (schema("eval.schema.json"), schema("instance_level_eval.schema.json"));
    let folder = tempfile::tempdir().unwrap();
    for protocol in ["bracket", "tools", "agent"] {
        let path = run(folder.path(), protocol);
        let record = read_record(&path);
        let aggregate: Value = serde_json::from_slice(&exported(&path, "every-eval")).unwrap();
        let faults: Vec<_> = whole.iter_errors(&aggregate).map(|error| error.to_string()).collect();
        assert!(faults.is_empty(), "{protocol}: {faults:?}");

        let samples = exported(&path, "every-eval-samples");
        let lines = rows(&samples);
        for line in &lines {
            let faults: Vec<_> = instance.iter_errors(line).map(|it| it.to_string()).collect();
            assert!(faults.is_empty(), "{protocol}: {faults:?} {line}");
        }
        let details = &aggregate["detailed_evaluation_results"];
        assert_eq!(details["total_rows"], lines.len(), "{protocol}");
        assert_eq!(details["checksum"], xtask::digest::hex(&samples), "{protocol}");

        // Both files and the record have the same score.
        let summary = record::summarize(&record.samples, Profile::Execution);
        let all = summary.rows.last().unwrap();
        let rate = if protocol == "agent" { all.dialogues } else { all.calls };
        let scored: Vec<&Value> =
            lines.iter().filter(|line| line["evaluation_result_id"] == "execution").collect();
        let right = scored.iter().filter(|line| line["evaluation"]["is_correct"] == true).count();
        assert_eq!((scored.len(), right), (rate.n, rate.right), "{protocol}");
        let results = aggregate["evaluation_results"].as_array().unwrap();
        let named = |id: &str| results.iter().find(|result| result["evaluation_result_id"] == id);
        let score = &named("execution").unwrap()["score_details"];
        let difference = score["score"].as_f64().unwrap() - rate.value().unwrap();
        assert!(difference.abs() < 1e-12, "{protocol}: {score}");
        assert_eq!(score["uncertainty"]["num_samples"], rate.n, "{protocol}");
        let known: Vec<&Value> = results.iter().map(|it| &it["evaluation_result_id"]).collect();
        assert!(lines.iter().all(|it| known.contains(&&it["evaluation_result_id"])), "{protocol}");
    }
}

/// Reads a file of results and prints its entries as JSON.
const READER: &str = "\
import dataclasses, json, sys, yaml
from huggingface_hub import parse_eval_result_entries
print(json.dumps([dataclasses.asdict(it) for it in parse_eval_result_entries(yaml.safe_load(sys.stdin))]))
";

#[test]
fn the_hub_reads_its_results() {
    let Some(package) = reader("API_BANK_HUGGINGFACE_HUB") else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = run(folder.path(), "tools");
    let yaml = folder.path().join("results.yaml");
    fs::write(&yaml, exported(&path, "eval-results")).unwrap();
    let output = Command::new("python3")
        .args(["-c", READER])
        .env("PYTHONPATH", package)
        .stdin(fs::File::open(&yaml).unwrap())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let entries: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let record = read_record(&path);
    let all = record.summary.rows.last().unwrap().calls;
    assert_eq!(entries.len(), record.summary.rows.len());
    assert_eq!(entries[0]["task_id"], "tools");
    let percent = entries[0]["value"].as_f64().unwrap();
    assert!((percent - 100.0 * all.value().unwrap()).abs() < 0.006, "{percent}");
    assert!(entries[0]["notes"].as_str().unwrap().contains(&format!("n {}", all.n)));
    assert!(entries[0]["notes"].as_str().unwrap().contains(&record.digest));
}
