//! Clock, network and timers of a run on the native platform.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "these are the ports that the engine has its clock from"
)]

use crate::shown::tell;
use provider::{
    HttpHead, HttpRequest, Origin, Ports, REST_MS, REST_PIECES, Reach, Sink, Timeouts,
    TransportError,
};
use reqwest::header::{ACCEPT_ENCODING, HeaderValue};
use std::cell::Cell;
use std::error::Error;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::watch;

/// How often a wait is told, in milliseconds: every request in flight reports its own.
const TOLD_EVERY_MS: u64 = 10_000;

/// The native platform.
#[derive(Debug)]
pub(crate) struct Native {
    client: reqwest::Client,
    /// For this machine: without the proxy of the environment, which would get the key.
    direct: reqwest::Client,
    stop: watch::Receiver<bool>,
    began: Instant,
    /// When a wait was last told, in milliseconds since the beginning.
    told_ms: Cell<Option<u64>>,
}

impl Native {
    /// Ports for a run that stops when `stop` turns true.
    ///
    /// # Errors
    /// When TLS can't be set up.
    pub(crate) fn new(stop: watch::Receiver<bool>) -> reqwest::Result<Self> {
        let builder = || {
            reqwest::Client::builder()
                .user_agent(concat!("api-bank/", env!("CARGO_PKG_VERSION")))
                // A proxy that compresses a stream may hold it back; what comes compressed anyway is decoded.
                .default_headers(
                    [(ACCEPT_ENCODING, HeaderValue::from_static("identity"))].into_iter().collect(),
                )
                // A redirect would forward the key and the prompt.
                .redirect(reqwest::redirect::Policy::none())
        };
        let (client, direct) = (builder().build()?, builder().no_proxy().build()?);
        Ok(Native { client, direct, stop, began: Instant::now(), told_ms: Cell::new(None) })
    }

    /// Resolves when the run must stop; never resolves if the sender is dropped.
    pub(crate) async fn stopped(&self) {
        if self.stop.clone().wait_for(|stop| *stop).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Runs `work` until it is done, `seconds` have passed or the run must stop.
    async fn within<T>(
        &self,
        seconds: u32,
        work: impl Future<Output = Result<T, TransportError>>,
    ) -> Result<T, TransportError> {
        tokio::select! {
            done = work => done,
            () = tokio::time::sleep(Duration::from_secs(seconds.into())) => {
                Err(TransportError::TimedOut(seconds))
            }
            () = self.stopped() => Err(TransportError::Cancelled),
        }
    }

    async fn head(&self, request: HttpRequest) -> Result<reqwest::Response, TransportError> {
        let is_here = Origin::of(&request.url).is_ok_and(|it| it.reach() == Reach::Loopback);
        let client = if is_here { &self.direct } else { &self.client };
        let mut builder = match request.method {
            "POST" => client.post(&request.url),
            _ => client.get(&request.url),
        };
        for (name, value) in request.headers {
            builder = builder.header(name, value);
        }
        if let Some(body) = request.body {
            builder = builder.body(body);
        }
        builder.send().await.map_err(|error| TransportError::Unreachable(cause(error)))
    }
}

/// Streams a body to the sink, until it ends or the sink has enough.
async fn body(mut response: reqwest::Response, sink: &mut dyn Sink) -> Result<(), TransportError> {
    let broken_off = |error| TransportError::BrokenOff(cause(error));
    while let Some(bytes) = response.chunk().await.map_err(broken_off)? {
        if sink.bytes(&bytes).is_break() {
            let limit = Duration::from_millis(REST_MS.into());
            tokio::spawn(tokio::time::timeout(limit, read_rest(response)));
            break;
        }
    }
    Ok(())
}

/// Drains the rest of a body after the end of the answer, see [`REST_MS`].
async fn read_rest(mut response: reqwest::Response) {
    for _ in 0..REST_PIECES {
        if !matches!(response.chunk().await, Ok(Some(_))) {
            return;
        }
    }
}

/// A redirect's absolute target, without query and fragment, which may contain a secret.
fn target(response: &reqwest::Response) -> Option<String> {
    let location = response.headers().get(reqwest::header::LOCATION)?.to_str().ok()?;
    let mut target = response.url().join(location).ok()?;
    target.set_query(None);
    target.set_fragment(None);
    Some(target.into())
}

/// The innermost cause, which is the informative one, without the URL: it may contain a key.
fn cause(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut innermost: &dyn Error = &error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

impl Ports for Native {
    fn now_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    async fn send(
        &self,
        request: HttpRequest,
        limits: Timeouts,
        sink: &mut dyn Sink,
    ) -> Result<(), TransportError> {
        let response = self.within(limits.headers_s, self.head(request)).await?;
        if response.status().is_redirection() {
            return Err(TransportError::Redirected(target(&response)));
        }
        let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        let (retry_after, date) = (header("retry-after"), header("date"));
        sink.head(HttpHead::new(response.status().as_u16(), retry_after, date, self.now_ms()));
        self.within(limits.body_s, body(response, sink)).await
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

    fn held(&self, ms: u32) {
        let now_ms = self.elapsed_ms();
        let is_recent = |told_ms: u64| now_ms.saturating_sub(told_ms) < TOLD_EVERY_MS;
        if !self.told_ms.get().is_some_and(is_recent) {
            self.told_ms.set(Some(now_ms));
            tell!("Waiting for the endpoint. Retrying in {} s.", ms.div_ceil(1000));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::ControlFlow;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};

    /// Delay between the end of the answer and the end of the body.
    const LATER: Duration = Duration::from_millis(50);

    /// A sink that stops at the first piece.
    struct First;

    impl Sink for First {
        fn head(&mut self, _: HttpHead) {}

        fn bytes(&mut self, _: &[u8]) -> ControlFlow<()> {
            ControlFlow::Break(())
        }
    }

    /// Answers every request of a connection; each body ends later than its answer.
    async fn serve(mut stream: TcpStream) -> std::io::Result<()> {
        while stream.read(&mut [0; 4096]).await? > 0 {
            let head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
            stream.write_all(&[&head[..], b"4\r\ndone\r\n"].concat()).await?;
            tokio::time::sleep(LATER).await;
            stream.write_all(b"0\r\n\r\n").await?;
        }
        Ok(())
    }

    /// Answers one request with a compressed body.
    async fn serve_compressed(mut stream: TcpStream, encoding: &str, body: &[u8]) -> String {
        let mut request = vec![0; 4096];
        let size = stream.read(&mut request).await.unwrap();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-encoding: {encoding}\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(&[head.as_bytes(), body].concat()).await.unwrap();
        String::from_utf8_lossy(&request[..size]).to_lowercase()
    }

    #[tokio::test]
    async fn a_body_that_comes_compressed_is_decoded() {
        // "ready" in each encoding.
        let bodies: [(&str, &[u8]); 4] = [
            (
                "gzip",
                &[
                    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x2b, 0x4a, 0x4d,
                    0x4c, 0xa9, 0x04, 0x00, 0xaf, 0x85, 0x95, 0x28, 0x05, 0x00, 0x00, 0x00,
                ],
            ),
            (
                "deflate",
                &[0x78, 0x9c, 0x2b, 0x4a, 0x4d, 0x4c, 0xa9, 0x04, 0x00, 0x06, 0x37, 0x02, 0x16],
            ),
            ("br", &[0x0b, 0x02, 0x80, b'r', b'e', b'a', b'd', b'y', 0x03]),
            (
                "zstd",
                &[
                    0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x05, 0x29, 0x00, 0x00, 0x72, 0x65, 0x61, 0x64,
                    0x79,
                ],
            ),
        ];
        for (encoding, body) in bodies {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let url = format!("http://{}", listener.local_addr().unwrap());
            let served = tokio::spawn(async move {
                serve_compressed(listener.accept().await.unwrap().0, encoding, body).await
            });
            let (_switch, stop) = watch::channel(false);
            let ports = Native::new(stop).unwrap();
            let request = HttpRequest { method: "GET", url, headers: Vec::new(), body: None };
            let mut sink = provider::Collected::default();
            ports.send(request, Timeouts::default(), &mut sink).await.unwrap();
            assert_eq!(sink.into_response(None).body, "ready", "{encoding}");
            assert!(served.await.unwrap().contains("accept-encoding: identity"), "{encoding}");
        }
    }

    #[tokio::test]
    async fn a_connection_is_used_again_after_a_body_that_ends_late() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let opened = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&opened);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(stream));
            }
        });
        let (_switch, stop) = watch::channel(false);
        let ports = Native::new(stop).unwrap();
        for _ in 0..3 {
            let request =
                HttpRequest { method: "GET", url: url.clone(), headers: Vec::new(), body: None };
            ports.send(request, Timeouts::default(), &mut First).await.unwrap();
            tokio::time::sleep(8 * LATER).await;
        }
        assert_eq!(opened.load(Ordering::SeqCst), 1, "connections for three requests");
    }
}
