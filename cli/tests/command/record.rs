//! `merge`, `verify`, `report` and `export` on finished records.

use crate::support::{api_bank, folder, read_record, rows, searchable, small_run, text};
use exchange::protocol::SampleKind;
use serde_json::Value;
use std::fs;

#[test]
fn parts_of_a_run_are_merged_and_verified() {
    if !searchable("parts of a run") {
        return;
    }
    let folder = folder("shards");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    assert_eq!(small_run(&folder.join("whole.json"), &[]).status.code(), Some(0));
    for part in ["1/3", "2/3", "3/3"] {
        let out = folder.join(part.replace('/', "-"));
        assert_eq!(small_run(&out, &["--shard", part]).status.code(), Some(0));
    }
    let merge = |files: &[&str]| {
        let files: Vec<String> = files.iter().map(|file| path(file)).collect();
        let out = path("merged.json");
        let mut arguments = vec!["merge", "--out", &out];
        arguments.extend(files.iter().map(String::as_str));
        api_bank(&arguments, "")
    };
    let merged = merge(&["3-3", "1-3", "2-3"]);
    assert_eq!(merged.status.code(), Some(0), "{}", text(&merged.stderr));
    let (whole, all) =
        (read_record(&folder.join("whole.json")), read_record(&folder.join("merged.json")));
    assert_eq!(all.digest, whole.digest);
    let overlapping = merge(&["1-3", "1-3"]);
    assert_eq!(overlapping.status.code(), Some(1));
    assert!(text(&overlapping.stderr).contains("part 1 stands in two"));

    let verified = api_bank(&["verify", &path("merged.json")], "");
    assert_eq!(verified.status.code(), Some(0), "{}", text(&verified.stdout));
    let stdout = text(&verified.stdout);
    for line in ["Consistent: computed anew", "gave these answers again", "Subset: 2 dialogues"] {
        assert!(stdout.contains(line), "{line}: {stdout}");
    }
    assert!(!stdout.contains("Verified") && !stdout.contains("Warning"), "{stdout}");

    let part = text(&api_bank(&["verify", &path("1-3")], "").stdout);
    assert!(part.contains("Warning (part-of-run): 1 of the 3 parts"), "{part}");
    assert!(part.contains("Prompts: the project's\nDropped parameters: none\n"), "{part}");
    let cancelled = record::Record { shard: None, ..read_record(&folder.join("whole.json")) };
    let (times, mut samples) = (cancelled.times, cancelled.samples.clone());
    samples.pop();
    let (left, planned) = (samples.len(), cancelled.planned);
    let cancelled = cancelled.filled(samples, times).to_json().unwrap();
    let output = api_bank(&["verify", "-"], &cancelled);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let stdout = text(&output.stdout);
    assert!(
        stdout.contains(&format!("Status: cancelled, {left} of {planned} planned")),
        "{stdout}"
    );
    assert!(stdout.contains("Warning (missing): 1 of"), "{stdout}");
    assert!(stdout.contains("failures and missing counted wrong: "), "{stdout}");

    let changed = fs::read_to_string(folder.join("merged.json")).unwrap();
    let changed = changed.replacen("\"correct\":false", "\"correct\":true", 1);
    let found = api_bank(&["verify", "-"], &changed);
    assert_eq!(found.status.code(), Some(4), "{}", text(&found.stderr));
    let found = text(&found.stdout);
    assert!(found.contains(".correct\n  recorded:   true\n  recomputed: false"), "{found}");
    assert!(found.contains("\ndigest\n"), "{found}");
}

#[test]
fn thresholds_decide_the_exit_code_under_any_profile() {
    if !searchable("thresholds") {
        return;
    }
    let out = folder("thresholds").join("r.json");
    let run = |more: &[&str]| small_run(&out, more).status.code();
    assert_eq!(run(&["--min-accuracy", "100"]), Some(4));
    assert_eq!(run(&["--min-accuracy", "0", "--max-failed", "0", "--force"]), Some(0));
    let report = |more: &[&str]| {
        let path = out.to_str().unwrap();
        let output = api_bank(&[&["report", path], more].concat(), "");
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, execution, _) = report(&[]);
    assert_eq!(code, Some(0));
    let (code, exact, stderr) = report(&["--profile", "exact", "--min-accuracy", "99"]);
    assert_eq!(code, Some(4));
    assert!(exact.contains("profile exact") && stderr.contains("Calls right (exact)"), "{stderr}");
    assert_ne!(execution, exact);
    assert_eq!(report(&["--profile", "best"]).0, Some(2));
}

#[test]
fn exports_have_a_row_for_every_sample() {
    if !searchable("exports") {
        return;
    }
    let folder = folder("exports");
    let record_file = folder.join("r.json");
    assert_eq!(small_run(&record_file, &[]).status.code(), Some(0));
    let record = read_record(&record_file);
    let export = |format: &str| {
        let path = record_file.to_str().unwrap();
        let output = api_bank(&["export", path, "--format", format, "--out", "-"], "");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        output.stdout
    };
    let table = text(&export("csv"));
    assert!(table.starts_with("\"id\",\"dialogue\",\"turn\",\"trial\","), "{}", &table[..80]);
    assert!(record.samples.iter().all(|sample| table.contains(&format!("\r\n\"{}\",", sample.id))));
    let lines = rows(&export("predictions"));
    // The original has no steps where no call is right.
    let kept = record.samples.iter().filter(|sample| sample.kind != SampleKind::Restraint).count();
    assert_eq!(lines.len(), kept);
    let log: Value = serde_json::from_slice(&export("evallog")).unwrap();
    assert_eq!(log["samples"].as_array().unwrap().len(), record.samples.len());
    assert_eq!(log["results"]["completed_samples"], record.samples.len());
}

#[test]
fn settings_that_are_not_the_default_are_listed_by_every_reader() {
    if !searchable("the settings of a record") {
        return;
    }
    let folder = folder("listed-settings");
    let (usual, eased) = (folder.join("usual.json"), folder.join("eased.json"));
    assert_eq!(small_run(&usual, &[]).status.code(), Some(0));
    let more = ["--described-apis", "own", "--search-results", "1", "--steps", "first"];
    assert_eq!(small_run(&eased, &more).status.code(), Some(0));
    let (usual, eased) = (usual.to_str().unwrap(), eased.to_str().unwrap());
    let printed = |arguments: &[&str]| {
        let output = api_bank(arguments, "");
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let verified = printed(&["verify", eased]);
    let compared = printed(&["compare", usual, eased]);
    let reported = printed(&["report", eased]);
    for setting in ["described_apis = own (can", "search_results = 1", "steps = first (can"] {
        for shown in [&verified, &compared, &reported] {
            assert!(shown.contains(setting), "{setting}: {shown}");
        }
    }
    assert!(verified.contains("Warning (easier-settings)"), "{verified}");
    assert!(
        compared.contains("Caveat: The setting \"Steps\" differs: all and first."),
        "{compared}"
    );
    let verified = printed(&["verify", usual]);
    assert!(verified.contains("Settings: the defaults"), "{verified}");
    assert!(!verified.contains("easier-settings"), "{verified}");
}

#[test]
fn forged_times_are_shown_as_claimed() {
    if !searchable("times of a record") {
        return;
    }
    let file = folder("claimed-times").join("record.json");
    assert_eq!(small_run(&file, &[]).status.code(), Some(0));
    let mut record = read_record(&file);
    for sample in &mut record.samples {
        sample.times.latency_ms = 1;
    }
    let output = api_bank(&["verify", "-"], &record.to_json().unwrap());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let stdout = text(&output.stdout);
    assert!(stdout.contains("Consistent"), "{stdout}");
    assert!(
        stdout.contains("Times: claimed: neither digest nor signature covers them"),
        "{stdout}"
    );
}
