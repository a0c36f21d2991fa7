//! Interprets a response without an answer: who is at fault, the fix, and the refused parameter.

use super::fault::{Reported, as_error, reported, unwrapped};
use super::limits::Limit;
use super::{Absence, Endpoint, Failure, FailureClass, HttpResponse, lenient};
use exchange::{Answer, shorten};
use serde_json::Value;

/// The details of an error body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Detail {
    /// The parameter that the endpoint names explicitly.
    param: Option<String>,
    /// The message, or the whole error if there is none.
    text: String,
}

/// Parameters whose names are common words: they match only in quotes.
const EVERYDAY: [&str; 8] =
    ["text", "include", "stop", "format", "stream", "store", "think", "truncate"];

impl Failure {
    /// The parameter among `optional` that the endpoint refused.
    pub fn refused_parameter<'a>(&self, optional: &'a [String]) -> Option<&'a str> {
        let detail = self.detail.as_ref().filter(|_| matches!(self.status, Some(400 | 422)))?;
        if self.limit().is_some() {
            return None;
        }
        let pointed = detail.param.as_ref().and_then(|param| {
            // `response_format.json_schema` belongs to `response_format`.
            let head = param.split(['.', '[']).next();
            optional.iter().find(|name| Some(name.as_str()) == head)
        });
        pointed
            .or_else(|| optional.iter().find(|name| names(&detail.text, name)))
            .map(String::as_str)
    }

    /// The limit that the request exceeds, if the endpoint names one.
    pub(crate) fn limit(&self) -> Option<Limit> {
        Limit::named(&self.detail.as_ref()?.text)
    }
}

/// Whether a text names a parameter: as a whole word, or in quotes if the name is a common word.
fn names(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        if EVERYDAY.contains(&name) {
            return before.is_some_and(is_quote) && after.is_some_and(is_quote);
        }
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`')
}

/// Parses a response as JSON.
///
/// # Errors
/// When the status is an error, or the body is not JSON.
pub(super) fn read(response: &HttpResponse) -> Result<Value, Failure> {
    if !(200..300).contains(&response.status) {
        return Err(status_failure(response));
    }
    let with_status = |failure: Failure| Failure { status: Some(response.status), ..failure };
    let body = lenient::parse(&response.body).map_err(|error| {
        if response.body.trim_start().starts_with('<') {
            return with_status(Failure::configuration(
                "The address answers with a web page, not with JSON. Check it: the API's address \
                 usually ends in /v1.",
            ));
        }
        with_status(Failure::infrastructure(format!(
            "The endpoint's answer is no valid JSON ({error}): {}",
            shorten(&response.body, 120)
        )))
    })?;
    match reported(&body) {
        Some(error) => Err(with_status(told_failure(&error))),
        None => Ok(body),
    }
}

/// The failure for an error whose status says nothing.
pub(super) fn told_failure(error: &Reported) -> Failure {
    let text = shorten(&error.text, 300);
    let Some(status) = error.status() else {
        return Failure::infrastructure(format!("The endpoint answered with an error: {text}"));
    };
    let limit = Limit::named(&error.text);
    let (class, message) = explained(status, limit, &format!(" It says: {text}"));
    Failure {
        class,
        retry: class == FailureClass::Infrastructure,
        throttled: matches!(status, 429 | 529),
        detail: Some(Box::new(Detail { param: None, text: error.text.clone() })),
        ..Failure::infrastructure(message)
    }
}

/// Decodes the answer of an endpoint. A model's own failure that a vendor reports as an error counts as
/// an answer too.
pub(super) fn or_answer(response: &HttpResponse, endpoint: &Endpoint) -> Result<Answer, Failure> {
    match read(response) {
        Ok(body) => endpoint
            .decode_body(&body)
            .map_err(|failure| Failure { status: Some(response.status), ..failure }),
        Err(failure) => malformed(response, endpoint).ok_or(failure),
    }
}

/// Statuses that say who may ask, not what the model answered.
const DOORS: [u16; 6] = [401, 402, 403, 404, 405, 429];

/// The answer in a response that reports that the model's call could not be parsed (Groq's
/// `tool_use_failed`, Ollama's and llama.cpp's errors). It is the model's failure, scored as text.
fn malformed(response: &HttpResponse, endpoint: &Endpoint) -> Option<Answer> {
    if DOORS.contains(&response.status) {
        return None;
    }
    let body = lenient::parse(&response.body).unwrap_or_else(|_| response.body.as_str().into());
    let error = match (200..300).contains(&response.status) {
        true => reported(&body)?,
        false => as_error(&body),
    };
    Some(with_partial(error.answer()?, endpoint.decode_parts(&body).ok()))
}

/// Adds what the model had said before the call that could not be parsed.
pub(super) fn with_partial(answer: Answer, partial: Option<Answer>) -> Answer {
    let Some(partial) = partial else { return answer };
    let text = match partial.text.trim() {
        "" => answer.text,
        _ if answer.text.contains(&partial.text) => answer.text,
        _ => format!("{}\n{}", partial.text, answer.text),
    };
    Answer { text, reasoning: partial.reasoning, usage: partial.usage, ..answer }
}

/// The failure for a body of unexpected shape.
pub(super) fn unexpected(expected: &str, body: &Value) -> Failure {
    Failure::infrastructure(format!(
        "The endpoint's answer has another shape: expected {expected}, got {}",
        shorten(&body.to_string(), 120)
    ))
}

/// The failure for a status code, for any provider.
fn status_failure(response: &HttpResponse) -> Failure {
    let body: Option<Value> = lenient::parse(&response.body).ok();
    let text = body.as_ref().map(|body| as_error(body).text);
    let quote =
        text.as_deref().map_or(String::new(), |text| format!(" It says: {}", shorten(text, 300)));
    let status = response.status;
    let detail = body.as_ref().map(|body| Detail {
        param: param(body),
        text: shorten(text.as_deref().unwrap_or(&response.body), 4000),
    });
    let limit = detail.as_ref().and_then(|detail| Limit::named(&detail.text));
    // OpenAI's response to an account without credit: waiting does not help.
    let no_credit = status == 429 && body.as_ref().is_some_and(is_out_of_credit);
    let meant = match status {
        _ if no_credit => 402,
        // Gemini's response to a wrong key.
        400 if text.as_deref().is_some_and(is_about_key) => 401,
        status => status,
    };
    let (class, message) = explained(meant, limit, &quote);
    Failure {
        class,
        retry: class == FailureClass::Infrastructure,
        retry_after: response.retry_after,
        // 529 is Anthropic's status for an overloaded server. A 503 may mean a broken server; with
        // Retry-After it means a busy one.
        throttled: matches!(meant, 429 | 529) || (status == 503 && response.retry_after.is_some()),
        absence: absence(status, text.as_deref().unwrap_or(&response.body)),
        status: Some(status),
        detail: detail.map(Box::new),
        ..Failure::infrastructure(message)
    }
}

/// What servers say while they load a model, in lower case.
const LOADING: [&str; 6] =
    ["loading", "warming up", "starting up", "is starting", "not ready", "being loaded"];

/// Whether a status says that the server answers nobody for now.
fn absence(status: u16, text: &str) -> Option<Absence> {
    let text = text.to_lowercase();
    let is_loading = LOADING.iter().any(|phrase| text.contains(phrase));
    match status {
        503 if is_loading => Some(Absence::Loading),
        503 => Some(Absence::NotReady),
        _ => None,
    }
}

fn explained(status: u16, limit: Option<Limit>, quote: &str) -> (FailureClass, String) {
    use FailureClass::{Configuration, Infrastructure};
    match status {
        400 | 402 | 403 | 413 | 422 | 500 if let Some(limit) = limit => {
            (Configuration, format!("{} (HTTP {status}).{quote}", exceeded(limit)))
        }
        400 | 422 | 500 if is_about_roles(quote) => (
            Configuration,
            format!(
                "The model's chat template refuses a role (HTTP {status}). Fold system messages and \
                 tool results into the user's turns (--fold-roles).{quote}"
            ),
        ),
        401 | 403 => (
            Configuration,
            format!(
                "The endpoint refused the key (HTTP {status}). Check the API key and what it may \
                 use.{quote}"
            ),
        ),
        402 => (Configuration, format!("The account has no credit left (HTTP 402 or 429).{quote}")),
        404 if quote.contains("tool") => (
            Configuration,
            format!("The endpoint has no model that takes this request (HTTP {status}).{quote}"),
        ),
        404 | 405 => (
            Configuration,
            format!(
                "The endpoint does not know this address or model (HTTP {status}). Check both; the \
                 address usually ends in /v1.{quote}"
            ),
        ),
        429 => (
            Infrastructure,
            format!(
                "The endpoint asks for fewer requests (HTTP 429). Lower the concurrency or \
                 wait.{quote}"
            ),
        ),
        408 | 409 | 425 | 500..=599 => {
            (Infrastructure, format!("The endpoint failed (HTTP {status}).{quote}"))
        }
        _ => (
            Configuration,
            match quote {
                "" => format!(
                    "The endpoint refused the request (HTTP {status}). Check address, model and \
                     sampling."
                ),
                quote => format!("The endpoint refused the request (HTTP {status}).{quote}"),
            },
        ),
    }
}

/// What a limit means, without a full stop.
fn exceeded(limit: Limit) -> String {
    match limit {
        Limit::Context => {
            "The prompt and the longest answer do not fit the model's context. Start the \
                           server with a longer context, or lower the longest answer"
                .to_owned()
        }
        Limit::Answer => "The longest answer is longer than the model's. Lower it".to_owned(),
        Limit::Credit(Some(tokens)) => {
            format!("The account's credit covers {tokens} tokens. Lower the longest answer to that")
        }
        Limit::Credit(None) => {
            "The account's credit does not cover the longest answer. Lower it".to_owned()
        }
    }
}

fn is_about_key(text: &str) -> bool {
    let text = text.to_lowercase();
    let wrong = ["not valid", "invalid", "incorrect", "expired"];
    text.contains("api key") && wrong.iter().any(|word| text.contains(word))
}

/// What chat templates say of a role that they lack, in lower case.
const ROLES: [&str; 8] = [
    "system role",
    "tool role",
    "role not supported",
    "role is not supported",
    "roles must alternate",
    "roles are supported",
    "unexpected role",
    "unknown role",
];

fn is_about_roles(text: &str) -> bool {
    let text = text.to_lowercase();
    ROLES.iter().any(|phrase| text.contains(phrase))
}

fn is_out_of_credit(body: &Value) -> bool {
    let body = unwrapped(body);
    let named = |name| body.get("error").and_then(|error| error.get(name)).and_then(Value::as_str);
    [named("code"), named("type")].contains(&Some("insufficient_quota"))
}

/// The parameter that an error body names: `error.param`, or the last element of FastAPI's `loc`.
fn param(body: &Value) -> Option<String> {
    let body = unwrapped(body);
    let error = body.get("error").unwrap_or(body);
    let named = error.get("param").and_then(Value::as_str);
    let located = || {
        let message = body.get("message").unwrap_or(body);
        let loc = message.get("detail").or(body.get("detail"))?.get(0)?.get("loc")?;
        loc.as_array()?.iter().filter_map(Value::as_str).find(|part| *part != "body")
    };
    named.or_else(located).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use FailureClass::{Configuration, Infrastructure};
    use serde_json::json;

    fn response(status: u16, body: &str) -> HttpResponse {
        HttpResponse { status, retry_after: None, body: body.to_owned() }
    }

    #[test]
    fn every_failure_has_a_class_and_a_remedy() {
        for (status, body, class, part) in [
            (401, r#"{"error": {"message": "bad key"}}"#, Configuration, "bad key"),
            (402, "", Configuration, "credit"),
            (429, r#"{"error": {"code": "insufficient_quota"}}"#, Configuration, "credit"),
            (404, "", Configuration, "/v1"),
            (429, "", Infrastructure, "concurrency"),
            (500, "oops", Infrastructure, "500"),
            (529, "", Infrastructure, "529"),
            (400, r#"{"error": "no such parameter"}"#, Configuration, "no such parameter"),
            (
                400,
                r#"{"error": {"message": "exceeds the available context size"}}"#,
                Configuration,
                "longer context",
            ),
            (400, r#"{"message": "System role not supported"}"#, Configuration, "--fold-roles"),
            (500, r#"{"error": "Unexpected role: tool"}"#, Configuration, "--fold-roles"),
            (
                400,
                r#"{"message": "Conversation roles must alternate user/assistant"}"#,
                Configuration,
                "--fold-roles",
            ),
            (
                500,
                r#"{"error": "Only user and assistant roles are supported!"}"#,
                Configuration,
                "--fold-roles",
            ),
            (200, "<!doctype html>", Configuration, "web page"),
            (200, "{\"choices\": [", Infrastructure, "no valid JSON"),
            (200, r#"{"error": {"message": "loading"}}"#, Infrastructure, "loading"),
        ] {
            let failure = read(&response(status, body)).unwrap_err();
            assert_eq!(failure.class, class, "{status} {body}");
            assert!(failure.message.contains(part), "{}", failure.message);
            assert_eq!(failure.status, Some(status));
            assert_eq!(failure.retry, class == Infrastructure);
        }
    }

    #[test]
    fn busy_and_broken_servers_are_distinguished() {
        let wait = Some(std::time::Duration::from_secs(3));
        for (status, retry_after, throttled) in [
            (429, None, true),
            (529, None, true),
            (503, wait, true),
            (503, None, false),
            (500, wait, false),
        ] {
            let response = HttpResponse { retry_after, ..response(status, "") };
            assert_eq!(read(&response).unwrap_err().throttled, throttled, "{status}");
        }
        let spent = read(&response(429, r#"{"error": {"type": "insufficient_quota"}}"#));
        assert!(!spent.unwrap_err().throttled);
    }

    #[test]
    fn the_refused_parameter_is_found() {
        let optional = ["temperature", "max_tokens", "stop", "stream", "seed"].map(str::to_owned);
        for (body, expected) in [
            (json!({"error": {"message": "no", "param": "temperature"}}), Some("temperature")),
            (
                json!({"error": {"message": "`temperature` is deprecated for this model."}}),
                Some("temperature"),
            ),
            (
                json!({"error": {"message": "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "param": null}}),
                Some("max_tokens"),
            ),
            (
                json!({"detail": [{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]}),
                Some("seed"),
            ),
            (
                json!({"message": {"detail": [{"loc": ["body", "seed"], "msg": "no"}]}}),
                Some("seed"),
            ),
            (json!({"error": {"message": "please stop asking"}}), None),
            (json!({"error": {"message": "'stop' is unknown"}}), Some("stop")),
            (json!({"error": {"message": "the tempo_temperature is odd"}}), None),
            (
                json!({"error": {"message": "max_tokens is too large: maximum context length is 9"}}),
                None,
            ),
            (json!({"error": {"message": "messages: at least one"}}), None),
        ] {
            let failure = read(&response(400, &body.to_string())).unwrap_err();
            assert_eq!(failure.refused_parameter(&optional), expected, "{body}");
        }
        let other = read(&response(500, r#"{"error": {"param": "seed"}}"#)).unwrap_err();
        assert_eq!(other.refused_parameter(&optional), None);
    }

    #[test]
    fn a_call_that_the_vendor_could_not_parse_is_the_models_answer() {
        let body = r#"{"error": {"message": "Failed to call a function.", "code": "tool_use_failed",
            "type": "invalid_request_error", "failed_generation": "<function=AddAlarm{"}}"#;
        let answer = or_answer(&response(400, body), &Endpoint::default()).unwrap();
        assert_eq!(answer.text, "<function=AddAlarm{");
        assert!(answer.fault.unwrap().starts_with("tool_use_failed"));
    }
}
