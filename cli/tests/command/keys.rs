//! The API key from the environment goes only to the endpoint named on the command line.

use crate::server::Server;
use crate::support::{folder, text};
use provider::{Endpoint, WireFormat};
use record::Model;
use std::fs;
use std::process::{Command, Output};

const KEY: &str = "sk-for-one-host-alone";

/// Runs the program with the key in its environment.
fn with_key(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_api-bank"))
        .args(arguments)
        .env("NO_PROXY", "127.0.0.1")
        .env("API_BANK_KEY", KEY)
        .output()
        .unwrap()
}

/// Checks a server as an endpoint.
fn check(server: &Server, format: WireFormat) -> Output {
    let address = format!("{}/v1", server.url);
    let endpoint = ["check", "--endpoint", &address, "--model", "m"];
    with_key(&[&endpoint[..], &["--format", format.as_str()]].concat())
}

fn said(output: &Output) -> String {
    text(&output.stdout) + &text(&output.stderr)
}

#[test]
fn no_format_follows_a_redirect() {
    let target = Server::start("200 OK", String::new(), "{}".to_owned());
    let location = format!("location: {}/v1/elsewhere?secret=1\r\n", target.url);
    let sends_on = Server::start("307 Temporary Redirect", location, String::new());
    for format in WireFormat::ALL {
        let checked = check(&sends_on, format);
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
        let checked = check(&server, format);
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
fn a_proxy_gets_no_request_to_this_machine() {
    let proxy = Server::start("200 OK", String::new(), "{}".to_owned());
    let local = Server::start("200 OK", String::new(), "{}".to_owned());
    let address = format!("{}/v1", local.url);
    let mut command = Command::new(env!("CARGO_BIN_EXE_api-bank"));
    command.args(["check", "--endpoint", &address, "--model", "m"]).env("API_BANK_KEY", KEY);
    for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
        command.env(name, &proxy.url);
    }
    let output = command.env_remove("NO_PROXY").env_remove("no_proxy").output().unwrap();
    assert_eq!(proxy.seen(), Vec::<String>::new(), "{}", said(&output));
    assert!(!local.seen().is_empty(), "{}", said(&output));
}

#[test]
fn a_key_in_the_settings_is_refused_and_not_stored() {
    let server = Server::start("200 OK", String::new(), "{}".to_owned());
    let out = folder("key-in-settings").join("r.json");
    let plain = format!("{}/v1", server.url);
    let query = format!("{plain}?key={KEY}");
    let path = format!("{}/{KEY}/v1", server.url);
    let extra = format!(r#"{{"user": "{KEY}"}}"#);
    for more in [
        &["--endpoint", &query, "--model", "m"][..],
        &["--endpoint", &path, "--model", "m"],
        &["--endpoint", &plain, "--model", KEY],
        &["--endpoint", &plain, "--model", "m", "--extra", &extra],
    ] {
        let output = with_key(&[&["run", "--out", out.to_str().unwrap()], more].concat());
        let text = said(&output);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains("API_BANK_KEY") && !text.contains(KEY), "{text}");
    }
    assert!(server.seen().is_empty() && !out.exists());
}

#[test]
fn a_record_does_not_decide_where_the_key_goes() {
    if fixtures::search_files("the keys of resumed runs").is_none() {
        return;
    }
    let theirs = Server::start("200 OK", String::new(), "{}".to_owned());
    let folder = folder("resume-keys");
    let (honest, record) = (folder.join("honest.json"), folder.join("theirs.json"));
    let made = with_key(&[
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
        with_key(&[&["run", "--resume", record.to_str().unwrap(), "--retries", "0"], more].concat())
    };
    for (more, part) in [
        (&[][..], format!("add --endpoint {}/v1", theirs.url)),
        (&["--preset", "openai"], format!("names {}", theirs.url)),
        (&["--endpoint", "http://localhost:1/v1"], format!("names {}", theirs.url)),
    ] {
        let refused = resume(more);
        assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
        assert!(said(&refused).contains(&part), "{}", said(&refused));
        assert!(theirs.seen().is_empty(), "{more:?}: something was sent");
    }
    // On a gateway, a path is a tenant.
    for path in ["", "/mine/v1", "/v1/mine"] {
        let mine = format!("{}{path}", theirs.url);
        let refused = resume(&["--endpoint", &mine]);
        assert_eq!(refused.status.code(), Some(2), "{path}: {}", said(&refused));
        assert!(theirs.seen().is_empty(), "{path}: something was sent");
    }
    let address = format!("{}/v1", theirs.url);
    let resumed = resume(&["--endpoint", &address]);
    let line = format!("Requests go to {address}/chat/completions");
    assert!(said(&resumed).contains(&line), "{}", said(&resumed));
    assert!(!theirs.seen().is_empty(), "nothing was sent to the named endpoint");
}
