//! Deeply nested arguments must not make a record unreadable.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

#[allow(dead_code, reason = "other tests use the rest")]
mod support;

use exchange::protocol::Protocol;
use futures::FutureExt;
use provider::Ports;
use provider::{Endpoint, HttpHead, HttpRequest, Sink, Timeouts, TransportError, WireFormat};
use record::{Model, Outcome, Record};
use record::{RunSettings, Subset};
use serde_json::{Value, json};
use support::bench;

/// An endpoint that always sends the same answer.
struct Scripted(String);

impl Ports for Scripted {
    fn now_ms(&self) -> u64 {
        0
    }

    async fn send(
        &self,
        _: HttpRequest,
        _: Timeouts,
        sink: &mut dyn Sink,
    ) -> Result<(), TransportError> {
        sink.head(HttpHead { status: 200, retry_after: None });
        let _ = sink.bytes(self.0.as_bytes());
        Ok(())
    }

    async fn wait(&self, _: u32) {}

    fn cancelled(&self) -> bool {
        false
    }
}

fn nested(levels: usize) -> String {
    format!("{{\"keyword\": {}1{}}}", "[".repeat(levels - 1), "]".repeat(levels - 1))
}

/// A response body with arguments nested `levels` deep; `None` if it can't be parsed as JSON.
fn body(format: WireFormat, levels: usize) -> Option<String> {
    let arguments = nested(levels);
    match format {
        WireFormat::Ollama => {
            let arguments: Value = serde_json::from_str(&arguments).ok()?;
            let call = json!({"function": {"name": "Wiki", "arguments": arguments}});
            let text = json!({"message": {"content": "", "tool_calls": [call]}, "done": true});
            let text = text.to_string();
            serde_json::from_str::<Value>(&text).ok().map(|_| text)
        }
        _ => {
            let call = json!({"id": "1", "type": "function",
                "function": {"name": "Wiki", "arguments": arguments}});
            let message = json!({"role": "assistant", "content": null, "tool_calls": [call]});
            Some(json!({"choices": [{"message": message}]}).to_string())
        }
    }
}

#[test]
fn records_with_deep_arguments_round_trip() {
    let bench = bench();
    let mut tried = 0;
    for format in [WireFormat::ChatCompletions, WireFormat::Ollama] {
        for protocol in [Protocol::Tools, Protocol::Agent] {
            for levels in [2, 64, 65, 100, 115, 120, 125, 200] {
                let Some(body) = body(format, levels) else { continue };
                let endpoint = Endpoint {
                    format,
                    base_url: "http://localhost:9/v1".to_owned(),
                    model: "m".to_owned(),
                    streaming: false,
                    ..Endpoint::default()
                };
                let settings = RunSettings {
                    protocol,
                    subset: Subset::PerAbility(1),
                    ..RunSettings::new(Model::Endpoint(endpoint))
                };
                let ports = Scripted(body);
                let run = runner::run(&bench, &settings, None, &ports, |_| {});
                let record = run.now_or_never().expect("a run that waits for nothing ends at once");
                let answered =
                    record.samples.iter().filter(|it| matches!(it.outcome, Outcome::Answered(_)));
                assert_eq!(answered.count(), record.samples.len(), "{levels} levels");
                let text = record.to_json().unwrap();
                let back = Record::from_json(&text);
                let back = back.unwrap_or_else(|error| panic!("{levels} levels: {error}"));
                assert_eq!(back.digest, record.digest);
                for sample in &record.samples {
                    let row = serde_json::to_string(sample).unwrap();
                    assert_eq!(
                        &serde_json::from_str::<record::SampleRecord>(&row).unwrap(),
                        sample
                    );
                }
                tried += 1;
            }
        }
    }
    assert!(tried > 24, "{tried} runs");
}

#[test]
fn deep_settings_are_rejected() {
    let extra: Value = serde_json::from_str(&nested(66)).unwrap();
    let endpoint = Endpoint {
        base_url: "http://localhost:9/v1".to_owned(),
        model: "m".to_owned(),
        extra: extra.as_object().unwrap().clone(),
        ..Endpoint::default()
    };
    assert!(endpoint.check().unwrap_err().message.contains("at most 64 levels"));
}
