//! Horizon runs: adaptive, verified, compared, forged.

use crate::support::{api_bank, read_record, searchable, text};
use dataset::{Edition, TaskId};
use record::{Record, Status};
use scoring::{ErrorClass, Profile};
use serde_json::Value;
use std::fs;
use std::path::Path;

fn run(model: &str, out: &Path, more: &[&str]) -> String {
    let file = out.to_str().unwrap();
    let run = ["run", "--model", model, "--split", "horizon", "--out", file];
    let output = api_bank(&[&run[..], more].concat(), "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

fn verified(record: &Path) -> String {
    let output = api_bank(&["verify", record.to_str().unwrap()], "");
    text(&output.stdout) + &text(&output.stderr)
}

fn levels(record: &Record) -> Vec<u16> {
    let tasks = record.samples.iter().filter_map(|sample| TaskId::parse(&sample.dialogue));
    tasks.map(|task| task.level).collect()
}

#[test]
fn tasks_follow_the_answers_and_the_record_verifies() {
    if !searchable("running horizon tasks") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let [gold, words] = ["gold.json", "words.json"].map(|name| folder.path().join(name));
    let printed = run("gold-replay", &gold, &["--subset", "4"]);
    assert!(printed.contains("Horizon: at least"), "{printed}");
    let record = read_record(&gold);
    assert_eq!(record.pack.edition(), Edition::Horizon(1));
    assert_eq!((record.status, record.samples.len()), (Status::Finished, 12));
    assert!(levels(&record).contains(&12), "longer after each success: {:?}", levels(&record));
    assert!(verified(&gold).contains("Consistent"), "{}", verified(&gold));

    // Whoever completes nothing is asked a few short tasks.
    let printed = run("says-nothing", &words, &["--subset", "16", "--seed", "7"]);
    assert!(printed.contains("Horizon: below 1 call"), "{printed}");
    let record = read_record(&words);
    assert_eq!((record.pack.edition(), record.status), (Edition::Horizon(7), Status::Finished));
    assert!(record.samples.len() < 24 && levels(&record).iter().all(|level| *level <= 3));
    let printed = verified(&words);
    for fact in [
        "Split: horizon\n",
        "Subset: at most 16 tasks of each tier, chosen by their outcome\n",
        "Horizon: below 1 call\n",
        "Consistent",
    ] {
        assert!(printed.contains(fact), "{printed}");
    }
    let report = text(&api_bank(&["report", words.to_str().unwrap()], "").stdout);
    let (_, traces) = report.split_once("Where the goal was lost:\n").unwrap();
    assert_eq!(traces.lines().count(), record.samples.len());
    assert!(traces.contains("changes missing: 1 (PlannedMeeting 1)"), "{traces}");
    let complete = api_bank(&["report", gold.to_str().unwrap()], "");
    assert!(!text(&complete.stdout).contains("Where the goal was lost"));

    // Another seed of the model is more of the same estimate.
    let [one, two] = [&words, &gold].map(|path| path.to_str().unwrap());
    let third = folder.path().join("more.json");
    run("says-nothing", &third, &["--subset", "16", "--seed", "8"]);
    let both = api_bank(&["report", one, third.to_str().unwrap()], "");
    assert!(text(&both.stdout).starts_with("Says nothing, 2 seeds\n"), "{}", text(&both.stderr));
    for (files, reason) in
        [([one, two], "record 2 has others"), ([one, one], "record 2 has that of an earlier one")]
    {
        let refused = api_bank(&["report", files[0], files[1]], "");
        assert!(text(&refused.stderr).contains(reason), "{}", text(&refused.stderr));
    }

    // Seeds that asked the same places are trials of them.
    let files = ["1", "2"].map(|seed| {
        let file = folder.path().join(format!("of-seed-{seed}.json.gz"));
        run("gold-replay", &file, &["--subset", "horizon/errands-002-1", "--seed", seed]);
        file
    });
    let [first, second] = files.each_ref().map(|path| path.to_str().unwrap());
    let printed = text(&api_bank(&["report", first, second], "").stdout);
    assert!(printed.contains("pass^2   100.0 % of tasks with 2 seeds"), "{printed}");

    let compared = api_bank(&["compare", one, two], "");
    let printed = text(&compared.stdout);
    assert!(printed.contains("The horizon of B is"), "{printed}{}", text(&compared.stderr));
}

#[test]
fn what_is_left_out_of_a_record_or_changed_in_it_is_found() {
    if !searchable("running horizon tasks") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("all.json");
    let ids = "horizon/errands-002-1,horizon/interference-003-2,horizon/planning-004-3";
    run("gold-replay", &file, &["--subset", ids]);
    let whole: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let with = |change: &dyn Fn(&mut Value)| {
        let mut forged = whole.clone();
        change(&mut forged);
        fs::write(&file, forged.to_string()).unwrap();
        verified(&file)
    };
    assert!(with(&|_| {}).contains("Consistent"));
    let missing = with(&|record| drop(record["samples"].as_array_mut().unwrap().pop()));
    assert!(missing.contains("Inconsistent"), "{missing}");
    let other = with(&|record| record["pack"]["horizon"] = 2.into());
    assert!(!other.contains("Consistent:"), "{other}");
    let undone = with(&|record| {
        let steps = &mut record["samples"][0]["episode"]["steps"];
        steps[0]["answer"]["calls"][0]["arguments"] = "{}".into();
    });
    assert!(undone.contains("Inconsistent"), "{undone}");
}

#[test]
fn tasks_are_played_with_calls_as_text() {
    if !searchable("running horizon tasks") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let [gold, keyword] = ["gold.json", "keyword.json"].map(|name| folder.path().join(name));
    let printed = run("gold-replay", &gold, &["--subset", "2", "--protocol", "agent-text"]);
    assert!(printed.contains("Horizon: at least"), "{printed}");
    assert!(verified(&gold).contains("Consistent"), "{}", verified(&gold));
    let record = read_record(&gold);
    let step = &record.samples[0].episode.as_ref().unwrap().steps[0];
    assert!(step.answer.calls.is_empty() && step.answer.text.starts_with('['));

    run("keyword-baseline", &keyword, &["--subset", "4", "--protocol", "agent-text"]);
    for sample in read_record(&keyword).samples {
        let class = sample.verdict(Profile::Execution).unwrap().error_class;
        assert_ne!(class, Some(ErrorClass::FailedApiRetrieval), "there is nothing to search");
    }
}

#[test]
fn settings_that_no_horizon_run_can_have_are_refused() {
    for (more, part) in [
        (&["--variant", "3"][..], "--split horizon: tasks are generated"),
        (&["--subset", "4", "--trials", "2"], "trials: an adaptive horizon run"),
    ] {
        let run = ["run", "--model", "gold-replay", "--split", "horizon", "--out", "x.json"];
        let output = api_bank(&[&run[..], more].concat(), "");
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains(part), "{}", text(&output.stderr));
    }
}
