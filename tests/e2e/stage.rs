//! Setup and teardown of every test: the site and a browser.

use std::{
    env, fs,
    future::Future,
    path::PathBuf,
    sync::atomic::{AtomicUsize, Ordering},
};

use anyhow::{Context, Result, bail, ensure};
use futures::FutureExt;
use tokio::sync::{Semaphore, SemaphorePermit};
use xtask::site_server::SiteServer;

use crate::{
    app::App,
    browser::{Browser, Setup},
};

/// Concurrent browsers: each keeps a core busy.
static SLOTS: Semaphore = Semaphore::const_new(2);

/// The built site; `None` if there is none and none is required.
///
/// # Errors
/// When a site is required but missing, or the folder contains none.
pub fn dist() -> Result<Option<PathBuf>> {
    let Some(dist) = env::var_os("API_BANK_DIST").filter(|value| !value.is_empty()) else {
        const ADVICE: &str = "API_BANK_DIST names no built site: run `cargo xtask test`";
        if fixtures::is_ci() || env::var_os("API_BANK_REQUIRE_BROWSER").is_some() {
            bail!("{ADVICE}");
        }
        // Bypass the test runner's capture, so that a skipped test does not look like a passed one.
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), "SKIPPED a browser test: {ADVICE}");
        return Ok(None);
    };
    let dist = PathBuf::from(dist);
    ensure!(dist.join("index.html").is_file(), "no index.html in {}", dist.display());
    Ok(Some(dist))
}

/// Waits for a free browser slot, which is held until dropped.
///
/// # Errors
/// Never: the semaphore is not closed.
pub async fn slot() -> Result<SemaphorePermit<'static>> {
    SLOTS.acquire().await.context("a slot for a browser")
}

/// Serves the site, opens it in a fresh browser, runs a test and always cleans up. A failure saves
/// a screenshot to `target/screenshots/failed` and prints the console.
///
/// # Errors
/// The test's error.
///
/// # Panics
/// When the test panics.
pub async fn play(
    name: &str,
    setup: Setup,
    test: impl AsyncFnOnce(&App) -> Result<()>,
) -> Result<()> {
    let Some(dist) = dist()? else { return Ok(()) };
    let _slot = slot().await?;
    let site = match setup.plain_host {
        true => SiteServer::start_plain(&dist, setup.prefix).await.map_err(Into::into),
        false => SiteServer::start_holding(&dist, setup.prefix, setup.held.clone()).await,
    };
    let site = site.context("can't serve the site")?;
    let browser = Browser::start(&setup).await?;
    let app = App::new(browser, site.url(), dist);
    let outcome = caught(async {
        app.open().await?;
        test(&app).await?;
        no_errors(&app, setup.errors).await
    })
    .await;
    if !matches!(outcome, Ok(Ok(()))) {
        app.browser.report_failure(name).await;
    }
    app.browser.quit().await;
    match outcome {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Console messages about failed requests: browsers write them, and a page can't prevent it.
const OF_THE_NETWORK: [&str; 3] = ["Failed to load resource", "net::ERR_", "CORS policy"];

/// Checks that the console has no errors except for those that a test provokes.
async fn no_errors(app: &App, expected: &[&str]) -> Result<()> {
    let mut lines = app.browser.console().await?;
    lines.retain(|line| line.starts_with("SEVERE"));
    lines.retain(|line| !OF_THE_NETWORK.iter().chain(expected).any(|known| line.contains(known)));
    ensure!(lines.is_empty(), "the console has errors: {lines:?}");
    Ok(())
}

async fn caught(
    test: impl Future<Output = Result<()>>,
) -> std::result::Result<Result<()>, Box<dyn std::any::Any + Send>> {
    std::panic::AssertUnwindSafe(test).catch_unwind().await
}

/// A file to give to a page. Each has a folder of its own: a browser refuses a file that another
/// test has written since it was chosen.
pub fn file(name: &str, bytes: &[u8]) -> Result<PathBuf> {
    static FILES: AtomicUsize = AtomicUsize::new(0);
    let number = FILES.fetch_add(1, Ordering::Relaxed).to_string();
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("given").join(number);
    fs::create_dir_all(&folder)?;
    let path = folder.join(name);
    fs::write(&path, bytes).with_context(|| path.display().to_string())?;
    Ok(path)
}
