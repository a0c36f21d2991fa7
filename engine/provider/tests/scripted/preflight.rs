//! The preflight check against scripted servers: findings and proposals.

use crate::support::Scripted;
use futures::FutureExt;
use provider::preflight::{Proposal, Report, State, Step, preflight};
use provider::{ApiKey, Endpoint, Preset, WireFormat};
use serde_json::{Value, json};

fn endpoint(preset: Preset) -> Endpoint {
    let facts = preset.facts();
    Endpoint {
        preset,
        format: facts.format,
        base_url: facts.address.to_owned(),
        temperature: Some(0.0),
        ..Endpoint::default()
    }
}

fn check(
    endpoint: &Endpoint,
    key: Option<&str>,
    answer: impl Fn(&str, &Value) -> Option<(u16, Value)>,
) -> Report {
    let server = Scripted::new(|path, body| {
        answer(path, body).map(|(status, body)| (status, body.to_string()))
    });
    let mut steps = 0;
    let seen = |report: &Report| {
        assert!(report.lines.len() >= steps, "a line was removed");
        steps = report.lines.len();
    };
    let key = key.and_then(|key| ApiKey::new(endpoint.origin().unwrap(), key).unwrap());
    let report = preflight(endpoint, key.as_ref(), &server, seen).now_or_never().unwrap();
    assert_eq!(steps, report.lines.len());
    report
}

fn states(report: &Report) -> Vec<(Step, State)> {
    report.lines.iter().map(|line| (line.step, line.state)).collect()
}

fn line(report: &Report, step: Step) -> String {
    let line = report.lines.iter().find(|line| line.step == step).unwrap();
    format!("{} {}", line.text, line.fix.as_deref().unwrap_or_default())
}

/// A Chat Completions server without faults.
fn chat(path: &str, body: &Value) -> Option<(u16, Value)> {
    if path == "v1/models" {
        return Some((200, json!({"data": [{"id": "m", "meta": {"n_ctx": 8192}}]})));
    }
    let said = body["messages"][0]["content"].as_str().unwrap();
    let message = if body.get("tools").is_some() {
        let function = json!({"name": "report_status", "arguments": "{\"status\":\"ready\"}"});
        json!({"content": null, "tool_calls": [{"id": "a", "function": function}]})
    } else {
        json!({"content": "Ready."})
    };
    let tokens = said.split_whitespace().count() + 10;
    let usage = json!({"prompt_tokens": tokens, "completion_tokens": 2});
    Some((200, json!({"choices": [{"message": message}], "usage": usage})))
}

#[test]
fn a_good_server_passes_and_gets_a_proposal() {
    let report = check(&endpoint(Preset::Vllm), None, chat);
    assert_eq!(states(&report), Step::ALL.map(|step| (step, State::Good)));
    assert_eq!(report.model, "m", "the only model is taken");
    assert_eq!(report.proposal, Some(Proposal { native_tools: true, concurrency: 8 }));
    assert!(line(&report, Step::Answer).contains("\"Ready.\""), "{report:?}");
    assert!(report.works() && report.trouble().is_none());
}

#[test]
fn an_unreachable_server_gets_its_own_fix() {
    for (preset, part) in [
        (Preset::Ollama, "OLLAMA_ORIGINS=https://page.example"),
        (Preset::LmStudio, "lms server start --cors"),
        (Preset::OpenAi, "No key is given"),
    ] {
        let report = check(&endpoint(preset), None, |_, _| None);
        assert_eq!(states(&report), [(Step::Models, State::Bad)]);
        assert!(line(&report, Step::Models).contains(part), "{report:?}");
        assert_eq!(report.proposal, None);
    }
}

#[test]
fn a_wrong_key_and_a_wrong_path_end_the_check() {
    let refused = |_: &str, _: &Value| Some((401, json!({"error": {"message": "bad key"}})));
    let report = check(&endpoint(Preset::Groq), Some(" "), refused);
    let text = line(&report, Step::Models);
    assert!(text.contains("bad key") && text.contains("enter one"), "{text}");
    let bare =
        Endpoint { base_url: "http://localhost:8080".to_owned(), ..endpoint(Preset::LlamaCpp) };
    let report = check(&bare, None, |_, _| Some((404, json!({"error": "no"}))));
    assert!(line(&report, Step::Models).contains("http://localhost:8080/v1"), "{report:?}");
}

#[test]
fn without_a_list_the_named_model_is_asked() {
    let named = Endpoint { model: "mine".to_owned(), ..endpoint(Preset::Custom) };
    let named = Endpoint { base_url: "https://h/v1".to_owned(), ..named };
    let report = check(&named, None, |path, body| match path {
        "v1/models" => Some((404, json!({}))),
        _ => chat(path, body),
    });
    assert_eq!(states(&report)[0], (Step::Models, State::Warning));
    assert_eq!(report.proposal.map(|it| it.concurrency), Some(4), "a server elsewhere");
    let unlisted = Endpoint { base_url: "http://localhost:5/v1".to_owned(), ..named };
    let report = check(&unlisted, None, chat);
    assert!(line(&report, Step::Models).contains("\"mine\" is not listed"), "{report:?}");
    assert_eq!(report.proposal.map(|it| it.concurrency), Some(1), "a server on this machine");
}

#[test]
fn refused_parameters_are_named() {
    let report = check(&endpoint(Preset::Vllm), None, |path, body| {
        if body.get("temperature").is_some() {
            let error = json!({"message": "Unsupported value", "param": "temperature"});
            return Some((400, json!({"error": error})));
        }
        chat(path, body)
    });
    assert_eq!(report.dropped, ["temperature"]);
    assert_eq!(states(&report)[1], (Step::Answer, State::Warning));
    assert!(line(&report, Step::Answer).contains("refuses temperature"), "{report:?}");
    assert!(report.works());
}

#[test]
fn missing_tool_calls_lead_to_the_bracket_protocol() {
    let no_call = |body: &Value| {
        let mut without = body.clone();
        without.as_object_mut().unwrap().remove("tools");
        without
    };
    let silent = check(&endpoint(Preset::LlamaCpp), None, |path, body| match path {
        "props" => Some((200, json!({"chat_template_caps": {"supports_tools": false}}))),
        "v1/models" => chat(path, body),
        _ => chat(path, &no_call(body)),
    });
    assert_eq!(silent.proposal, Some(Proposal { native_tools: false, concurrency: 1 }));
    assert!(line(&silent, Step::Tools).contains("chat template has no tools"), "{silent:?}");
    let refused = check(&endpoint(Preset::Vllm), None, |path, body| {
        if body.get("tools").is_some() {
            return Some((
                400,
                json!({"error": {"message": "\"auto\" tool choice needs a parser"}}),
            ));
        }
        chat(path, body)
    });
    assert!(line(&refused, Step::Tools).contains("--enable-auto-tool-choice"), "{refused:?}");
    assert!(refused.works());
    let legacy = Endpoint { format: WireFormat::Completions, ..endpoint(Preset::Vllm) };
    let report = check(&legacy, None, |path, body| match path {
        "v1/models" => chat(path, body),
        _ => Some((200, json!({"choices": [{"text": "ready"}]}))),
    });
    assert_eq!(states(&report)[2], (Step::Tools, State::Skipped));
}

#[test]
fn a_truncated_prompt_is_detected() {
    let ollama = |path: &str, body: &Value| {
        if path == "api/tags" {
            return Some((200, json!({"models": [{"name": "m:latest"}]})));
        }
        let said = body["messages"][0]["content"].as_str().unwrap();
        let tokens = said.split_whitespace().count().min(1024);
        let message = json!({"role": "assistant", "content": "ready"});
        Some((
            200,
            json!({"message": message, "done": true, "prompt_eval_count": tokens, "eval_count": 1}),
        ))
    };
    let named = Endpoint { model: "m".to_owned(), ..endpoint(Preset::Ollama) };
    let report = check(&named, None, ollama);
    assert_eq!(states(&report)[0], (Step::Models, State::Good), "m is m:latest");
    let text = line(&report, Step::Context);
    assert!(text.contains("1024 tokens") && text.contains("context window"), "{text}");
    let short = check(&endpoint(Preset::LlamaCpp), None, |path, body| match path {
        "v1/models" => Some((200, json!({"data": [{"id": "m", "meta": {"n_ctx": 2048}}]}))),
        _ => chat(path, body),
    });
    assert!(line(&short, Step::Context).contains("llama-server -c"), "{short:?}");
    let uncounted = check(&endpoint(Preset::Vllm), None, |path, body| {
        let (status, mut answer) = chat(path, body)?;
        answer.as_object_mut()?.remove("usage");
        Some((status, answer))
    });
    assert!(line(&uncounted, Step::Context).contains("counts no tokens"), "{uncounted:?}");
}
