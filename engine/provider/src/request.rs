//! Builds an endpoint's requests and decodes the responses.

use super::endpoint::address_failure;
use super::fold::folded;
use super::wire::WireFormat;
use super::{
    ApiKey, Endpoint, Failure, HttpRequest, HttpResponse, Origin, error_response, extra, fault,
};
use apis::nesting::is_too_deep;
use exchange::Answer;
use exchange::protocol::Ask;
use serde_json::Value;
use std::collections::BTreeSet;

/// A request with its optional parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    /// The request.
    pub request: HttpRequest,
    /// Members of the body that the endpoint may refuse; the prompt is the same without them.
    pub optional: Vec<String>,
}

impl Endpoint {
    /// The path below the origin, without a trailing slash or a format's endpoint path: people
    /// paste addresses from examples.
    fn base_path<'a>(&self, path: &'a str) -> &'a str {
        let mut base = path.trim_end_matches('/');
        for format in WireFormat::ALL {
            let before = base.strip_suffix(format.facts().path);
            base = before.and_then(|before| before.strip_suffix('/')).unwrap_or(base);
        }
        let own = self.format.facts().own_prefixes;
        own.iter().find_map(|prefix| base.strip_suffix(prefix)).unwrap_or(base)
    }

    /// The base address, origin and path, and the query with its question mark, as Azure has one. The
    /// fragment is never sent.
    fn parts(&self) -> Result<(String, &str), Failure> {
        let (origin, rest) = Origin::split(&self.base_url).map_err(address_failure)?;
        let rest = rest.split('#').next().unwrap_or_default();
        let (path, query) = rest.split_at(rest.find('?').unwrap_or(rest.len()));
        Ok((format!("{origin}{}", self.base_path(path)), query))
    }

    /// The base address of all requests in one spelling: origin, path and query.
    ///
    /// # Errors
    /// A configuration failure when the address is invalid.
    pub fn base(&self) -> Result<String, Failure> {
        let (base, query) = self.parts()?;
        Ok(base + query)
    }

    /// The address of `path`.
    fn address(&self, path: &str) -> Result<String, Failure> {
        let (base, query) = self.parts()?;
        Ok(format!("{base}/{path}{query}"))
    }

    /// The address that prompts go to.
    ///
    /// # Errors
    /// As [`Endpoint::base`].
    pub fn prompt_address(&self) -> Result<String, Failure> {
        self.address(self.format.facts().path)
    }

    /// Whether it has the address of its own preset, or of the one that the address names.
    pub fn is_at_own_address(&self) -> bool {
        let own = Endpoint { base_url: self.server().facts().address.to_owned(), ..self.clone() };
        self.base().is_ok_and(|base| own.base().is_ok_and(|own| own == base))
    }

    /// The request for an answer, without the members named in `dropped`.
    ///
    /// # Errors
    /// A configuration failure when the format does not support the request.
    pub fn request(
        &self,
        ask: &Ask,
        key: Option<&ApiKey>,
        dropped: &BTreeSet<String>,
    ) -> Result<Prepared, Failure> {
        let url = self.prompt_address()?;
        let folded = self.fold_roles.then(|| folded(ask));
        let ask = folded.as_ref().unwrap_or(ask);
        let (wire, facts) = (self.format.wire(), self.format.facts());
        let is_required = |name: &str| facts.required.contains(&name);
        let mut body = wire.body(self, ask)?;
        for (name, newer) in facts.renamed.iter().filter(|(name, _)| dropped.contains(*name)) {
            let value = body.remove(*name);
            body.extend(value.map(|value| ((*newer).to_owned(), value)));
        }
        extra::add(&mut body, &self.extra);
        body.retain(|name, _| is_required(name) || !dropped.contains(name));
        let optional = body.keys().filter(|name| !is_required(name)).cloned().collect();
        let mut headers = self.authorization(key, &url)?;
        headers.push(("Content-Type", "application/json".to_owned()));
        let request = HttpRequest {
            method: "POST",
            url,
            headers,
            body: Some(Value::Object(body).to_string()),
        };
        Ok(Prepared { request, optional })
    }

    /// The request for the list of models.
    ///
    /// # Errors
    /// A configuration failure when the address is invalid or the key belongs to another origin.
    pub fn models_request(&self, key: Option<&ApiKey>) -> Result<HttpRequest, Failure> {
        let (base, query) = self.parts()?;
        // Azure lists the models of a resource, not of a deployment.
        let base = base.split_once("/deployments/").map_or(base.as_str(), |(base, _)| base);
        self.get(key, format!("{base}/{}{query}", self.format.facts().models_path))
    }

    /// The request for llama-server's properties, served outside `/v1`.
    ///
    /// # Errors
    /// As [`Endpoint::models_request`].
    pub(super) fn props_request(&self, key: Option<&ApiKey>) -> Result<HttpRequest, Failure> {
        let (base, query) = self.parts()?;
        self.get(key, format!("{}/props{query}", base.strip_suffix("/v1").unwrap_or(&base)))
    }

    fn get(&self, key: Option<&ApiKey>, url: String) -> Result<HttpRequest, Failure> {
        let headers = self.authorization(key, &url)?;
        Ok(HttpRequest { method: "GET", url, headers, body: None })
    }

    fn authorization(
        &self,
        key: Option<&ApiKey>,
        url: &str,
    ) -> Result<Vec<(&'static str, String)>, Failure> {
        let key = key.map(|key| key.for_request(url)).transpose()?;
        Ok(self.format.wire().headers(self, key))
    }

    /// Decodes the answer from a complete response.
    ///
    /// # Errors
    /// When the status or the body is an error.
    pub fn decode(&self, response: &HttpResponse) -> Result<Answer, Failure> {
        error_response::or_answer(response, self)
    }

    /// Decodes the answer from a successful body.
    pub(super) fn decode_body(&self, body: &Value) -> Result<Answer, Failure> {
        if let Some(error) = fault::reported(body) {
            return error.answer().ok_or_else(|| error_response::told_failure(&error));
        }
        let answer = self.decode_parts(body)?;
        if answer.is_empty() && answer.finish_reason.is_none() {
            return Err(Failure::infrastructure(
                "The endpoint ended the answer before it began: no text, no call, and no reason.",
            ));
        }
        Ok(answer)
    }

    /// Decodes what a body has of an answer.
    pub(super) fn decode_parts(&self, body: &Value) -> Result<Answer, Failure> {
        let mut answer = self.format.wire().decode(body)?;
        // A record with it could not be read back; text and calls are stored separately.
        answer.raw = answer.raw.filter(|raw| !is_too_deep(raw));
        Ok(answer.without_reasoning_in_text())
    }
}

/// A model that an endpoint lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelFacts {
    /// Its name.
    pub name: String,
    /// The context length in tokens, if the list includes it.
    pub context: Option<u64>,
}

/// Fields of the context length: vLLM, OpenRouter and Together, Groq, Mistral, others.
const CONTEXT: [&str; 6] = [
    "max_model_len",
    "context_length",
    "context_window",
    "max_context_length",
    "max_input_tokens",
    "n_ctx",
];

/// Decodes the list of models.
///
/// # Errors
/// When the status or the body is an error.
pub fn decode_models(response: &HttpResponse) -> Result<Vec<ModelFacts>, Failure> {
    let body = error_response::read(response)?;
    let under = ["data", "models"].iter().find_map(|name| body.get(*name));
    match under.unwrap_or(&body) {
        Value::Array(list) => Ok(list.iter().filter_map(model_facts).collect()),
        // Ollama's /v1 without models.
        Value::Null => Ok(Vec::new()),
        _ => Err(error_response::unexpected(
            "a list of models, alone or under data or models",
            &body,
        )),
    }
}

fn model_facts(model: &Value) -> Option<ModelFacts> {
    let name = model.get("id").or_else(|| model.get("name"))?.as_str()?;
    // llama-server reports the context length that it was started with.
    let here = || model.get("meta")?.get("n_ctx")?.as_u64();
    let listed = CONTEXT.iter().find_map(|name| model.get(*name)?.as_u64());
    Some(ModelFacts { name: name.to_owned(), context: here().or(listed) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use exchange::protocol::{Message, Role};
    use serde_json::Map;

    fn endpoint(base_url: &str) -> Endpoint {
        Endpoint { base_url: base_url.to_owned(), model: "m".to_owned(), ..Endpoint::default() }
    }

    fn key(address: &str) -> ApiKey {
        ApiKey::new(Origin::of(address).unwrap(), " sk-1 ").unwrap().unwrap()
    }

    fn ask() -> Ask {
        Ask { messages: vec![Message::text(Role::User, "hi")], ..Ask::default() }
    }

    #[test]
    fn the_key_is_only_in_its_header() {
        let endpoint = Endpoint { temperature: Some(0.0), ..endpoint("http://h/v1/") };
        let none = BTreeSet::new();
        let Prepared { request, optional } =
            endpoint.request(&ask(), Some(&key("http://h")), &none).unwrap();
        assert_eq!(request.url, "http://h/v1/chat/completions");
        assert_eq!(request.headers[0], ("Authorization", "Bearer sk-1".to_owned()));
        assert!(!request.body.unwrap().contains("sk-1"));
        assert_eq!(optional, ["temperature"]);
        let models = endpoint.models_request(None).unwrap();
        assert_eq!((models.url.as_str(), models.headers.len()), ("http://h/v1/models", 0));
    }

    #[test]
    fn no_format_gives_the_key_to_another_origin() {
        let foreign = key("https://api.example");
        for format in WireFormat::ALL {
            let endpoint = Endpoint { format, ..endpoint("http://h/v1") };
            for key in [Some(&foreign), Some(&key("https://h")), Some(&key("http://h:8080"))] {
                let failure = endpoint.request(&ask(), key, &BTreeSet::new()).unwrap_err();
                assert!(failure.message.contains("http://h"), "{failure}");
                assert!(endpoint.models_request(key).is_err());
                assert!(endpoint.props_request(key).is_err());
            }
            let sent = endpoint.request(&ask(), Some(&key("http://h/")), &BTreeSet::new()).unwrap();
            let named = |(_, value): &(&str, String)| value.contains("sk-1");
            assert_eq!(sent.request.headers.iter().filter(|header| named(header)).count(), 1);
        }
    }

    #[test]
    fn a_host_in_another_script_is_sent_in_punycode() {
        // The first letter is Cyrillic.
        let endpoint = endpoint("https://\u{430}pi.openai.com/v1/");
        let url = endpoint.models_request(None).unwrap().url;
        assert_eq!(url, "https://xn--pi-6kc.openai.com/v1/models");
    }

    #[test]
    fn models_are_decoded_from_every_list() {
        for (body, expected) in [
            (r#"{"data": [{"id": "a", "meta": {"n_ctx": 4096}}, {"no": 1}]}"#, [("a", Some(4096))]),
            (r#"{"models": [{"name": "b:latest"}]}"#, [("b:latest", None)]),
            (r#"{"data": [{"id": "c", "max_model_len": 8192}]}"#, [("c", Some(8192))]),
            (r#"[{"id": "d", "object": "model", "context_length": 9}]"#, [("d", Some(9))]),
        ] {
            let response = HttpResponse { status: 200, retry_after: None, body: body.to_owned() };
            let models = decode_models(&response).unwrap();
            let read: Vec<_> = models.iter().map(|it| (it.name.as_str(), it.context)).collect();
            assert_eq!(read, expected);
        }
        for (body, is_list) in [
            (r#"{"object": "list", "data": null}"#, true),
            ("[]", true),
            (r#"{"models": []}"#, true),
            (r#"{"object": "list"}"#, false),
            (r#"[{"error": {"code": 400, "message": "API key not valid"}}]"#, false),
        ] {
            let response = HttpResponse { status: 200, retry_after: None, body: body.to_owned() };
            assert_eq!(decode_models(&response).is_ok_and(|it| it.is_empty()), is_list, "{body}");
        }
    }

    #[test]
    fn the_query_of_an_address_follows_the_path() {
        let azure =
            "https://r.openai.azure.com/openai/deployments/gpt-4o/chat/completions?api-version=1#x";
        let endpoint = endpoint(azure);
        let request = endpoint.request(&ask(), None, &BTreeSet::new()).unwrap().request;
        let base = "https://r.openai.azure.com/openai";
        assert_eq!(
            request.url,
            format!("{base}/deployments/gpt-4o/chat/completions?api-version=1")
        );
        let models = endpoint.models_request(None).unwrap().url;
        assert_eq!(models, format!("{base}/models?api-version=1"));
        let bare = self::endpoint("https://h?v=1");
        assert_eq!(bare.models_request(None).unwrap().url, "https://h/models?v=1");
    }

    #[test]
    fn addresses_work_with_and_without_their_path() {
        for (given, chat, ollama) in [
            ("http://h:1/", "http://h:1/chat/completions", "http://h:1/api/chat"),
            (" http://h:1/v1 ", "http://h:1/v1/chat/completions", "http://h:1/api/chat"),
            ("http://h:1/v1/responses", "http://h:1/v1/chat/completions", "http://h:1/api/chat"),
            ("http://h:1/api/chat/", "http://h:1/chat/completions", "http://h:1/api/chat"),
        ] {
            let url = |format| {
                let endpoint = Endpoint { format, ..endpoint(given) };
                endpoint.request(&ask(), None, &BTreeSet::new()).unwrap().request.url
            };
            assert_eq!(url(WireFormat::ChatCompletions), chat, "{given}");
            assert_eq!(url(WireFormat::Ollama), ollama, "{given}");
        }
    }

    #[test]
    fn refused_parameters_are_omitted_unless_required() {
        let endpoint = Endpoint {
            temperature: Some(0.0),
            extra: Map::from_iter([("min_p".to_owned(), Value::from(0.1))]),
            ..endpoint("http://h/v1/chat/completions")
        };
        let dropped = ["temperature", "messages"].map(str::to_owned).into();
        let prepared = endpoint.request(&ask(), None, &dropped).unwrap();
        let body: Value = serde_json::from_str(&prepared.request.body.unwrap()).unwrap();
        assert_eq!(body["messages"][0]["content"], "hi");
        assert_eq!(body.get("temperature"), None);
        assert_eq!(prepared.optional, ["min_p"]);
        assert_eq!(prepared.request.url, "http://h/v1/chat/completions");
    }

    #[test]
    fn the_newer_name_of_a_refused_parameter_is_tried() {
        let endpoint = Endpoint { max_tokens: Some(5), ..endpoint("http://h/v1") };
        for (refused, names) in [
            (vec!["max_tokens"], vec!["max_completion_tokens"]),
            (vec!["max_tokens", "max_completion_tokens"], vec![]),
        ] {
            let refused = refused.into_iter().map(str::to_owned).collect();
            assert_eq!(endpoint.request(&ask(), None, &refused).unwrap().optional, names);
        }
    }

    #[test]
    fn settings_are_checked_before_sending() {
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
