//! The Model Context Protocol message by message, without an SDK: what an agent is sent.

use crate::support::{folder, read_record, searchable, text};
use exchange::protocol::Role;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout};

/// A client: sends requests and reads responses, one JSON object per line.
pub(crate) struct Client {
    pub(crate) child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last: u64,
}

impl Client {
    pub(crate) fn start(dialogue: &str, out: &Path, more: &[&str]) -> Self {
        let fixed = ["mcp", "--dialogue", dialogue, "--out", out.to_str().unwrap()];
        let mut child = crate::support::started(&[&fixed, more].concat());
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut client = Client { child, input, output, last: 0 };
        client.request(
            "initialize",
            json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "wire", "version": "1"},
            }),
        );
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
        self.input.flush().unwrap();
    }

    /// The result of a request; notifications in between are ignored.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the server is gone");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                assert!(message["error"].is_null(), "{message}");
                return message["result"].clone();
            }
        }
    }

    /// The text that a tool returns.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Disconnects and waits for the record.
    pub(crate) fn leave(self) {
        drop(self.input);
        let output = self.child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
}

#[test]
fn everything_that_the_record_says_was_seen_is_sent() {
    if !searchable("a dialogue after earlier ones over MCP") {
        return;
    }
    let out = folder("mcp-history").join("r.json");
    let mut client = Client::start("hard/crossed-off-the-board", &out, &[]);
    let prompt = client.request("prompts/get", json!({"name": "task"}));
    let prompt: Vec<&str> = prompt["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["content"]["text"].as_str().unwrap())
        .collect();
    let prompt = prompt.join("\n\n");
    let resources = client.request("resources/list", json!({}));
    let uri = resources["resources"][0]["uri"].clone();
    let resource = client.request("resources/read", json!({"uri": uri}));
    let resource = resource["contents"][0]["text"].as_str().unwrap().to_owned();
    let task = client.call("task", json!({}));
    client.call("reply", json!({"text": "I don't know."}));
    client.leave();

    let record = read_record(&out);
    let sample = &record.samples[0];
    let answer = &record.samples[0].episode.as_ref().unwrap().steps[0].answer.text;
    let before = sample.messages.iter().take_while(|message| &*message.content != answer.as_str());
    let seen: Vec<_> = before.filter(|message| message.role != Role::System).collect();
    assert!(seen.len() > 50, "this dialogue follows fifteen others: {}", seen.len());
    for (place, sent) in [("prompt", &prompt), ("resource", &resource), ("tool", &task)] {
        let mut rest = sent.as_str();
        for message in &seen {
            let calls = message.calls.iter().flat_map(|call| [&call.name, &call.arguments]);
            for part in std::iter::once(&*message.content).chain(calls.map(String::as_str)) {
                let at = rest.find(part);
                assert!(at.is_some(), "the {place} lacks {part:?}");
                rest = &rest[at.unwrap_or_default() + part.len()..];
            }
        }
    }
}

#[test]
fn a_killed_session_keeps_every_step() {
    if !searchable("a session that is killed") {
        return;
    }
    let folder = folder("mcp-killed");
    let (out, partial) = (folder.join("r.json"), folder.join("r.json.partial"));
    let mut client = Client::start("call/already-covered", &out, &[]);
    client.call("reply", json!({"text": "One moment."}));
    client.call("NoSuchTool", json!({}));
    client.child.kill().unwrap();
    client.child.wait().unwrap();
    assert!(!out.exists() && partial.exists());

    let path = |it: &Path| it.to_str().unwrap().to_owned();
    let arguments = ["mcp", "--dialogue", "call/already-covered", "--out", &path(&out)];
    let refused = crate::support::api_bank(&arguments, "");
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    let advice = format!("api-bank mcp --recover {} --out {}", path(&partial), path(&out));
    assert!(text(&refused.stderr).contains(&advice), "{}", text(&refused.stderr));

    let arguments: Vec<&str> = advice.split(' ').skip(1).collect();
    let recovered = crate::support::api_bank(&arguments, "");
    assert_eq!(recovered.status.code(), Some(0), "{}", text(&recovered.stderr));
    assert!(!partial.exists());
    let record = read_record(&out);
    let episode = record.samples[0].episode.as_ref().unwrap();
    assert_eq!((episode.steps.len(), episode.ended), (2, exchange::EpisodeEnd::Left));
    let verified = crate::support::api_bank(&["verify", &path(&out)], "");
    assert!(verified.status.success(), "{}", text(&verified.stdout));
}
