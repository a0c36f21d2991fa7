//! The server: Chat Completions and the list of models, with CORS, on the loopback interface.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use axum::{
    Extension, Json, Router,
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    middleware::{self, Next},
    response::{Html, IntoResponse, Response},
    routing::{any, get, post},
};
use engine::protocol::Message;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{net::TcpListener, task::JoinHandle};
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};

use crate::{gold::Gold, rule::Rule, script::Script};

/// How the server behaves.
#[derive(Debug, Clone)]
pub struct Config {
    /// Which sample is answered how.
    pub script: Script,
    /// The key that every request has to carry; `None` takes any request.
    pub key: Option<String>,
    /// Name of its only model.
    pub model: String,
    /// How long a slow answer takes.
    pub slow: Duration,
}

impl Config {
    /// A server without a key, whose slow answers take a minute.
    #[must_use]
    pub fn new(script: Script) -> Self {
        Config { script, key: None, model: "scripted".to_owned(), slow: Duration::from_secs(60) }
    }
}

/// A request that came in; preflights of CORS are not counted.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Method.
    pub method: String,
    /// Path.
    pub path: String,
    /// Headers.
    pub headers: HeaderMap,
    /// The sample that was asked for, if any.
    pub sample: Option<String>,
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
    config: Config,
    seen: Mutex<Vec<Seen>>,
}

impl Inner {
    fn seen(&self) -> std::sync::MutexGuard<'_, Vec<Seen>> {
        // A list that a panic left behind is still a list.
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A server that runs until it is dropped.
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
    /// Serves on a port that the system chooses.
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn start(gold: Gold, config: Config) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let inner = Arc::new(Inner { gold, config, seen: Mutex::default() });
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

    /// The address that a client is given.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}/v1", self.origin())
    }

    /// An address that answers everything with a web page.
    #[must_use]
    pub fn web_page_url(&self) -> String {
        format!("{}/web", self.origin())
    }

    /// Every request so far, in order of arrival.
    #[must_use]
    pub fn requests(&self) -> Vec<Seen> {
        self.inner.seen().clone()
    }

    /// How often a sample was asked for.
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

/// Serves on `listener` for as long as it is polled.
///
/// # Errors
/// When the listener breaks down.
pub async fn serve(listener: TcpListener, gold: Gold, config: Config) -> io::Result<()> {
    axum::serve(listener, router(Arc::new(Inner { gold, config, seen: Mutex::default() }))).await
}

fn router(inner: Arc<Inner>) -> Router {
    // A wildcard does not cover `Authorization`, so what is asked for is mirrored.
    let cors = CorsLayer::new()
        .allow_origin(AllowOrigin::any())
        .allow_methods(tower_http::cors::Any)
        .allow_headers(AllowHeaders::mirror_request());
    let api = Router::new()
        .route("/v1/models", get(models))
        .route("/v1/chat/completions", post(complete))
        .layer(middleware::from_fn_with_state(Arc::clone(&inner), check_key));
    api.route("/web/{*rest}", any(web_page))
        .fallback(unknown)
        .layer(middleware::from_fn_with_state(Arc::clone(&inner), remember))
        .layer(cors)
        .with_state(inner)
}

/// Where a request stands in the list of those that came in.
#[derive(Clone, Copy)]
struct Place(usize);

async fn remember(State(inner): State<Arc<Inner>>, mut request: Request, next: Next) -> Response {
    let seen = Seen {
        method: request.method().to_string(),
        path: request.uri().path().to_owned(),
        headers: request.headers().clone(),
        sample: None,
    };
    let place = {
        let mut list = inner.seen();
        list.push(seen);
        Place(list.len() - 1)
    };
    request.extensions_mut().insert(place);
    next.run(request).await
}

async fn check_key(State(inner): State<Arc<Inner>>, request: Request, next: Next) -> Response {
    let given = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let wanted = inner.config.key.as_ref().map(|key| format!("Bearer {key}"));
    match wanted {
        Some(wanted) if given != Some(wanted.as_str()) => {
            failure(StatusCode::UNAUTHORIZED, "Incorrect API key provided.")
        }
        _ => next.run(request).await,
    }
}

fn failure(status: StatusCode, message: &str) -> Response {
    (status, Json(json!({ "error": { "message": message } }))).into_response()
}

async fn models(State(inner): State<Arc<Inner>>) -> Json<Value> {
    let model = json!({ "id": inner.config.model, "object": "model", "owned_by": "script" });
    Json(json!({ "object": "list", "data": [model] }))
}

async fn web_page() -> Html<&'static str> {
    Html("<!doctype html><title>Sign in</title><p>Sign in to go on.")
}

async fn unknown() -> Response {
    failure(StatusCode::NOT_FOUND, "There is nothing at this path.")
}

#[derive(Deserialize)]
struct Question {
    model: String,
    messages: Vec<Message>,
}

async fn complete(
    State(inner): State<Arc<Inner>>,
    Extension(Place(place)): Extension<Place>,
    Json(question): Json<Question>,
) -> Response {
    if question.model != inner.config.model {
        let message = format!("The model {} does not exist.", question.model);
        return failure(StatusCode::NOT_FOUND, &message);
    }
    let Some(sample) = inner.gold.of_prompt(&question.messages) else {
        // Such as the short question by which a connection is tested.
        return completion(&inner, "Ready.");
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
        _ => completion(&inner, &rule.text(sample).unwrap_or_default()),
    }
}

fn completion(inner: &Inner, text: &str) -> Response {
    let message = json!({ "role": "assistant", "content": text });
    Json(json!({
        "id": "scripted",
        "object": "chat.completion",
        "model": inner.config.model,
        "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2 },
    }))
    .into_response()
}
