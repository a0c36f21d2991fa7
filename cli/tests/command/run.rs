//! `run` with the built-in models: splits, subsets, cancel and resume.

use crate::support::{api_bank, folder, read_record, searchable, small_run, started, text};
use record::Status;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

#[test]
fn gold_replay_is_right_and_the_same_twice() {
    if !searchable("runs of the built-in models") {
        return;
    }
    let folder = folder("run");
    let run = |name: &str| {
        let path = folder.join(name);
        let out = path.to_str().unwrap();
        let output = api_bank(
            &["run", "--model", "gold-replay", "--abilities", "plan,retrieve", "--out", out],
            "",
        );
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains("Protocol bracket, profile execution"));
        let record = record::Record::from_json(&fs::read_to_string(&path).unwrap()).unwrap();
        record.without_times()
    };
    let record = run("a.json");
    let all = record.summary.rows.last().unwrap();
    assert!(all.calls.n > 0 && all.calls.right == all.calls.n);
    assert_eq!(run("b.json").to_json(), record.to_json());
}

#[test]
fn the_hard_split_is_run_apart() {
    if !searchable("a run of the hard split") {
        return;
    }
    let folder = folder("hard");
    let run = |model: &str| {
        let path = folder.join(format!("{model}.json"));
        let out = path.to_str().unwrap();
        let output = api_bank(&["run", "--split", "hard", "--model", model, "--out", out], "");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        for words in [", hard split.", "Knows when not to call", "Hidden instructions"] {
            assert!(text(&output.stdout).contains(words), "{}", text(&output.stdout));
        }
        record::Record::from_json(&fs::read_to_string(&path).unwrap()).unwrap()
    };
    let gold = run("gold-replay");
    assert!(gold.samples.iter().all(|sample| sample.dialogue.starts_with("hard/")));
    assert_eq!(gold.summary.rows.len(), 13, "twelve kinds and a total");
    for row in &gold.summary.rows {
        assert!(row.calls.n > 0 && row.calls.right == row.calls.n, "{row:?}");
    }
    let floor = run("keyword-baseline");
    let total = floor.summary.rows.last().unwrap();
    assert!(total.restraint.n > 0, "no step without a call");
    // The baseline calls whenever it can, and every unneeded call has that error class.
    let unneeded = total.errors.get(&scoring::ErrorClass::UnneededApiCall);
    assert_eq!(unneeded, Some(&(total.restraint.n - total.restraint.right)));
}

#[test]
fn chosen_dialogues_are_run_and_unknown_ones_refused() {
    if !searchable("chosen dialogues") {
        return;
    }
    let out = folder("chosen").join("run.json");
    let run = |subset: &str| {
        let out = out.to_str().unwrap();
        api_bank(
            &["run", "--model", "gold-replay", "--subset", subset, "--force", "--out", out],
            "",
        )
    };
    let done = run("call/already-covered, plan/scary-movie-shed");
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    let record = read_record(&out);
    let mut ids: Vec<&str> = record.samples.iter().map(|sample| sample.dialogue.as_str()).collect();
    ids.dedup();
    assert_eq!(ids, ["call/already-covered", "plan/scary-movie-shed"]);
    let refused = run("call/no-such-dialogue");
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("no dialogue call/no-such-dialogue"));
}

#[test]
fn a_run_is_resumed_and_asks_only_what_is_missing() {
    if !searchable("resumed runs") {
        return;
    }
    let folder = folder("resume");
    let (whole, part) = (folder.join("whole.json"), folder.join("part.json"));
    assert_eq!(small_run(&whole, &[]).status.code(), Some(0));
    let record = read_record(&whole);
    // A crashed run: only the journal exists, and its last line is torn.
    let frame = record::Record { samples: Vec::new(), ..record.clone() };
    let mut journal = serde_json::to_string(&frame).unwrap() + "\n";
    for sample in record.samples.iter().rev().take(7) {
        journal += &(serde_json::to_string(sample).unwrap() + "\n");
    }
    journal += "{\"id\": \"torn";
    fs::write(folder.join("part.json.partial"), journal).unwrap();
    let resume = |path: &Path| api_bank(&["run", "--resume", path.to_str().unwrap()], "");
    let resumed = resume(&part);
    assert_eq!(resumed.status.code(), Some(0), "{}", text(&resumed.stderr));
    assert_eq!(read_record(&part).without_times(), record.clone().without_times());
    assert!(!folder.join("part.json.partial").exists());
    // Kept samples have their old times: they were not asked again.
    let kept = record.samples.last().unwrap();
    assert_eq!(read_record(&part).samples.last().unwrap().times, kept.times);

    let mut tampered = record.clone();
    tampered.samples[0].position += 1;
    fs::write(&part, tampered.to_json().unwrap()).unwrap();
    let refused = resume(&part);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("position is"), "{}", text(&refused.stderr));
    let both = api_bank(&["run", "--resume", part.to_str().unwrap(), "--seed", "2"], "");
    assert_eq!(both.status.code(), Some(2));
}

#[test]
#[cfg_attr(not(unix), ignore = "signals are sent by a program of Unix")]
fn ctrl_c_ends_a_run_early_and_keeps_what_is_done() {
    if !searchable("a cancelled run") {
        return;
    }
    let folder = folder("cancel");
    let (out, journal) = (folder.join("run.json"), folder.join("run.json.partial"));
    let run = ["run", "--model", "gold-replay", "--trials", "100", "--out"];
    let mut child = started(&[&run[..], &[out.to_str().unwrap()]].concat());
    // Wait for the header and one sample.
    while fs::read_to_string(&journal).map_or(0, |text| text.lines().count()) < 2 {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before its first sample");
        thread::sleep(Duration::from_millis(5));
    }
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(status.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    let record = read_record(&out);
    assert_eq!(record.status, Status::Cancelled);
    assert!((1..record.planned / 2).contains(&record.samples.len()), "{}", record.samples.len());
    assert!(!journal.exists());
}
