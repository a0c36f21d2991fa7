//! The site on a failing host, and during a deployment.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::{Context, Result, ensure};
use axum::{
    extract::{Request, State},
    http::{StatusCode, header},
    middleware::{self, Next},
    response::{Html, IntoResponse, Redirect, Response},
};
use tokio::task::JoinHandle;
use xtask::{digest, site_server};

use crate::{
    app::App,
    browser::{Browser, Setup},
    stage::{dist, slot},
    wait::{Found, LONG, until},
};

const PREFIX: &str = "/some/project/";
/// A file that exists only in the new version.
const NEWS: &str = "news-0123456789abcdef.js";
const NEWS_TEXT: &str = "document.documentElement.dataset.news = 'here';";

/// The host's behavior.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Host {
    /// Serves the first version.
    First,
    /// Answers every request with a status.
    Status(u16),
    /// Answers every request with its own page, like a captive portal.
    Portal,
    /// Redirects every request.
    Elsewhere,
    /// Page and service worker are new; the new file is missing, or has the right or the wrong content.
    Second { news: Option<&'static str> },
}

#[derive(Clone)]
struct Shared {
    host: Arc<Mutex<Host>>,
    page: Arc<str>,
    service_worker: Arc<str>,
}

/// Two versions of the site at one URL.
struct Site {
    url: String,
    host: Arc<Mutex<Host>>,
    task: JoinHandle<()>,
}

impl Site {
    async fn start(dist: &Path) -> Result<Self> {
        let host = Arc::new(Mutex::new(Host::First));
        let (page, service_worker) = second(dist)?;
        let shared = Shared { host: Arc::clone(&host), page, service_worker };
        let router = site_server::router(dist, PREFIX)?
            .layer(middleware::from_fn_with_state(shared, answer));
        let listener = site_server::bind(0).await?;
        let url = format!("http://{}{PREFIX}", listener.local_addr()?);
        let task = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                eprintln!("the host stopped: {error}");
            }
        });
        Ok(Site { url, host, task })
    }

    fn becomes(&self, host: Host) {
        *self.host.lock().unwrap_or_else(PoisonError::into_inner) = host;
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Page and service worker of a version with one more file.
fn second(dist: &Path) -> Result<(Arc<str>, Arc<str>)> {
    let read = |name: &str| std::fs::read_to_string(dist.join(name)).context(name.to_owned());
    let script = format!("<script type=\"module\" src=\"./{NEWS}\"></script></head>");
    let page = read("index.html")?.replace("</head>", &script);
    let worker = read("service-worker.js")?;
    let entry = format!("[[\"{NEWS}\",\"{}\"],[", digest::integrity(NEWS_TEXT.as_bytes()));
    let (before, rest) = worker.split_once("\"api-bank:\" + \"").context("no version")?;
    let worker = format!("{before}\"api-bank:\" + \"second{rest}").replacen("[[", &entry, 1);
    ensure!(page.contains(NEWS) && worker.contains(NEWS), "the second version is the first");
    Ok((page.into(), worker.into()))
}

async fn answer(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    let host = *shared.host.lock().unwrap_or_else(PoisonError::into_inner);
    let path = request.uri().path().strip_prefix(PREFIX).unwrap_or_default().to_owned();
    let script = |text: String| ([(header::CONTENT_TYPE, "text/javascript")], text).into_response();
    match (host, path.as_str()) {
        (Host::First, _) => next.run(request).await,
        (Host::Status(status), _) => StatusCode::from_u16(status)
            .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
            .into_response(),
        (Host::Portal, _) => Html("<title>Sign in</title><h1>Welcome</h1>").into_response(),
        (Host::Elsewhere, "sign-in") => Html("<title>Sign in</title>").into_response(),
        (Host::Elsewhere, _) => Redirect::temporary(&format!("{PREFIX}sign-in")).into_response(),
        (Host::Second { .. }, "" | "index.html") => Html(shared.page.to_string()).into_response(),
        (Host::Second { .. }, "service-worker.js") => script(shared.service_worker.to_string()),
        (Host::Second { news: Some(news) }, NEWS) => script(news.to_owned()),
        (Host::Second { .. }, _) => next.run(request).await,
    }
}

/// Reloads the page, and runs something that needs files of the site.
async fn works(app: &App, version: &str) -> Result<()> {
    app.driver().goto("about:blank").await?;
    app.open().await?;
    let names_news =
        app.script("return document.querySelector('script[src*=news]') !== null").await?;
    ensure!(names_news == (version == "second"), "this is not the {version} version");
    app.run_baseline("gold-replay").await
}

/// Waits until the browser has tried to install the new version.
async fn looked(app: &App) -> Result<()> {
    let script = "navigator.serviceWorker.getRegistration().then(async (it) => {
        await it.update().catch(() => {});
        const ended = (worker) => !worker || ['redundant', 'installed'].includes(worker.state);
        while (!ended(it.installing)) await new Promise((next) => setTimeout(next, 50));
        done(it.waiting !== null);
    })";
    app.script_async(script).await.map(drop)
}

async fn visits(app: &App, site: &Site) -> Result<()> {
    app.open().await?;
    app.script_async("navigator.serviceWorker.ready.then(() => done(true))").await?;
    for host in [Host::Status(404), Host::Status(503), Host::Portal, Host::Elsewhere] {
        site.becomes(host);
        works(app, "first").await.with_context(|| format!("{host:?}"))?;
    }
    // A half-finished deployment: a file is missing, then it has wrong content.
    for news in [None, Some("throw new Error('not the file of this version')")] {
        site.becomes(Host::Second { news });
        works(app, "first").await.with_context(|| format!("{news:?}"))?;
        looked(app).await?;
        works(app, "first").await.with_context(|| format!("{news:?}, seen"))?;
    }
    site.becomes(Host::Second { news: Some(NEWS_TEXT) });
    works(app, "first").await?;
    until("the new version", LONG, async || {
        looked(app).await?;
        let whole = app
            .script_async(
                "caches.keys().then(it => done(it.some(name => name.includes('second'))))",
            )
            .await?;
        Ok(if whole == true { Found::Yes(()) } else { Found::NotYet("one version".to_owned()) })
    })
    .await?;
    works(app, "second").await?;
    let news = app.script("return document.documentElement.dataset.news").await?;
    ensure!(news == "here", "the new file was not run: {news}");
    // The page stays intact when the host fails again.
    site.becomes(Host::Status(500));
    works(app, "second").await
}

#[tokio::test]
async fn a_host_that_fails_or_is_half_done_gives_no_broken_page() -> Result<()> {
    let Some(dist) = dist()? else { return Ok(()) };
    let _slot = slot().await?;
    let site = Site::start(&dist).await?;
    let browser = Browser::start(&Setup::default()).await?;
    let app = App::new(browser, site.url.clone(), dist);
    let outcome = visits(&app, &site).await;
    if outcome.is_err() {
        app.browser.report_failure("deployment").await;
    }
    app.browser.quit().await;
    outcome
}
