//! Clock, network and waiting of a run, on the native platform.

use engine::provider::{HttpRequest, HttpResponse, TransportError};
use engine::runner::Ports;
use std::error::Error;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::watch;

/// Longer answers are refused: no answer of a model comes near it.
const MAX_BODY: usize = 32 << 20;

/// The native platform.
#[derive(Debug)]
pub(crate) struct Native {
    client: reqwest::Client,
    stop: watch::Receiver<bool>,
}

impl Native {
    /// Ports for a run that ends when `stop` turns true.
    ///
    /// # Errors
    /// When no TLS can be set up.
    pub(crate) fn new(stop: watch::Receiver<bool>) -> reqwest::Result<Self> {
        let client = reqwest::Client::builder()
            .user_agent(concat!("api-bank/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(Native { client, stop })
    }

    /// Ends when the run is to stop; never, when nobody can stop it any more.
    async fn stopped(&self) {
        if self.stop.clone().wait_for(|stop| *stop).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    async fn exchange(&self, request: HttpRequest) -> Result<HttpResponse, String> {
        let mut builder = match request.method {
            "POST" => self.client.post(&request.url),
            _ => self.client.get(&request.url),
        };
        for (name, value) in request.headers {
            builder = builder.header(name, value);
        }
        if let Some(body) = request.body {
            builder = builder.body(body);
        }
        let mut response = builder.send().await.map_err(cause)?;
        let status = response.status().as_u16();
        let retry_after = response
            .headers()
            .get("retry-after")
            .and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(cause)? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > MAX_BODY {
                return Err(format!("the answer is longer than {} MB", MAX_BODY >> 20));
            }
        }
        // As a browser decodes it: UTF-8 whatever the header says, without a mark in front.
        let body = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        let body = String::from_utf8_lossy(body).into_owned();
        Ok(HttpResponse { status, retry_after, body })
    }
}

/// The innermost cause, which is the one that tells something. Without the
/// address: a key may stand in it.
fn cause(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut innermost: &dyn Error = &error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// Scheme and host of an address, for messages.
fn origin(url: &str) -> String {
    reqwest::Url::parse(url)
        .map_or_else(|_| String::new(), |url| url.origin().ascii_serialization())
}

impl Ports for Native {
    fn now_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    async fn send(
        &self,
        request: HttpRequest,
        timeout_s: u32,
    ) -> Result<HttpResponse, TransportError> {
        let origin = origin(&request.url);
        tokio::select! {
            answer = self.exchange(request) => answer.map_err(|reason| {
                TransportError::Unreachable(format!(
                    "{origin} gives no answer ({reason}). Check the address and that the server \
                     is running."
                ))
            }),
            () = tokio::time::sleep(Duration::from_secs(timeout_s.into())) => {
                Err(TransportError::TimedOut(timeout_s))
            }
            () = self.stopped() => Err(TransportError::Cancelled),
        }
    }

    async fn wait(&self, ms: u32) {
        if ms == 0 {
            tokio::task::yield_now().await;
            return;
        }
        tokio::select! {
            () = tokio::time::sleep(Duration::from_millis(ms.into())) => {}
            () = self.stopped() => {}
        }
    }

    fn cancelled(&self) -> bool {
        *self.stop.borrow()
    }
}
