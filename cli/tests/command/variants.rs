//! `run --variant`: every later command takes the variant from the record.

use crate::support::{api_bank, folder, read_record, rows, searchable, text};
use std::fs;
use std::path::Path;

/// Runs the gold on two dialogues of each ability, with additional arguments.
fn gold(out: &Path, more: &[&str]) {
    let out = out.to_str().unwrap();
    let run = ["run", "--model", "gold-replay", "--subset", "2", "--out", out];
    let output = api_bank(&[&run[..], more].concat(), "");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[test]
fn a_variant_is_run_verified_and_compared() {
    if !searchable("runs on variants") {
        return;
    }
    let folder = folder("variant");
    let (plain, variant) = (folder.join("plain.json"), folder.join("variant.json"));
    gold(&plain, &[]);
    gold(&variant, &["--variant", "7"]);
    let record = read_record(&variant);
    assert_eq!((record.pack.variant, read_record(&plain).pack.variant), (Some(7), None));
    let [plain, variant] = [&plain, &variant].map(|path| path.to_str().unwrap());
    let verified = api_bank(&["verify", variant], "");
    assert_eq!(verified.status.code(), Some(0), "{}", text(&verified.stderr));
    let reported = api_bank(&["report", variant], "");
    assert!(text(&reported.stdout).contains(", variant 7."), "{}", text(&reported.stdout));
    let compared = api_bank(&["compare", plain, variant], "");
    assert_eq!(compared.status.code(), Some(0), "{}", text(&compared.stderr));
    let stdout = text(&compared.stdout);
    assert!(stdout.contains("Caveat: The data set differs: variant 7."), "{stdout}");
}

#[test]
fn a_run_on_a_variant_is_resumed_on_it() {
    if !searchable("resumed runs on variants") {
        return;
    }
    let folder = folder("resumed-variant");
    let (whole, part) = (folder.join("whole.json"), folder.join("part.json"));
    gold(&whole, &["--variant", "7"]);
    let record = read_record(&whole);
    let some = record.samples.iter().take(3).cloned().collect();
    let stopped = record.clone().filled(some, record.times);
    fs::write(&part, stopped.to_json().unwrap()).unwrap();
    let resumed = api_bank(&["run", "--resume", part.to_str().unwrap()], "");
    assert_eq!(resumed.status.code(), Some(0), "{}", text(&resumed.stderr));
    assert_eq!(read_record(&part).without_times(), record.without_times());
}

#[test]
fn a_variant_is_of_the_built_in_pack() {
    let refused =
        ["run", "--model", "gold-replay", "--out", "x.json", "--variant", "7", "--pack", "."];
    assert_eq!(api_bank(&refused, "").status.code(), Some(2));
}

#[test]
fn samples_and_their_verdicts_are_of_the_chosen_edition() {
    if !searchable("samples of an edition") {
        return;
    }
    let samples = |more: &[&str]| {
        let output = api_bank(&[&["samples", "--abilities", "call"], more].concat(), "");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        rows(&output.stdout)
    };
    let prompt = |samples: &[serde_json::Value]| samples[0]["messages"].to_string();
    let spanish = samples(&["--language", "es"]);
    let id = spanish[0]["dialogue"].as_str().unwrap();
    let english = samples(&["--subset", id]);
    assert_ne!(prompt(&spanish), prompt(&english));
    let variant = samples(&["--subset", id, "--variant", "7"]);
    assert_ne!(prompt(&variant), prompt(&english));
    let own = samples(&["--subset", id, "--described-apis", "own"]);
    assert!(prompt(&own).len() < prompt(&english).len());

    let target = variant[0]["target"].as_str().unwrap();
    let answer = serde_json::json!({"id": variant[0]["id"], "text": target}).to_string();
    let edition = ["judge", "--abilities", "call", "--subset", id, "--variant", "7"];
    let judged = rows(&api_bank(&edition, &answer).stdout);
    assert_eq!(judged[0]["verdicts"]["execution"]["correct"], true, "{judged:?}");
}
