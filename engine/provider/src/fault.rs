//! Tells errors from answers: whatever shape an error has, in a body or in an event of a stream, with
//! any status.
//!
//! Two kinds: a fault of the server or a gateway, which is retried and never scored, and a call of the
//! model that the server could not parse, which is the model's answer.

use super::content::flat_text;
use exchange::{Answer, shorten};
use serde_json::Value;

/// Members that make up an answer, or a part of one, in any wire format.
const ANSWER: [&str; 9] =
    ["choices", "output", "response", "delta", "content_block", "item", "part", "done", "usage"];
/// Members that hold an error.
const ERROR: [&str; 3] = ["error", "errors", "fault"];
/// Members that hold an error's number; 0 means that there is none.
const CODES: [&str; 4] = ["error_code", "errorCode", "err_code", "status_code"];
/// Members that say what went wrong, most telling first.
const TOLD: [&str; 18] = [
    "message",
    "msg",
    "detail",
    "error",
    "errors",
    "error_msg",
    "error_message",
    "errorMessage",
    "error_description",
    "status_msg",
    "base_resp",
    "fault",
    "faultstring",
    "title",
    "reason",
    "description",
    "text",
    "response",
];
/// Members that make a document an error if it has no answer.
const ALONE: [&str; 5] = ["message", "msg", "detail", "error_msg", "error_message"];
/// Members that say why the answer ended.
const REASONS: [&str; 4] = ["finish_reason", "native_finish_reason", "done_reason", "stop_reason"];
/// Reasons of servers that broke off: OpenRouter and Mistral, vLLM and SGLang, DeepSeek, Zhipu,
/// Responses, Ollama when it only loaded or unloaded the model.
const BROKEN_OFF: [&str; 9] = [
    "error",
    "abort",
    "aborted",
    "insufficient_system_resource",
    "network_error",
    "failed",
    "cancelled",
    "load",
    "unload",
];
/// What servers say of a call that they could not parse, in lower case.
const MALFORMED: [&str; 12] = [
    // Ollama
    "error parsing tool call",
    "xml syntax error",
    // llama.cpp
    "failed to parse input at pos",
    "the model produced output",
    // Groq
    "tool_use_failed",
    "output_parse_failed",
    "failed to call a function",
    "tool call validation failed",
    // Gemini
    "malformed_function_call",
    "unexpected_tool_call",
    // vLLM, for gpt-oss
    "unexpected tokens remaining in message header",
    "while expecting start token",
];
/// Other wordings: one of these verbs, soon followed by one of [`CALLS`].
const PARSE: [&str; 12] = [
    "error parsing",
    "failed to parse",
    "failed parsing",
    "could not parse",
    "couldn't parse",
    "cannot parse",
    "can't parse",
    "unable to parse",
    "error unmarshalling",
    "failed to decode",
    "failed to unmarshal",
    "malformed",
];
/// Names of a call, in errors.
const CALLS: [&str; 6] =
    ["tool call", "tool_call", "toolcall", "function call", "function_call", "model output"];
/// The most bytes between a verb of [`PARSE`] and a name of [`CALLS`].
const NEAR: usize = 24;
/// Where servers quote the model's text: what stands before it, and what ends it.
const QUOTES: [(&str, &str); 3] = [("raw='", "', err="), ("raw=\"", "\", err="), (" at pos ", "")];

/// An error in place of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reported {
    /// The server's message.
    pub text: String,
    /// The error's code: a name, or a number as text.
    pub code: Option<String>,
    /// The model's text, if the server could not parse its call.
    pub malformed: Option<String>,
}

/// The error that a body or an event reports; `None` for an answer or a part of one.
pub(super) fn reported(body: &Value) -> Option<Reported> {
    let body = unwrapped(body);
    let place = place_of_error(body)?;
    let ended = || reason(place).map(|it| format!("the answer ended with the reason {it:?}"));
    let text = message_of(place).or_else(|| message_of(body)).or_else(ended);
    let mut text = text.unwrap_or_else(|| odd_member(body));
    let upstream = place.get("metadata").and_then(|it| it.get("raw")).and_then(Value::as_str);
    if let Some(upstream) = upstream.filter(|upstream| !text.contains(*upstream)) {
        text = format!("{text}: {upstream}");
    }
    let code = ["code", "type", "status"]
        .iter()
        .chain(&CODES)
        .find_map(|name| place.get(*name).or_else(|| body.get(*name)).and_then(name_or_number));
    let generation = place.get("failed_generation").and_then(Value::as_str).map(str::to_owned);
    let malformed = generation.or_else(|| {
        // The code or the reason may tell, and a gateway's error may quote another.
        is_malformed(&format!("{text} {}", Value::to_string(body))).then(|| quoted(&text))
    });
    Some(Reported { text, code, malformed })
}

/// Any document as an error, because its event or its status says so.
pub(super) fn as_error(body: &Value) -> Reported {
    reported(body).unwrap_or_else(|| {
        let text = message_of(unwrapped(body)).unwrap_or_else(|| shorten(&body.to_string(), 300));
        let malformed = is_malformed(&text).then(|| quoted(&text));
        Reported { text, code: None, malformed }
    })
}

impl Reported {
    /// The answer of a model whose call could not be parsed.
    pub fn answer(&self) -> Option<Answer> {
        let text = self.malformed.clone()?;
        let code = self.code.as_deref().filter(|code| code.parse::<u16>().is_err());
        let code = code.unwrap_or("malformed_call").to_owned();
        Some(Answer {
            text,
            fault: Some(format!("{code}: {}", shorten(&self.text, 300))),
            finish_reason: Some(code),
            ..Answer::default()
        })
    }

    /// The HTTP status that the error's code stands for.
    pub fn status(&self) -> Option<u16> {
        self.code.as_ref()?.parse().ok().filter(|status| (400..600).contains(status))
    }
}

/// Gemini wraps errors in an array.
pub(super) fn unwrapped(body: &Value) -> &Value {
    match body {
        Value::Array(items) => items.first().unwrap_or(body),
        _ => body,
    }
}

/// The part of a document that reports an error.
fn place_of_error(body: &Value) -> Option<&Value> {
    let members = body.as_object()?;
    let own = || ERROR.iter().find_map(|name| members.get(*name)).filter(|value| is_filled(value));
    if let Some(error) = own() {
        return Some(unwrapped(error));
    }
    if let Some(choices) = members.get("choices").and_then(Value::as_array)
        && let Some(place) = choices.iter().find_map(place_in_choice)
    {
        return Some(place);
    }
    let named = |name: &str, words: &[&str]| {
        members.get(name).and_then(Value::as_str).is_some_and(|word| words.contains(&word))
    };
    if let Some(delta) = members.get("delta").filter(|it| is_broken_off(it)) {
        return Some(delta);
    }
    let is_error = named("type", &["error", "response.error"])
        || named("object", &["error"])
        || named("status", &["error", "failed", "fail"])
        || members.get("success") == Some(&Value::Bool(false))
        || CODES.iter().any(|name| members.get(*name).is_some_and(is_code))
        || members
            .get("base_resp")
            .is_some_and(|it| CODES.iter().any(|name| it.get(*name).is_some_and(is_code)))
        || is_broken_off(body)
        || is_error_alone(members);
    is_error.then_some(body)
}

fn place_in_choice(choice: &Value) -> Option<&Value> {
    let parts = [Some(choice), choice.get("delta"), choice.get("message")];
    let error =
        parts.into_iter().flatten().find_map(|part| part.get("error")).filter(|it| is_filled(it));
    error.map(unwrapped).or_else(|| is_broken_off(choice).then_some(choice))
}

fn is_broken_off(part: &Value) -> bool {
    reason(part).is_some()
}

/// Why an answer ended, if that is no reason for an answer to end. A vendor's own word says more than
/// the common one.
fn reason(part: &Value) -> Option<&str> {
    let reasons = || REASONS.iter().filter_map(|name| part.get(*name)?.as_str());
    let is_broken_off = |it: &&str| BROKEN_OFF.contains(&it.to_lowercase().as_str());
    reasons().find(|reason| is_malformed(reason)).or_else(|| reasons().find(is_broken_off))
}

/// Whether a document has a message, or a member named after an error, but nothing of an answer.
fn is_error_alone(members: &serde_json::Map<String, Value>) -> bool {
    let is_kept_alive = members.get("type").is_some_and(|it| it == "ping" || it == "heartbeat");
    let has_answer = ANSWER.iter().any(|name| members.get(*name).is_some_and(|it| !it.is_null()))
        || members.get("message").is_some_and(Value::is_object)
        || members.get("content").is_some_and(|it| it.is_array() || it.is_string());
    if has_answer || is_kept_alive {
        return false;
    }
    let tells = |name: &&str| {
        members.get(*name).is_some_and(|it| (it.is_string() || it.is_array()) && is_filled(it))
    };
    ALONE.iter().any(tells)
        || members
            .iter()
            .any(|(name, value)| name.to_lowercase().starts_with("error") && is_filled(value))
}

fn is_filled(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Bool(true) => true,
        Value::Number(_) => is_code(value),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
    }
}

/// Whether a code is not that of a success.
fn is_code(code: &Value) -> bool {
    let number = code.as_i64().or_else(|| code.as_str()?.parse().ok());
    match number {
        Some(number) => number != 0 && !(200..300).contains(&number),
        None => code.as_str().is_some_and(|text| !text.is_empty()),
    }
}

/// The message of an error, wherever the vendor puts it.
fn message_of(error: &Value) -> Option<String> {
    match error {
        Value::String(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
        Value::Array(items) => items.iter().find_map(message_of),
        Value::Object(members) => TOLD.iter().find_map(|name| message_of(members.get(*name)?)),
        _ => None,
    }
}

/// The member that is named after an error, as Ollama has written its own; or a short form of it all.
fn odd_member(body: &Value) -> String {
    let members = body.as_object().into_iter().flatten();
    let is_named = |(name, value): &(&String, &Value)| {
        name.to_lowercase().starts_with("error") && is_filled(value)
    };
    match members.into_iter().find(is_named) {
        Some((name, value)) => format!("{name}: {}", flat_text(value)),
        None => shorten(&body.to_string(), 300),
    }
}

fn name_or_number(code: &Value) -> Option<String> {
    match code {
        Value::String(name) if !name.is_empty() => Some(name.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Whether an error says that the model's call could not be parsed.
fn is_malformed(text: &str) -> bool {
    let text = text.to_lowercase();
    // Such an error is about a message of the prompt.
    if text.contains("messages[") {
        return false;
    }
    MALFORMED.iter().any(|phrase| text.contains(phrase))
        || PARSE.iter().any(|verb| {
            text.match_indices(verb).any(|(at, verb)| {
                let rest = text.get(at + verb.len()..).unwrap_or_default();
                CALLS.iter().any(|call| rest.find(call).is_some_and(|at| at <= NEAR))
            })
        })
}

/// The model's text as the server quotes it, or else the whole message.
fn quoted(text: &str) -> String {
    let found = QUOTES.iter().find_map(|(before, after)| {
        let (_, rest) = text.split_once(before)?;
        if after.is_empty() {
            return rest.split_once(": ").map(|(_, said)| said);
        }
        rest.rfind(after).and_then(|end| rest.get(..end))
    });
    found.unwrap_or(text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn errors_are_recognized_in_every_shape() {
        for (body, part) in [
            (json!({"error": {"message": "boom", "code": 502}}), "boom"),
            (json!({"error": "boom"}), "boom"),
            (json!({"error": true, "message": "boom"}), "boom"),
            (json!({"errors": [{"message": "boom"}]}), "boom"),
            (json!([{"error": {"message": "boom"}}]), "boom"),
            (json!({"object": "error", "message": "boom", "code": 50001}), "boom"),
            (json!({"type": "error", "message": "boom"}), "boom"),
            (json!({"text": "boom", "error_code": 50001}), "boom"),
            (json!({"detail": "boom"}), "boom"),
            (json!({"detail": [{"loc": ["body"], "msg": "boom"}]}), "boom"),
            (json!({"message": "boom", "code": "Throttling"}), "boom"),
            (json!({"code": 1302, "msg": "boom"}), "boom"),
            (
                json!({"choices": null, "base_resp": {"status_code": 1002, "status_msg": "boom"}}),
                "boom",
            ),
            (json!({"fault": {"faultstring": "boom"}}), "boom"),
            (json!({"success": false, "message": "boom"}), "boom"),
            (json!({"status": "failed", "error": null, "output": []}), "failed"),
            (
                json!({"choices": [{"error": {"message": "boom"}, "message": {"content": ""}}]}),
                "boom",
            ),
            (json!({"choices": [{"delta": {"error": {"message": "boom"}}}]}), "boom"),
            (json!({"choices": [{"finish_reason": "error", "delta": {"content": ""}}]}), "error"),
            (
                json!({"choices": [{"finish_reason": "insufficient_system_resource"}]}),
                "insufficient",
            ),
            (json!({"message": {"content": ""}, "done": true, "done_reason": "load"}), "load"),
            (json!({"type": "message_delta", "delta": {"stop_reason": "error"}}), "error"),
            (
                json!({"error": {"message": "Provider returned error", "metadata": {"raw": "boom"}}}),
                "boom",
            ),
        ] {
            let found = reported(&body).unwrap_or_else(|| panic!("{body}"));
            assert!(found.text.contains(part), "{body}: {found:?}");
            assert_eq!(found.malformed, None, "{body}");
        }
    }

    #[test]
    fn answers_and_their_parts_are_no_errors() {
        for body in [
            json!({"choices": [{"message": {"content": "error", "error": null}, "finish_reason": "stop"}], "error": null}),
            json!({"choices": [], "usage": {"prompt_tokens": 3}, "error_code": 0}),
            json!({"choices": [{"delta": {"content": "an error"}, "finish_reason": null}], "error": ""}),
            json!({"id": "a", "object": "chat.completion.chunk", "choices": []}),
            json!({"status": "completed", "error": null, "output": []}),
            json!({"type": "response.created", "response": {"status": "in_progress", "error": null}}),
            json!({"type": "response.output_text.done", "text": "error"}),
            json!({"type": "message_start", "message": {"content": [], "stop_reason": null}}),
            json!({"type": "content_block_delta", "delta": {"type": "text_delta", "text": "x"}}),
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
            json!({"type": "ping"}),
            json!({"type": "message_stop"}),
            json!({"type": "message", "content": [{"type": "text", "text": "error"}], "stop_reason": "end_turn"}),
            json!({"message": {"role": "assistant", "content": "hi"}, "done": false}),
            json!({"model": "m", "done": true, "done_reason": "stop"}),
            json!({"base_resp": {"status_code": 0, "status_msg": ""}, "choices": []}),
            json!({"code": 200, "choices": [], "success": true}),
            json!({}),
            json!([]),
            json!(null),
            json!("error"),
        ] {
            assert_eq!(reported(&body), None, "{body}");
        }
    }

    #[test]
    fn a_call_that_the_server_could_not_parse_is_the_models() {
        for (body, said) in [
            (
                json!({"error": "error parsing tool call: raw='{\"time\": 2024}]', err=invalid character"}),
                "{\"time\": 2024}]",
            ),
            (
                json!({"error parsing tool call": "invalid character 'c'"}),
                "error parsing tool call: invalid character 'c'",
            ),
            (
                json!({"error": "XML syntax error on line 3: element <function> closed by </parameter>"}),
                "XML syntax error on line 3: element <function> closed by </parameter>",
            ),
            (
                json!({"error": {"code": 500, "message": "Failed to parse input at pos 12: <tool_call>\n<f"}}),
                "<tool_call>\n<f",
            ),
            (
                json!({"error": {"code": "tool_use_failed", "message": "Failed to call a function.", "failed_generation": "<function=A{"}}),
                "<function=A{",
            ),
            (
                json!({"error": {"message": "Unable to parse the model's tool call"}}),
                "Unable to parse the model's tool call",
            ),
            (
                json!({"choices": [{"finish_reason": "function_call_filter: MALFORMED_FUNCTION_CALL", "message": {}}]}),
                "MALFORMED",
            ),
            (
                json!({"choices": [{"finish_reason": "error", "native_finish_reason": "MALFORMED_FUNCTION_CALL"}]}),
                "MALFORMED",
            ),
            (json!({"detail": "Could not parse tool call: x"}), "Could not parse tool call: x"),
        ] {
            let found = reported(&body).unwrap_or_else(|| panic!("{body}"));
            let answer = found.answer().unwrap_or_else(|| panic!("{body}"));
            assert!(answer.text.contains(said), "{body}: {answer:?}");
            assert!(answer.fault.is_some());
        }
        for (text, why) in [
            ("\"auto\" tool choice requires --tool-call-parser to be set", "a setting"),
            (
                "messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
                "the prompt",
            ),
            ("Failed to parse tool call arguments in messages[3]", "the prompt"),
            ("Could not parse the request body", "the request"),
        ] {
            let body = json!({"error": {"message": text}});
            assert_eq!(reported(&body).unwrap().malformed, None, "{why}");
        }
    }
}
