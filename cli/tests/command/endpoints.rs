//! `compare-endpoints` on servers that always give the same answer.

use crate::server::Server;
use crate::support::{api_bank, folder, read_record, searchable, text};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// A server whose answers have this message.
fn server(message: &Value) -> Server {
    let body = json!({
        "choices": [{"message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10},
    });
    Server::start("200 OK", "content-type: application/json\r\n".to_owned(), body.to_string())
}

fn compared(file: &Path, out: &Path, more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_api-bank"))
        .args(["compare-endpoints", file.to_str().unwrap(), "--out", out.to_str().unwrap()])
        .args(more)
        .env("NO_PROXY", "127.0.0.1")
        .env("FIRST_KEY", "first-secret-key")
        .env("OTHER_KEY", "other-secret-key")
        .env("API_BANK_KEY", "never-to-be-sent")
        .output()
        .unwrap()
}

#[test]
fn a_server_that_calls_nothing_differs_from_one_that_calls() {
    if !searchable("comparing endpoints") {
        return;
    }
    let arguments = json!({"username": "a", "password": "b"}).to_string();
    let call = json!({"id": "c1", "type": "function",
                      "function": {"name": "GetUserToken", "arguments": arguments}});
    let first = server(&json!({"role": "assistant", "content": "", "tool_calls": [call]}));
    let other = server(&json!({"role": "assistant", "content": "Certainly."}));
    let folder = folder("endpoints");
    let file = folder.join("endpoints.toml");
    let table = |name: &str, url: &str| {
        format!(
            "[[endpoint]]\nname = '{name}'\nendpoint = '{url}/v1'\nmodel = 'm'\n\
             no-stream = true\nprices = {{prompt = 1.0, completion = 2.0}}\n"
        )
    };
    let toml = "abilities = ['call']
subset = 10
"
    .to_owned()
        + &table("first", &first.url)
        + &table("other", &other.url);
    fs::write(&file, toml).unwrap();
    let key = |url: &str, variable: &str| format!("--key={url}/v1={variable}");
    let keys = [key(&first.url, "FIRST_KEY"), key(&other.url, "OTHER_KEY")];
    let output = compared(&file, &folder, &[&keys[0], &keys[1], "--json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["runs"], json!(["first", "first again", "other"]));
    let differences = result["report"]["differences"].as_array().unwrap();
    let of = |measure: &str| differences.iter().find(|difference| difference["measure"] == measure);
    let trigger = of("trigger").unwrap();
    assert_eq!((&trigger["difference"], &trigger["noise"]), (&json!(-1.0), &json!(0.0)));
    assert_eq!(trigger["differs"], true, "{trigger}");
    let cost = of("cost").unwrap();
    assert_eq!((&cost["difference"], &cost["differs"]), (&json!(0.0), &json!(false)), "{cost}");
    assert!(of("schema").is_none(), "the other server makes no calls to compare");
    let cells = result["report"]["cells"].as_array().unwrap();
    let mean = cells[4][1][0]["mean"].as_f64().unwrap();
    assert!((mean - 0.00012).abs() < 1e-12, "{mean}");

    for (server, own, others) in [
        (&first, "first-secret-key", "other-secret-key"),
        (&other, "other-secret-key", "first-secret-key"),
    ] {
        let seen = server.seen();
        assert!(!seen.is_empty() && seen.iter().all(|request| request.contains(own)), "{seen:?}");
        assert!(!seen.iter().any(|it| it.contains(others) || it.contains("never-to-be-sent")));
    }
    assert_eq!(first.seen().len(), 2 * other.seen().len(), "the reference is asked twice");
    for name in ["first.json", "first-again.json", "other.json"] {
        let path = folder.join(name);
        assert_eq!(read_record(&path).samples.len(), other.seen().len());
        assert!(!fs::read_to_string(&path).unwrap().contains("secret-key"));
        let verified = api_bank(&["verify", path.to_str().unwrap()], "");
        assert!(verified.status.success(), "{}", text(&verified.stdout));
    }

    let addresses = [&first, &other].map(|server| format!("--address={}/v1", server.url));
    let addresses = [addresses[0].as_str(), &addresses[1]];
    let again = compared(&file, &folder, &addresses);
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again.stderr).contains("--force"), "records are not overwritten");
    let table = compared(&file, &folder, &[&addresses[..], &["--force"]].concat());
    let printed = text(&table.stdout);
    let row = printed.lines().find(|line| line.starts_with('C') && line.contains("with a call"));
    assert!(row.is_some_and(|row| row.ends_with("differs") && row.contains("-100.0")), "{printed}");
}

#[test]
fn a_file_that_cannot_be_used_names_the_field() {
    let folder = folder("endpoints-file");
    let file = folder.join("endpoints.toml");
    let error = |toml: &str| {
        fs::write(&file, toml).unwrap();
        let address = ["--address", "http://127.0.0.1:9/v1"];
        let output = compared(&file, &folder.join("out"), &address);
        assert_eq!(output.status.code(), Some(2), "{toml}: {}", text(&output.stderr));
        text(&output.stderr)
    };
    let one = "[[endpoint]]\nname = 'a'\nendpoint = 'http://127.0.0.1:9/v1'\nmodel = 'm'\n";
    assert!(error(one).contains("endpoint: expected 2 to 6, got 1"));
    assert!(error(&format!("{one}{one}")).contains("name: a is taken"));
    assert!(error(&format!("protocol = 'brackets'\n{one}{one}")).contains("brackets"));
    let other = one.replace("'a'", "'b'");
    assert!(error(&format!("subset = 'some'\n{one}{other}")).contains("subset"));
    // A file from a stranger must not choose who gets a key.
    assert!(error(&format!("{one}key = 'FIRST_KEY'\n{other}")).contains("--key ORIGIN=VARIABLE"));
    fs::write(&file, format!("{one}{other}")).unwrap();
    for (key, reason) in [
        ("http://127.0.0.1:9/v1=NO_SUCH_KEY", "NO_SUCH_KEY is not set"),
        // The origin alone does not repeat the path that the file has.
        ("http://127.0.0.1:9=FIRST_KEY", "add --address http://127.0.0.1:9/v1"),
        ("a=FIRST_KEY", "ORIGIN=VARIABLE"),
    ] {
        let output = compared(&file, &folder.join("out"), &["--key", key]);
        assert!(text(&output.stderr).contains(reason), "{key}: {}", text(&output.stderr));
    }
}

#[test]
fn a_file_does_not_decide_where_a_key_or_a_prompt_goes() {
    let theirs = server(&json!({"role": "assistant", "content": "x"}));
    let folder = folder("endpoints-theirs");
    let file = folder.join("theirs.toml");
    let table = |name: &str, address: &str| {
        format!(
            "[[endpoint]]\nname = '{name}'\npreset = 'openai'\n{address}\nmodel = 'm'\n\
             no-stream = true\n"
        )
    };
    // The name and the preset are those of a host that the user trusts.
    let own = table("openai", &format!("endpoint = '{}/v1'", theirs.url));
    fs::write(&file, format!("subset = 1\n{own}{}", table("again", ""))).unwrap();
    for key in ["https://api.openai.com=FIRST_KEY", "https://api.openai.com/v1=FIRST_KEY"] {
        let output = compared(&file, &folder.join("out"), &["--key", key]);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        let advice = format!("add --address {}/v1", theirs.url);
        assert!(text(&output.stderr).contains(&advice), "{}", text(&output.stderr));
    }
    let elsewhere = format!("{}/other/v1", theirs.url);
    let output = compared(&file, &folder.join("out"), &["--address", &elsewhere]);
    assert_eq!(output.status.code(), Some(2), "another path is another address");
    assert_eq!(theirs.seen(), Vec::<String>::new());
}
