//! `score` and `rouge` on files of predictions.

use crate::support::{api_bank, folder, rows, searchable, text};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

const DIALOGUE: &str = r#"{"role": "User", "text": "What is two and three, and tell me the switch."}
{"role": "API", "api_name": "Calculator", "param_dict": {"formula": "2+3"}, "result": {"api_name": "Calculator", "input": {"formula": "2+3"}, "output": 5.0, "exception": null}}
{"role": "API", "api_name": "TimedSwitch", "param_dict": {"device_id": "lamp", "time": "2023-01-01 08:00:00", "on": true}, "result": {"api_name": "TimedSwitch", "input": {}, "output": "success", "exception": null}}
{"role": "AI", "text": "It is five."}
"#;

fn pack(name: &str) -> PathBuf {
    let pack = folder(name);
    let put = |path: &str, content: &str| {
        let path = pack.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    };
    put("top/lv1-lv2-samples/level-1-given-desc/Sum-level-1-1.jsonl", DIALOGUE);
    put(
        "top/init_database/TimeSwitch.json",
        r#"{"lamp": [{"time": "2023-01-01 07:00:00", "on": false}]}"#,
    );
    pack
}

#[test]
fn rouge_keeps_the_rows_apart() {
    let input = "{\"reference\": \"a b c d e\", \"hypothesis\": \"a c e\"}\n[1]\n\
                 {\"reference\": \"a\", \"hypothesis\": \".\"}\n{\"reference\": \"a\", \"hypothesis\": \"\"}\n";
    let output = api_bank(&["rouge", "-"], input);
    assert_eq!(output.status.code(), Some(3));
    let rows = rows(&output.stdout);
    assert!((rows[0]["score"].as_f64().unwrap() - 0.749_999_995_312_5).abs() < 1e-9);
    assert_eq!(rows[1]["line"], 2);
    assert_eq!(rows[2]["error"], "ValueError: Hypothesis is empty.");
    assert_eq!(rows[3]["score"], 0.0);
    assert!(text(&output.stderr).starts_with("line 2: "));
}

#[test]
fn f1_counts_arguments_and_loses_no_row() {
    let pack = pack("f1");
    let row = |sample: usize, prediction: &str| {
        json!({"level": 1, "file": "Sum-level-1-1.jsonl", "sample_id": sample,
            "prediction": prediction, "mine": 1})
        .to_string()
    };
    let input = [
        row(0, "[Calculator(formula='2+3')]"),
        "broken".to_owned(),
        row(1, "[TimedSwitch(name='lamp', time='2023-01-01 08:00:00', on='False')]"),
        row(3, "It is five."),
        row(4, "x"),
        row(0, "[Calculator(formula='2+3')]"),
    ]
    .join("\n");
    let arguments = [
        "score",
        "--pack",
        pack.to_str().unwrap(),
        "--profile",
        "f1",
        "--predictions",
        "-",
        "--out",
        "-",
    ];
    let output = api_bank(&arguments, &input);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let rows = rows(&output.stdout);
    assert_eq!(rows.len(), 6);
    assert_eq!((&rows[0]["correct"], &rows[0]["mine"]), (&json!(true), &json!(1)));
    assert_eq!(rows[1]["line"], 2);
    // The gold's `device_id` is renamed to `name`; two of three arguments match.
    assert_eq!(
        (&rows[2]["correct"], &rows[2]["corrected"]),
        (&json!(false), &json!("renamed parameter"))
    );
    assert!((rows[2]["f1_arguments"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-9);
    assert_eq!(rows[3]["rouge_l"], 1.0);
    assert_eq!(rows[4]["error"], "sample_id 4: Sum-level-1-1.jsonl has 4 samples");
    assert_eq!(rows[5], rows[0]);
}

#[test]
fn execution_compares_effects() {
    if !searchable("the execution profile on a small pack") {
        return;
    }
    let pack = pack("execution");
    let predict = |sample: usize, prediction: &str| {
        json!({"level": 1, "file": "Sum-level-1-1.jsonl", "sample_id": sample, "prediction": prediction}).to_string()
    };
    let input = [
        predict(0, "[Calculator(formula='3+2')]"),
        predict(1, "[TimedSwitch(device_id='lamp', time='2023-01-01 08:00:00', on='True')]"),
        predict(1, "[TimedSwitch(name='Lamp', time='2023-01-01 8:00:00', on=True)]"),
        predict(2, "[TimedSwitch(name='lamp', time='2023-01-01 09:00:00', on=True)]"),
    ]
    .join("\n");
    let arguments = ["score", "--pack", pack.to_str().unwrap(), "--predictions", "-", "--out", "-"];
    let output = api_bank(&arguments, &input);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let correct: Vec<Value> =
        rows(&output.stdout).iter().map(|row| row["correct"].clone()).collect();
    assert_eq!(correct, [true, true, true, false]);
    assert!(
        text(&output.stderr).contains("init_database: Account.json"),
        "missing data is reported"
    );
}

/// `score` reproduces the original's recorded verdicts, and `execution` accepts its gold.
#[test]
fn the_original_is_met_to_the_verdict() {
    let what = "the test on the original's verdicts";
    let Some(shared) = fixtures::shared("", what) else { return };
    if !searchable(what) {
        return;
    }
    let (pack, predictions) = (shared.join("apibank"), shared.join("parity/verdicts.jsonl"));
    let out = folder("parity").join("out.jsonl");
    let score = |profile: &str| {
        let output = api_bank(
            &[
                "score",
                "--pack",
                pack.to_str().unwrap(),
                "--profile",
                profile,
                "--predictions",
                predictions.to_str().unwrap(),
                "--out",
                out.to_str().unwrap(),
            ],
            "",
        );
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        rows(&fs::read(&out).unwrap())
    };
    let recorded = rows(&fs::read(&predictions).unwrap());
    let same = |(row, scored): &(&Value, &Value)| {
        ["correct", "category"].iter().all(|key| row[*key] == scored[*key])
    };
    // New verdicts replace the input's columns of the same names.
    let original = score("original");
    assert_eq!(original.len(), recorded.len());
    let differing: Vec<_> = recorded.iter().zip(&original).filter(|pair| !same(pair)).collect();
    assert!(differing.is_empty(), "{differing:?}");
    let wrong: Vec<Value> = score("execution")
        .into_iter()
        .filter(|row| row["kind"] == "gold" && row["correct"] != true)
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}
