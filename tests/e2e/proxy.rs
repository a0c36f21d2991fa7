//! A proxy that records every request of a browser and lets none leave this machine.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use tokio::{net::TcpListener, task::JoinHandle};

/// Maximum body size, larger than any in these tests.
const LARGEST: usize = 256 << 20;

/// A recorded request.
#[derive(Debug, Clone)]
pub struct Made {
    pub method: String,
    /// The full URL; host and port for `CONNECT`.
    pub url: String,
    pub headers: HeaderMap,
    /// The body as text.
    pub body: String,
}

impl Made {
    /// Scheme, host and port.
    pub fn origin(&self) -> String {
        let end = self.url.match_indices('/').nth(2).map_or(self.url.len(), |(at, _)| at);
        self.url[..end].to_owned()
    }

    /// The host alone.
    pub fn host(&self) -> &str {
        let rest = self.url.split_once("://").map_or(self.url.as_str(), |(_, rest)| rest);
        rest.split([':', '/']).next().unwrap_or_default()
    }
}

#[derive(Clone)]
struct Shared {
    made: Arc<Mutex<Vec<Made>>>,
    client: reqwest::Client,
}

/// A proxy that stops when dropped.
pub struct Proxy {
    /// The address that it listens on.
    pub address: SocketAddr,
    made: Arc<Mutex<Vec<Made>>>,
    task: JoinHandle<()>,
}

impl Proxy {
    /// Starts the proxy on a free port.
    ///
    /// # Errors
    /// When no port is available.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let client = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(io::Error::other)?;
        let made = Arc::<Mutex<Vec<Made>>>::default();
        let shared = Shared { made: Arc::clone(&made), client };
        let router = Router::new().fallback(pass).with_state(shared);
        let task = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                eprintln!("the proxy stopped: {error}");
            }
        });
        Ok(Proxy { address, made, task })
    }

    /// Every request so far.
    pub fn requests(&self) -> Vec<Made> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn pass(State(shared): State<Shared>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let Ok(body) = to_bytes(body, LARGEST).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    shared.made.lock().unwrap_or_else(PoisonError::into_inner).push(Made {
        method: head.method.to_string(),
        url: head.uri.to_string(),
        headers: head.headers.clone(),
        body: String::from_utf8_lossy(&body).into_owned(),
    });
    if !is_plain_loopback(&head.uri) {
        return (StatusCode::FORBIDDEN, "the proxy lets nothing out").into_response();
    }
    let mut headers = head.headers;
    headers.remove("proxy-connection");
    let sent = shared
        .client
        .request(head.method, head.uri.to_string())
        .headers(headers)
        .body(body)
        .send()
        .await;
    match sent {
        Ok(answer) => {
            let (status, mut headers) = (answer.status(), answer.headers().clone());
            headers.remove(header::TRANSFER_ENCODING);
            headers.remove(header::CONNECTION);
            let Ok(body) = answer.bytes().await else {
                return StatusCode::BAD_GATEWAY.into_response();
            };
            let mut response = Response::new(Body::from(body));
            *response.status_mut() = status;
            *response.headers_mut() = headers;
            response
        }
        Err(error) => (StatusCode::BAD_GATEWAY, error.to_string()).into_response(),
    }
}

fn is_plain_loopback(uri: &Uri) -> bool {
    uri.scheme_str() == Some("http") && uri.host() == Some("127.0.0.1")
}
