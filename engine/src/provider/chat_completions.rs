//! Chat Completions, the wire format of OpenAI and of most servers that people run.
//!
//! Source: the vendors' API references; what differs between them is in comments.

use super::{Answer, Failure, HttpRequest, HttpResponse, Usage, shorten, status_failure};
use crate::protocol::Message;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// An endpoint. The key is kept apart from everything that is saved.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Endpoint {
    /// Address up to the version, for example `http://localhost:11434/v1`.
    pub base_url: String,
    /// Name of the model.
    pub model: String,
    /// Sampling temperature; `None` leaves it to the endpoint.
    pub temperature: Option<f64>,
    /// Longest answer in tokens; `None` leaves it to the endpoint.
    pub max_tokens: Option<u32>,
}

impl Endpoint {
    /// The address of `path`, whether or not the base ends in a slash or in the path itself.
    fn address(&self, path: &str) -> String {
        let base = self.base_url.trim().trim_end_matches('/');
        let base = base.strip_suffix("/chat/completions").unwrap_or(base);
        format!("{base}/{path}")
    }

    /// Checks what can be checked without sending anything.
    ///
    /// # Errors
    /// A configuration failure that names the field and the remedy.
    pub fn check(&self) -> Result<(), Failure> {
        let url = self.base_url.trim();
        let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
        match rest {
            None => Err(Failure::configuration(format!(
                "Address: expected one that starts with http:// or https://, got {:?}.",
                shorten(url, 80)
            ))),
            Some(rest) if rest.split('/').next().is_none_or(str::is_empty) => {
                Err(Failure::configuration("Address: the host is missing.".to_owned()))
            }
            Some(rest) if rest.split('/').next().is_some_and(|host| host.contains('@')) => {
                Err(Failure::configuration(
                    "Address: a user name or password must not be in it. Put the key into its own \
                     field."
                        .to_owned(),
                ))
            }
            Some(_) if self.model.trim().is_empty() => {
                Err(Failure::configuration("Model: the name is missing.".to_owned()))
            }
            Some(_) => Ok(()),
        }
    }

    /// The request for an answer.
    pub fn request(&self, messages: &[Message], key: Option<&str>) -> HttpRequest {
        let mut body = json!({"model": self.model.trim(), "messages": messages});
        if let Some(temperature) = self.temperature {
            body["temperature"] = json!(temperature);
        }
        if let Some(max_tokens) = self.max_tokens {
            // OpenAI's own models take the newer name; other servers know the older.
            let openai = self.base_url.contains("://api.openai.com");
            let name = if openai { "max_completion_tokens" } else { "max_tokens" };
            body[name] = json!(max_tokens);
        }
        let mut headers = authorization(key);
        headers.push(("Content-Type", "application/json".to_owned()));
        HttpRequest {
            method: "POST",
            url: self.address("chat/completions"),
            headers,
            body: Some(body.to_string()),
        }
    }

    /// The request for the list of models.
    pub fn models_request(&self, key: Option<&str>) -> HttpRequest {
        HttpRequest {
            method: "GET",
            url: self.address("models"),
            headers: authorization(key),
            body: None,
        }
    }
}

fn authorization(key: Option<&str>) -> Vec<(&'static str, String)> {
    match key.map(str::trim).filter(|key| !key.is_empty()) {
        Some(key) => vec![("Authorization", format!("Bearer {key}"))],
        None => Vec::new(),
    }
}

/// Reads the answer out of a response.
///
/// # Errors
/// When the status or the body says that there is none.
pub fn decode(response: &HttpResponse) -> Result<Answer, Failure> {
    let body = read(response)?;
    if let Some(error) = body.get("error").filter(|error| !error.is_null()) {
        let message = error.get("message").and_then(Value::as_str).unwrap_or("no message");
        return Err(Failure::infrastructure(format!(
            "The endpoint answered with an error: {}",
            shorten(message, 300)
        )));
    }
    let choice = body
        .get("choices")
        .and_then(|choices| choices.get(0))
        .ok_or_else(|| unexpected("choices with at least one entry", &response.body))?;
    let message = choice
        .get("message")
        .filter(|message| message.is_object())
        .ok_or_else(|| unexpected("a message in the first choice", &response.body))?;
    let text_of = |name: &str| message.get(name).and_then(content_text);
    Ok(Answer {
        text: text_of("content").unwrap_or_default(),
        calls: Vec::new(),
        raw: None,
        reasoning: text_of("reasoning_content").or_else(|| text_of("reasoning")),
        finish_reason: choice.get("finish_reason").and_then(Value::as_str).map(str::to_owned),
        usage: body.get("usage").and_then(usage),
    })
}

/// Content is a text, or parts of which some are texts.
fn content_text(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            Some(parts.iter().filter_map(|part| part.get("text")?.as_str()).collect())
        }
        _ => None,
    }
}

fn usage(usage: &Value) -> Option<Usage> {
    Some(Usage {
        prompt_tokens: usage.get("prompt_tokens")?.as_u64()?,
        completion_tokens: usage.get("completion_tokens")?.as_u64()?,
    })
}

/// Reads the names of the models out of a response.
///
/// # Errors
/// When the status or the body says that there are none.
pub fn decode_models(response: &HttpResponse) -> Result<Vec<String>, Failure> {
    let body = read(response)?;
    let list = body
        .get("data")
        .and_then(Value::as_array)
        .ok_or_else(|| unexpected("a list of models under data", &response.body))?;
    Ok(list.iter().filter_map(|model| model.get("id")?.as_str().map(str::to_owned)).collect())
}

fn read(response: &HttpResponse) -> Result<Value, Failure> {
    if !(200..300).contains(&response.status) {
        return Err(status_failure(response));
    }
    serde_json::from_str(&response.body).map_err(|error| {
        if response.body.trim_start().starts_with('<') {
            return Failure::configuration(
                "The address answers with a web page, not with JSON. Check it: the API's address \
                 usually ends in /v1."
                    .to_owned(),
            );
        }
        Failure::infrastructure(format!(
            "The endpoint's answer is no valid JSON ({error}): {}",
            shorten(&response.body, 120)
        ))
    })
}

fn unexpected(expected: &str, body: &str) -> Failure {
    Failure::infrastructure(format!(
        "The endpoint's answer has another shape: expected {expected}, got {}",
        shorten(body, 120)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::FailureClass;

    fn response(status: u16, body: &str) -> HttpResponse {
        HttpResponse { status, retry_after: None, body: body.to_owned() }
    }

    fn endpoint(base_url: &str) -> Endpoint {
        Endpoint { base_url: base_url.to_owned(), model: "m".to_owned(), ..Endpoint::default() }
    }

    #[test]
    fn the_request_carries_the_key_in_its_header_alone() {
        let endpoint = Endpoint { temperature: Some(0.0), ..endpoint("http://h/v1/") };
        let request = endpoint.request(&[], Some(" sk-1 "));
        assert_eq!(request.url, "http://h/v1/chat/completions");
        assert_eq!(request.headers[0], ("Authorization", "Bearer sk-1".to_owned()));
        let body = request.body.unwrap();
        assert_eq!(body, r#"{"model":"m","messages":[],"temperature":0.0}"#);
        assert_eq!(endpoint.models_request(None).headers, []);
        assert_eq!(super::Endpoint { ..endpoint }.models_request(None).url, "http://h/v1/models");
    }

    #[test]
    fn answers_are_read() {
        let body = r#"{"choices": [{"message": {"content": "hi", "reasoning_content": "hm"},
            "finish_reason": "stop"}], "usage": {"prompt_tokens": 3, "completion_tokens": 1}}"#;
        let answer = decode(&response(200, body)).unwrap();
        assert_eq!((answer.text.as_str(), answer.reasoning.as_deref()), ("hi", Some("hm")));
        assert_eq!(answer.usage.unwrap().prompt_tokens, 3);
        let empty = decode(&response(200, r#"{"choices": [{"message": {"content": null}}]}"#));
        assert_eq!(empty.unwrap().text, "");
    }

    #[test]
    fn every_failure_has_a_class_and_a_remedy() {
        use FailureClass::{Configuration, Infrastructure};
        for (status, body, class, part) in [
            (401, r#"{"error": {"message": "bad key"}}"#, Configuration, "bad key"),
            (404, "", Configuration, "/v1"),
            (429, "", Infrastructure, "concurrency"),
            (500, "oops", Infrastructure, "500"),
            (400, r#"{"error": "no such parameter"}"#, Configuration, "no such parameter"),
            (200, "<!doctype html>", Configuration, "web page"),
            (200, "{\"choices\": [", Infrastructure, "no valid JSON"),
            (200, "{}", Infrastructure, "expected choices"),
            (200, r#"{"choices": []}"#, Infrastructure, "expected choices"),
            (200, r#"{"error": {"message": "loading"}}"#, Infrastructure, "loading"),
        ] {
            let failure = decode(&response(status, body)).unwrap_err();
            assert_eq!(failure.class, class, "{status} {body}");
            assert!(failure.message.contains(part), "{}", failure.message);
        }
    }

    #[test]
    fn settings_are_checked_before_anything_is_sent() {
        for (url, part) in
            [("localhost:11434", "http://"), ("http://", "host"), ("http://me:pw@h/v1", "key")]
        {
            let message = endpoint(url).check().unwrap_err().message;
            assert!(message.contains(part), "{message}");
        }
        let nameless = Endpoint { base_url: "http://h".to_owned(), ..Endpoint::default() };
        assert!(nameless.check().unwrap_err().message.starts_with("Model"));
        assert_eq!(endpoint("https://h/v1").check(), Ok(()));
    }
}
