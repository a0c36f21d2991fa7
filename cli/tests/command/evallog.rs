//! Opens exported logs with inspect_ai's reader, which validates every field.
//!
//! `cargo xtask test` downloads the reader and sets `API_BANK_INSPECT_AI` to its folder.

use crate::support::{api_bank, text};
use record::Record;
use scoring::Profile;
use serde_json::Value;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Opens a log and prints its contents as JSON.
const READER: &str = "\
import json, sys
from inspect_ai.log import read_eval_log
log = read_eval_log(sys.argv[1])
assert log.version == 2, log.version
print(json.dumps({
    'status': log.status,
    'model': log.eval.model,
    'samples': len(log.samples),
    'roles': [[message.role for message in sample.messages] for sample in log.samples],
    'correct': {
        profile: sum(sample.scores[profile].value == 'C'
                     for sample in log.samples if profile in (sample.scores or {}))
        for profile in ('execution', 'exact', 'f1', 'searches', 'restraint', 'told')
    },
    'accuracy': {
        score.name: {name: metric.value for name, metric in score.metrics.items()}
        for score in log.results.scores
    },
}))
";

fn done(arguments: &[&str]) {
    let output = api_bank(arguments, "");
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
}

/// Reads a log with inspect_ai.
fn read(packages: &OsString, log: &Path) -> Value {
    let output = Command::new("python3")
        .args(["-c", READER])
        .arg(log)
        .env("PYTHONPATH", packages)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "inspect_ai refuses {}: {said}", log.display());
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn inspect_ai_reads_what_was_exported() {
    let Some(packages) = std::env::var_os("API_BANK_INSPECT_AI") else {
        const ADVICE: &str = "inspect_ai reads an exported log: run `cargo xtask test`";
        assert!(!fixtures::is_ci(), "{ADVICE}");
        eprintln!("SKIPPED: {ADVICE}");
        return;
    };
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    for protocol in ["bracket", "tools", "agent"] {
        let (record, log) = (folder.join(format!("{protocol}.json")), folder.join("log.json"));
        let (file, out) = (record.to_str().unwrap(), log.to_str().unwrap());
        let run = ["run", "--model", "keyword-baseline", "--protocol", protocol];
        done(&[&run[..], &["--trials", "2", "--subset", "3", "--out", file]].concat());
        done(&["export", file, "--format", "evallog", "--out", out]);

        let ours = Record::from_json(&fs::read_to_string(&record).unwrap()).unwrap();
        let theirs = read(&packages, &log);
        assert_eq!(theirs["status"], "success");
        assert_eq!(theirs["model"], "api-bank/keyword-baseline");
        assert_eq!(theirs["samples"], ours.samples.len(), "{protocol}");
        let empty = theirs["roles"].as_array().unwrap().iter().any(|row| row[0].is_null());
        assert!(!empty, "{protocol}: a sample without messages");
        let summary = record::summarize(&ours.samples, Profile::Execution);
        let total = summary.rows.last().unwrap();
        for (name, rate) in
            [("searches", &total.searches), ("restraint", &total.restraint), ("told", &total.told)]
        {
            assert_eq!(theirs["correct"][name], rate.right, "{protocol} {name}");
            let said = theirs["accuracy"][name]["accuracy"].as_f64();
            assert_eq!(said.is_some(), rate.n > 0, "{protocol} {name}");
        }
        for profile in [Profile::Execution, Profile::Exact, Profile::F1] {
            let summary = record::summarize(&ours.samples, profile);
            let total = summary.rows.last().unwrap();
            let judged = if protocol == "agent" { total.dialogues } else { total.calls };
            let name = profile.as_str();
            assert!(judged.n > 0, "{protocol} {name}");
            assert_eq!(theirs["correct"][name], judged.right, "{protocol} {name}");
            let rate = theirs["accuracy"][name]["accuracy"].as_f64().unwrap();
            assert!(
                (rate - judged.right as f64 / judged.n as f64).abs() < 1e-12,
                "{protocol} {name}"
            );
            let interval = judged.interval.unwrap();
            for (end, expected) in [("ci_low", interval.low), ("ci_high", interval.high)] {
                let end = theirs["accuracy"][name][end].as_f64().unwrap();
                assert!((end - expected).abs() < 1e-12, "{protocol} {name}");
            }
        }
    }
}
