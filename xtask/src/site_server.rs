//! A static file server for the built site, on the loopback interface only. `cargo xtask serve` and
//! the browser tests share it.

use std::{io, net::Ipv4Addr, net::SocketAddr, path::Path, sync::Arc};

use anyhow::Result;
use axum::{
    Router,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, header},
    middleware::{self, Next},
    response::Response,
};
use tokio::{net::TcpListener, sync::Semaphore, task::JoinHandle};
use tower_http::services::ServeDir;

use crate::site::hosting::{self, Headers};

/// How many ports to try after the requested one.
const PORTS_TRIED: u16 = 100;

/// Serves the files of `dir` below `prefix`: `/` for the root, `/some/project` for a project page.
///
/// Sends the headers from the site's host configuration, see [`hosting`]. A client that accepts
/// compression gets `x.br` or `x.gz` instead of `x` if the file exists.
///
/// # Errors
/// When `dir` contains no page with a CSP.
pub fn router(dir: &Path, prefix: &str) -> Result<Router> {
    let always = always(&Headers::of_site(dir)?)?;
    Ok(plain(dir, prefix).layer(middleware::from_fn_with_state(Arc::new(always), headers)))
}

/// As [`router`], but without headers of the site's own, like GitHub Pages.
fn plain(dir: &Path, prefix: &str) -> Router {
    let files = ServeDir::new(dir).precompressed_br().precompressed_gzip();
    let prefix = prefix.trim_matches('/');
    if prefix.is_empty() {
        Router::new().fallback_service(files)
    } else {
        Router::new().nest_service(&format!("/{prefix}"), files)
    }
}

/// The headers sent with every response.
fn always(headers: &Headers) -> Result<HeaderMap> {
    let mut map = HeaderMap::new();
    for (name, value) in headers.list() {
        map.insert(HeaderName::from_bytes(name.as_bytes())?, HeaderValue::from_str(value)?);
    }
    Ok(map)
}

async fn hold(State(held): State<Held>, request: Request, next: Next) -> Response {
    held.pass(request.uri().path()).await;
    next.run(request).await
}

async fn headers(State(always): State<Arc<HeaderMap>>, request: Request, next: Next) -> Response {
    let cache = hosting::cache_control(request.uri().path());
    let mut response = next.run(request).await;
    let cache = if response.status().is_success() { cache } else { "no-cache" };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    headers.extend(always.as_ref().clone());
    response
}

/// Listens on the loopback interface: on `port`, or on the next free one if it is taken. Port 0
/// chooses a free one.
///
/// # Errors
/// When none of the ports is available.
pub async fn bind(port: u16) -> io::Result<TcpListener> {
    let mut last = None;
    for candidate in port..=port.saturating_add(PORTS_TRIED) {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, candidate)).await {
            Ok(listener) => return Ok(listener),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => last = Some(error),
            Err(error) => return Err(error),
        }
    }
    Err(last.unwrap_or_else(|| io::ErrorKind::AddrInUse.into()))
}

/// A file that is sent only after its release, as if the connection were slow.
#[derive(Debug, Clone)]
pub struct Held {
    /// The start of the file's name.
    name: &'static str,
    released: Arc<Semaphore>,
}

impl Held {
    /// Holds back the files whose names start with `name`.
    #[must_use]
    pub fn new(name: &'static str) -> Self {
        Held { name, released: Arc::new(Semaphore::new(0)) }
    }

    /// Sends them from now on.
    pub fn release(&self) {
        self.released.add_permits(1);
    }

    async fn pass(&self, path: &str) {
        if path.rsplit('/').next().is_some_and(|file| file.starts_with(self.name)) {
            // The permit returns at once, for the next request. The semaphore is never closed.
            let _ = self.released.acquire().await;
        }
    }
}

/// A server that stops when dropped.
#[derive(Debug)]
pub struct SiteServer {
    address: SocketAddr,
    prefix: String,
    task: JoinHandle<()>,
}

impl SiteServer {
    /// Serves `dir` below `prefix` on a free port.
    ///
    /// # Errors
    /// When `dir` contains no page with a CSP, or no port is available.
    pub async fn start(dir: &Path, prefix: &str) -> Result<Self> {
        Self::start_holding(dir, prefix, None).await
    }

    /// As [`Self::start`]; holds back a file.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub async fn start_holding(dir: &Path, prefix: &str, held: Option<Held>) -> Result<Self> {
        let mut router = router(dir, prefix)?;
        if let Some(held) = held {
            router = router.layer(middleware::from_fn_with_state(held, hold));
        }
        Ok(Self::serve(router, prefix).await?)
    }

    /// As [`Self::start`], on a host that sends no headers of the site's own.
    ///
    /// # Errors
    /// When no port is available.
    pub async fn start_plain(dir: &Path, prefix: &str) -> io::Result<Self> {
        Self::serve(plain(dir, prefix), prefix).await
    }

    async fn serve(router: Router, prefix: &str) -> io::Result<Self> {
        let listener = bind(0).await?;
        let address = listener.local_addr()?;
        let task = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                eprintln!("the site server stopped: {error}");
            }
        });
        let prefix = prefix.trim_matches('/').to_owned();
        Ok(Self { address, prefix, task })
    }

    /// The page's URL, with a trailing slash.
    #[must_use]
    pub fn url(&self) -> String {
        if self.prefix.is_empty() {
            format!("http://{}/", self.address)
        } else {
            format!("http://{}/{}/", self.address, self.prefix)
        }
    }
}

impl Drop for SiteServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use anyhow::Result;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpStream,
    };

    use super::*;
    use crate::process::root;

    /// The raw response to one request, in lower case up to the body.
    async fn get(server: &SiteServer, path: &str, accept: &str) -> Result<String> {
        let mut stream = TcpStream::connect(server.address).await?;
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: {accept}\r\n\
             Connection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await?;
        Ok(answer)
    }

    fn sample() -> Result<tempfile::TempDir> {
        let dir = tempfile::tempdir()?;
        fs::copy(root().join("index.html"), dir.path().join("index.html"))?;
        fs::write(dir.path().join("app-0123456789abcdef.wasm"), "wasm")?;
        fs::write(dir.path().join("app-0123456789abcdef.wasm.br"), "small")?;
        fs::write(dir.path().join("worker-boot-0123456789abcdef.js"), "js")?;
        Ok(dir)
    }

    #[tokio::test]
    async fn types_and_caching() -> Result<()> {
        let dir = sample()?;
        let server = SiteServer::start(dir.path(), "/").await?;
        let page = get(&server, "/", "identity").await?;
        assert!(page.contains("content-type: text/html"), "{page}");
        assert!(page.contains("cache-control: no-cache"), "{page}");
        let wasm = get(&server, "/app-0123456789abcdef.wasm", "identity").await?;
        assert!(wasm.contains("content-type: application/wasm"), "{wasm}");
        assert!(wasm.contains("immutable"), "{wasm}");
        assert!(wasm.ends_with("wasm"), "{wasm}");
        let script = get(&server, "/worker-boot-0123456789abcdef.js", "identity").await?;
        assert!(script.contains("javascript"), "{script}");
        let missing = get(&server, "/gone-0123456789abcdef.js", "identity").await?;
        assert!(missing.starts_with("HTTP/1.1 404"), "{missing}");
        assert!(missing.contains("cache-control: no-cache"), "{missing}");
        Ok(())
    }

    /// A worker obeys the CSP of its script's response, not the page's.
    #[tokio::test]
    async fn page_and_worker_come_with_the_policy() -> Result<()> {
        let dir = sample()?;
        let server = SiteServer::start(dir.path(), "/").await?;
        let headers = Headers::of_site(&root())?;
        for path in ["/", "/worker-boot-0123456789abcdef.js", "/app-0123456789abcdef.wasm"] {
            let answer = get(&server, path, "identity").await?;
            for (name, value) in headers.list() {
                let line = format!("\r\n{}: {value}\r\n", name.to_lowercase());
                assert_eq!(answer.matches(&line).count(), 1, "{path}: {line}{answer}");
            }
        }
        assert!(headers.list()[0].1.ends_with("; frame-ancestors 'none'"), "{headers:?}");
        Ok(())
    }

    #[tokio::test]
    async fn a_folder_without_a_page_is_not_served() -> Result<()> {
        let dir = tempfile::tempdir()?;
        let error = SiteServer::start(dir.path(), "/").await.expect_err("no page");
        assert!(format!("{error:#}").contains("index.html"), "{error:#}");
        Ok(())
    }

    #[tokio::test]
    async fn compressed_files_are_sent_to_who_takes_them() -> Result<()> {
        let dir = sample()?;
        let server = SiteServer::start(dir.path(), "").await?;
        let wasm = get(&server, "/app-0123456789abcdef.wasm", "br").await?;
        assert!(wasm.contains("content-encoding: br"), "{wasm}");
        assert!(wasm.contains("content-type: application/wasm"), "{wasm}");
        assert!(wasm.ends_with("small"), "{wasm}");
        Ok(())
    }

    #[tokio::test]
    async fn a_prefix_hides_the_root() -> Result<()> {
        let dir = sample()?;
        let server = SiteServer::start(dir.path(), "/some/project/").await?;
        assert!(server.url().ends_with("/some/project/"));
        let page = get(&server, "/some/project/", "identity").await?;
        assert!(page.ends_with("</html>\n"), "{page}");
        let root = get(&server, "/", "identity").await?;
        assert!(root.starts_with("HTTP/1.1 404"), "{root}");
        Ok(())
    }

    #[tokio::test]
    async fn a_taken_port_is_passed_over() -> Result<()> {
        let first = bind(0).await?;
        let taken = first.local_addr()?.port();
        let second = bind(taken).await?;
        assert!(second.local_addr()?.port() > taken);
        Ok(())
    }
}
