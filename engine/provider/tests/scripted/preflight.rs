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

const fn proposal(native_tools: bool, concurrency: usize) -> Proposal {
    Proposal { native_tools, concurrency, fold_roles: false, max_tokens: None, streaming: false }
}

fn states(report: &Report) -> Vec<(Step, State)> {
    report.lines.iter().map(|line| (line.step, line.state)).collect()
}

fn line(report: &Report, step: Step) -> String {
    let line = report.lines.iter().find(|line| line.step == step).unwrap();
    format!("{} {}", line.text, line.fix.as_deref().unwrap_or_default())
}

/// The texts of all messages.
fn said(body: &Value) -> String {
    let messages = body["messages"].as_array().unwrap();
    messages.iter().filter_map(|message| message["content"].as_str()).collect::<Vec<_>>().join(" ")
}

fn has_role(body: &Value, role: &str) -> bool {
    body["messages"].as_array().into_iter().flatten().any(|message| message["role"] == role)
}

/// A Chat Completions server without faults.
fn chat(path: &str, body: &Value) -> Option<(u16, Value)> {
    if path == "v1/models" {
        return Some((200, json!({"data": [{"id": "m", "meta": {"n_ctx": 8192}}]})));
    }
    let said = said(body);
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
    assert_eq!(report.proposal, Some(proposal(true, 8)));
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
    assert_eq!(silent.proposal, Some(proposal(false, 1)));
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
    for skipped in [Step::Request, Step::Tools, Step::Streaming] {
        assert!(states(&report).contains(&(skipped, State::Skipped)), "{report:?}");
    }
}

#[test]
fn a_truncated_prompt_is_detected() {
    let ollama = |path: &str, body: &Value| {
        if path == "api/tags" {
            return Some((200, json!({"models": [{"name": "m:latest"}]})));
        }
        let tokens = said(body).split_whitespace().count().min(1024);
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

#[test]
fn a_template_without_a_role_leads_to_folding() {
    for (role, step) in [("system", Step::Request), ("tool", Step::Results)] {
        for status in [400, 500] {
            let words = "Conversation roles must alternate user/assistant/user/assistant/...";
            let report = check(&endpoint(Preset::Vllm), None, |path, body| {
                if has_role(body, role) {
                    return Some((status, json!({"object": "error", "message": words})));
                }
                chat(path, body)
            });
            let text = line(&report, step);
            assert!(text.contains(words) && text.contains("--fold-roles"), "{text}");
            assert!(!report.works(), "a run with these settings would fail");
            assert!(report.proposal.is_some_and(|it| it.fold_roles && it.native_tools));
            let folded = Endpoint { fold_roles: true, ..endpoint(Preset::Vllm) };
            let report = check(&folded, None, |path, body| {
                assert!(!has_role(body, role), "{body}");
                chat(path, body)
            });
            assert!(report.works(), "{report:?}");
        }
    }
}

#[test]
fn a_longest_answer_that_is_too_long_gets_a_number() {
    let long = Endpoint { max_tokens: Some(4096), ..endpoint(Preset::Vllm) };
    for (status, words, context, part) in [
        (
            400,
            "max_tokens=4096 cannot be greater than max_model_len=4096.",
            Some(4096),
            "--max-tokens 1024",
        ),
        (400, "This model's maximum context length is 4096 tokens", None, "--max-model-len"),
        (
            402,
            "requires more credits, or fewer max_tokens, can only afford 1200.",
            None,
            "--max-tokens 1200",
        ),
        (400, "max_tokens: 4096 > 2048, the maximum allowed number", None, "--max-tokens"),
        (400, "Something else is wrong.", None, "--max-tokens"),
    ] {
        let report = check(&long, None, |path, body| {
            if path == "v1/models" {
                return Some((200, json!({"data": [{"id": "m", "max_model_len": context}]})));
            }
            if body["max_tokens"].as_u64().is_some_and(|most| most > 2048)
                || body.get("max_completion_tokens").is_some()
            {
                return Some((status, json!({"error": {"message": words}})));
            }
            chat(path, body)
        });
        let text = line(&report, Step::Request);
        assert!(text.contains(words) && text.contains(part), "{text}");
        assert!(!report.works() && report.proposal.is_some_and(|it| it.max_tokens < Some(4096)));
        assert_eq!(report.dropped, [""; 0], "no parameter is at fault: {words}");
    }
}

#[test]
fn a_call_that_arrives_only_one_way_is_named() {
    for (only_whole, streaming, state) in
        [(true, true, State::Warning), (true, false, State::Warning), (false, true, State::Good)]
    {
        let endpoint = Endpoint { streaming, ..endpoint(Preset::Vllm) };
        let report = check(&endpoint, None, |path, body| {
            let (status, mut answer) = chat(path, body)?;
            if only_whole && body.get("stream").is_some() && body.get("tools").is_some() {
                answer["choices"][0]["message"] = json!({"content": ""});
                answer["choices"][0]["finish_reason"] = json!("stop");
            }
            Some((status, answer))
        });
        assert!(states(&report).contains(&(Step::Streaming, state)), "{report:?}");
        let proposal = report.proposal.unwrap();
        assert!(proposal.native_tools, "in one of the ways");
        assert_eq!(proposal.streaming, streaming && !only_whole);
        assert_eq!(line(&report, Step::Streaming).contains("--no-stream"), only_whole && streaming);
    }
}

#[test]
fn a_server_that_loads_its_model_is_waited_for() {
    let left = std::cell::Cell::new(3);
    let waiting = std::cell::Cell::new(0);
    let server = Scripted::new(|path, body| {
        if left.get() > 0 {
            left.set(left.get() - 1);
            return Some((503, json!({"error": {"message": "Loading model"}}).to_string()));
        }
        chat(path, body).map(|(status, body)| (status, body.to_string()))
    });
    let seen = |report: &Report| {
        if let Some(text) = &report.waiting {
            assert!(text.contains("Loading model"), "{text}");
            waiting.set(waiting.get() + 1);
        }
    };
    let report = preflight(&endpoint(Preset::Vllm), None, &server, seen).now_or_never().unwrap();
    assert_eq!((waiting.get(), report.works(), &report.waiting), (3, true, &None));
    let never = check(&endpoint(Preset::Vllm), None, |_, _| {
        Some((503, json!({"error": {"message": "Loading model"}})))
    });
    assert!(line(&never, Step::Models).contains("Loading model"), "{never:?}");
}

#[test]
fn reasoning_that_uses_up_the_probe_gets_a_longer_one() {
    for (most, works) in [(4096, true), (800, false)] {
        let endpoint = Endpoint { max_tokens: Some(most), ..endpoint(Preset::Vllm) };
        let report = check(&endpoint, None, |path, body| {
            if body["max_tokens"].as_u64().is_some_and(|most| most < 900) {
                let message = json!({"content": "", "reasoning_content": "Well"});
                return Some((
                    200,
                    json!({"choices": [{"message": message, "finish_reason": "length"}]}),
                ));
            }
            chat(path, body)
        });
        assert_eq!(report.proposal.unwrap().native_tools, works);
        let text = line(&report, Step::Tools);
        assert!(
            works || (text.contains("ran out of tokens") && text.contains("longer answer")),
            "{text}"
        );
    }
}

#[test]
fn errors_in_an_array_are_read() {
    let body = json!([{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key."}}]);
    let report = check(&endpoint(Preset::Gemini), Some("k"), |_, _| Some((400, body.clone())));
    assert!(line(&report, Step::Models).contains("API key not valid"), "{report:?}");
}
