//! `run` on endpoints: unreachable, rejecting the key, truncating answers.

use crate::support::{api_bank, folder, read_record, searchable, text};
use record::Status;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

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

/// Starts a server that answers every request with `answer`; returns its URL and request count.
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
    assert_eq!(read_record(&out).samples.len(), 5, "failed samples are asked again");
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
