//! `run` on endpoints: unreachable, rejecting the key, truncating answers.

use crate::server::Server;
use crate::support::{api_bank, folder, read_record, searchable, text};
use record::Status;
use serde_json::json;
use std::fs;

#[test]
fn an_endpoint_that_is_not_there_uses_up_nothing() {
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
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(
        stderr.contains("No answer for a minute") && stderr.contains("run --resume"),
        "{stderr}"
    );
    let record = record::Record::from_json(&fs::read_to_string(out).unwrap()).unwrap();
    assert_eq!((record.status, record.samples.len()), (Status::Cancelled, 0));
}

#[test]
fn a_wrong_key_stops_the_run_which_can_be_resumed() {
    if !searchable("a run with a wrong key") {
        return;
    }
    let refusal = json!({"error": {"message": "Incorrect API key provided"}});
    let server = Server::start("401 Unauthorized", String::new(), refusal.to_string());
    let url = format!("{}/v1", server.url);
    let out = folder("wrong-key").join("it's a record.json");
    let model = ["run", "--model", "m", "--endpoint", &url, "--hardware", "a laptop"];
    let how = ["--concurrency", "2", "--out", out.to_str().unwrap()];
    let output = api_bank(&[&model[..], &how].concat(), "");
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("refused the key") && stderr.contains("run --resume '"), "{stderr}");
    assert!(stderr.contains(&format!("--endpoint {url}")), "{stderr}");
    let sent = server.seen().len();
    assert!((5..=6).contains(&sent), "{sent} requests went out");
    let record = read_record(&out);
    assert_eq!((record.status, record.samples.len()), (Status::Cancelled, 5));

    let again = api_bank(&["run", "--resume", out.to_str().unwrap(), "--endpoint", &url], "");
    assert_eq!(again.status.code(), Some(130), "{}", text(&again.stderr));
    let resumed = read_record(&out);
    assert_eq!(resumed.samples.len(), 5, "failed samples are asked again");
    assert_eq!(resumed.model.hardware().as_deref(), Some("a laptop"));
}

#[test]
fn answers_that_are_cut_off_are_counted() {
    if !searchable("answers that are cut off") {
        return;
    }
    let choice = json!({"message": {"content": "Let me think"}, "finish_reason": "length"});
    let body = json!({"choices": [choice]}).to_string();
    let server = Server::start("200 OK", String::new(), body);
    let url = format!("{}/v1", server.url);
    let out = folder("cut-off").join("r.json");
    let arguments = ["run", "--model", "m", "--endpoint", &url, "--subset", "1", "--out"];
    let output = api_bank(&[&arguments[..], &[out.to_str().unwrap()]].concat(), "");
    let stdout = text(&output.stdout);
    let line = format!("longest answer: {} samples. Raise --max-tokens.", server.seen().len());
    assert!(stdout.contains(&line), "{stdout}");
}

#[test]
fn a_constrained_run_sends_the_grammar_of_its_apis_and_says_so() {
    if !searchable("a run with a grammar") {
        return;
    }
    let choice = json!({"message": {"content": "I can't."}, "finish_reason": "stop"});
    let body = json!({"choices": [choice]}).to_string();
    let folder = folder("grammar");
    let sent = |name: &str, more: &[&str]| {
        let server = Server::start("200 OK", String::new(), body.clone());
        let url = format!("{}/v1", server.url);
        let out = folder.join(name);
        let words =
            ["run", "--model", "m", "--endpoint", &url, "--subset", "call/station-in-warsaw"];
        let out = ["--out", out.to_str().unwrap()];
        let output = api_bank(&[&words[..], &out, more].concat(), "");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let bodies = server.seen().into_iter().map(|request| {
            let (_, body) = request.split_once("\r\n\r\n").unwrap();
            serde_json::from_str(body).unwrap()
        });
        (bodies.collect::<Vec<serde_json::Value>>(), text(&output.stdout).to_owned())
    };
    const SAID: &str = "answers constrained to a grammar";
    let (bodies, stdout) = sent("grammar.json", &["--constrained"]);
    assert!(stdout.contains(SAID), "{stdout}");
    // Replies have none.
    let grammars: Vec<&str> = bodies.iter().filter_map(|body| body["grammar"].as_str()).collect();
    assert!(!grammars.is_empty() && grammars.len() < bodies.len(), "{bodies:?}");
    assert!(grammars.iter().all(|grammar| grammar.contains("\"Translate(\"")), "{grammars:?}");
    let (bodies, stdout) = sent("free.json", &[]);
    assert!(
        bodies.iter().all(|body| body.get("grammar").is_none()) && !stdout.contains(SAID),
        "{stdout}"
    );
    let (bodies, stdout) = sent("tools.json", &["--constrained", "--protocol", "tools"]);
    assert!(
        bodies.iter().all(|body| body.get("grammar").is_none()) && !stdout.contains(SAID),
        "{stdout}"
    );
    let files = ["free.json", "grammar.json"].map(|name| folder.join(name).display().to_string());
    let compared = api_bank(&["compare", &files[0], &files[1]], "");
    let compared = text(&compared.stdout);
    assert!(
        compared.contains("The setting \"Constrain the form of answers\" differs: false and true."),
        "{compared}"
    );
}
