//! The API key from the environment goes only to the endpoint named on the command line.

#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use provider::{Endpoint, WireFormat};
use record::Model;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};
use std::thread;

const KEY: &str = "sk-for-one-host-alone";

/// A server that stores every request and always sends the same response.
struct Server {
    url: String,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start(status: &'static str, head: String, body: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let list = Arc::clone(&seen);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                list.lock().unwrap().push(request(&mut stream));
                let length = body.len();
                let answer = format!(
                    "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n{head}\r\n{body}"
                );
                // The client may have disconnected.
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        Server { url, seen }
    }

    fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

/// Reads a request, head and body.
fn request(stream: &mut TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        head += &line;
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    head + &String::from_utf8(body).unwrap()
}

fn api_bank(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_api-bank"))
        .args(arguments)
        .env("NO_PROXY", "127.0.0.1")
        .env("API_BANK_KEY", KEY)
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn no_format_follows_a_redirect() {
    let target = Server::start("200 OK", String::new(), "{}".to_owned());
    let location = format!("location: {}/v1/elsewhere?secret=1\r\n", target.url);
    let sends_on = Server::start("307 Temporary Redirect", location, String::new());
    for format in WireFormat::ALL {
        let address = format!("{}/v1", sends_on.url);
        let checked = api_bank(&[
            "check",
            "--endpoint",
            &address,
            "--format",
            format.as_str(),
            "--model",
            "m",
        ]);
        let text = said(&checked);
        assert!(!checked.status.success(), "{text}");
        let named = format!("redirects to {}/v1/elsewhere,", target.url);
        assert!(text.contains(&named), "{}: {text}", format.title());
        assert_eq!(target.seen(), Vec::<String>::new(), "{}", format.title());
    }
    assert!(sends_on.seen().iter().all(|request| request.contains(KEY)));
}

#[test]
fn a_key_that_comes_back_is_not_shown() {
    let body =
        format!(r#"{{"error": {{"message": "{KEY} is unknown. {}{KEY}"}}}}"#, "x".repeat(250));
    for format in WireFormat::ALL {
        let server = Server::start("401 Unauthorized", String::new(), body.clone());
        let address = format!("{}/v1", server.url);
        let checked = api_bank(&[
            "check",
            "--endpoint",
            &address,
            "--format",
            format.as_str(),
            "--model",
            "m",
        ]);
        let text = said(&checked);
        assert!(text.contains("[API key removed] is unknown"), "{text}");
        // Truncating a long message must not leave part of the key.
        assert!(!text.contains("sk-for"), "{text}");
    }
}

#[test]
fn what_is_no_key_is_refused_before_anything_is_sent() {
    let server = Server::start("200 OK", String::new(), "{}".to_owned());
    let output = Command::new(env!("CARGO_BIN_EXE_api-bank"))
        .args(["check", "--endpoint", &server.url, "--model", "m"])
        .env("API_BANK_KEY", "sk-\u{200b}hidden")
        .output()
        .unwrap();
    let text = said(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("API_BANK_KEY") && text.contains("U+200B"), "{text}");
    assert!(server.seen().is_empty());
}

#[test]
fn a_record_does_not_decide_where_the_key_goes() {
    if fixtures::search_files("the keys of resumed runs").is_none() {
        return;
    }
    let theirs = Server::start("200 OK", String::new(), "{}".to_owned());
    let folder = folder("resume-keys");
    let (honest, record) = (folder.join("honest.json"), folder.join("theirs.json"));
    let made = api_bank(&[
        "run",
        "--model",
        "gold-replay",
        "--subset",
        "1",
        "--out",
        honest.to_str().unwrap(),
    ]);
    assert_eq!(made.status.code(), Some(0), "{}", said(&made));
    let text = fs::read_to_string(&honest).unwrap();
    let mut planted = record::Record::from_json(&text).unwrap();
    planted.samples.clear();
    planted.model = Model::Endpoint(Endpoint {
        base_url: format!("{}/v1", theirs.url),
        model: "m".to_owned(),
        ..Endpoint::default()
    });
    let times = planted.times;
    let planted = planted.filled(Vec::new(), times);
    fs::write(&record, planted.to_json().unwrap()).unwrap();
    let resume = |more: &[&str]| {
        api_bank(&[&["run", "--resume", record.to_str().unwrap(), "--retries", "0"], more].concat())
    };
    for (more, part) in [
        (&[][..], format!("add --endpoint {}", theirs.url)),
        (&["--preset", "openai"], format!("names {}", theirs.url)),
        (&["--endpoint", "http://localhost:1/v1"], format!("names {}", theirs.url)),
    ] {
        let refused = resume(more);
        assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
        assert!(said(&refused).contains(&part), "{}", said(&refused));
        assert!(theirs.seen().is_empty(), "{more:?}: something was sent");
    }
    let address = format!("{}/v1", theirs.url);
    resume(&["--endpoint", &address]);
    assert!(!theirs.seen().is_empty(), "nothing was sent to the named endpoint");
}
