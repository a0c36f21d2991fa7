//! The server: the wire formats with their model lists, and CORS, on the loopback interface.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a test has a clock; the engine has none"
)]

use std::{
    convert::Infallible,
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use axum::{
    Extension, Json, Router,
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    middleware::{self, Next},
    response::{Html, IntoResponse, Redirect, Response},
    routing::{any, get, post},
};
use exchange::call;
use provider::WireFormat;
use serde_json::{Map, Value, json};
use tokio::{net::TcpListener, task::JoinHandle};
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};

use crate::{
    agents::Agents,
    gold::Gold,
    rule::Rule,
    script::Script,
    wire::{self, Frame, Question, Said},
};

/// Misbehavior of the server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Mischief {
    /// None.
    #[default]
    None,
    /// Echoes the key in answers, and every other time in an error.
    Echo,
    /// Redirects every request to this origin, keeping method and body (307).
    Redirect(String),
}

/// The server's settings.
#[derive(Debug, Clone)]
pub struct Config {
    /// The rules for the samples.
    pub script: Script,
    /// The key that every request must carry; `None` accepts any request.
    pub key: Option<String>,
    /// How the server misbehaves with keys and prompts.
    pub mischief: Mischief,
    /// The name of its only model.
    pub model: String,
    /// The delay of a slow answer.
    pub slow: Duration,
    /// The generator's agents in their initial state.
    pub agents: Agents,
    /// The time that an agent takes to answer.
    pub thinking: Duration,
}

impl Config {
    /// Settings without a key, with slow answers that take a minute.
    #[must_use]
    pub fn new(script: Script) -> Self {
        Config {
            script,
            key: None,
            mischief: Mischief::None,
            model: "scripted".to_owned(),
            slow: Duration::from_secs(60),
            agents: Agents::default(),
            thinking: Duration::ZERO,
        }
    }
}

/// A request received; CORS preflights are not counted.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Method.
    pub method: String,
    /// Path.
    pub path: String,
    /// Headers.
    pub headers: HeaderMap,
    /// The sample asked for, if any.
    pub sample: Option<String>,
    /// The processing time, without the network; `None` until answered.
    pub took: Option<Duration>,
}

impl Seen {
    /// A header as text; empty when it is missing.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

struct Inner {
    gold: Gold,
    agents: Mutex<Agents>,
    config: Config,
    seen: Mutex<Vec<Seen>>,
}

impl Inner {
    fn new(gold: Gold, config: Config) -> Self {
        Inner { gold, agents: Mutex::new(config.agents.clone()), config, seen: Mutex::default() }
    }

    /// The answer of a generator agent; `None` if the prompt is not for an agent.
    fn agent(&self, prompt: &str) -> Option<String> {
        let mut agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        agents.answer(prompt)
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, Vec<Seen>> {
        // A list from a poisoned lock is still valid.
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A server that stops when dropped.
#[derive(Debug)]
pub struct ScriptedEndpoint {
    address: SocketAddr,
    inner: Arc<Inner>,
    task: JoinHandle<()>,
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inner").field("config", &self.config).finish_non_exhaustive()
    }
}

impl ScriptedEndpoint {
    /// Serves on a free port.
    ///
    /// # Errors
    /// When no port is available.
    pub async fn start(gold: Gold, config: Config) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let inner = Arc::new(Inner::new(gold, config));
        let router = router(Arc::clone(&inner));
        let task = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                eprintln!("the scripted endpoint stopped: {error}");
            }
        });
        Ok(Self { address, inner, task })
    }

    /// The origin: scheme, host and port.
    #[must_use]
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The base URL for clients.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}/v1", self.origin())
    }

    /// A URL that answers every request with an HTML page.
    #[must_use]
    pub fn web_page_url(&self) -> String {
        format!("{}/web", self.origin())
    }

    /// Every request so far, in order of arrival.
    #[must_use]
    pub fn requests(&self) -> Vec<Seen> {
        self.inner.seen().clone()
    }

    /// The number of requests for a sample.
    #[must_use]
    pub fn asked(&self, sample: &str) -> usize {
        self.inner.seen().iter().filter(|seen| seen.sample.as_deref() == Some(sample)).count()
    }
}

impl Drop for ScriptedEndpoint {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Serves on `listener` while polled.
///
/// # Errors
/// When the listener fails.
pub async fn serve(listener: TcpListener, gold: Gold, config: Config) -> io::Result<()> {
    axum::serve(listener, router(Arc::new(Inner::new(gold, config)))).await
}

fn router(inner: Arc<Inner>) -> Router {
    // A wildcard does not cover `Authorization`, so the requested headers are mirrored.
    let cors = CorsLayer::new()
        .allow_origin(AllowOrigin::any())
        .allow_methods(tower_http::cors::Any)
        .allow_headers(AllowHeaders::mirror_request());
    let api = Router::new()
        .route("/v1/models", get(models))
        .route("/api/tags", get(tags))
        .merge(questions())
        .layer(middleware::from_fn_with_state(Arc::clone(&inner), check_key));
    let api = api.layer(middleware::from_fn_with_state(Arc::clone(&inner), redirect));
    api.route("/web/{*rest}", any(web_page))
        .fallback(unknown)
        .layer(middleware::from_fn_with_state(Arc::clone(&inner), remember))
        .layer(cors)
        .with_state(inner)
}

/// A request's index in the list of requests.
#[derive(Clone, Copy)]
struct Place(usize);

async fn remember(State(inner): State<Arc<Inner>>, mut request: Request, next: Next) -> Response {
    let seen = Seen {
        method: request.method().to_string(),
        path: request.uri().path().to_owned(),
        headers: request.headers().clone(),
        sample: None,
        took: None,
    };
    let started = Instant::now();
    let place = {
        let mut list = inner.seen();
        list.push(seen);
        Place(list.len() - 1)
    };
    request.extensions_mut().insert(place);
    let response = next.run(request).await;
    if let Some(seen) = inner.seen().get_mut(place.0) {
        seen.took = Some(started.elapsed());
    }
    response
}

async fn redirect(State(inner): State<Arc<Inner>>, request: Request, next: Next) -> Response {
    match &inner.config.mischief {
        Mischief::Redirect(origin) => {
            let target = format!("{origin}{}", request.uri().path());
            Redirect::temporary(&target).into_response()
        }
        _ => next.run(request).await,
    }
}

async fn check_key(State(inner): State<Arc<Inner>>, request: Request, next: Next) -> Response {
    let wanted = inner.config.key.as_deref();
    if wanted.is_some() && given_key(request.headers()) != wanted {
        return failure(StatusCode::UNAUTHORIZED, "Incorrect API key provided.");
    }
    next.run(request).await
}

/// A request's key; Anthropic's header has no `Bearer` prefix.
fn given_key(headers: &HeaderMap) -> Option<&str> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let bearer = text("authorization").and_then(|value| value.strip_prefix("Bearer "));
    bearer.or_else(|| text("x-api-key"))
}

fn failure(status: StatusCode, message: &str) -> Response {
    (status, Json(json!({ "error": { "message": message } }))).into_response()
}

async fn models(State(inner): State<Arc<Inner>>) -> Json<Value> {
    let model = json!({ "id": inner.config.model, "object": "model", "owned_by": "script" });
    Json(json!({ "object": "list", "data": [model] }))
}

/// The list of models in Ollama's format.
async fn tags(State(inner): State<Arc<Inner>>) -> Json<Value> {
    Json(json!({ "models": [{ "name": inner.config.model }] }))
}

async fn web_page() -> Html<&'static str> {
    Html("<!doctype html><title>Sign in</title><p>Sign in to go on.")
}

async fn unknown() -> Response {
    failure(StatusCode::NOT_FOUND, "There is nothing at this path.")
}

/// The prompt routes of every format.
fn questions() -> Router<Arc<Inner>> {
    let path = |format| match format {
        WireFormat::ChatCompletions => "/v1/chat/completions",
        WireFormat::Responses => "/v1/responses",
        WireFormat::Messages => "/v1/messages",
        WireFormat::Ollama => "/api/chat",
        WireFormat::Completions => "/v1/completions",
    };
    WireFormat::ALL.into_iter().fold(Router::new(), |router, format| {
        let answer = move |inner, place, headers, body| answer(format, inner, place, headers, body);
        router.route(path(format), post(answer))
    })
}

async fn answer(
    format: WireFormat,
    State(inner): State<Arc<Inner>>,
    Extension(Place(place)): Extension<Place>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    let question = wire::read(format, &body);
    if inner.config.mischief == Mischief::Echo {
        let key = given_key(&headers).unwrap_or_default();
        return match place % 2 {
            0 => failure(StatusCode::BAD_REQUEST, &format!("{key} is no key of ours: {key}")),
            _ => said(format, &inner, &question, &echo(&question, key)),
        };
    }
    if question.model != inner.config.model {
        let message = format!("The model {} does not exist.", question.model);
        return failure(StatusCode::NOT_FOUND, &message);
    }
    if let Some(text) = inner.agent(&question.text) {
        tokio::time::sleep(inner.config.thinking).await;
        return said(format, &inner, &question, &Said::Text(text));
    }
    let Some(sample) = inner.gold.of_prompt(&question.text, &question.tools) else {
        // Such as the short prompts of Test connection.
        return said(format, &inner, &question, &small_talk(&question));
    };
    if let Some(seen) = inner.seen().get_mut(place) {
        seen.sample = Some(sample.id.clone());
    }
    let rule = inner.config.script.rule(sample);
    if rule == Rule::Slow {
        tokio::time::sleep(inner.config.slow).await;
    }
    match rule {
        Rule::ServerError => {
            failure(StatusCode::INTERNAL_SERVER_ERROR, "The model has lost its thread.")
        }
        Rule::BrokenJson => {
            let json = [(header::CONTENT_TYPE, "application/json")];
            (json, r#"{"choices": [{"message": {"content": "[Get"#).into_response()
        }
        Rule::Html => web_page().await.into_response(),
        _ => {
            let text = rule.text(sample).unwrap_or_default();
            said(format, &inner, &question, &native(&question, text))
        }
    }
}

/// An answer that echoes the key: in a call if there are tools, otherwise in the text.
fn echo(question: &Question, key: &str) -> Said {
    match question.tools.first() {
        Some(name) => {
            let arguments =
                Map::from_iter([(format!("of {key}"), json!([key, "Bearer ".to_owned() + key]))]);
            Said::Call { name: name.clone(), arguments }
        }
        None => Said::Text(format!("Your key is {key}, isn't it? [GetToday(key='{key}')]")),
    }
}

/// The answer to a prompt that is not a sample's: a call of the first tool, or else a word.
fn small_talk(question: &Question) -> Said {
    match question.tools.first() {
        Some(name) => {
            let arguments = Map::from_iter([("status".to_owned(), json!("ready"))]);
            Said::Call { name: name.clone(), arguments }
        }
        None => Said::Text("Ready.".to_owned()),
    }
}

/// Makes a call native if tools are described.
fn native(question: &Question, text: String) -> Said {
    match call::parse(&text) {
        Ok(parsed) if !question.tools.is_empty() => {
            Said::Call { name: parsed.name, arguments: parsed.arguments }
        }
        _ => Said::Text(text),
    }
}

fn said(format: WireFormat, inner: &Inner, question: &Question, said: &Said) -> Response {
    // Each word is at least one token.
    let prompt_tokens = question.text.split_whitespace().count() as u64;
    let frame = Frame { model: &inner.config.model, prompt_tokens };
    if !question.stream {
        return Json(wire::whole(format, frame, said)).into_response();
    }
    let (kind, pieces) = wire::streamed(format, frame, said);
    let pieces = futures::stream::iter(pieces.into_iter().map(Ok::<_, Infallible>));
    ([(header::CONTENT_TYPE, kind)], Body::from_stream(pieces)).into_response()
}
