//! Reads conversations with tool calls from logs as tasks: OpenAI's and Anthropic's messages, items of
//! OpenAI's Responses, and logs of Inspect (EvalLog). One conversation a line, or one JSON document.

use super::{Limits, OwnDialogue, ToolsError};
use apis::nesting::is_too_deep;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A turn; with the id of its call, if it is one.
type Made = (Option<String>, Value);

fn error(field: impl Into<String>, reason: impl Into<String>) -> ToolsError {
    ToolsError { field: field.into(), reason: reason.into() }
}

/// The model that answered in a log, if its requests, responses or Inspect header name exactly one.
pub fn model(text: &str) -> Option<String> {
    let whole = serde_json::from_str::<Value>(text).ok();
    let lines = || text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let parts: Vec<Value> = whole.map_or_else(lines, |whole| vec![whole]);
    let named = |part: &Value| {
        let model = part.get("model").or_else(|| part.get("eval")?.get("model"))?;
        model.as_str().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty())
    };
    let models: BTreeSet<String> = parts.iter().filter_map(named).collect();
    models.first().filter(|_| models.len() == 1).cloned()
}

/// The conversations of a log, named `log-1`, `log-2` and so on; those without a call are left out.
///
/// # Errors
/// The invalid line and the expected format.
pub fn read(text: &str) -> Result<Vec<OwnDialogue>, ToolsError> {
    if text.len() > Limits::BYTES {
        let (most, found) = (Limits::BYTES >> 20, text.len().div_ceil(1 << 20));
        return Err(error("log", format!("expected at most {most} MiB, found {found}")));
    }
    let mut found = Vec::new();
    match serde_json::from_str::<Value>(text) {
        Ok(value) => conversations("log", &value, &mut found)?,
        Err(_) => {
            for (index, line) in text.lines().enumerate().filter(|(_, it)| !it.trim().is_empty()) {
                let field = format!("line {}", index + 1);
                let value: Value = serde_json::from_str(line)
                    .map_err(|it| error(&field, format!("expected JSON: {it}")))?;
                conversations(&field, &value, &mut found)?;
            }
        }
    }
    found.retain(|turns| turns.iter().any(|turn| turn["role"] == "API"));
    if found.len() > Limits::DIALOGUES {
        let most = Limits::DIALOGUES;
        return Err(error(
            "log",
            format!("expected at most {most} conversations, found {}", found.len()),
        ));
    }
    if found.is_empty() {
        return Err(error("log", "expected a conversation with a tool call, found none"));
    }
    let dialogue = |(index, turns)| OwnDialogue {
        id: format!("log-{}", index + 1),
        draft: false,
        near: Vec::new(),
        turns,
    };
    Ok(found.into_iter().enumerate().map(dialogue).collect())
}

/// Adds the conversations of a value: a list of messages, or an object that has them.
fn conversations(
    field: &str,
    value: &Value,
    found: &mut Vec<Vec<Value>>,
) -> Result<(), ToolsError> {
    if is_too_deep(value) {
        return Err(error(field, "is nested too deep"));
    }
    let is_message = |it: &Value| it.get("role").is_some() || it.get("type").is_some();
    match value {
        Value::Array(items) if items.iter().all(is_message) => found.push(turns(field, items)?),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                conversations(&format!("{field}[{index}]"), item, found)?;
            }
        }
        Value::Object(fields) => {
            let lists = ["messages", "samples", "input", "items"].into_iter();
            match lists.filter_map(|key| fields.get(key)).find(|list| list.is_array()) {
                Some(list) => conversations(field, list, found)?,
                None => {
                    let reason = "expected messages, samples or input, found none of them";
                    return Err(error(field, reason));
                }
            }
        }
        _ => return Err(error(field, "expected messages, or an object that has them")),
    }
    Ok(())
}

/// The turns of a conversation, without system messages.
///
/// # Errors
/// A call whose arguments are not an object.
fn turns(field: &str, messages: &[Value]) -> Result<Vec<Value>, ToolsError> {
    let mut turns: Vec<Made> = Vec::new();
    for message in messages {
        match message["type"].as_str() {
            Some("function_call") => {
                turns.push(call(
                    field,
                    &message["call_id"],
                    &message["name"],
                    &message["arguments"],
                )?);
                continue;
            }
            Some("function_call_output") => {
                put_result(&mut turns, &message["call_id"], &message["output"], false);
                continue;
            }
            _ => {}
        }
        let role = message["role"].as_str().unwrap_or_default();
        if role == "tool" {
            let failed = message.get("error").filter(|value| !value.is_null());
            let failure = failed.and_then(|it| it.get("message")).or(failed);
            let content = failure.unwrap_or(&message["content"]);
            put_result(&mut turns, &message["tool_call_id"], content, failed.is_some());
            continue;
        }
        parts(field, role, &message["content"], &mut turns)?;
        for made in message["tool_calls"].as_array().into_iter().flatten() {
            let function = &made["function"];
            turns.push(match function.is_object() {
                true => call(field, &made["id"], &function["name"], &function["arguments"]),
                false => call(field, &made["id"], function, &made["arguments"]),
            }?);
        }
    }
    Ok(turns.into_iter().map(|(_, turn)| turn).collect())
}

/// Adds a message's content: a text, or parts of text, calls and results.
fn parts(
    field: &str,
    role: &str,
    content: &Value,
    turns: &mut Vec<Made>,
) -> Result<(), ToolsError> {
    let speaker = match role {
        "user" => "User",
        "assistant" => "AI",
        _ => return Ok(()),
    };
    let say = |text: &str, turns: &mut Vec<Made>| {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        match turns.last_mut() {
            Some((None, last)) if last["role"] == speaker => {
                let joined = format!("{}\n{text}", last["text"].as_str().unwrap_or_default());
                last["text"] = Value::from(joined);
            }
            _ => turns.push((None, json!({"role": speaker, "text": text}))),
        }
    };
    match content {
        Value::String(text) => say(text, turns),
        Value::Array(parts) => {
            for part in parts {
                match part["type"].as_str() {
                    Some("tool_use") => {
                        turns.push(call(field, &part["id"], &part["name"], &part["input"])?);
                    }
                    Some("tool_result") => {
                        let failed = part["is_error"] == true;
                        put_result(turns, &part["tool_use_id"], &part["content"], failed);
                    }
                    _ => say(part["text"].as_str().unwrap_or_default(), turns),
                }
            }
        }
        _ => {}
    }
    Ok(())
}

/// A call that waits for its result. Without arguments, it has none.
fn call(field: &str, id: &Value, name: &Value, arguments: &Value) -> Result<Made, ToolsError> {
    let name = name.as_str().unwrap_or_default();
    let arguments = match arguments {
        Value::Null => json!({}),
        Value::String(text) if text.trim().is_empty() => json!({}),
        Value::String(text) => serde_json::from_str(text).unwrap_or(Value::Null),
        other => other.clone(),
    };
    if !arguments.is_object() {
        let reason = format!(
            "a call of {name:?} has arguments that are no JSON object, so it can't be a right one; \
             remove the conversation"
        );
        return Err(error(field, reason));
    }
    let turn = json!({
        "role": "API", "api_name": name, "param_dict": arguments, "result": {"api_name": name}
    });
    Ok((Some(id.as_str().unwrap_or_default().to_owned()), turn))
}

fn put_result(turns: &mut [Made], id: &Value, content: &Value, failed: bool) {
    let id = id.as_str().unwrap_or_default();
    let Some((_, turn)) = turns.iter_mut().rev().find(|(of, _)| of.as_deref() == Some(id)) else {
        return;
    };
    let text = match content {
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str());
            Value::from(texts.collect::<Vec<_>>().join("\n"))
        }
        other => other.clone(),
    };
    let parsed = text.as_str().and_then(|it| serde_json::from_str::<Value>(it).ok());
    let (key, value) = match failed {
        true => ("exception", text.as_str().map_or_else(|| text.to_string().into(), Value::from)),
        false => ("output", parsed.unwrap_or(text)),
    };
    turn["result"][key] = value;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected() -> Value {
        json!([
            {"role": "User", "text": "Where is KX-1?"},
            {"role": "API", "api_name": "track", "param_dict": {"number": "KX-1"},
             "result": {"api_name": "track", "output": {"place": "Hanover"}}},
            {"role": "AI", "text": "In Hanover."},
        ])
    }

    fn check(log: &Value) {
        for text in [log.to_string(), format!("{log:#}"), format!("\n{log}\n")] {
            let read = read(&text).unwrap();
            assert_eq!(json!(read[0].turns), expected(), "{text}");
            assert_eq!(read[0].id, "log-1");
        }
    }

    #[test]
    fn every_format_gives_the_same_task() {
        let messages = json!([
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Where is KX-1?"},
            {"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function",
                "function": {"name": "track", "arguments": "{\"number\": \"KX-1\"}"}}]},
            {"role": "tool", "tool_call_id": "a", "content": "{\"place\": \"Hanover\"}"},
            {"role": "assistant", "content": "In Hanover."},
        ]);
        check(&json!({"model": "m", "messages": messages}));
        check(&messages);
        check(&json!({"messages": [
            {"role": "user", "content": [{"type": "text", "text": "Where is KX-1?"}]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "track", "input": {"number": "KX-1"}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a",
                "content": [{"type": "text", "text": "{\"place\": \"Hanover\"}"}]}]},
            {"role": "assistant", "content": [{"type": "text", "text": "In Hanover."}]},
        ]}));
        check(&json!({"eval": {}, "samples": [{"messages": [
            {"role": "user", "content": "Where is KX-1?"},
            {"role": "assistant", "content": "", "tool_calls": [{"id": "a", "function": "track", "arguments": {"number": "KX-1"}}]},
            {"role": "tool", "tool_call_id": "a", "content": "{\"place\": \"Hanover\"}", "error": null},
            {"role": "assistant", "content": "In Hanover."},
        ]}]}));
        check(&json!({"input": [
            {"role": "user", "content": "Where is KX-1?"},
            {"type": "function_call", "call_id": "a", "name": "track", "arguments": "{\"number\": \"KX-1\"}"},
            {"type": "function_call_output", "call_id": "a", "output": "{\"place\": \"Hanover\"}"},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "In Hanover."}]},
        ]}));
    }

    #[test]
    fn the_model_is_the_one_that_all_lines_name() {
        let line = |model: &str| format!("{{\"model\": \"{model}\", \"messages\": []}}\n");
        assert_eq!(model(&line("m")).as_deref(), Some("m"));
        assert_eq!(model(&(line("m") + &line("m"))).as_deref(), Some("m"));
        assert_eq!(model(&(line("m") + &line("n"))), None);
        assert_eq!(model(r#"{"eval": {"model": "a/b"}, "samples": []}"#).as_deref(), Some("a/b"));
        assert_eq!(model("[]"), None);
    }

    #[test]
    fn what_is_no_log_is_refused_with_its_line() {
        for (text, words) in [
            ("", "found none"),
            ("{}", "log: expected messages, samples or input"),
            ("[{\"role\": \"user\", \"content\": \"x\"}]\n{", "line 2: expected JSON"),
            ("[{\"role\": \"user\", \"content\": \"x\"}]", "a tool call, found none"),
            ("3", "expected messages"),
            (
                "[]\n[{\"type\": \"function_call\", \"name\": \"track\", \"arguments\": \"{\"}]",
                "line 2: a call of \"track\" has arguments that are no JSON object",
            ),
        ] {
            let found = read(text).unwrap_err().to_string();
            assert!(found.contains(words), "{text}: {found}");
        }
    }
}
