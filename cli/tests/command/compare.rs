//! `api-bank compare` and `run --estimate` print the engine's figures.

use crate::support::{api_bank, searchable};
use record::{Record, compare};
use scoring::Profile;
use serde_json::Value;
use std::fs;

fn printed(arguments: &[&str]) -> String {
    let output = api_bank(arguments, "");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn records_are_compared_as_the_engine_does() {
    if !searchable("comparing runs") {
        return;
    }
    let scratch = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for model in ["gold-replay", "keyword-baseline"] {
        let file = scratch.path().join(format!("{model}.json")).to_str().unwrap().to_owned();
        printed(&["run", "--model", model, "--subset", "8", "--out", &file]);
        files.push(file);
    }
    let [gold, keyword] = [&files[0], &files[1]];
    let read = |file: &str| Record::from_json(&fs::read_to_string(file).unwrap()).unwrap();
    let (one, other) = (read(gold), read(keyword));
    assert_eq!(one.summary.interval_method, scoring::IntervalMethod::ClusterWilson);
    let report = compare::report(&[&one, &other], Profile::Execution, 0.03);
    let pair = &report.pairs[0];

    let text = printed(&["compare", gold, keyword, "--margin", "3"]);
    assert!(text.contains(&format!("{:+.1}", 100.0 * pair.paired.difference)), "{text}");
    assert!(text.contains(&pair.sentence(0.03)), "{text}");
    assert!(text.contains("Noise floor unknown"), "single runs of two models: {text}");
    let twice = printed(&["compare", keyword, keyword]);
    assert!(twice.contains("Noise floor (A and B, runs of one model): 0.0 %"), "{twice}");
    let rate = one.summary.rows.last().unwrap().calls;
    let interval = rate.interval.unwrap();
    let interval = format!("{:.1} – {:.1}", 100.0 * interval.low, 100.0 * interval.high);
    assert!(text.contains(&interval), "{text}");
    assert!(printed(&["report", gold]).contains(&interval));

    let json = printed(&["compare", gold, keyword, "--margin", "3", "--json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["pairs"], serde_json::json!(report.pairs));
    assert_eq!(json["records"][0]["rates"].as_array().unwrap().len(), one.summary.rows.len());

    for (arguments, expected) in [
        (vec!["compare", gold], "2 values"),
        (vec!["compare", gold, keyword, "--margin", "0"], "above 0"),
        (vec!["compare", gold, "nowhere.json"], "nowhere.json"),
    ] {
        let output = api_bank(&arguments, "");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(expected), "{arguments:?}: {said}");
    }
}

#[test]
fn an_estimate_asks_nothing_and_writes_nothing() {
    if !searchable("an estimate") {
        return;
    }
    let text = printed(&["run", "--model", "keyword-baseline", "--subset", "20", "--estimate"]);
    assert!(text.contains("60 dialogues") && text.contains("requests"), "{text}");
    let points: f64 = text
        .split("about ")
        .last()
        .and_then(|rest| rest.split(' ').next())
        .and_then(|points| points.parse().ok())
        .unwrap();
    assert!(points > 5.0 && points < 40.0, "{text}");
    let one = printed(&[
        "run",
        "--model",
        "keyword-baseline",
        "--subset",
        "call/already-covered",
        "--estimate",
    ]);
    assert!(one.contains("too small"), "{one}");
}
