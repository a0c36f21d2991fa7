//! The program as people call it: on small data of its own, and on the original's where it is.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its data has failed")]
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "a test may wait")]

use record::Status;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

const DIALOGUE: &str = r#"{"role": "User", "text": "What is two and three, and tell me the switch."}
{"role": "API", "api_name": "Calculator", "param_dict": {"formula": "2+3"}, "result": {"api_name": "Calculator", "input": {"formula": "2+3"}, "output": 5.0, "exception": null}}
{"role": "API", "api_name": "TimedSwitch", "param_dict": {"device_id": "lamp", "time": "2023-01-01 08:00:00", "on": true}, "result": {"api_name": "TimedSwitch", "input": {}, "output": "success", "exception": null}}
{"role": "AI", "text": "It is five."}
"#;

fn started(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_api-bank"))
        .args(arguments)
        .env("NO_PROXY", "127.0.0.1")
        .env_remove("API_BANK_KEY")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn api_bank(arguments: &[&str], input: &str) -> Output {
    let mut child = started(arguments);
    // A command that refuses its arguments never reads.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn rows(bytes: &[u8]) -> Vec<Value> {
    text(bytes).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A fresh folder of this test run.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

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

/// Whether API Search has its files.
fn searchable(what: &str) -> bool {
    fixtures::search_files(what).is_some()
}

#[test]
fn bad_usage_ends_with_two_and_says_what_to_do() {
    for (arguments, part) in [
        (vec!["run", "--model", "gpt", "--out", "-"], "--endpoint"),
        (vec!["run", "--model", "m", "--endpoint", "nope", "--out", "-"], "http://"),
        (
            vec![
                "run",
                "--model",
                "m",
                "--endpoint",
                "http://h/v1",
                "--temperature",
                "9",
                "--out",
                "-",
            ],
            "0 to 2",
        ),
        (
            vec!["run", "--model", "m", "--abilities", "cook", "--out", "-"],
            "call, retrieve or plan",
        ),
        (vec!["score", "--profile", "best"], "execution"),
    ] {
        let output = api_bank(&arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(part), "{}", text(&output.stderr));
    }
    let none = api_bank(
        &["run", "--model", "gold-replay", "--out", "-", "--search-files", "/nowhere"],
        "",
    );
    assert_eq!(none.status.code(), Some(1));
    assert_eq!(text(&none.stderr).lines().count(), 1);
    assert!(text(&none.stderr).contains("cargo xtask model"));
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
    // The gold's device_id is today's name; two of three arguments agree.
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
        "what is missing is said"
    );
}

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
        for words in [", hard split.", "without a call", "Hidden instructions"] {
            assert!(text(&output.stdout).contains(words), "{}", text(&output.stdout));
        }
        record::Record::from_json(&fs::read_to_string(&path).unwrap()).unwrap()
    };
    let gold = run("gold-replay");
    assert!(gold.samples.iter().all(|sample| sample.dialogue.starts_with("hard/")));
    assert_eq!(gold.summary.rows.len(), 7, "six kinds and a total");
    for row in &gold.summary.rows {
        assert!(row.calls.n > 0 && row.calls.right == row.calls.n, "{row:?}");
    }
    let floor = run("keyword-baseline");
    let total = floor.summary.rows.last().unwrap();
    assert!(total.restraint.n > 0, "no step without a call");
    // It calls wherever it may, and each such call is named as what it is.
    let unneeded = total.errors.get(&scoring::ErrorClass::UnneededApiCall);
    assert_eq!(unneeded, Some(&(total.restraint.n - total.restraint.right)));
}

#[test]
fn an_endpoint_that_is_not_there_scores_nothing() {
    if !searchable("a run without a server") {
        return;
    }
    let out = folder("unreachable").join("r.json");
    // Port 9 on this machine is the discard service, which nobody runs.
    let arguments = [
        "run",
        "--model",
        "m",
        "--endpoint",
        "http://127.0.0.1:9/v1",
        "--retries",
        "0",
        "--abilities",
        "plan",
        "--out",
        out.to_str().unwrap(),
    ];
    let output = api_bank(&arguments, "");
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("Check the address"));
    let record = record::Record::from_json(&fs::read_to_string(out).unwrap()).unwrap();
    let all = record.summary.rows.last().unwrap();
    assert_eq!((all.calls.n, all.failed), (0, record.planned));
}

/// A server that answers every request with these bytes; its address, and how many it got.
fn server(answer: String) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.unwrap());
            let (mut line, mut length) = (String::new(), 0);
            while stream.read_line(&mut line).unwrap() > 2 {
                if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                line.clear();
            }
            stream.read_exact(&mut vec![0; length]).unwrap();
            counted.fetch_add(1, Ordering::SeqCst);
            stream.get_mut().write_all(answer.as_bytes()).unwrap();
        }
    });
    (url, count)
}

fn response(head: &str, body: &Value) -> String {
    let body = body.to_string();
    let length = body.len();
    format!("HTTP/1.1 {head}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}")
}

#[test]
fn a_wrong_key_stops_the_run_which_can_be_resumed() {
    if !searchable("a run with a wrong key") {
        return;
    }
    let refusal = json!({"error": {"message": "Incorrect API key provided"}});
    let (url, refused) = server(response("401 Unauthorized", &refusal));
    let out = folder("wrong-key").join("it's a record.json");
    let arguments = ["run", "--model", "m", "--endpoint", &url, "--concurrency", "2", "--out"];
    let output = api_bank(&[&arguments[..], &[out.to_str().unwrap()]].concat(), "");
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(told.contains("refused the key") && told.contains("run --resume '"), "{told}");
    assert!(told.contains(&format!("--endpoint {url}")), "{told}");
    let sent = refused.load(Ordering::SeqCst);
    assert!((5..=6).contains(&sent), "{sent} requests went out");
    let record = read_record(&out);
    assert_eq!((record.status, record.samples.len()), (Status::Cancelled, 5));

    let again = api_bank(&["run", "--resume", out.to_str().unwrap(), "--endpoint", &url], "");
    assert_eq!(again.status.code(), Some(130), "{}", text(&again.stderr));
    assert_eq!(read_record(&out).samples.len(), 5, "who failed is asked again");
}

#[test]
fn answers_that_are_cut_off_are_counted() {
    if !searchable("answers that are cut off") {
        return;
    }
    let choice = json!({"message": {"content": "Let me think"}, "finish_reason": "length"});
    let (url, asked) = server(response("200 OK", &json!({"choices": [choice]})));
    let out = folder("cut-off").join("r.json");
    let arguments = ["run", "--model", "m", "--endpoint", &url, "--subset", "1", "--out"];
    let output = api_bank(&[&arguments[..], &[out.to_str().unwrap()]].concat(), "");
    let told = text(&output.stdout);
    let line =
        format!("longest answer: {} samples. Raise --max-tokens.", asked.load(Ordering::SeqCst));
    assert!(told.contains(&line), "{told}");
}

/// The recorded verdicts of the original through the program, and its gold through `execution`.
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
    // The columns of the rows have the names of the verdicts, which replace them.
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

/// Runs a built-in model on a small part of the data; the arguments and the exit code besides.
fn small_run(out: &Path, more: &[&str]) -> Output {
    let mut arguments = vec!["run", "--model", "keyword-baseline", "--subset", "2"];
    arguments.extend(["--seed", "5", "--out", out.to_str().unwrap()]);
    arguments.extend(more);
    api_bank(&arguments, "")
}

fn read_record(path: &Path) -> record::Record {
    record::Record::from_json(&fs::read_to_string(path).unwrap()).unwrap()
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
    let mut ids: Vec<&str> = record.samples.iter().map(|it| it.dialogue.as_str()).collect();
    ids.dedup();
    assert_eq!(ids, ["call/already-covered", "plan/scary-movie-shed"]);
    let refused = run("call/no-such-dialogue");
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("no dialogue call/no-such-dialogue"));
}

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
    let told = text(&verified.stdout);
    for line in ["Consistent: computed anew", "gave these answers again", "Subset: 2 dialogues"] {
        assert!(told.contains(line), "{line}: {told}");
    }
    assert!(!told.contains("Verified") && !told.contains("Warning"), "{told}");

    let part = text(&api_bank(&["verify", &path("1-3")], "").stdout);
    assert!(part.contains("Warning (part-of-run): 1 of the 3 parts"), "{part}");
    assert!(part.contains("Prompts: the project's\nDropped parameters: none\n"), "{part}");
    let cancelled = record::Record { shard: None, ..read_record(&folder.join("whole.json")) };
    let (times, mut samples) = (cancelled.times, cancelled.samples.clone());
    samples.pop();
    let (left, planned) = (samples.len(), cancelled.planned);
    let cancelled = cancelled.filled(samples, times).to_json().unwrap();
    let told = api_bank(&["verify", "-"], &cancelled);
    assert_eq!(told.status.code(), Some(0), "{}", text(&told.stderr));
    let told = text(&told.stdout);
    assert!(told.contains(&format!("Status: cancelled, {left} of {planned} planned")), "{told}");
    assert!(told.contains("Warning (missing): 1 of"), "{told}");
    assert!(told.contains("failures and missing counted wrong: "), "{told}");

    let changed = fs::read_to_string(folder.join("merged.json")).unwrap();
    let changed = changed.replacen("\"correct\": false", "\"correct\": true", 1);
    let found = api_bank(&["verify", "-"], &changed);
    assert_eq!(found.status.code(), Some(4), "{}", text(&found.stderr));
    let found = text(&found.stdout);
    assert!(found.contains(".correct\n  recorded:   true\n  recomputed: false"), "{found}");
    assert!(found.contains("\ndigest\n"), "{found}");
}

#[test]
fn a_record_is_signed_and_trusted_by_fingerprint() {
    if !searchable("signatures") {
        return;
    }
    let folder = folder("signatures");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (key, record) = (path("ada.pem"), path("record.json"));
    assert_eq!(small_run(Path::new(&record), &[]).status.code(), Some(0));
    let unsigned = fs::read_to_string(&record).unwrap();

    let made = api_bank(&["record", "keygen", "--out", &key], "");
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    let fingerprint = text(&made.stdout).trim().to_owned();
    let secret = fs::read_to_string(&key).unwrap();
    assert!(secret.starts_with("-----BEGIN PRIVATE KEY-----\n"));
    let again = api_bank(&["record", "keygen", "--out", &key], "");
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).contains("stays as it is"), "{}", text(&again.stderr));
    assert_eq!(fs::read_to_string(&key).unwrap(), secret);

    let sign = |more: &[&str]| {
        let arguments = [&["record", "sign", &record, "--key", &key], more].concat();
        api_bank(&arguments, "")
    };
    let verify = |file: &str, more: &[&str]| {
        let found = api_bank(&[&["verify", file], more].concat(), "");
        (found.status.code(), text(&found.stdout) + &text(&found.stderr))
    };
    let (code, told) = verify(&record, &["--trust", &fingerprint]);
    assert_eq!(code, Some(4), "{told}");
    assert!(told.contains("Signatures: none") && told.contains("Not trusted"), "{told}");

    let signed = sign(&["--name", "Ada"]);
    assert_eq!(signed.status.code(), Some(0), "{}", text(&signed.stderr));
    let file = fs::read_to_string(&record).unwrap();
    assert!(file.contains("\"signatures\": [\n"));
    let without = record::Record { signatures: Vec::new(), ..read_record(Path::new(&record)) };
    assert_eq!(without.to_json().unwrap(), unsigned);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "nothing is left beside the record");
    let line = format!("Signature by \"Ada\": valid, key {fingerprint}");
    let (code, told) = verify(&record, &[]);
    assert!(code == Some(0) && told.contains(&line), "{told}");
    let (code, told) = verify(&record, &["--trust", &fingerprint]);
    assert!(code == Some(0) && told.contains(&format!("{line}, trusted")), "{told}");
    for foreign in ["A".repeat(43), format!("-{}", "A".repeat(42))] {
        let (code, told) = verify(&record, &["--trust", &foreign]);
        assert!(code == Some(4) && told.contains("Not trusted"), "{told}");
    }
    let (code, told) = verify(&record, &["--trust", "Ada"]);
    assert!(code == Some(2) && told.contains("expected a fingerprint of 43"), "{told}");

    // A record that was changed is not signed, and its signature is broken.
    let changed = path("changed.json");
    let mut other = read_record(Path::new(&record));
    other.seed += 1;
    fs::write(&changed, other.to_json().unwrap()).unwrap();
    let refused = api_bank(&["record", "sign", &changed, "--key", &key], "");
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("was changed"), "{}", text(&refused.stderr));
    let (code, told) = verify(&changed, &["--trust", &fingerprint]);
    assert!(code == Some(4) && told.contains("by \"Ada\": broken, key"), "{told}");

    let piped = api_bank(&["record", "sign", "-", "--key", &key], &unsigned);
    assert_eq!(piped.status.code(), Some(2), "{}", text(&piped.stderr));
    let piped = api_bank(&["record", "sign", "-", "--key", &key, "--out", "-"], &unsigned);
    assert!(text(&piped.stdout).contains("\"signatures\""), "{}", text(&piped.stderr));
    let no_key = api_bank(&["record", "sign", &record, "--key", &record], "");
    assert_eq!(no_key.status.code(), Some(1));
}

#[cfg(unix)]
#[test]
fn a_key_that_others_can_read_signs_nothing() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = folder("key-modes");
    let key = folder.join("key.pem");
    let made = api_bank(&["record", "keygen", "--out", key.to_str().unwrap()], "");
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    for mode in [0o640, 0o604, 0o620] {
        fs::set_permissions(&key, fs::Permissions::from_mode(mode)).unwrap();
        let file = folder.join("record.json");
        let arguments = ["record", "sign", file.to_str().unwrap(), "--key", key.to_str().unwrap()];
        let refused = api_bank(&arguments, "");
        assert_eq!(refused.status.code(), Some(1));
        assert!(text(&refused.stderr).contains("chmod 600"), "{}", text(&refused.stderr));
    }
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
    // A run that died: the journal alone is there, its last line torn.
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
    // Samples that were kept keep their times: they were not asked again.
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
    // The head, and a sample.
    while fs::read_to_string(&journal).map_or(0, |text| text.lines().count()) < 2 {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before its first sample");
        thread::sleep(Duration::from_millis(5));
    }
    let told = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(told.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    let record = read_record(&out);
    assert_eq!(record.status, Status::Cancelled);
    assert!((1..record.planned / 2).contains(&record.samples.len()), "{}", record.samples.len());
    assert!(!journal.exists());
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
    let (code, exact, told) = report(&["--profile", "exact", "--min-accuracy", "99"]);
    assert_eq!(code, Some(4));
    assert!(exact.contains("profile exact") && told.contains("Calls right (exact)"), "{told}");
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
    assert_eq!(lines.len(), record.samples.len());
    let log: Value = serde_json::from_slice(&export("evallog")).unwrap();
    assert_eq!(log["samples"].as_array().unwrap().len(), record.samples.len());
    assert_eq!(log["results"]["completed_samples"], record.samples.len());
}
